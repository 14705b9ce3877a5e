/*
 * From declarations to the suite: the meaning of add_test, set_tests_properties and
 * set_directory_properties in a test file (cmake-properties(7)): names that repeat, lists
 * that accumulate, directories that label.
 *
 * Linear in the declarations: names and directories are looked up in maps.
 */
#ifndef CCTR_RUNNER_MODEL_SUITE_H
#define CCTR_RUNNER_MODEL_SUITE_H

#include "runner/model/model.h"
#include "runner/model/source.h"

/* How declarations spell what the suite gives a meaning. */
struct suite_words {
	const char *properties; /* the keyword between names and properties */
	const char *directory; /* properties: where a test runs */
	const char *backtrace; /* its call stack, a list of triples */
	const char *labels;
	/* Messages: a test without a command, properties that are refused. */
	const char *bad_test, *bad_properties;
};

/*
 * How the text of a property becomes data; the table is in compat/properties. set: false
 * after recording into d refuses the whole call, as for RESOURCE_GROUPS. finish: sorts
 * the sets, once, when all declarations have been applied.
 */
struct property_reader {
	struct match_set *patterns;
	const struct suite_words *words;
	bool keep_unknown; /* unknown names become custom properties (3.30 and newer) */
	bool refusal_ends; /* what follows a refused call is not evaluated (4.1, 4.2) */
	const void *context; /* the reader's own */
	/* Tests that ctest drops while it loads: no property reaches them by name, so
	 * that wrong properties of theirs are not reported. */
	const struct pattern *dropped; /* NULL: none */
	struct str_list dropped_names;
	const char *dropped_text; /* before its name in the message of a dropped one */
	bool (*set)(const struct property_reader *r, struct arena *a,
		struct properties *p, struct str name, struct str value, struct diag *d);
	void (*finish)(
		const struct property_reader *r, struct arena *a, struct properties *p);
};

/* Messages and errors go to d in the order of the file; d->errors tells whether the suite
 * may run. Never NULL. Sets from->is_stopped where a refusal ends the evaluation.
 * Directory and backtrace of a test are handled here, all other properties by the reader.
 * Closes the list of declarations. */
struct suite *suite_build(struct arena *a, struct declarations *from,
	const struct property_reader *reader, struct diag *d);

#endif
