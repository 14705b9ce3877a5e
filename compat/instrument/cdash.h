/*
 * Instrumentation in the files of a dashboard: the hook prepareForCDash copies snippets
 * below cdash/, and the step that writes Configure.xml, Build.xml or Test.xml takes what
 * belongs there. cmake-instrumentation(7), "cdashSubmit".
 */
#ifndef CCTR_COMPAT_INSTRUMENT_CDASH_H
#define CCTR_COMPAT_INSTRUMENT_CDASH_H

#include "compat/format/xml.h"
#include "compat/instrument/instrumentation.h"

/* Moves the snippets from data/ that CDash gets, and removes the others. snippets: their
 * names. false after a message: one that could not be moved is still in data/. */
bool cdash_prepare(
	struct arena *a, const struct instrumentation *i, struct str_list snippets);

/* Each function below removes the snippets that it has written. complaints: why others
 * are left out. */

/* <Commands> of cdash/folder, if there is that folder: "configure", "build/commands". */
void cdash_add_commands(struct xml *x, struct arena *a, const struct instrumentation *i,
	const char *folder, struct buf *complaints);
/* <Targets>, and the <Commands> without a target. */
void cdash_add_build(struct xml *x, struct arena *a, const struct instrumentation *i,
	struct buf *complaints);
/* The snippets of tests: names of tests, and of each the path of its last attempt's.
 * Those of earlier attempts are removed. */
struct cdash_tests {
	struct map by_name; /* index in paths */
	str_vec paths;
};
struct cdash_tests cdash_tests(
	struct arena *a, const struct instrumentation *i, struct buf *complaints);
/* What the test has measured, if it has a snippet. */
void cdash_add_test(struct xml *x, struct arena *a, const struct instrumentation *i,
	const struct cdash_tests *tests, struct str name, struct buf *complaints);

#endif
