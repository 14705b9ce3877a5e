/* Which tests run: --test, --filter, -R, -E, -L, -LE, -I, -U, -FA, --rerun-failed and so
 * on. */
#ifndef CCTR_COMPAT_OPTIONS_SELECTION_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_SELECTION_OPTIONS_H

#include "runner/filter/filter_expression.h"

typedef VEC(struct filter_expression *) filter_vec;

struct selection_options {
	bool has_include_name, has_exclude_name;
	struct str include_name, exclude_name; /* -R, -E */
	str_vec include_labels, exclude_labels; /* -L, -LE */
	struct str exclude_fixture, exclude_fixture_setup, exclude_fixture_cleanup;
	struct str range; /* -I */
	struct str tests_from_file, exclude_from_file;
	str_vec tests; /* --test */
	uint32_t shard, shards; /* --shard, from 1; 0: not given */
	filter_vec filters; /* --filter: all must accept a test */
	bool use_union; /* -U */
	bool rerun_failed;
	bool with_depends; /* --with-depends */
	bool strict; /* --strict */
};

#endif
