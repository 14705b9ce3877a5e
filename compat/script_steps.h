/* The steps of a dashboard that scripts call: ctest(1), "Dashboard Client Steps". */
#ifndef CCTR_COMPAT_SCRIPT_STEPS_H
#define CCTR_COMPAT_SCRIPT_STEPS_H

#include "compat/permit.h"
#include "compat/script.h"
#include "compat/step.h"
#include "compat/stop_time.h"

/* That of the process: a script goes on with what another has started. */
struct dashboard *script_dashboard(struct scripts *s);
void script_set_key(struct dashboard *d, const char *key, struct str value);
/* The key's value from the variable, if it is set. */
void script_take_key(struct dashboard *d, const struct script_call *call, const char *key,
	const char *variable);
/* Absolute, from the directory that the script runs in. */
struct str script_path(struct scripts *s, struct str path);

/* ctest_start in three steps, between which the prelude includes the files that the last
 * one named: CTestConfig.cmake, then CTestCustom.cmake. */
void script_answer_start(struct script_command *c);
void script_answer_configured(struct script_command *c);
void script_answer_customized(struct script_command *c);
void script_answer_test(struct script_command *c);

#endif
