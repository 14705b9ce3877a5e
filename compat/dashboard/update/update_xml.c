/* See update_xml.h. */
#include "compat/dashboard/update/update_xml.h"

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
		l->type->attribute(l, name, str_dup(l->u->arena, value));
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
		if (l->type->ended)
			l->type->ended(l);
		else
			update_revision(l->u, &l->rev, &l->changes);
	} else if (l->data.n) {
		l->type->end(l, name, str_dup(l->u->arena, buf_as_str(&l->data)));
	}
	l->data.n = 0;
}

static void
say_fault(struct xml_log *l, const struct xml_fault *fault)
{
	if (fault->text)
		buf_fmt(&l->u->log, "Error parsing %s log xml: %s\n", l->type->name,
			fault->text);
}

static void
on_piece(void *context, struct str bytes)
{
	struct xml_log *l = context;
	struct xml_fault fault = xml_reader_feed(l->reader, bytes);

	say_fault(l, &fault);
}

void
xml_log_open(struct xml_log *l)
{
	l->out = (struct listener){.context = l, .piece = on_piece};
	l->data = (struct buf){.arena = l->u->arena};
	l->events = (struct xml_events){.context = l,
		.begin = on_begin,
		.attribute = on_attribute,
		.text = on_text,
		.end = on_end};
	l->reader = xml_reader_open(&l->events, l->type->windows);
}

void
xml_log_close(struct xml_log *l)
{
	struct xml_fault fault = xml_reader_close(l->reader);

	say_fault(l, &fault);
}
