/* The table of ctest's commands for scripts. */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_COMMANDS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_COMMANDS_H

#include "compat/dashboard/script/script_state.h"

/* Answers a command of a script. */
void script_answer(struct script_command *c);

#endif
