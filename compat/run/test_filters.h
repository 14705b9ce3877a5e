/* --filter: which tests of a suite its expressions accept. cctr-filter(7). */
#ifndef CCTR_COMPAT_RUN_TEST_FILTERS_H
#define CCTR_COMPAT_RUN_TEST_FILTERS_H

#include "compat/run/run_settings.h"
#include "runner/model/model.h"

/* *accepted: by test_id, whether all expressions accept the test; NULL: none is given.
 * false: an expression cannot be answered; d has the reasons. Warns of words that no test
 * has. Linear in the tests for each predicate. */
CCTR_MUST_CHECK bool test_filters_accept_by(struct run_context *c,
	const struct run_settings *s, const struct suite *suite,
	const filter_vec *filters, const bool **accepted);
/* The same for those of --filter. */
CCTR_MUST_CHECK bool test_filters_accept(struct run_context *c,
	const struct run_settings *s, const struct suite *suite, const bool **accepted);

#endif
