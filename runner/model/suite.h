/*
 * From declarations to the suite: the meaning of add_test, set_tests_properties and
 * set_directory_properties in a test file (cmake-properties(7); reference: what ctest
 * does with names that repeat, lists that accumulate, directories that label).
 *
 * Linear in the declarations: names and directories are looked up in maps.
 */
#ifndef CCTR_RUNNER_MODEL_SUITE_H
#define CCTR_RUNNER_MODEL_SUITE_H

#include "runner/model/model.h"
#include "runner/model/source.h"

/*
 * How the text of a property becomes data; the table is in compat/properties. set: false
 * after recording into d refuses the whole call, as for RESOURCE_GROUPS. finish: sorts
 * the sets, once, when all declarations have been applied.
 */
struct property_reader {
	struct match_set *patterns;
	bool keep_unknown; /* unknown names become custom properties (3.30 and newer) */
	const void *context; /* the reader's own */
	/* Tests that ctest drops while it loads: no property reaches them by name, so
	 * that wrong properties of theirs are not reported. */
	const struct pattern *dropped; /* NULL: none */
	struct str_list dropped_names;
	const char *dropped_kind; /* "Ignore <kind>: name"; NULL: a test */
	bool (*set)(const struct property_reader *r, struct arena *a,
		struct properties *p, struct str name, struct str value, struct diag *d);
	void (*finish)(
		const struct property_reader *r, struct arena *a, struct properties *p);
};

/* Messages and errors go to d in the order of the file; d->errors tells whether the suite
 * may run. Never NULL. WORKING_DIRECTORY and _BACKTRACE_TRIPLES are handled here, all
 * other properties by the reader. Closes the list of declarations. */
struct suite *suite_build(struct arena *a, struct declarations *from,
	const struct property_reader *reader, struct diag *d);

#endif
