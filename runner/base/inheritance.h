/* Repairs what a program inherits from its parent and cannot work without. */
#ifndef CCTR_RUNNER_BASE_INHERITANCE_H
#define CCTR_RUNNER_BASE_INHERITANCE_H

#include <stdbool.h>

/* Call it once, before anything is opened or started. Standard streams that were closed
 * become /dev/null, so that no file of ours gets their numbers. SIGCHLD is delivered, to
 * us and to the programs that we start. SIGPIPE and SIGXFSZ do not end us; the write
 * fails instead. Returns whether standard output was open. */
bool inheritance_mend(void);

#endif
