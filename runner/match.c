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
 */
#include "runner/match.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

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
		enum jit_state jit;
	} * usage;
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

static struct matcher *
compile(struct arena *a, struct room *room, struct str pcre2, struct str *why)
{
	int error;
	PCRE2_SIZE at;
	PCRE2_UCHAR text[256];
	struct matcher *m;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)(pcre2.p ? pcre2.p : ""), pcre2.n,
		PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP,
		&error, &at, NULL);

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
	if (m->owns_room)
		room_close(m->room);
}

/* Machine code once there is enough work for it. CCTR_NO_JIT is for memory checkers: that
 * code reads whole vectors, beyond what is initialised, and they know nothing of it. */
static bool
jit_wanted(const struct matcher *m, size_t bytes)
{
	struct usage *u = m->usage;

	u->calls++;
	u->bytes += bytes;
	if (u->jit == JIT_LATER &&
		(u->calls >= JIT_AFTER_USES || u->bytes >= JIT_AFTER_BYTES))
		u->jit = !getenv("CCTR_NO_JIT") && pcre2_jit_compile(m->code,
							   PCRE2_JIT_COMPLETE) == 0
				 ? JIT_READY
				 : JIT_REFUSED;
	return u->jit == JIT_READY;
}

static int
run_jit(const struct matcher *m, struct str subject, size_t from)
{
	struct room *r = m->room;

	if (!r->stack) {
		r->stack =
			pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_LARGEST, NULL);
		pcre2_jit_stack_assign(r->context, NULL, r->stack);
	}
	return pcre2_match(
		m->code, (PCRE2_SPTR)subject.p, subject.n, from, 0, r->data, r->context);
}

static int
run_interpreted(const struct matcher *m, struct str subject, size_t from)
{
	return pcre2_match(m->code, (PCRE2_SPTR)subject.p, subject.n, from, PCRE2_NO_JIT,
		m->room->data, m->room->context);
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
	int found = PCRE2_ERROR_JIT_STACKLIMIT;
	bool interpreted;

	if (!m || from > subject.n || !room_ready(m->room))
		return false;
	if (!subject.p)
		subject = STR("");
	room_limit_steps(m->room, subject.n);
	if (jit_wanted(m, subject.n - from))
		found = run_jit(m, subject, from);
	interpreted = found == PCRE2_ERROR_JIT_STACKLIMIT;
	if (interpreted)
		found = run_interpreted(m, subject, from);
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
