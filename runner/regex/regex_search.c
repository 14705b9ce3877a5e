/*
 * Expressions are searched together, by one DFA, as long as that needs few states. Where
 * states thrash, the expressions are divided: in halves, until each half needs few
 * states. A single expression whose states thrash is simulated without states.
 */
#include "runner/regex/regex_search.h"

enum { IDLE_DFAS_MOST = 16 };

/* A DFA and the number of searches that use it now. */
struct shared_dfa {
	struct regex_dfa *dfa;
	unsigned users;
};
struct regex_automaton {
	struct arena *arena;
	struct regex_program *program;
	struct regex_classes classes;
	VEC(struct shared_dfa *) dfas;
	struct shared_dfa *free; /* memory of a closed DFA, or NULL */
	size_t users;
};

/* Neighbouring expressions that are searched together. */
struct section {
	uint32_t from, to;
	struct shared_dfa *shared;
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

	a->arena = arena;
	a->program = regex_program_build(arena, trees, n, false);
	a->classes = regex_classes_of(a->program);
	return a;
}

void
regex_automaton_close(struct regex_automaton *a)
{
	INVARIANT(regex_automaton_users(a) == 0);
	for (size_t i = 0; i < a->dfas.n; i++)
		regex_dfa_close(a->dfas.v[i]->dfa);
	arena_close(a->arena);
}

size_t
regex_automaton_users(const struct regex_automaton *a)
{
	return a->users;
}

/* Closes a DFA that no search uses, to make room for another. */
static void
close_idle(struct regex_automaton *a)
{
	for (size_t i = 0; i < a->dfas.n && a->dfas.n >= IDLE_DFAS_MOST; i++) {
		struct shared_dfa *s = a->dfas.v[i];

		if (s->users)
			continue;
		regex_dfa_close(s->dfa);
		a->free = s;
		a->dfas.v[i] = a->dfas.v[--a->dfas.n];
	}
}

static struct shared_dfa *
take_dfa(struct regex_automaton *a, uint32_t from, uint32_t to)
{
	struct shared_dfa *s;

	for (size_t i = 0; i < a->dfas.n; i++)
		if (regex_dfa_is_for(a->dfas.v[i]->dfa, from, to)) {
			a->dfas.v[i]->users++;
			return a->dfas.v[i];
		}
	close_idle(a);
	s = a->free ? a->free : NEW(a->arena, struct shared_dfa);
	a->free = NULL;
	s->dfa = regex_dfa_open(a->program, &a->classes, from, to);
	s->users = 1;
	VEC_PUSH(a->arena, &a->dfas, s);
	return s;
}

/* ---- sections -------------------------------------------------------------------- */

static void
remove_section(struct regex_search *s, size_t at)
{
	s->sections.v[at].shared->users--;
	for (size_t i = at + 1; i < s->sections.n; i++)
		s->sections.v[i - 1] = s->sections.v[i];
	s->sections.n--;
}

/* From now on only the expressions from from up to, but not including, to are
 * searched. */
static void
narrow_section(struct regex_search *s, struct section *k, uint32_t from, uint32_t to)
{
	k->shared->users--;
	k->from = from;
	k->to = to;
	k->shared = take_dfa(s->automaton, from, to);
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
	k.shared->users++;
	return k;
}

/* The states of the section thrash: half of its expressions become a section of their
 * own. */
static void
separate_section(struct regex_search *s, size_t at)
{
	struct section *k = &s->sections.v[at], half;
	uint32_t middle = k->from + (k->to - k->from) / 2;

	if (middle == k->from) {
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
	const uint32_t *firsts = s->automaton->program->firsts;
	size_t at = 0;

	for (; at < s->sections.n; at++) {
		const struct section *l = &s->sections.v[at];

		if (l->is_simulated && l->from == k->to &&
			firsts[l->to] - firsts[k->from] <= REGEX_BITS_MOST)
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
		k->shared->users--;
		k->shared = take_dfa(s->automaton, k->from, k->to);
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

	s->arena = arena;
	s->automaton = a;
	s->found = REGEX_NONE;
	a->users++;
	if (all.to == 0)
		return s;
	all.cursor.arena = arena;
	all.shared = take_dfa(a, 0, all.to);
	s->found = regex_dfa_begin(all.shared->dfa, &all.cursor);
	VEC_PUSH(arena, &s->sections, all);
	drop_needless(s);
	return s;
}

struct regex_search *
regex_search_copy(struct arena *arena, const struct regex_search *s)
{
	struct regex_search *copy = NEW(arena, struct regex_search);

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
	r = (k->is_simulated ? regex_dfa_simulate : regex_dfa_read)(
		k->shared->dfa, &k->cursor, bytes, &n, &found);
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
		uint32_t here = regex_dfa_end(k->shared->dfa, &k->cursor);

		if (here < found)
			found = here;
	}
	return found;
}
