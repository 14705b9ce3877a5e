/* -N, --show-only=json-v1 and --print-labels: what a run would do. */
#ifndef CCTR_COMPAT_RUN_LISTING_H
#define CCTR_COMPAT_RUN_LISTING_H

#include "compat/run/run_tests.h"

bool listing_is_asked(const struct options *o);
/* false: the tests have a cycle, in dialects where that fails; that has been
 * reported. */
bool listing_print(
	struct run_context *c, const struct run_settings *s, struct run_tests *t);
/* Prints the names of all tests, or of all labels, one a line, sorted, and writes no
 * file. */
enum exit_code listing_names(
	struct run_context *c, enum name_list which, const struct suite *suite);

#endif
