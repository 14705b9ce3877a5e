/*
 * Which tests need which: DEPENDS by name, and the setups of required fixtures, of all
 * tests of a suite.
 */
#ifndef CCTR_RUNNER_FILTER_NEEDS_H
#define CCTR_RUNNER_FILTER_NEEDS_H

#include "runner/model/model.h"

struct needs;
/* Linear in the tests and in their dependencies and fixtures. */
struct needs *needs_build(struct arena *a, const struct suite *s);
/* Adds what the tests of the set need, however indirectly; by_others: what needs them. By
 * test_id. Linear. */
void needs_add(const struct needs *n, bool *set, bool by_others);

#endif
