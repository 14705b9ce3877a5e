/*
 * Standard output and standard error of the process: all that cctr says goes through
 * here. A text is written at once where that can be done without waiting; else it waits
 * in order, and the loop writes it when there is room. So a reader that does not read
 * delays no time limit, no signal and no log.
 *
 * There is one pair of them, as there is one pair of descriptors: they are opened with
 * the first text. Both are one outlet where they are the same file, so that the order
 * between them stays.
 */
#ifndef CCTR_RUNNER_BASE_STREAMS_H
#define CCTR_RUNNER_BASE_STREAMS_H

#include "runner/base/base.h"

enum standard_stream { STREAM_OUTPUT, STREAM_ERROR };

/* All of it, now or later. What cannot be written is dropped, and streams_error tells
 * why. */
void streams_put(enum standard_stream stream, struct str text);
/* Some text waits for its reader. */
bool streams_are_pending(void);
/* Writes what there is room for. */
void streams_push(void);
/* While text waits: a descriptor that is readable when some of it can be written; -1
 * where there is none, and streams_push is to be called every now and then. */
int streams_room(void);
/* Waits until all is written, or cannot be. Signals have their usual effect: no loop may
 * be open. */
void streams_drain(void);
/* A reader went away, and SIGPIPE is not ignored: the process is to end by that signal.
 */
bool streams_have_lost_reader(void);
/* Why text was lost to something else than a reader that went away: an errno, or 0. Of
 * two streams that are the same file, it is standard output's. */
int streams_error(enum standard_stream stream);
/* Gives up what still waits. */
void streams_close(void);

#endif
