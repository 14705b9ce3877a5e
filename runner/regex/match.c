/*
 * Regular expressions. See match.h for the contracts.
 *
 * An expression is parsed at once, so that a bad one is reported where it is declared. It
 * is parsed again for each form when that form is first needed: automata for lists of
 * expressions, PCRE2's code, the program of the Pike VM. The automata of the lists that
 * were used last are kept, since many tests have the same lists.
 *
 * PCRE2 backtracks, and may take exponential time. It gets short subjects only, and a
 * limit of steps, which is smaller for longer subjects, because PCRE2 may use all of them
 * at each position where a match may begin. Its machine code (JIT) is not used: that of
 * release 10.42 does not find "(abc(c|)|)a*bc" in "abcdefgh".
 */
#include "runner/regex/match.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "runner/regex/regex_pike.h"
#include "runner/regex/regex_search.h"

enum {
	PCRE2_SUBJECT_MOST = 4096,
	/* for all positions where a match may begin, together */
	PCRE2_STEPS_MOST = 1000 * 1000,
	PCRE2_HEAP_KIB = 16 * 1024,
	AUTOMATA_MOST = 256, /* how many are kept */
};

enum code_state { CODE_LATER, CODE_READY, CODE_REFUSED };
struct matcher {
	struct match_set *set;
	struct str text;
	unsigned groups;
	struct lazy {
		enum code_state pcre2;
		pcre2_code *code;
		const struct regex_program *pike;
		struct automaton *alone; /* the automaton of this expression, or NULL */
	} * lazy;
};

/* The automaton of a list of expressions. */
struct automaton {
	struct regex_automaton *regex;
	VEC(const struct matcher *) list;
	uint64_t used; /* a counter: larger means later */
};
/* What matching needs besides the code, shared by all matchers of a set. */
struct room {
	pcre2_match_data *data;
	pcre2_match_context *context;
};
struct entry {
	struct pattern pattern;
	struct matcher *matcher;
	struct str why;
};
struct match_set {
	struct arena *arena, *scratch;
	match_parse *parse;
	struct room room;
	struct map index;
	VEC(struct entry *) entries;
	VEC(struct automaton *) automata;
	uint64_t uses;
};

static struct regex_tree
tree_of(const struct matcher *m, struct arena *a)
{
	struct regex_tree t;
	struct str why;

	INVARIANT(m->set->parse(a, m->text, &t, &why));
	return t;
}

/* ---- PCRE2 ----------------------------------------------------------------------- */

/* The library's memory is allocated at the first match. */
static bool
room_ready(struct room *r)
{
	if (!r->data)
		r->data = pcre2_match_data_create(MATCH_GROUPS, NULL);
	if (!r->context && (r->context = pcre2_match_context_create(NULL)))
		pcre2_set_heap_limit(r->context, PCRE2_HEAP_KIB);
	return r->data && r->context;
}

static void
room_close(struct room *r)
{
	pcre2_match_data_free(r->data);
	pcre2_match_context_free(r->context);
	*r = (struct room){0};
}

/* An expression that PCRE2 does not compile, such as one that is too large for it, is
 * left to the Pike VM. */
static void
compile_places(const struct matcher *m)
{
	struct arena *scratch = m->set->scratch;
	struct arena_mark mark = arena_mark(scratch);
	struct regex_tree t = tree_of(m, scratch);
	struct str text = regex_tree_pcre2(scratch, &t);
	int error;
	PCRE2_SIZE at;

	m->lazy->code = pcre2_compile((PCRE2_SPTR)(text.p ? text.p : ""), text.n,
		PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP,
		&error, &at, NULL);
	m->lazy->pcre2 = m->lazy->code ? CODE_READY : CODE_REFUSED;
	arena_rewind(scratch, mark);
}

static void
limit_steps(struct room *r, size_t subject)
{
	uint32_t steps = (uint32_t)(PCRE2_STEPS_MOST / (subject + 1));

	pcre2_set_match_limit(r->context, steps);
	pcre2_set_depth_limit(r->context, steps);
}

static void
read_groups(const struct matcher *m, struct str subject, struct match *match)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->set->room.data);

	for (size_t i = 0; i < match->n; i++)
		if (at[2 * i] != PCRE2_UNSET)
			match->groups[i] =
				str_cut(subject.p + at[2 * i], at[2 * i + 1] - at[2 * i]);
}

/* false: PCRE2 gives no answer, because it would take too long or for another reason. */
static bool
find_by_pcre2(const struct matcher *m, struct str subject, size_t from, bool *found,
	struct match *match)
{
	struct room *r = &m->set->room;
	int result;

	if (subject.n - from > PCRE2_SUBJECT_MOST || !room_ready(r))
		return false;
	if (m->lazy->pcre2 == CODE_LATER)
		compile_places(m);
	if (m->lazy->pcre2 == CODE_REFUSED)
		return false;
	limit_steps(r, subject.n - from);
	result = pcre2_match(m->lazy->code, (PCRE2_SPTR)subject.p, subject.n, from,
		PCRE2_NO_JIT, r->data, r->context);
	*found = result >= 0;
	if (*found)
		read_groups(m, subject, match);
	return *found || result == PCRE2_ERROR_NOMATCH;
}

/* ---- the Pike VM ----------------------------------------------------------------- */

static void
read_places(struct str subject, const size_t *at, struct match *match)
{
	for (size_t i = 0; i < match->n; i++)
		if (at[2 * i] != REGEX_NO_PLACE && at[2 * i + 1] != REGEX_NO_PLACE)
			match->groups[i] =
				str_cut(subject.p + at[2 * i], at[2 * i + 1] - at[2 * i]);
}

static bool
find_by_pike(
	const struct matcher *m, struct str subject, size_t from, struct match *match)
{
	struct arena *scratch = m->set->scratch;
	struct arena_mark mark = arena_mark(scratch);
	size_t places[2 * MATCH_GROUPS];
	bool found;

	if (!m->lazy->pike) {
		struct regex_tree t = tree_of(m, scratch);

		m->lazy->pike = regex_program_build(m->set->arena, &t, 1, true);
	}
	found = regex_pike_find(
		scratch, m->lazy->pike, subject, from, places, 2 * match->n);
	if (found)
		read_places(subject, places, match);
	arena_rewind(scratch, mark);
	return found;
}

bool
match_find(const struct matcher *m, struct str subject, size_t from, struct match *match)
{
	struct match ignored;
	bool found;

	if (!m || from > subject.n)
		return false;
	if (!subject.p)
		subject = STR("");
	if (!match)
		match = &ignored;
	*match = (struct match){.n = m->groups + 1};
	if (find_by_pcre2(m, subject, from, &found, match))
		return found;
	/* The automaton says much sooner that there is no match. */
	if (from == 0 && !match_has(m, subject))
		return false;
	return find_by_pike(m, subject, from, match);
}

/* ---- automata -------------------------------------------------------------------- */

static bool
is_for(const struct automaton *a, const struct matcher *const *list, size_t n)
{
	return a->list.n == n && memcmp(a->list.v, list, n * sizeof *list) == 0;
}

/* The least recently used automaton that no search uses now; NULL: there is none, or
 * there is room for one more. */
static struct automaton *
oldest_unused(const struct match_set *s)
{
	struct automaton *old = NULL;

	if (s->automata.n < AUTOMATA_MOST)
		return NULL;
	for (size_t i = 0; i < s->automata.n; i++) {
		struct automaton *a = s->automata.v[i];

		if (!regex_automaton_users(a->regex) && (!old || a->used < old->used))
			old = a;
	}
	return old;
}

static struct automaton *
automaton_new(struct match_set *s)
{
	struct automaton *a = oldest_unused(s);

	if (!a) {
		a = NEW(s->arena, struct automaton);
		VEC_PUSH(s->arena, &s->automata, a);
		return a;
	}
	regex_automaton_close(a->regex);
	if (a->list.n == 1)
		a->list.v[0]->lazy->alone = NULL;
	a->list.n = 0;
	return a;
}

static struct regex_automaton *
build_automaton(struct match_set *s, const struct matcher *const *list, size_t n)
{
	struct arena_mark mark = arena_mark(s->scratch);
	struct regex_tree *trees = NEW_ARRAY(s->scratch, struct regex_tree, n);
	struct regex_automaton *a;

	for (size_t i = 0; i < n; i++)
		trees[i] = tree_of(list[i], s->scratch);
	a = regex_automaton_open(trees, n);
	arena_rewind(s->scratch, mark);
	return a;
}

static struct automaton *
find_automaton(struct match_set *s, const struct matcher *const *list, size_t n)
{
	if (n == 1)
		return list[0]->lazy->alone;
	for (size_t i = 0; i < s->automata.n; i++)
		if (is_for(s->automata.v[i], list, n))
			return s->automata.v[i];
	return NULL;
}

static struct regex_automaton *
automaton_of(struct match_set *s, const struct matcher *const *list, size_t n)
{
	struct automaton *a = find_automaton(s, list, n);

	if (!a) {
		a = automaton_new(s);
		for (size_t i = 0; i < n; i++)
			VEC_PUSH(s->arena, &a->list, list[i]);
		a->regex = build_automaton(s, list, n);
		if (n == 1)
			list[0]->lazy->alone = a;
	}
	a->used = ++s->uses;
	return a->regex;
}

bool
match_has(const struct matcher *m, struct str subject)
{
	struct arena_mark mark;
	struct regex_search *search;
	bool found;

	if (!m)
		return false;
	mark = arena_mark(m->set->scratch);
	search = regex_search_open(m->set->scratch, automaton_of(m->set, &m, 1));
	regex_search_read(search, subject.p, subject.n);
	found = regex_search_found(search) != REGEX_NONE;
	regex_search_close(search);
	arena_rewind(m->set->scratch, mark);
	return found;
}

/* ---- searches -------------------------------------------------------------------- */

struct match_search {
	struct regex_search *regex; /* NULL: nothing can be found */
	const struct pattern **patterns; /* indexed by the number of the expression */
	size_t n;
};

/* Adds the matchers that compiled, with their patterns. Returns how many there are. */
static size_t
add_list(struct match_search *s, const struct matcher **matchers, size_t n,
	const struct pattern_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i]->matcher) {
			s->patterns[n] = l->v[i];
			matchers[n++] = l->v[i]->matcher;
		}
	return n;
}

struct match_search *
match_search_open(struct arena *a, const struct pattern_list *lists, size_t n)
{
	struct match_search *s = NEW(a, struct match_search);
	const struct matcher **matchers;
	size_t most = 0, found = 0;

	INVARIANT(lists || !n);
	for (size_t i = 0; i < n; i++)
		most += lists[i].n;
	matchers = NEW_ARRAY(a, const struct matcher *, most);
	s->patterns = NEW_ARRAY(a, const struct pattern *, most);
	for (size_t i = 0; i < n; i++)
		found = add_list(s, matchers, found, &lists[i]);
	s->n = found;
	if (found)
		s->regex = regex_search_open(
			a, automaton_of(matchers[0]->set, matchers, found));
	return s;
}

struct match_search *
match_search_copy(struct arena *a, const struct match_search *s)
{
	struct match_search *copy = NEW(a, struct match_search);

	INVARIANT(s);
	copy->n = s->n;
	copy->patterns = NEW_ARRAY(a, const struct pattern *, s->n);
	for (size_t i = 0; i < s->n; i++)
		copy->patterns[i] = s->patterns[i];
	if (s->regex)
		copy->regex = regex_search_copy(a, s->regex);
	return copy;
}

void
match_search_close(struct match_search *s)
{
	if (s->regex)
		regex_search_close(s->regex);
	s->regex = NULL;
}

void
match_search_read(struct match_search *s, struct str piece)
{
	if (s->regex)
		regex_search_read(s->regex, piece.p, piece.n);
}

bool
match_search_goes_on(const struct match_search *s)
{
	return s->regex && regex_search_goes_on(s->regex);
}

const struct pattern *
match_search_found(const struct match_search *s)
{
	uint32_t found = s->regex ? regex_search_found(s->regex) : REGEX_NONE;

	return found == REGEX_NONE ? NULL : s->patterns[found];
}

const struct pattern *
match_first(const struct pattern_list *lists, size_t n, const struct long_text *text)
{
	struct arena *scratch = arena_open();
	struct match_search *s = match_search_open(scratch, lists, n);
	struct long_reader r = {.text = text};
	struct str piece;
	const struct pattern *found;

	while (match_search_goes_on(s) && long_text_next(&r, &piece))
		match_search_read(s, piece);
	found = match_search_found(s);
	match_search_close(s);
	arena_close(scratch);
	return found;
}

/* ---- the set --------------------------------------------------------------------- */

struct match_set *
match_set_open(struct arena *a, match_parse *parse)
{
	struct match_set *s = NEW(a, struct match_set);

	INVARIANT(parse);
	s->arena = a;
	s->scratch = arena_open();
	arena_alloc(s->scratch, 1); /* the first block is kept when the rest is freed */
	s->parse = parse;
	s->index = map_in(a);
	return s;
}

void
match_set_close(struct match_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->automata.n; i++)
		regex_automaton_close(s->automata.v[i]->regex);
	for (size_t i = 0; i < s->entries.n; i++) {
		struct entry *e = s->entries.v[i];

		if (e->matcher)
			pcre2_code_free(e->matcher->lazy->code);
		e->pattern.matcher = NULL;
	}
	room_close(&s->room);
	arena_close(s->scratch);
}

static struct entry *
entry_new(struct match_set *s, struct str text)
{
	struct arena_mark mark = arena_mark(s->scratch);
	struct entry *e = NEW(s->arena, struct entry);
	struct regex_tree tree;
	struct str why = STR_NONE;

	e->pattern.text = str_dup(s->arena, text);
	if (s->parse(s->scratch, text, &tree, &why)) {
		e->matcher = NEW(s->arena, struct matcher);
		*e->matcher = (struct matcher){
			s, e->pattern.text, tree.groups, NEW(s->arena, struct lazy)};
	} else {
		e->why = str_dup(s->arena, why);
	}
	e->pattern.matcher = e->matcher;
	arena_rewind(s->scratch, mark);
	return e;
}

const struct pattern *
match_set_get(struct match_set *s, struct str text, struct str *why)
{
	uint32_t *at;
	struct entry *e;

	INVARIANT(s);
	if (!map_has(&s->index, text)) {
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
