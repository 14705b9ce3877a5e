/*
 * What the command line says about which tests run, compiled: -R -E -L -LE -I -FA and so
 * on, for select_tests. ctest(1).
 */
#ifndef CCTR_COMPAT_FILTERS_H
#define CCTR_COMPAT_FILTERS_H

#include "compat/console.h"
#include "runner/select.h"

struct filters {
	struct arena *arena;
	const struct options *options;
	struct match_set *patterns;
	struct console *console; /* for complaints about patterns */
	struct pattern_list include_labels, exclude_labels;
};

/* -L and -LE: complaints about them come before everything else. */
void filters_read_labels(struct filters *f);
/* Everything. temporary: where the last run's failures are. false after diag_error when a
 * list of names cannot be read. */
bool filters_read(
	struct filters *f, struct filter *filter, struct str temporary, struct diag *d);

#endif
