/*
 * All bytes that occur in no text are one class, so that the table stays small enough for
 * the nearest cache. See text_finder.h.
 */
#include "compat/format/text_finder.h"

enum { BYTES = 256, BITS = 64 };

struct wanted {
	struct str text;
	size_t number;
};
struct text_finder {
	struct arena *arena;
	size_t most;
	VEC(struct wanted) wanted;
	uint8_t class_of[BYTES]; /* 0: occurs in no text */
	size_t classes;
	uint32_t *next; /* state * classes + class -> state */
	struct number_set *found; /* of a state; words NULL: nothing */
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

struct text_finder *
text_finder_new(struct arena *a, size_t most)
{
	struct text_finder *f = NEW(a, struct text_finder);

	f->arena = a;
	f->most = most;
	f->classes = 1;
	f->always = number_set_in(a, most);
	return f;
}

void
text_finder_add(struct text_finder *f, struct str text, size_t number)
{
	if (!text.n) {
		number_set_add(&f->always, number);
		return;
	}
	for (size_t i = 0; i < text.n; i++) {
		uint8_t *class_of = &f->class_of[(unsigned char)text.p[i]];

		/* If all 256 bytes are in use, no class is left for other bytes, and none
		 * is needed. */
		if (!*class_of && f->classes < BYTES)
			*class_of = (uint8_t)f->classes++;
	}
	VEC_PUSH(f->arena, &f->wanted, (struct wanted){text, number});
}

static uint32_t *
next_of(const struct text_finder *f, uint32_t state, char c)
{
	return &f->next[state * f->classes + f->class_of[(unsigned char)c]];
}

static void
mark(struct text_finder *f, uint32_t state, const struct number_set *numbers)
{
	if (!numbers->words)
		return;
	if (!f->found[state].words)
		f->found[state] = number_set_in(f->arena, f->most);
	add_all(&f->found[state], numbers);
}

/* The states are the prefixes of all texts; state 0 is the empty prefix. */
static void
add_beginnings(struct text_finder *f)
{
	struct number_set one = number_set_in(f->arena, f->most);

	f->states = 1;
	for (size_t i = 0; i < f->wanted.n; i++) {
		const struct wanted *w = &f->wanted.v[i];
		uint32_t state = 0;

		for (size_t k = 0; k < w->text.n; k++) {
			uint32_t *next = next_of(f, state, w->text.p[k]);

			if (!*next)
				*next = (uint32_t)f->states++;
			state = *next;
		}
		memset(one.words, 0, one.n * sizeof *one.words);
		number_set_add(&one, w->number);
		mark(f, state, &one);
	}
}

/* If the next character does not continue a prefix, the search continues from its longest
 * suffix that is a prefix too. Breadth first, since that suffix is shorter. */
static void
add_ends(struct text_finder *f)
{
	uint32_t *shorter = NEW_ARRAY(f->arena, uint32_t, f->states);
	uint32_t *queue = NEW_ARRAY(f->arena, uint32_t, f->states);
	size_t taken = 0, put = 1;

	while (taken < put) {
		uint32_t state = queue[taken++];

		for (size_t c = 0; c < f->classes; c++) {
			uint32_t *next = &f->next[state * f->classes + c];
			uint32_t other =
				state ? f->next[shorter[state] * f->classes + c] : 0;

			if (!*next) {
				*next = other;
				continue;
			}
			shorter[*next] = other;
			mark(f, *next, &f->found[other]);
			queue[put++] = *next;
		}
	}
}

void
text_finder_finish(struct text_finder *f)
{
	size_t most = 1;

	for (size_t i = 0; i < f->wanted.n; i++)
		most += f->wanted.v[i].text.n;
	f->next = NEW_ARRAY(f->arena, uint32_t, most * f->classes);
	f->found = NEW_ARRAY(f->arena, struct number_set, most);
	add_beginnings(f);
	add_ends(f);
}

/* ---- looking --------------------------------------------------------------------- */

void
text_finder_look(const struct text_finder *f, struct str line, struct number_set *found)
{
	uint32_t state = 0;

	memcpy(found->words, f->always.words, found->n * sizeof *found->words);
	for (size_t i = 0; i < line.n; i++) {
		state = *next_of(f, state, line.p[i]);
		if (f->found[state].words)
			add_all(found, &f->found[state]);
	}
}
