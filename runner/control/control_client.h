/* `cctr ctl`: asks a run and says what it answers. Help/manual/cctr-control.7.rst. */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_CLIENT_H
#define CCTR_RUNNER_CONTROL_CONTROL_CLIENT_H

#include "runner/base/base.h"

/* words: those after "ctl". Returns the exit code: 0; 1: there is no such run, or it
 * refuses; 2: the words cannot be understood. */
int control_client(struct arena *a, struct str_list words);

#endif
