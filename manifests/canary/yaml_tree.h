/*
 * A small YAML document as a tree. yaml_tree.c uses libyaml, which reads JSON too;
 * yaml_tree_null.c is its twin for a build without libyaml, and reads JSON only.
 *
 * One document, no aliases; keys are scalars and unique in their mapping.
 */
#ifndef CCTR_MANIFESTS_CANARY_YAML_TREE_H
#define CCTR_MANIFESTS_CANARY_YAML_TREE_H

#include "runner/base/diag.h"

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

/* NULL after one diag_error. An empty text is an error, too. */
const struct tree *yaml_tree_read(
	struct arena *a, struct str text, struct str file, struct diag *d);

#endif
