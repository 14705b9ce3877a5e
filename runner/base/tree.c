/* See tree.h. */
#include "runner/base/tree.h"

void
tree_add(struct tree *to, struct tree *child)
{
	child->parent = to;
	if (to->last)
		to->last->next = child;
	else
		to->first = child;
	to->last = child;
	child->at = to->n++;
}

const struct tree *
tree_member(const struct tree *t, const char *key)
{
	if (t->kind == TREE_MAP)
		for (const struct tree *m = t->first; m; m = m->next)
			if (str_is(m->key, key))
				return m;
	return NULL;
}

struct str
tree_path(struct arena *a, const struct tree *t)
{
	struct buf b = {.arena = a};
	const struct tree *chain[TREE_DEPTH_MOST + 2];
	size_t n = 0;

	for (; t->parent; t = t->parent)
		chain[n++] = t;
	while (n--) {
		t = chain[n];
		if (t->parent->kind == TREE_MAP) {
			buf_fmt(&b, "%s%.*s", b.n ? "." : "", STR_ARG(t->key));
			continue;
		}
		buf_fmt(&b, "[%zu]", t->at);
	}
	return b.n ? buf_as_str(&b) : STR("the document");
}
