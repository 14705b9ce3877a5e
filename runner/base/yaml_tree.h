/*
 * A small YAML document as a tree. yaml_tree.c uses libyaml, which reads JSON too;
 * yaml_tree_null.c is its twin for a build without libyaml, and reads JSON only.
 *
 * One document, no aliases; keys are scalars and unique in their mapping.
 */
#ifndef CCTR_RUNNER_BASE_YAML_TREE_H
#define CCTR_RUNNER_BASE_YAML_TREE_H

#include "runner/base/diag.h"
#include "runner/base/tree.h"

/* NULL after one diag_error. An empty text is an error, too. */
const struct tree *yaml_tree_read(
	struct arena *a, struct str text, struct str file, struct diag *d);

#endif
