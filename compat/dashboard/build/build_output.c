/*
 * Lines before a problem are kept in buffers that are reused, so that memory grows with
 * the problems, not with the build. See build_output.h.
 */
#include "compat/dashboard/build/build_output.h"

void
build_output_open(struct build_output *o, struct arena *a,
	struct build_matchers *matchers, const struct custom *custom)
{
	*o = (struct build_output){.arena = a,
		.matchers = matchers,
		.errors_most = custom->errors_most,
		.warnings_most = custom->warnings_most,
		.context_before = custom->context_before > 0 ? custom->context_before : 0,
		.context_after = custom->context_after};
	o->lines.parts[0].arena = o->lines.parts[1].arena = a;
}

bool
build_output_is_full(const struct build_output *o, bool is_error, size_t n)
{
	int most = is_error ? o->errors_most : o->warnings_most;

	return most < 0 || n >= (size_t)most;
}

/* ---- context --------------------------------------------------------------------- */

static size_t
ring_place(const struct build_output *o, size_t i)
{
	return i % (size_t)o->context_before;
}

/* The ring grows only as needed: a script may ask for any number of lines. */
static void
keep_before(struct build_output *o, struct str line)
{
	struct build_lines *l = &o->lines;
	size_t at;

	if (!o->context_before)
		return;
	at = ring_place(o, l->before_n++);
	if (at == l->before.n)
		VEC_PUSH(o->arena, &l->before, (struct buf){.arena = o->arena});
	l->before.v[at].n = 0;
	buf_str(&l->before.v[at], line);
}

static struct str
take_before(struct build_output *o)
{
	struct build_lines *l = &o->lines;
	size_t most = (size_t)o->context_before;
	struct buf text = {.arena = o->arena};

	for (size_t i = l->before_n > most ? l->before_n - most : 0; i < l->before_n;
		i++) {
		buf_str(&text, buf_as_str(&l->before.v[ring_place(o, i)]));
		buf_char(&text, '\n');
	}
	l->before_n = 0;
	return buf_as_str(&text);
}

static bool
keep_after(struct build_output *o, struct str line)
{
	struct build_lines *l = &o->lines;

	if (!l->open || l->after_n >= o->context_after) {
		l->open = NULL;
		return false;
	}
	l->after_n++;
	buf_str(&l->open->after, line);
	if (l->after_n < o->context_after)
		buf_char(&l->open->after, '\n');
	return true;
}

/* ---- problems -------------------------------------------------------------------- */

static struct build_problem *
add_problem(struct build_output *o, bool is_error, struct str text)
{
	struct build_problem *p = NEW(o->arena, struct build_problem);

	p->is_error = is_error;
	p->text = str_dup(o->arena, text);
	p->after.arena = o->arena;
	VEC_PUSH(o->arena, &o->problems, p);
	*(is_error ? &o->errors : &o->warnings) += 1;
	return p;
}

void
build_output_note(struct build_output *o, bool is_error, struct str text)
{
	add_problem(o, is_error, text)->log_line = 1;
}

static void
take_line(struct build_output *o, struct str line)
{
	struct build_lines *l = &o->lines;
	enum build_line kind = BUILD_PLAIN;

	if (o->matchers)
		kind = build_matchers_judge(o->matchers, line,
			!build_output_is_full(o, true, o->errors),
			!build_output_is_full(o, false, o->warnings));
	l->n++;
	if (kind == BUILD_PLAIN) {
		if (!keep_after(o, line))
			keep_before(o, line);
		return;
	}
	o->last = kind;
	l->open = add_problem(o, kind == BUILD_ERROR, line);
	l->open->log_line = l->n;
	l->open->before = take_before(o);
	l->after_n = 0;
}

void
build_output_add(struct build_output *o, bool is_error, struct str text)
{
	struct buf *part = &o->lines.parts[is_error];

	while (text.n) {
		size_t end = str_find(text, '\n');
		struct str line = str_cut(text.p, end);

		if (end == text.n) {
			buf_str(part, line);
			return;
		}
		if (part->n) {
			buf_str(part, line);
			line = buf_as_str(part);
		}
		take_line(o, line);
		part->n = 0;
		text = str_from(text, end + 1);
	}
}

/* ---- texts ----------------------------------------------------------------------- */

void
build_output_shorten(struct build_output *o, struct str directory)
{
	const struct str dots = STR("/.../");

	for (size_t i = 0; i < o->problems.n; i++) {
		struct build_problem *p = o->problems.v[i];
		struct str after = buf_as_str(&p->after);
		struct str shorter = str_replace(o->arena, after, directory, dots);

		p->text = str_replace(o->arena, p->text, directory, dots);
		p->before = str_replace(o->arena, p->before, directory, dots);
		p->after = (struct buf){.arena = o->arena};
		buf_str(&p->after, shorter);
	}
}
