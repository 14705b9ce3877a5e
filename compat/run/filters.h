/*
 * Compiles the options that select tests: -R -E -L -LE -I -FA and so on, for
 * select_tests. ctest(1).
 */
#ifndef CCTR_COMPAT_RUN_FILTERS_H
#define CCTR_COMPAT_RUN_FILTERS_H

#include "compat/run/run_settings.h"
#include "runner/model/filter.h"

/* -L and -LE, then -R and -E: ctest reads them at different times, and prints messages
 * about their patterns then. */
void filters_read_labels(
	struct run_context *c, const struct selection_options *o, struct filter *f);
void filters_read_names(
	struct run_context *c, const struct selection_options *o, struct filter *f);
/* All others. Without a test file no list of names is read. *about_fixtures: messages
 * about patterns for fixtures, which ctest prints later. false after diag_error: a list
 * of names cannot be read. */
bool filters_read_others(struct run_context *c, const struct run_settings *s,
	bool has_file, struct filter *f, struct str *about_fixtures);

#endif
