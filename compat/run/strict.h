/* --strict: names that mean nothing are errors. */
#ifndef CCTR_COMPAT_RUN_STRICT_H
#define CCTR_COMPAT_RUN_STRICT_H

#include "compat/options/limit_options.h"
#include "compat/options/selection_options.h"
#include "runner/base/diag.h"
#include "runner/model/filter.h"
#include "runner/model/select.h"
#include "runner/resources/pool.h"

/* Names of tests that repeat or that nothing has; fixtures that are only required, or
 * only set up or cleaned up; expressions and names of options that match nothing. f: as
 * the options say. false after errors, with what was probably meant. */
CCTR_MUST_CHECK bool strict_check_names(struct arena *a,
	const struct selection_options *o, const struct filter *f, const struct suite *s,
	struct diag *d);
/* --timeout-multiplier of labels that no test has: warnings, or errors. false after
 * errors. */
CCTR_MUST_CHECK bool strict_check_factors(struct arena *a, const struct limit_options *o,
	bool is_strict, const struct suite *s, struct diag *d);
/* Types of which the pool has none, ids that repeat, selected tests for which even the
 * empty pool does not suffice. */
CCTR_MUST_CHECK bool strict_check_resources(
	struct arena *a, const struct pool *p, const struct selection *s, struct diag *d);

#endif
