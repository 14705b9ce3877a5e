/*
 * Regular expressions through PCRE2. See match.h for the contracts.
 *
 * A matcher is compiled at once, so that a bad pattern is known where it is declared, but
 * gets its machine code only when it works for it: a pattern that looks at one short
 * output costs less without. What a match needs beside the code (match data, limits, JIT
 * stack) is one room, shared by all matchers of a set; matching is for one thread.
 *
 * A hostile pattern ends: the number of steps is limited (in proportion to the subject,
 * so that a harmless pattern may read a large output), and so are the JIT stack and the
 * heap. A pattern that runs out of JIT stack is interpreted instead.
 *
 * A long subject is matched in windows. Where the matcher comes to the end of one it says
 * from where on a match may go beyond it; the next window begins there, and is twice as
 * long if it is the same place again.
 */
#include "runner/match.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEPS_LIMIT = 10 * 1000 * 1000,
	STEPS_PER_BYTE = 16,
	HEAP_LIMIT_KIB = 512 * 1024,
	JIT_STACK_FIRST = 32 * 1024,
	JIT_STACK_LARGEST = 16 * 1024 * 1024,
	JIT_AFTER_USES = 8,
	JIT_AFTER_BYTES = 16 * 1024,
	LARGE_SUBJECT = 64 * 1024,
};

struct room {
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
};
enum jit_state { JIT_LATER, JIT_READY, JIT_REFUSED };
struct matcher {
	pcre2_code *code;
	struct room *room;
	struct usage {
		uint64_t calls, bytes;
		enum jit_state jit, jit_in_parts;
	} * usage;
	/* Where only whether there is a match is asked: without a ".*" at the begin,
	 * which would have a match begin where the text does; else NULL. Compiled when
	 * needed. */
	struct matcher *core;
	struct str text; /* of a core */
	bool owns_room;
};

/* ---- the room ------------------------------------------------------------------------
 */

static struct room *
room_new(struct arena *a)
{
	return NEW(a, struct room);
}

/* Library memory is asked for at the first match. */
static bool
room_ready(struct room *r)
{
	if (!r->data)
		r->data = pcre2_match_data_create(MATCH_GROUPS, NULL);
	if (!r->context && (r->context = pcre2_match_context_create(NULL)))
		pcre2_set_heap_limit(r->context, HEAP_LIMIT_KIB);
	return r->data && r->context;
}

static void
room_limit_steps(struct room *r, size_t subject)
{
	uint64_t steps = STEPS_LIMIT + (uint64_t)subject * STEPS_PER_BYTE;

	pcre2_set_match_limit(
		r->context, steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX);
	pcre2_set_depth_limit(
		r->context, steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX);
}

static void
room_close(struct room *r)
{
	pcre2_match_data_free(r->data);
	pcre2_match_context_free(r->context);
	pcre2_jit_stack_free(r->stack);
	*r = (struct room){0};
}

/* ---- one matcher ----------------------------------------------------------------------
 */

static pcre2_code *
code_of(struct str pcre2, int *error, PCRE2_SIZE *at)
{
	return pcre2_compile((PCRE2_SPTR)(pcre2.p ? pcre2.p : ""), pcre2.n,
		PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP,
		error, at, NULL);
}

/* Behind the set that begins there. */
static size_t
behind_set(struct str pcre2, size_t at)
{
	at += at + 1 < pcre2.n && pcre2.p[at + 1] == '^' ? 2 : 1;
	at += at < pcre2.n && pcre2.p[at] == ']';
	while (at < pcre2.n && pcre2.p[at] != ']')
		at += pcre2.p[at] == '\\' ? 2 : 1;
	return at;
}

/* A '|' that is not in a group. */
static bool
has_alternatives(struct str pcre2)
{
	size_t depth = 0;

	for (size_t i = 0; i < pcre2.n; i++) {
		if (pcre2.p[i] == '\\')
			i++;
		else if (pcre2.p[i] == '[')
			i = behind_set(pcre2, i);
		else if (pcre2.p[i] == '(')
			depth++;
		else if (pcre2.p[i] == ')')
			depth--;
		else if (pcre2.p[i] == '|' && depth == 0)
			return true;
	}
	return false;
}

static struct matcher *
core_of(struct arena *a, const struct matcher *m, struct str pcre2)
{
	struct matcher *core;
	struct str rest = pcre2;

	while (str_begins(rest, STR(".*")))
		rest = str_from(rest, 2);
	if (rest.n == pcre2.n || (rest.n && strchr("?+*{", *rest.p)) ||
		has_alternatives(rest))
		return NULL;
	core = NEW(a, struct matcher);
	core->room = m->room;
	core->usage = NEW(a, struct usage);
	core->text = str_dup(a, rest);
	return core;
}

static struct matcher *
compile(struct arena *a, struct room *room, struct str pcre2, struct str *why)
{
	int error;
	PCRE2_SIZE at;
	PCRE2_UCHAR text[256];
	struct matcher *m;
	pcre2_code *code = code_of(pcre2, &error, &at);

	if (!code) {
		if (pcre2_get_error_message(error, text, sizeof text) < 0)
			text[0] = '\0';
		*why = str_fmt(
			a, "PCRE2: %s at offset %zu\n", (const char *)text, (size_t)at);
		return NULL;
	}
	m = NEW(a, struct matcher);
	m->code = code;
	m->room = room;
	m->usage = NEW(a, struct usage);
	m->core = core_of(a, m, pcre2);
	return m;
}

struct matcher *
matcher_open(struct arena *a, struct str pcre2, struct str *why)
{
	struct matcher *m = compile(a, room_new(a), pcre2, why);

	if (m)
		m->owns_room = true;
	return m;
}

void
matcher_close(struct matcher *m)
{
	if (!m)
		return;
	pcre2_code_free(m->code);
	m->code = NULL;
	matcher_close(m->core);
	if (m->owns_room)
		room_close(m->room);
}

/* Machine code once there is enough work for it. CCTR_NO_JIT is for memory checkers: that
 * code reads whole vectors, beyond what is initialised, and they know nothing of it. */
static bool
jit_wanted(const struct matcher *m, size_t bytes, bool in_parts)
{
	struct usage *u = m->usage;
	enum jit_state *jit = in_parts ? &u->jit_in_parts : &u->jit;

	u->calls++;
	u->bytes += bytes;
	if (*jit == JIT_LATER &&
		(u->calls >= JIT_AFTER_USES || u->bytes >= JIT_AFTER_BYTES))
		*jit = !getenv("CCTR_NO_JIT") &&
				       pcre2_jit_compile(m->code,
					       in_parts ? PCRE2_JIT_PARTIAL_SOFT
							: PCRE2_JIT_COMPLETE) == 0
			       ? JIT_READY
			       : JIT_REFUSED;
	return *jit == JIT_READY;
}

static int
run_jit(const struct matcher *m, struct str subject, size_t from, uint32_t options)
{
	struct room *r = m->room;

	if (!r->stack) {
		r->stack =
			pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_LARGEST, NULL);
		pcre2_jit_stack_assign(r->context, NULL, r->stack);
	}
	return pcre2_match(m->code, (PCRE2_SPTR)subject.p, subject.n, from, options,
		r->data, r->context);
}

static int
run_interpreted(
	const struct matcher *m, struct str subject, size_t from, uint32_t options)
{
	return pcre2_match(m->code, (PCRE2_SPTR)subject.p, subject.n, from,
		options | PCRE2_NO_JIT, m->room->data, m->room->context);
}

/* What PCRE2 says; *interpreted: see give_heap_back. */
static int
run(const struct matcher *m, struct str subject, size_t from, uint32_t options,
	bool *interpreted)
{
	int found = PCRE2_ERROR_JIT_STACKLIMIT;

	room_limit_steps(m->room, subject.n);
	if (jit_wanted(m, subject.n - from, options & PCRE2_PARTIAL_SOFT))
		found = run_jit(m, subject, from, options);
	*interpreted = found == PCRE2_ERROR_JIT_STACKLIMIT;
	if (*interpreted)
		found = run_interpreted(m, subject, from, options);
	return found;
}

/* An interpreted match leaves its heap with the match data: a large one goes at once. */
static void
give_heap_back(struct room *r, struct str subject)
{
	if (subject.n < LARGE_SUBJECT)
		return;
	pcre2_match_data_free(r->data);
	r->data = NULL;
}

static void
read_groups(const struct matcher *m, struct str subject, struct match *match)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->room->data);
	uint32_t groups = 0;

	pcre2_pattern_info(m->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	*match = (struct match){.n = groups < MATCH_GROUPS ? groups + 1 : MATCH_GROUPS};
	for (size_t i = 0; i < match->n; i++)
		if (at[2 * i] != PCRE2_UNSET)
			match->groups[i] =
				str_cut(subject.p + at[2 * i], at[2 * i + 1] - at[2 * i]);
}

bool
match_find(const struct matcher *m, struct str subject, size_t from, struct match *match)
{
	int found;
	bool interpreted;

	if (!m || from > subject.n || !room_ready(m->room))
		return false;
	if (!subject.p)
		subject = STR("");
	found = run(m, subject, from, 0, &interpreted);
	if (found >= 0 && match)
		read_groups(m, subject, match);
	if (interpreted)
		give_heap_back(m->room, subject);
	return found >= 0;
}

bool
match_has(const struct matcher *m, struct str subject)
{
	return match_find(m, subject, 0, NULL);
}

/* ---- long subjects -------------------------------------------------------------------
 */

/* PCRE2's answer for a window that ends before the subject does, or for all that there is
 * of one that grows; *next: where the next match may begin. */
static int
match_part(const struct matcher *m, struct str subject, size_t from, bool is_end,
	size_t *next)
{
	uint32_t options = PCRE2_PARTIAL_SOFT | (is_end ? 0 : PCRE2_NOTEOL);
	bool interpreted;
	int found = run(m, subject, from, options, &interpreted);

	*next = subject.n;
	if (found == PCRE2_ERROR_PARTIAL)
		*next = pcre2_get_ovector_pointer(m->room->data)[0];
	if (interpreted)
		give_heap_back(m->room, subject);
	return found;
}

/* The pattern itself where there is nothing better. */
static const struct matcher *
core(const struct matcher *m)
{
	int error;
	PCRE2_SIZE at;

	if (m->core && !m->core->code)
		m->core->code = code_of(m->core->text, &error, &at);
	return m->core && m->core->code ? m->core : m;
}

static bool
is_answer(int found)
{
	return found != PCRE2_ERROR_NOMATCH && found != PCRE2_ERROR_PARTIAL;
}

/* Up to the last window, which begins at *from and has the rest. true: *found. */
static bool
match_windows(
	const struct matcher *m, const struct long_text *t, size_t *from, bool *found)
{
	size_t window = LONG_TEXT_PIECE;

	while (t->s.n - *from > window) {
		struct str subject = {t->s.p, *from + window};
		size_t next;
		int answer;

		if (!room_ready(m->room))
			return true;
		answer = match_part(m, subject, *from, false, &next);
		*found = answer >= 0;
		if (is_answer(answer))
			return true;
		long_text_let_go(t, *from, next);
		window = next > *from ? LONG_TEXT_PIECE : 2 * window;
		*from = next;
	}
	return false;
}

bool
match_has_long(const struct matcher *m, const struct long_text *subject)
{
	bool found = false;
	size_t from = 0;

	if (!m || subject->s.n <= LONG_TEXT_PIECE)
		return match_has(m, subject->s);
	m = core(m);
	return match_windows(m, subject, &from, &found)
		       ? found
		       : match_find(m, subject->s, from, NULL);
}

bool
match_has_grown(const struct matcher *m, const struct long_text *subject, size_t *from)
{
	bool found = false;
	size_t next;

	if (!m || !subject->s.p)
		return false;
	m = core(m);
	if (match_windows(m, subject, from, &found))
		return found;
	if (!room_ready(m->room))
		return false;
	found = match_part(m, subject->s, *from, true, &next) >= 0;
	long_text_let_go(subject, *from, next);
	*from = next;
	return found;
}

/* ---- the set --------------------------------------------------------------------------
 */

struct entry {
	struct pattern pattern;
	struct matcher *matcher;
	struct str why;
};
struct match_set {
	struct arena *arena;
	match_translate *translate;
	struct room *room;
	struct map index;
	VEC(struct entry *) entries;
};

struct match_set *
match_set_open(struct arena *a, match_translate *translate)
{
	struct match_set *s = NEW(a, struct match_set);

	s->arena = a;
	s->translate = translate;
	s->room = room_new(a);
	s->index = map_in(a);
	return s;
}

void
match_set_close(struct match_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->entries.n; i++) {
		matcher_close(s->entries.v[i]->matcher);
		s->entries.v[i]->pattern.matcher = NULL;
	}
	room_close(s->room);
}

static struct entry *
entry_new(struct match_set *s, struct str text)
{
	struct entry *e = NEW(s->arena, struct entry);
	struct str pcre2 = text, why = STR_NONE;

	e->pattern.text = str_dup(s->arena, text);
	if (!s->translate || s->translate(s->arena, text, &pcre2, &why))
		e->matcher = compile(s->arena, s->room, pcre2, &why);
	if (!e->matcher)
		e->why = why;
	e->pattern.matcher = e->matcher;
	return e;
}

const struct pattern *
match_set_get(struct match_set *s, struct str text, struct str *why)
{
	uint32_t *at;
	struct entry *e;

	if (map_get(&s->index, text) == MAP_NONE) {
		e = entry_new(s, text);
		at = map_at(&s->index, e->pattern.text);
		*at = (uint32_t)s->entries.n;
		VEC_PUSH(s->arena, &s->entries, e);
	} else {
		e = s->entries.v[map_get(&s->index, text)];
	}
	if (why)
		*why = e->why;
	return &e->pattern;
}
