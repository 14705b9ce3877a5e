/*
 * Expressions are searched together, by one DFA, as long as that needs few states. Where
 * states thrash, the expressions are simulated together, without states: by streams, or,
 * where loops have too many rounds for these, by bits. Expressions that have too many
 * instructions for that are divided in halves first.
 */
#include "runner/regex/regex_search.h"

#include "runner/regex/regex_bits.h"
#include "runner/regex/regex_dfa.h"
#include "runner/regex/regex_streams.h"

enum {
	IDLE_ENGINES_MOST = 16,
	SECTIONS_MOST = 4, /* that are made where they could be simulated */
};

/* For neighbouring expressions, and the number of searches that use it now. */
struct engine {
	struct arena *arena;
	struct regex_sets *sets;
	struct regex_dfa *dfa;
	struct regex_bits *bits; /* NULL: not needed yet */
	struct regex_streams *streams; /* NULL: not needed yet, or of no use */
	bool without_streams; /* they are of no use */
	unsigned users;
};
struct regex_automaton {
	struct arena *arena;
	struct regex_program *program;
	struct regex_classes classes;
	VEC(struct engine *) engines;
	size_t users;
};

/* Neighbouring expressions that are searched together. */
struct section {
	uint32_t from, to;
	struct engine *engine;
	struct regex_cursor cursor;
	bool is_simulated;
	size_t read; /* of the piece that is being read */
};
struct regex_search {
	struct arena *arena;
	struct regex_automaton *automaton;
	VEC(struct section) sections; /* sections that may still match */
	uint32_t found; /* the first expression that has matched, or REGEX_NONE */
	bool has_simulated; /* sections have become simulated since the last join */
};

/* ---- the automaton --------------------------------------------------------------- */

struct regex_automaton *
regex_automaton_open(const struct regex_tree *trees, size_t n)
{
	struct arena *arena = arena_open();
	struct regex_automaton *a = NEW(arena, struct regex_automaton);

	INVARIANT(trees || !n);
	a->arena = arena;
	a->program = regex_program_build(arena, trees, n, false);
	a->classes = regex_classes_of(a->program);
	return a;
}

static void
close_engine(struct engine *e)
{
	if (e->dfa)
		regex_dfa_close(e->dfa);
	arena_close(e->arena);
}

void
regex_automaton_close(struct regex_automaton *a)
{
	INVARIANT(regex_automaton_users(a) == 0);
	for (size_t i = 0; i < a->engines.n; i++)
		close_engine(a->engines.v[i]);
	arena_close(a->arena);
}

size_t
regex_automaton_users(const struct regex_automaton *a)
{
	return a->users;
}

/* Closes engines that no search uses, to make room for another. */
static void
close_idle(struct regex_automaton *a)
{
	for (size_t i = 0; i < a->engines.n && a->engines.n >= IDLE_ENGINES_MOST;) {
		if (a->engines.v[i]->users) {
			i++;
			continue;
		}
		close_engine(a->engines.v[i]);
		a->engines.v[i] = a->engines.v[--a->engines.n];
	}
}

static struct engine *
take_engine(struct regex_automaton *a, uint32_t from, uint32_t to)
{
	struct arena *arena;
	struct engine *e;

	for (size_t i = 0; i < a->engines.n; i++) {
		e = a->engines.v[i];
		if (e->sets->from == from && e->sets->to == to) {
			e->users++;
			return e;
		}
	}
	close_idle(a);
	arena = arena_open();
	e = NEW(arena, struct engine);
	e->arena = arena;
	e->sets = regex_sets_new(arena, a->program, &a->classes, from, to);
	e->users = 1;
	VEC_PUSH(a->arena, &a->engines, e);
	return e;
}

/* As regex_dfa_read. */
static enum regex_reading
read_states(struct engine *e, struct regex_cursor *c, const char *bytes, size_t *n,
	uint32_t *found)
{
	if (!e->dfa)
		e->dfa = regex_dfa_open(e->arena, e->sets);
	return regex_dfa_read(e->dfa, c, bytes, n, found);
}

/* NULL: streams are of no use. */
static struct regex_streams *
streams_of(struct engine *e)
{
	if (e->sets->end - e->sets->base > REGEX_STREAMS_MOST)
		return NULL;
	if (!e->streams && !e->without_streams) {
		e->streams = regex_streams_new(e->arena, e->sets, REGEX_WIDEST);
		e->without_streams = !e->streams;
	}
	return e->without_streams ? NULL : e->streams;
}

/* As regex_dfa_read, without states and streams. */
static enum regex_reading
read_bits(struct engine *e, struct regex_cursor *c, const char *bytes, size_t *n,
	uint32_t *found)
{
	if (e->sets->end - e->sets->base > REGEX_BITS_MOST)
		return regex_sets_read(e->sets, c, bytes, n, found);
	if (!e->bits)
		e->bits = regex_bits_new(e->arena, e->sets, REGEX_WIDEST);
	return regex_bits_read(e->bits, c, bytes, n, found);
}

/* As regex_dfa_read, without states; never REGEX_READ_THRASH. */
static enum regex_reading
simulate_states(struct engine *e, struct regex_cursor *c, const char *bytes, size_t *n,
	uint32_t *found)
{
	struct regex_streams *streams = *n < REGEX_STREAMS_PIECE ? NULL : streams_of(e);
	enum regex_reading r;

	if (!streams)
		return read_bits(e, c, bytes, n, found);
	r = regex_streams_read(streams, c, bytes, n, found);
	e->without_streams = r == REGEX_READ_THRASH;
	return e->without_streams ? REGEX_READ_ALL : r;
}

/* ---- sections -------------------------------------------------------------------- */

static void
remove_section(struct regex_search *s, size_t at)
{
	s->sections.v[at].engine->users--;
	for (size_t i = at + 1; i < s->sections.n; i++)
		s->sections.v[i - 1] = s->sections.v[i];
	s->sections.n--;
}

/* From now on only the expressions from from up to, but not including, to are
 * searched. */
static void
narrow_section(struct regex_search *s, struct section *k, uint32_t from, uint32_t to)
{
	k->engine->users--;
	k->from = from;
	k->to = to;
	k->engine = take_engine(s->automaton, from, to);
	regex_cursor_keep(&k->cursor, s->automaton->program, from, to);
}

/* Expressions after the first that has matched are no longer searched, nor those that
 * cannot match any more. */
static void
drop_needless(struct regex_search *s)
{
	for (size_t i = 0; i < s->sections.n;) {
		struct section *k = &s->sections.v[i];

		if (k->from < s->found && k->to > s->found)
			narrow_section(s, k, k->from, s->found);
		if (k->from >= s->found || k->cursor.n == 0)
			remove_section(s, i);
		else
			i++;
	}
}

static struct section
copy_section(struct arena *a, const struct section *of)
{
	struct section k = *of;

	k.cursor = (struct regex_cursor){.arena = a};
	regex_cursor_copy(&k.cursor, &of->cursor);
	k.engine->users++;
	return k;
}

/* Whether it can be simulated with little time per byte. */
static bool
is_small(const struct regex_search *s, uint32_t from, uint32_t to)
{
	const uint32_t *firsts = s->automaton->program->firsts;

	return firsts[to] - firsts[from] <= REGEX_BITS_MOST;
}

/* The states of the section thrash: they are simulated, or half of its expressions become
 * a section of their own. */
static void
separate_section(struct regex_search *s, size_t at)
{
	struct section *k = &s->sections.v[at], half;
	uint32_t middle = k->from + (k->to - k->from) / 2;

	if (middle == k->from ||
		(s->sections.n >= SECTIONS_MOST && is_small(s, k->from, k->to))) {
		k->is_simulated = s->has_simulated = true;
		return;
	}
	half = copy_section(s->arena, k);
	narrow_section(s, &half, middle, k->to);
	narrow_section(s, k, k->from, middle);
	VEC_PUSH(s->arena, &s->sections, half);
}

/* The next section that can be simulated together with k, which takes little longer than
 * one of them alone; s->sections.n: there is none. */
static size_t
section_to_join(const struct regex_search *s, const struct section *k)
{
	size_t at = 0;

	for (; at < s->sections.n; at++) {
		const struct section *l = &s->sections.v[at];

		if (l->is_simulated && l->from == k->to && is_small(s, k->from, l->to))
			break;
	}
	return at;
}

/* Joins neighbouring simulated sections; all have read the same text. */
static void
join_simulated(struct regex_search *s)
{
	s->has_simulated = false;
	for (size_t i = 0; i < s->sections.n;) {
		struct section *k = &s->sections.v[i];
		size_t at = k->is_simulated ? section_to_join(s, k) : s->sections.n;

		if (at == s->sections.n) {
			i++;
			continue;
		}
		regex_cursor_append(&k->cursor, &s->sections.v[at].cursor);
		k->to = s->sections.v[at].to;
		k->engine->users--;
		k->engine = take_engine(s->automaton, k->from, k->to);
		remove_section(s, at);
		i -= at < i;
	}
}

/* ---- a search -------------------------------------------------------------------- */

struct regex_search *
regex_search_open(struct arena *arena, struct regex_automaton *a)
{
	struct regex_search *s = NEW(arena, struct regex_search);
	struct section all = {.to = (uint32_t)a->program->expressions};

	INVARIANT(a);
	s->arena = arena;
	s->automaton = a;
	s->found = REGEX_NONE;
	a->users++;
	if (all.to == 0)
		return s;
	all.cursor.arena = arena;
	all.engine = take_engine(a, 0, all.to);
	s->found = regex_cursor_begin(&all.cursor, all.engine->sets);
	VEC_PUSH(arena, &s->sections, all);
	drop_needless(s);
	return s;
}

struct regex_search *
regex_search_copy(struct arena *arena, const struct regex_search *s)
{
	struct regex_search *copy = NEW(arena, struct regex_search);

	INVARIANT(s);
	*copy = (struct regex_search){
		.arena = arena, .automaton = s->automaton, .found = s->found};
	s->automaton->users++;
	for (size_t i = 0; i < s->sections.n; i++) {
		struct section k = copy_section(arena, &s->sections.v[i]);

		VEC_PUSH(arena, &copy->sections, k);
	}
	return copy;
}

void
regex_search_close(struct regex_search *s)
{
	while (s->sections.n)
		remove_section(s, s->sections.n - 1);
	s->automaton->users--;
}

/* Reads up to the end of the piece, or until the sections change. */
static void
read_section(struct regex_search *s, size_t at, const char *bytes, size_t n)
{
	struct section *k = &s->sections.v[at];
	uint32_t found;
	enum regex_reading r;

	bytes += k->read;
	n -= k->read;
	r = (k->is_simulated ? simulate_states : read_states)(
		k->engine, &k->cursor, bytes, &n, &found);
	k->read += n;
	if (r == REGEX_READ_THRASH)
		separate_section(s, at);
	if (r == REGEX_READ_MATCH && found < s->found)
		s->found = found;
	if (r == REGEX_READ_MATCH || r == REGEX_READ_DEAD)
		drop_needless(s);
}

/* The first section that has not read the whole piece; s->sections.n: there is none. */
static size_t
section_behind(const struct regex_search *s, size_t n)
{
	size_t at = 0;

	while (at < s->sections.n && s->sections.v[at].read == n)
		at++;
	return at;
}

void
regex_search_read(struct regex_search *s, const char *bytes, size_t n)
{
	size_t at;

	if (s->has_simulated)
		join_simulated(s);
	for (size_t i = 0; i < s->sections.n; i++)
		s->sections.v[i].read = 0;
	while ((at = section_behind(s, n)) < s->sections.n)
		read_section(s, at, bytes, n);
}

bool
regex_search_goes_on(const struct regex_search *s)
{
	return s->sections.n > 0;
}

uint32_t
regex_search_found(const struct regex_search *s)
{
	uint32_t found = s->found;

	for (size_t i = 0; i < s->sections.n; i++) {
		const struct section *k = &s->sections.v[i];
		uint32_t here = regex_cursor_end(&k->cursor, k->engine->sets);

		if (here < found)
			found = here;
	}
	return found;
}
