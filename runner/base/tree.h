/* A small document as a tree of values, which know their places: see yaml_tree.h. */
#ifndef CCTR_RUNNER_BASE_TREE_H
#define CCTR_RUNNER_BASE_TREE_H

#include "runner/base/base.h"

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };
struct tree {
	enum tree_kind kind;
	bool is_plain; /* a scalar without quotes: may be a number, null, true */
	struct str text; /* of a scalar */
	struct str key; /* of a member of a mapping */
	unsigned line; /* 0: not known */
	size_t at; /* position among the children of its parent */
	size_t n; /* children */
	struct tree *first, *last, *next, *parent;
};
enum { TREE_DEPTH_MOST = 64 };

/* Adds a child as the last one. */
void tree_add(struct tree *to, struct tree *child);
/* The member with that key; NULL: t has none, or is no mapping. */
const struct tree *tree_member(const struct tree *t, const char *key);
/* Where t is in its document: "resource_pool.resources.gpus[2].slots". */
struct str tree_path(struct arena *a, const struct tree *t);

#endif
