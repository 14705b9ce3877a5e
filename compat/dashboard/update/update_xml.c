/* See update_xml.h. */
#include "compat/dashboard/update/update_xml.h"

#include "compat/format/xml_read.h"

static void
on_piece(void *context, struct str bytes)
{
	struct xml_log *l = context;

	buf_str(&l->text, bytes);
	VEC_PUSH(l->u->arena, &l->pieces,
		(struct xml_log_piece){l->text.n, l->u->log.n - l->start});
}

/* Lines of the pieces up to the one that has the byte before. */
static void
put_lines(struct xml_log *l, size_t text)
{
	while (l->taken < l->pieces.n) {
		size_t from = l->taken ? l->pieces.v[l->taken - 1].log : 0;

		if (l->taken && l->pieces.v[l->taken - 1].text >= text)
			return;
		buf_add(&l->u->log, l->lines.p + from, l->pieces.v[l->taken].log - from);
		l->taken++;
	}
}

static void
on_begin(void *context, struct str name)
{
	struct xml_log *l = context;

	l->data.n = 0;
	if (str_is(name, l->type->entry)) {
		l->rev = (struct revision){0};
		l->changes.n = 0;
	}
	if (l->type->begin)
		l->type->begin(l, name);
}

static void
on_attribute(void *context, struct str name, struct str value)
{
	struct xml_log *l = context;

	if (l->type->attribute)
		l->type->attribute(l, name, value);
}

static void
on_text(void *context, struct str text)
{
	struct xml_log *l = context;

	buf_str(&l->data, text);
}

static void
on_end(void *context, struct str name)
{
	struct xml_log *l = context;

	if (str_is(name, l->type->entry)) {
		put_lines(l, (size_t)(name.p - l->text.p) + name.n + 1);
		if (l->type->ended)
			l->type->ended(l);
		else
			update_revision(l->u, &l->rev, &l->changes);
	} else {
		l->type->end(l, name,
			l->data.n ? str_dup(l->u->arena, buf_as_str(&l->data)) : STR(""));
	}
	l->data.n = 0;
}

void
xml_log_open(struct xml_log *l)
{
	struct arena *a = l->u->arena;

	l->out = (struct listener){.context = l, .piece = on_piece};
	l->text = (struct buf){.arena = a};
	l->data = (struct buf){.arena = a};
	l->start = l->u->log.n;
}

static void
say(struct xml_log *l, const char *fault)
{
	buf_fmt(&l->u->log, "Error parsing %s log xml: %s\n", l->type->name, fault);
}

void
xml_log_close(struct xml_log *l)
{
	struct xml_events events = {.context = l,
		.begin = on_begin,
		.attribute = on_attribute,
		.text = on_text,
		.end = on_end};
	struct buf *log = &l->u->log;
	struct xml_fault fault;

	l->lines = str_dup(l->u->arena, str_cut(log->p + l->start, log->n - l->start));
	log->n = l->start;
	fault = xml_read_to(
		l->u->arena, l->text.n ? buf_as_str(&l->text) : STR(""), &events);
	/* A reader of pieces says what is wrong for each piece from there on. */
	if (fault.text && !fault.is_end) {
		put_lines(l, fault.at + 1);
		say(l, fault.text);
		while (l->taken < l->pieces.n) {
			put_lines(l, l->pieces.v[l->taken].text);
			say(l, fault.text);
		}
	}
	put_lines(l, l->text.n);
	buf_str(log,
		str_from(l->lines, l->pieces.n ? l->pieces.v[l->pieces.n - 1].log : 0));
	if (fault.is_end)
		say(l, fault.text);
}

void
xml_log_read(struct xml_log *l, struct str bytes)
{
	xml_log_open(l);
	listener_feed(l->u, &l->out, "log", bytes);
	xml_log_close(l);
}
