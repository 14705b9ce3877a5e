/*
 * Trees to instructions. See regex_program.h. A node is built after the node that follows
 * it in the text: so every target is final, except those of loops.
 */
#include "runner/regex/regex_program.h"

struct builder {
	struct arena *arena;
	VEC(struct regex_instruction) code;
	VEC(struct byte_set) sets;
	bool with_saves, has_end;
};

static uint32_t build_node(struct builder *b, const struct regex_node *n, uint32_t to);

static uint32_t
add_instruction(struct builder *b, enum regex_op op, uint32_t to, uint32_t argument)
{
	VEC_PUSH(b->arena, &b->code, (struct regex_instruction){op, to, argument});
	return (uint32_t)b->code.n - 1;
}

/* A set that equals one of the last sets gets the same number. */
static uint32_t
set_number(struct builder *b, const struct byte_set *set)
{
	enum { LOOK_BACK = 16 };

	for (size_t i = 0; i < b->sets.n && i < LOOK_BACK; i++)
		if (memcmp(&b->sets.v[b->sets.n - 1 - i], set, sizeof *set) == 0)
			return (uint32_t)(b->sets.n - 1 - i);
	VEC_PUSH(b->arena, &b->sets, *set);
	return (uint32_t)b->sets.n - 1;
}

static uint32_t
build_sequence(struct builder *b, const struct regex_node *n, uint32_t to)
{
	VEC(const struct regex_node *) children = {NULL, 0, 0};

	for (const struct regex_node *c = n->child; c; c = c->next)
		VEC_PUSH(b->arena, &children, c);
	for (size_t i = children.n; i; i--)
		to = build_node(b, children.v[i - 1], to);
	return to;
}

/* A chain of splits, one for each alternative but the last; each is preferred to the
 * rest. */
static uint32_t
build_alternatives(struct builder *b, const struct regex_node *n, uint32_t to)
{
	VEC(uint32_t) begins = {NULL, 0, 0};
	uint32_t rest;

	for (const struct regex_node *c = n->child; c; c = c->next) {
		uint32_t begin = build_node(b, c, to);

		VEC_PUSH(b->arena, &begins, begin);
	}
	rest = begins.v[begins.n - 1];
	for (size_t i = begins.n - 1; i; i--)
		rest = add_instruction(b, OP_SPLIT, begins.v[i - 1], rest);
	return rest;
}

static uint32_t
build_group(struct builder *b, const struct regex_node *n, uint32_t to)
{
	if (!b->with_saves)
		return build_node(b, n->child, to);
	to = add_instruction(b, OP_SAVE, to, 2u * n->group + 1);
	to = build_node(b, n->child, to);
	return add_instruction(b, OP_SAVE, to, 2u * n->group);
}

/* Returns where one round begins; *split: the instruction that decides whether there is
 * another round. */
static uint32_t
build_loop(struct builder *b, const struct regex_node *n, uint32_t to, uint32_t *split)
{
	uint32_t round;

	*split = add_instruction(b, OP_SPLIT, 0, to);
	round = build_node(b, n->child, *split);
	b->code.v[*split].to = round;
	return round;
}

static uint32_t
build_node(struct builder *b, const struct regex_node *n, uint32_t to)
{
	uint32_t split;

	switch (n->kind) {
	case REGEX_BYTE:
		return add_instruction(b, OP_BYTE, to, n->byte);
	case REGEX_SET:
		return add_instruction(b, OP_SET, to, set_number(b, n->set));
	case REGEX_ANY:
		return add_instruction(b, OP_ANY, to, 0);
	case REGEX_BEGIN:
		return add_instruction(b, OP_BEGIN, to, 0);
	case REGEX_END:
		b->has_end = true;
		return add_instruction(b, OP_END, to, 0);
	case REGEX_SEQUENCE:
		return build_sequence(b, n, to);
	case REGEX_ALTERNATIVES:
		return build_alternatives(b, n, to);
	case REGEX_GROUP:
		return build_group(b, n, to);
	case REGEX_OPTIONAL:
		return add_instruction(b, OP_SPLIT, build_node(b, n->child, to), to);
	case REGEX_STAR:
		build_loop(b, n, to, &split);
		return split;
	case REGEX_PLUS:
		return build_loop(b, n, to, &split);
	}
	BUG("a node of no kind");
}

static uint32_t
build_expression(struct builder *b, const struct regex_tree *t, uint32_t number)
{
	uint32_t to = add_instruction(b, OP_FOUND, 0, number);

	if (b->with_saves)
		to = add_instruction(b, OP_SAVE, to, 1);
	to = build_node(b, t->root, to);
	return b->with_saves ? add_instruction(b, OP_SAVE, to, 0) : to;
}

struct regex_program *
regex_program_build(
	struct arena *a, const struct regex_tree *trees, size_t n, bool with_saves)
{
	struct builder b = {.arena = a, .with_saves = with_saves};
	struct regex_program *p = NEW(a, struct regex_program);
	uint32_t *begins = NEW_ARRAY(a, uint32_t, n);
	uint32_t *firsts = NEW_ARRAY(a, uint32_t, n + 1);

	INVARIANT(n > 0);
	for (size_t i = 0; i < n; i++) {
		begins[i] = build_expression(&b, &trees[i], (uint32_t)i);
		firsts[i + 1] = (uint32_t)b.code.n;
	}
	*p = (struct regex_program){
		.v = b.code.v,
		.n = b.code.n,
		.sets = b.sets.v,
		.sets_n = b.sets.n,
		.begins = begins,
		.firsts = firsts,
		.expressions = n,
		.has_end = b.has_end,
	};
	return p;
}
