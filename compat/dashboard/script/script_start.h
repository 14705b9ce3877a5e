/*
 * ctest_start: sets the model, the directories and the group of a script's results from
 * now on. In three steps: after each of the first two the prelude includes the files that
 * it named, CTestConfig.cmake and then CTestCustom.cmake.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_START_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_START_H

#include "compat/dashboard/script/script_state.h"

void script_answer_start(struct script_command *c);
void script_answer_configured(struct script_command *c);
void script_answer_customized(struct script_command *c);
/* true: a ctest_start without an error reads its files. */
bool script_is_starting(const struct scripts *s);
/* Call it at the end of a script: ends each ctest_start whose files have ended it. */
void script_starts_end(struct scripts *s);

#endif
