/*
 * Times, dates and what else differs between two runs of the same ctest, replaced by
 * marks. Each is replaced only where it is in ctest's own format, so that a time that
 * is printed in another way is seen as a difference. cctr-compare(1) lists the rules.
 */
#ifndef CCTR_COMPAT_COMPARE_MASK_H
#define CCTR_COMPAT_COMPARE_MASK_H

#include "compat/format/regex.h"

/* What a text is, which decides the rules that hold for it. */
enum mask_kind {
	MASK_NOTHING,
	MASK_CONSOLE,
	MASK_OUTPUT_LOG, /* of --output-log */
	MASK_LOG, /* LastTest.log */
	MASK_COST, /* CTestCostData.txt */
	MASK_JUNIT,
	MASK_DASHBOARD, /* XML for a dashboard */
	MASK_TAG,
	MASK_COVERAGE, /* LastCoverage.log */
	MASK_KINDS
};

struct mask;
/* patterns compiles the rules, and must stay open. */
struct mask *mask_new(struct arena *a, struct match_set *patterns);
/* path: below the build tree, such as "Testing/TAG". */
enum mask_kind mask_kind_of_file(struct str path, struct str text);
/* The lines of the text, masked. */
struct str_list mask_lines(
	const struct mask *m, struct arena *a, enum mask_kind kind, struct str text);
/* As mask_lines, of a run whose tests ran side by side: lines of the console and entries
 * of logs are sorted, the counters before results are masked. What separates messages in
 * an output log, which depends on their order, is dropped. */
struct str_list mask_unordered(
	const struct mask *m, struct arena *a, enum mask_kind kind, struct str text);
/* The path of a file, its tag masked. */
struct str mask_path(const struct mask *m, struct arena *a, struct str path);

#endif
