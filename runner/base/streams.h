/*
 * Standard output and standard error of the process: all that cctr prints goes through
 * here. A text is written at once where that is possible without waiting; otherwise it
 * waits in a queue, and the loop writes it when there is room. So a reader that does not
 * read delays no time limit, no signal and no log.
 *
 * There is one pair of streams per process. They are opened with the first text. Where
 * both are the same file they share one outlet, so that the order between them is kept.
 */
#ifndef CCTR_RUNNER_BASE_STREAMS_H
#define CCTR_RUNNER_BASE_STREAMS_H

#include "runner/base/base.h"

enum standard_stream { STREAM_OUTPUT, STREAM_ERROR };

/* Writes all of the text, now or later. Text that cannot be written is dropped;
 * streams_error gives the reason. */
void streams_put(enum standard_stream stream, struct str text);
/* Some text waits for its reader. */
bool streams_are_pending(void);
/* Writes as much as there is room for. */
void streams_push(void);
/* While text waits: a descriptor that becomes readable when some of it can be written.
 * -1: there is none; call streams_push now and then. */
int streams_room(void);
/* Waits until all text is written or cannot be written. Signals have their usual effect:
 * no loop may be open. */
void streams_drain(void);
/* A reader went away, and SIGPIPE is not ignored: the process should end by that
 * signal. */
bool streams_have_lost_reader(void);
/* Why text was lost, other than by a reader that went away: an errno, or 0. Where both
 * streams are the same file, standard output has the error. */
int streams_error(enum standard_stream stream);
/* Drops the text that still waits. */
void streams_close(void);

#endif
