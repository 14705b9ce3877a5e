/* Sets of instructions that wait, and cursors. See regex_sets.h. */
#include "runner/regex/regex_sets.h"

/* ---- classes of bytes ------------------------------------------------------------ */

/* Splits every class into the bytes that are in the set and the others. */
static void
split_classes(struct regex_classes *c, const struct byte_set *set)
{
	short inside[256], members[256] = {0}, in_set[256] = {0};

	for (int b = 0; b < 256; b++) {
		members[c->of[b]]++;
		in_set[c->of[b]] += byte_set_has(set, (unsigned char)b);
		inside[b] = -1;
	}
	for (int b = 0; b < 256; b++) {
		unsigned char old = c->of[b];

		if (!byte_set_has(set, (unsigned char)b) || in_set[old] == members[old])
			continue;
		if (inside[old] < 0)
			inside[old] = (short)c->n++;
		c->of[b] = (unsigned char)inside[old];
	}
}

/* A single byte that some instruction reads is a class of its own; where all 256 bytes
 * are, the last one has the class that is left for the others. */
struct regex_classes
regex_classes_of(const struct regex_program *p)
{
	struct regex_classes c = {.n = 1};
	struct byte_set singles = {{0}};

	for (size_t i = 0; i < p->n; i++) {
		unsigned char byte = (unsigned char)p->v[i].argument;

		if (p->v[i].op != OP_BYTE || byte_set_has(&singles, byte) || c.n == 256)
			continue;
		byte_set_add(&singles, byte);
		c.of[byte] = (unsigned char)c.n++;
	}
	for (size_t i = 0; i < p->sets_n; i++)
		split_classes(&c, &p->sets[i]);
	return c;
}

/* ---- sets of instructions -------------------------------------------------------- */

static void
set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << at % 64;
}

/* Adds to seen the instruction, and those that it leads to before a byte is read. */
static void
follow_instruction(struct regex_sets *s, uint32_t at, bool is_begin, bool is_end)
{
	size_t n = 0;

	s->stack[n++] = at;
	while (n) {
		uint32_t top = s->stack[--n];
		const struct regex_instruction *i = &s->program->v[top];

		if (regex_sets_has(s->seen, top - s->base))
			continue;
		set_bit(s->seen, top - s->base);
		if (i->op == OP_FOUND && i->argument < s->found)
			s->found = i->argument;
		else if (i->op == OP_SPLIT)
			s->stack[n++] = i->argument;
		if (i->op == OP_SPLIT || i->op == OP_SAVE ||
			(i->op == OP_BEGIN && is_begin) || (i->op == OP_END && is_end))
			s->stack[n++] = i->to;
	}
}

static void
clear_seen(struct regex_sets *s)
{
	memset(s->seen, 0, s->words * sizeof *s->seen);
	s->found = REGEX_NONE;
}

/* Collects the instructions that were seen and wait. */
static void
collect_waiting(struct regex_sets *s)
{
	s->set_n = 0;
	for (size_t w = 0; w < s->words; w++) {
		uint64_t bits = s->seen[w] & s->waits[w];

		for (; bits; bits &= bits - 1)
			s->set[s->set_n++] = s->base + (uint32_t)w * 64 +
					     (uint32_t)__builtin_ctzll(bits);
	}
}

struct regex_sets *
regex_sets_new(struct arena *a, const struct regex_program *program,
	const struct regex_classes *classes, uint32_t from, uint32_t to)
{
	struct regex_sets *s = NEW(a, struct regex_sets);
	uint32_t base = program->firsts[from], end = program->firsts[to];

	INVARIANT(from < to && to <= program->expressions);
	*s = (struct regex_sets){
		.program = program,
		.classes = classes,
		.from = from,
		.to = to,
		.base = base,
		.end = end,
		.words = (end - base) / 64 + 1,
	};
	s->waits = NEW_ARRAY(a, uint64_t, s->words);
	s->again = NEW_ARRAY(a, uint64_t, s->words);
	s->seen = NEW_ARRAY(a, uint64_t, s->words);
	s->stack = NEW_ARRAY(a, uint32_t, 2 * (size_t)(end - base) + 1);
	s->set = NEW_ARRAY(a, uint32_t, end - base);
	for (uint32_t i = base; i < end; i++) {
		enum regex_op op = program->v[i].op;

		if (op == OP_BYTE || op == OP_SET || op == OP_ANY || op == OP_END)
			set_bit(s->waits, i - base);
	}
	for (uint32_t i = from; i < to; i++)
		follow_instruction(s, program->begins[i], false, false);
	memcpy(s->again, s->seen, s->words * sizeof *s->seen);
	return s;
}

void
regex_sets_step(struct regex_sets *s, const uint32_t *v, size_t n, unsigned char byte)
{
	memcpy(s->seen, s->again, s->words * sizeof *s->seen);
	s->found = REGEX_NONE;
	for (size_t i = 0; i < n; i++)
		if (regex_program_reads(s->program, v[i], byte))
			follow_instruction(s, s->program->v[v[i]].to, false, false);
	collect_waiting(s);
}

void
regex_sets_follow(struct regex_sets *s, uint32_t at)
{
	clear_seen(s);
	follow_instruction(s, s->program->v[at].to, false, false);
}

enum regex_reading
regex_sets_judge(const struct regex_sets *s, uint32_t *found)
{
	*found = s->found;
	if (s->found != REGEX_NONE)
		return REGEX_READ_MATCH;
	return s->set_n ? REGEX_READ_ALL : REGEX_READ_DEAD;
}

/* ---- cursors --------------------------------------------------------------------- */

uint32_t
regex_cursor_begin(struct regex_cursor *c, struct regex_sets *s)
{
	clear_seen(s);
	for (uint32_t i = s->from; i < s->to; i++)
		follow_instruction(s, s->program->begins[i], true, false);
	collect_waiting(s);
	regex_cursor_set(c, s->set, s->set_n);
	c->has_read = false;
	return s->found;
}

uint32_t
regex_cursor_end(const struct regex_cursor *c, struct regex_sets *s)
{
	if (!s->program->has_end)
		return REGEX_NONE;
	clear_seen(s);
	for (size_t i = 0; i < c->n; i++)
		if (s->program->v[c->v[i]].op == OP_END)
			follow_instruction(s, c->v[i], !c->has_read, true);
	return s->found;
}

void
regex_cursor_set(struct regex_cursor *c, const uint32_t *v, size_t n)
{
	if (c->cap < n) {
		c->cap = 2 * n;
		c->v = NEW_ARRAY(c->arena, uint32_t, c->cap);
	}
	if (n)
		memcpy(c->v, v, n * sizeof *v);
	c->n = n;
	c->generation = 0;
}

void
regex_cursor_copy(struct regex_cursor *c, const struct regex_cursor *of)
{
	INVARIANT(c != of);
	regex_cursor_set(c, of->v, of->n);
	c->has_read = of->has_read;
}

void
regex_cursor_append(struct regex_cursor *c, const struct regex_cursor *of)
{
	uint32_t *v = NEW_ARRAY(c->arena, uint32_t, c->n + of->n);

	INVARIANT(c != of);
	if (c->n)
		memcpy(v, c->v, c->n * sizeof *v);
	if (of->n)
		memcpy(v + c->n, of->v, of->n * sizeof *v);
	regex_cursor_set(c, v, c->n + of->n);
}

void
regex_cursor_keep(
	struct regex_cursor *c, const struct regex_program *p, uint32_t from, uint32_t to)
{
	size_t n = 0;

	INVARIANT(from <= to && to <= p->expressions);
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i] >= p->firsts[from] && c->v[i] < p->firsts[to])
			c->v[n++] = c->v[i];
	c->n = n;
	c->generation = 0;
}

enum regex_reading
regex_sets_read(struct regex_sets *s, struct regex_cursor *c, const char *bytes,
	size_t *n, uint32_t *found)
{
	enum regex_reading r = REGEX_READ_ALL;
	size_t i = 0;

	while (i < *n && r == REGEX_READ_ALL) {
		regex_sets_step(s, c->v, c->n, (unsigned char)bytes[i++]);
		regex_cursor_set(c, s->set, s->set_n);
		r = regex_sets_judge(s, found);
		c->has_read = true;
	}
	*n = i;
	return r;
}
