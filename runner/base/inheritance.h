/* What a program has from whoever started it, and cannot do without. */
#ifndef CCTR_RUNNER_BASE_INHERITANCE_H
#define CCTR_RUNNER_BASE_INHERITANCE_H

#include <stdbool.h>

/* Once, before anything is opened or started: standard streams that were closed are
 * /dev/null, so that no file of ours is taken for one; children are heard of, and by what
 * we start as well; SIGPIPE and SIGXFSZ do not end us, but what is written fails.
 * -> standard output was there. */
bool inheritance_mend(void);

#endif
