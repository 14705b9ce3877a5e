/* The command that runs some tests of a run again. Pure. */
#ifndef CCTR_COMPAT_RUN_AGAIN_H
#define CCTR_COMPAT_RUN_AGAIN_H

#include "runner/base/base.h"

/* Of the command line, whose first word is the program's: the program, the options that
 * say which tests there are and what they can get, and -V. As text for a shell. What
 * selects tests is left out, and so are files that the run wrote. */
struct str again_command(struct arena *a, struct str_list words);
/* Adds the words that select a test, by its number where its name cannot be typed. */
void again_add_test(struct buf *command, struct str name, unsigned number);

#endif
