/*
 * A queue of text to be written: first in, first out. Beyond SPOOL_CEILING the text is in
 * an unlinked file, so that memory stays bounded however long it waits.
 */
#ifndef CCTR_RUNNER_BASE_TEXT_QUEUE_H
#define CCTR_RUNNER_BASE_TEXT_QUEUE_H

#include "runner/base/spool.h"

/* One part is read from its start while the other one grows. */
struct text_queue_part {
	struct arena *arena;
	struct arena_mark mark;
	struct spool spool;
};
struct text_queue {
	const char *directory; /* where the files are made */
	struct text_queue_part *read, *grown; /* NULL until something is added */
	struct long_text text; /* of the part that is read */
	size_t at; /* how much of the text has left the queue */
	size_t let_go; /* how much of the text is let go: see long_text_pass */
};

/* directory: where the files are made. */
struct text_queue text_queue_in(const char *directory);
void text_queue_close(struct text_queue *q);
void text_queue_add(struct text_queue *q, struct str text);
/* The next text, valid until the next call; false: the queue is empty. */
bool text_queue_first(struct text_queue *q, struct str *text);
/* Removes the first n bytes of the text that text_queue_first gave. */
void text_queue_take(struct text_queue *q, size_t n);

#endif
