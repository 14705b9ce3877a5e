/*
 * Standard output and standard error of the process: all that cctr prints goes through
 * here. A text is written at once where that is possible without waiting; otherwise it
 * waits in a queue, and the loop writes it when there is room. So a reader that does not
 * read delays no time limit, no signal and no log.
 *
 * Below the text on a terminal may be an area of lines that are drawn again and again and
 * leave no trace. The cursor waits at its beginning, so that it can be taken away however
 * the terminal has broken its lines since: nothing has to be asked of the terminal, no
 * mode of it is changed.
 *
 * There is one pair of streams per process. They are opened with the first text. Where
 * both are the same file they share one outlet, so that the order between them is kept.
 */
#ifndef CCTR_RUNNER_BASE_STREAMS_H
#define CCTR_RUNNER_BASE_STREAMS_H

#include "runner/base/diag.h"

enum standard_stream { STREAM_OUTPUT, STREAM_ERROR };

/* Whether the path of a report means standard output: "-". */
bool streams_is_output(struct str path);
/* From now on text for standard output goes to standard error: a report has standard
 * output. Before the loop is open. */
void streams_yield_output(void);
/* Writes all of the text, now or later. Text that cannot be written is dropped;
 * streams_error gives the reason. */
void streams_put(enum standard_stream stream, struct str text);
/* Writes what d has that was not shown yet to standard error, "program: file: text" a
 * line; notes as they are. */
void streams_put_diag(const char *program, struct diag *d);
/* From now on there is an area below the text, and text is held back until the area is
 * drawn, or until it is long. false: standard output is no terminal. */
bool streams_open_area(void);
/* Some text is held back. */
bool streams_hold_text(void);
/* Writes what is held back, and below it the lines, which are separated by newlines and
 * narrower than the terminal, in one go. false: they are not drawn, since text waits for
 * its reader or does not end with a newline, or this process is in the background. */
bool streams_draw_area(struct str lines);
/* Takes the area away, and writes what is held back. Nothing where there is no area. */
void streams_close_area(void);
/* Columns and rows of the terminal that standard output is; 80 and 24 if it does not
 * tell.
 */
struct streams_size {
	size_t columns, rows;
};
struct streams_size streams_size(void);
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
