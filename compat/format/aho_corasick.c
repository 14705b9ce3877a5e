/*
 * All bytes that occur in no text are one class, so that the table stays small enough for
 * the nearest cache. See aho_corasick.h.
 */
#include "compat/format/aho_corasick.h"

enum { BYTES = 256, BITS = 64 };

struct literal {
	struct str text;
	size_t number;
};
struct aho_corasick {
	struct arena *arena;
	size_t most;
	VEC(struct literal) literals;
	uint8_t class_of[BYTES]; /* 0: occurs in no text */
	size_t classes;
	uint32_t *next; /* state * classes + class -> state */
	struct number_set *found; /* by state; words NULL: nothing */
	size_t states;
	struct number_set always;
};

/* ---- numbers --------------------------------------------------------------------- */

struct number_set
number_set_in(struct arena *a, size_t most)
{
	size_t n = most / BITS + 1;

	return (struct number_set){NEW_ARRAY(a, uint64_t, n), n};
}

static void
number_set_add(struct number_set *s, size_t number)
{
	INVARIANT(number / BITS < s->n);
	s->words[number / BITS] |= UINT64_C(1) << number % BITS;
}

bool
number_set_has(const struct number_set *s, size_t number)
{
	return s->words[number / BITS] >> number % BITS & 1;
}

static void
add_all(struct number_set *to, const struct number_set *from)
{
	for (size_t i = 0; from->words && i < to->n; i++)
		to->words[i] |= from->words[i];
}

/* ---- building -------------------------------------------------------------------- */

struct aho_corasick *
aho_corasick_new(struct arena *a, size_t most)
{
	struct aho_corasick *m = NEW(a, struct aho_corasick);

	m->arena = a;
	m->most = most;
	m->classes = 1;
	m->always = number_set_in(a, most);
	return m;
}

void
aho_corasick_add(struct aho_corasick *m, struct str text, size_t number)
{
	INVARIANT(number < m->most);
	if (!text.n) {
		number_set_add(&m->always, number);
		return;
	}
	for (size_t i = 0; i < text.n; i++) {
		uint8_t *class_of = &m->class_of[(unsigned char)text.p[i]];

		/* If all 256 bytes are in use, no class is left for other bytes, and none
		 * is needed. */
		if (!*class_of && m->classes < BYTES)
			*class_of = (uint8_t)m->classes++;
	}
	VEC_PUSH(m->arena, &m->literals, (struct literal){text, number});
}

static uint32_t *
next_of(const struct aho_corasick *m, uint32_t state, char c)
{
	return &m->next[state * m->classes + m->class_of[(unsigned char)c]];
}

static void
add_found(struct aho_corasick *m, uint32_t state, const struct number_set *numbers)
{
	if (!numbers->words)
		return;
	if (!m->found[state].words)
		m->found[state] = number_set_in(m->arena, m->most);
	add_all(&m->found[state], numbers);
}

/* The states are the prefixes of all texts; state 0 is the empty prefix. */
static void
build_trie(struct aho_corasick *m)
{
	struct number_set one = number_set_in(m->arena, m->most);

	m->states = 1;
	for (size_t i = 0; i < m->literals.n; i++) {
		const struct literal *w = &m->literals.v[i];
		uint32_t state = 0;

		for (size_t k = 0; k < w->text.n; k++) {
			uint32_t *next = next_of(m, state, w->text.p[k]);

			if (!*next)
				*next = (uint32_t)m->states++;
			state = *next;
		}
		memset(one.words, 0, one.n * sizeof *one.words);
		number_set_add(&one, w->number);
		add_found(m, state, &one);
	}
}

/* The failure link of a prefix is its longest suffix that is a prefix too; the search
 * continues there where the next character does not continue the prefix. Breadth first,
 * since that suffix is shorter. */
static void
add_failure_links(struct aho_corasick *m)
{
	uint32_t *failure = NEW_ARRAY(m->arena, uint32_t, m->states);
	uint32_t *queue = NEW_ARRAY(m->arena, uint32_t, m->states);
	size_t taken = 0, put = 1;

	while (taken < put) {
		uint32_t state = queue[taken++];

		for (size_t c = 0; c < m->classes; c++) {
			uint32_t *next = &m->next[state * m->classes + c];
			uint32_t other =
				state ? m->next[failure[state] * m->classes + c] : 0;

			if (!*next) {
				*next = other;
				continue;
			}
			failure[*next] = other;
			add_found(m, *next, &m->found[other]);
			queue[put++] = *next;
		}
	}
}

void
aho_corasick_build(struct aho_corasick *m)
{
	size_t most = 1;

	for (size_t i = 0; i < m->literals.n; i++)
		most += m->literals.v[i].text.n;
	m->next = NEW_ARRAY(m->arena, uint32_t, most * m->classes);
	m->found = NEW_ARRAY(m->arena, struct number_set, most);
	build_trie(m);
	add_failure_links(m);
}

/* ---- searching ------------------------------------------------------------------- */

void
aho_corasick_search(
	const struct aho_corasick *m, struct str line, struct number_set *found)
{
	uint32_t state = 0;

	memcpy(found->words, m->always.words, found->n * sizeof *found->words);
	for (size_t i = 0; i < line.n; i++) {
		state = *next_of(m, state, line.p[i]);
		if (m->found[state].words)
			add_all(found, &m->found[state]);
	}
}
