/*
 * What the command line says about which tests run, compiled: -R -E -L -LE -I -FA and so
 * on, for select_tests. ctest(1).
 */
#ifndef CCTR_COMPAT_RUN_FILTERS_H
#define CCTR_COMPAT_RUN_FILTERS_H

#include "compat/console/console.h"
#include "runner/model/select.h"

struct filters {
	struct arena *arena;
	const struct options *options;
	struct match_set *patterns;
	struct console *console; /* for complaints about patterns */
	struct pattern_list include_labels, exclude_labels;
	const struct pattern *include_name, *exclude_name; /* NULL: not given */
	bool has_tests; /* a file of tests, without which no list of names is read */
	struct str about_fixtures; /* complaints, not yet said */
};

/* -L and -LE. */
void filters_read_labels(struct filters *f);
/* -R and -E, whose complaints come before the tests are read. */
void filters_read_patterns(struct filters *f);
/* -E without -R: what it matches is dropped while tests are read. Else NULL. */
const struct pattern *filters_dropped(const struct filters *f);
/* Everything; what is to be said of the patterns for fixtures, which ctest reads later,
 * is left in the filters. temporary: where the last run's failures are. false after
 * diag_error when a list of names cannot be read. */
bool filters_read(
	struct filters *f, struct filter *filter, struct str temporary, struct diag *d);

#endif
