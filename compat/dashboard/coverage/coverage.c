/* Sources with their counts, and helpers for all readers. See coverage.h. */
#include "compat/dashboard/coverage/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runner/base/files.h"
#include "runner/base/xml_read.h"

enum { DOTS_PER_LINE = 50 };

/* ---- sources and counts ---------------------------------------------------------- */

/* The most lines that the file can have, and one after its end. */
static size_t
limit_of(struct coverage *c, struct str path)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct stat st;
	size_t limit = 0;

	if (stat(path_in(c->arena, c->in->directory, path), &st) == 0 &&
		S_ISREG(st.st_mode))
		limit = (size_t)st.st_size + 2;
	arena_rewind(c->arena, mark);
	return limit;
}

struct source_coverage *
coverage_source(struct coverage *c, struct str path)
{
	uint32_t known = map_get(&c->by_path, path);
	struct source_coverage s;

	if (known != MAP_NONE)
		return &c->sources.v[known];
	s = (struct source_coverage){
		.path = str_dup(c->arena, path), .limit = limit_of(c, path)};
	map_set(&c->by_path, s.path, (uint32_t)c->sources.n);
	VEC_PUSH(c->arena, &c->sources, s);
	return &c->sources.v[c->sources.n - 1];
}

int *
coverage_line(struct coverage *c, struct source_coverage *s, size_t line)
{
	INVARIANT(s);
	if (s->lines <= line)
		s->lines = line + 1;
	if (line >= s->limit)
		return NULL;
	while (s->counts.n <= line)
		VEC_PUSH(c->arena, &s->counts, COVERAGE_NO_CODE);
	return &s->counts.v[line];
}

int *
coverage_known_line(struct source_coverage *s, long line)
{
	if (line < 0 || (size_t)line >= s->counts.n)
		return NULL;
	return &s->counts.v[line];
}

void
coverage_set_count(struct source_coverage *s, int number, int count)
{
	int *known = coverage_known_line(s, number - 1L);

	if (known)
		*known = count;
}

void
coverage_count(int *count, int more)
{
	INVARIANT(count);
	*count = (int)((unsigned)*count + (unsigned)more);
}

void
coverage_add_count(
	struct coverage *c, struct source_coverage *s, int number, struct str front)
{
	int count = coverage_number(front);
	int *known = number > 0 ? coverage_line(c, s, (size_t)number - 1) : NULL;

	if (!known)
		return;
	if (*known < 0 && (count > 0 || str_find(front, '#') < front.n))
		*known = 0;
	coverage_count(known, count);
}

static size_t
count_lines(struct coverage *c, struct str path)
{
	struct arena *scratch = arena_open();
	struct str text, line;
	size_t n = 0;

	if (coverage_file(c, scratch, path, &text))
		while (str_take_crlf_line(&text, &line))
			n++;
	arena_close(scratch);
	return n;
}

void
coverage_add_lines(struct coverage *c, struct source_coverage *s, size_t more)
{
	if (!s->was_counted)
		s->own_lines = count_lines(c, s->path);
	s->was_counted = true;
	if (s->own_lines + more)
		coverage_line(c, s, s->lines + s->own_lines + more - 1);
}

/* ---- text ------------------------------------------------------------------------ */

struct str
coverage_full_path(struct coverage *c, struct str path)
{
	return path_join(c->arena, c->in->directory, path);
}

struct str
coverage_directory(struct coverage *c)
{
	return path_join(c->arena, c->top, STR("Testing/CoverageInfo"));
}

void
coverage_say(const struct coverage *c, enum channel channel, const char *fmt, ...)
{
	struct arena_mark mark = arena_mark(c->arena);
	va_list args;

	va_start(args, fmt);
	step_say(c->in, channel, str_vfmt(c->arena, fmt, args));
	va_end(args);
	arena_rewind(c->arena, mark);
}

void
coverage_say_progress(const struct coverage *c, size_t n, size_t all)
{
	if (n % DOTS_PER_LINE == 0)
		coverage_say(
			c, CHANNEL_OUTPUT, " processed: %zu out of %zu\n    ", n, all);
}

int
coverage_number(struct str text)
{
	char copy[64];

	snprintf(copy, sizeof copy, "%.*s", (int)(text.n < 63 ? text.n : 63), text.p);
	return (int)strtol(copy, NULL, 10);
}

bool
coverage_file(struct coverage *c, struct arena *a, struct str path, struct str *text)
{
	INVARIANT(text);
	return console_read_file(
		c->in->console, a, str_of(path_in(a, c->in->directory, path)), text);
}

struct str
coverage_read(struct coverage *c, struct str path)
{
	struct str text = STR("");

	if (!coverage_file(c, c->arena, path, &text))
		text = STR("");
	return text;
}

void
coverage_read_xml(struct coverage *c, struct str text, const struct xml_events *events)
{
	struct xml_fault fault = xml_read(text, events);

	INVARIANT(events);
	if (fault.text)
		console_raw_error(c->in->console,
			str_fmt(c->arena, "Error parsing XML in stream at line %zu: %s\n",
				fault.line, fault.text));
}

bool
coverage_is_below(struct coverage *c, struct str path, struct str directory)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct str top = path_normal(c->arena, directory);
	bool is_below = directory.n && str_begins(path, top) && path.n > top.n &&
			(path.p[top.n] == '/' || top.n == 1);

	arena_rewind(c->arena, mark);
	return is_below;
}
