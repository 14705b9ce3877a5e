/* What differs between the runs of a comparison, as text. */
#ifndef CCTR_COMPAT_COMPARE_FINDINGS_H
#define CCTR_COMPAT_COMPARE_FINDINGS_H

#include "compat/compare/compare_run.h"
#include "compat/compare/mask.h"

struct findings_request {
	const struct mask *mask;
	const struct compare_run *ctest, *cctr;
	const struct compare_run *again; /* ctest's second run, or NULL */
	const struct aside *aside; /* its first item is Testing */
	struct str tree, output_log; /* output_log: "" for none */
	bool is_unordered; /* tests ran side by side */
};
struct findings {
	bool differs;
	struct str text; /* diffs, and what was compared */
};
/* false after diag_error: something could not be compared. */
CCTR_MUST_CHECK bool findings_of(struct arena *a, const struct findings_request *r,
	struct findings *f, struct diag *d);

#endif
