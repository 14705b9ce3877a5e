/* See free_nodes.h. */
#include "runner/resources/free_nodes.h"

struct free_nodes *
free_nodes_new(struct arena *a, size_t nodes)
{
	struct free_nodes *f = NEW(a, struct free_nodes);

	for (f->leaves = 1; f->leaves < nodes;)
		f->leaves *= 2;
	f->v = NEW_ARRAY(a, struct free_slots, 2 * f->leaves);
	return f;
}

struct free_slots
free_nodes_get(const struct free_nodes *f, uint32_t node)
{
	return f->v[f->leaves + node];
}

static struct free_slots
most_of(const struct free_slots *a, const struct free_slots *b)
{
	if (!a->is_usable)
		return *b;
	if (!b->is_usable)
		return *a;
	return (struct free_slots){
		.sum = a->sum > b->sum ? a->sum : b->sum,
		.largest = a->largest > b->largest ? a->largest : b->largest,
		.is_usable = true,
	};
}

void
free_nodes_set(struct free_nodes *f, uint32_t node, struct free_slots slots)
{
	size_t at = f->leaves + node;

	f->v[at] = slots;
	while ((at /= 2))
		f->v[at] = most_of(&f->v[2 * at], &f->v[2 * at + 1]);
}
