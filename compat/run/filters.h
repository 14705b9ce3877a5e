/*
 * Compiles the options that select tests: -R -E -L -LE -I -FA and so on, for
 * select_tests. ctest(1).
 */
#ifndef CCTR_COMPAT_RUN_FILTERS_H
#define CCTR_COMPAT_RUN_FILTERS_H

#include "compat/console/console.h"
#include "runner/model/select.h"

struct filters {
	struct arena *arena;
	const struct options *options;
	struct match_set *patterns;
	struct console *console; /* for messages about patterns */
	struct pattern_list include_labels, exclude_labels;
	const struct pattern *include_name, *exclude_name; /* NULL: not given */
	bool has_tests; /* there is a test file; without one no list of names is read */
	struct str about_fixtures; /* messages not yet printed */
};

/* Reads -L and -LE. */
void filters_read_labels(struct filters *f);
/* Reads -R and -E, whose messages come before the tests are read. */
void filters_read_patterns(struct filters *f);
/* The pattern of -E without -R: tests that match it are dropped while tests are read.
 * Else NULL. */
const struct pattern *filters_dropped(const struct filters *f);
/* Reads all filters. Messages about patterns for fixtures, which ctest reads later, stay
 * in about_fixtures. temporary: the directory with the last run's failures. false after
 * diag_error: a list of names cannot be read. */
bool filters_read(
	struct filters *f, struct filter *filter, struct str temporary, struct diag *d);

#endif
