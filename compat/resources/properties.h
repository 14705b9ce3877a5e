/*
 * The properties of tests: one const table of name, kind and offset in struct properties.
 * Reading, --show-only=json-v1 and the help check walk it. cmake-properties(7).
 */
#ifndef CCTR_COMPAT_RESOURCES_PROPERTIES_H
#define CCTR_COMPAT_RESOURCES_PROPERTIES_H

#include "runner/cmakelang/dialect.h"
#include "runner/model/suite.h"

/* The type of a value: how it is read and shown. */
enum property_kind {
	PROPERTY_LIST, /* struct str_list, accumulates */
	PROPERTY_SET, /* struct str_list, accumulates; sorted, unique */
	PROPERTY_PATTERNS, /* struct pattern_list, accumulates */
	PROPERTY_FLAG, /* bool: CMake's true constants */
	PROPERTY_TEXT, /* struct str */
	PROPERTY_COST, /* double with the precision of a float */
	PROPERTY_PROCESSORS, /* int, at least 1 */
	PROPERTY_SKIP_CODE, /* int, -1 if it is not an exit code */
	PROPERTY_TIMEOUT, /* double, and has_timeout */
	PROPERTY_GRACE, /* double, and has_timeout_grace */
	PROPERTY_SIGNAL, /* struct str, a supported signal */
	PROPERTY_AFTER_MATCH, /* struct timeout_after_match */
	PROPERTY_GROUPS, /* struct resource_groups, accumulates */
	PROPERTY_MEASUREMENT, /* struct str_list of whole values, accumulates */
	PROPERTY_BACKTRACE, /* struct str_list of triples, empty elements kept */
	PROPERTY_NODES, /* int, at least 1; shown as the custom property that it is */
	PROPERTY_PMIX, /* int, at least 1; shown as the custom property that it is */
	PROPERTY_SECONDS, /* double, above 0; shown as the custom property that it is */
	PROPERTY_DIRECTORY, /* struct test.directory: suite_build reads it */
	PROPERTY_KINDS
};

/* The rows are in the order in which json-v1 shows them. */
struct property_row {
	const char *name;
	enum property_kind kind;
	size_t offset; /* in struct properties */
	/* Read, or shown, if the dialect has the feature; DIALECT_FEATURES: always. */
	enum dialect_feature read_since, shown_since;
};
const struct property_row *property_rows(size_t *n);
/* The row, whichever release reads it; NULL: there is none. */
const struct property_row *property_row_named(struct str name);
/* Whether the value in the field of p, or one that counts instead, is not the default. */
bool property_is_set(
	enum property_kind kind, const struct properties *p, const void *field);
/* The value as texts, one for each element of a list; none: it is not set. */
struct str_list property_texts(
	struct arena *a, const struct property_row *row, const struct test *t);
/* true: the dialect has the feature, or since is DIALECT_FEATURES. */
bool property_holds(const struct dialect *dialect, enum dialect_feature since);

/* How properties are read. */
struct property_rules {
	const struct dialect *dialect;
	/* A name that is unknown, but near to a known one, is an error: --strict. */
	bool refuses_misspelled;
	bool is_called_ctest; /* by that name CCTR_EXPECTED_SECONDS has no meaning */
};
/* The rules and the set must live as long as the reader. What ctest prints while it
 * reads comes as DIAG_OUTPUT and DIAG_WARNING. */
struct property_reader properties_reader(
	struct match_set *patterns, const struct property_rules *rules);

#endif
