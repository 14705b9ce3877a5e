/* Words that a POSIX shell reads as they are. */
#ifndef CCTR_RUNNER_BASE_SHELL_WORD_H
#define CCTR_RUNNER_BASE_SHELL_WORD_H

#include "runner/base/base.h"

/* In single quotes. */
void shell_quoted(struct buf *b, struct str word);
/* In single quotes where the shell would read it otherwise without. */
void shell_word(struct buf *b, struct str word);

#endif
