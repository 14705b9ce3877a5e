/* Two spools that swap their roles. See text_queue.h. */
#include "runner/base/text_queue.h"

struct text_queue
text_queue_in(const char *directory)
{
	INVARIANT(directory);
	return (struct text_queue){.directory = directory};
}

static struct text_queue_part *
open_part(const char *directory)
{
	struct arena *a = arena_open();
	struct text_queue_part *part = NEW(a, struct text_queue_part);

	part->arena = a;
	part->mark = arena_mark(a);
	part->spool = spool_in(a, directory);
	return part;
}

static void
empty_part(struct text_queue_part *part, const char *directory)
{
	spool_close(&part->spool);
	arena_rewind(part->arena, part->mark);
	part->spool = spool_in(part->arena, directory);
}

static void
close_part(struct text_queue_part *part)
{
	if (!part)
		return;
	spool_close(&part->spool);
	arena_close(part->arena);
}

void
text_queue_close(struct text_queue *q)
{
	close_part(q->read);
	close_part(q->grown);
	*q = text_queue_in(q->directory);
}

void
text_queue_add(struct text_queue *q, struct str text)
{
	if (!q->grown) {
		q->read = open_part(q->directory);
		q->grown = open_part(q->directory);
	}
	spool_add(&q->grown->spool, text);
}

/* The spool that was written becomes the one that is read. */
static void
change_parts(struct text_queue *q)
{
	struct text_queue_part *done = q->read;

	empty_part(done, q->directory);
	q->read = q->grown;
	q->grown = done;
	q->text = spool_text(&q->read->spool);
	q->at = q->let_go = 0;
}

bool
text_queue_first(struct text_queue *q, struct str *text)
{
	INVARIANT(text);
	if (q->at == q->text.s.n && q->grown && spool_size(&q->grown->spool))
		change_parts(q);
	*text = str_from(q->text.s, q->at);
	if (text->n > LONG_TEXT_PIECE)
		text->n = LONG_TEXT_PIECE;
	return text->n > 0;
}

void
text_queue_take(struct text_queue *q, size_t n)
{
	INVARIANT(n <= q->text.s.n - q->at);
	q->at += n;
	q->let_go = long_text_pass(&q->text, q->let_go, q->at);
	if (q->at < q->text.s.n)
		return;
	empty_part(q->read, q->directory);
	q->text = (struct long_text){0};
	q->at = 0;
}
