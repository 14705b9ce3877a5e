/* Time limits of tests, beside ctest's own: --default-timeout, --timeout-multiplier. */
#ifndef CCTR_COMPAT_OPTIONS_LIMIT_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_LIMIT_OPTIONS_H

#include "runner/base/base.h"

#define LIMIT_MOST_S 10000000
#define LIMIT_FACTOR_LEAST 0.001
#define LIMIT_FACTOR_MOST 1000.0

struct label_factor {
	struct str label;
	double factor;
};
struct limit_options {
	bool has_default;
	double default_s; /* of tests without TIMEOUT; 0: no limit */
	double factor; /* of all limits of tests; 0: not given */
	VEC(struct label_factor) of_labels; /* instead, of tests with such a label */
};

#endif
