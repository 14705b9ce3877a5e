/*
 * GENERATED_RESOURCE_SPEC_FILE: one test writes the resource specification. It is the
 * setup of a fixture that all tests with RESOURCE_GROUPS require. cmake-properties(7),
 * ctest(1) "Dynamically-Generated Resource Specification File".
 */
#ifndef CCTR_COMPAT_RESOURCES_DYNAMIC_SPEC_H
#define CCTR_COMPAT_RESOURCES_DYNAMIC_SPEC_H

#include "compat/console/console.h"
#include "compat/resources/resource_environment.h"
#include "runner/cmakelang/dialect.h"
#include "runner/run/run.h"

struct dynamic_spec_options {
	const struct dialect *dialect;
	struct console *console;
	const struct selection *selection;
	struct str directory; /* where relative names are: path_in */
	bool has_pool; /* another source gives a pool */
	enum pack_order placement;
	struct resource_telling telling;
};
struct dynamic_spec {
	struct pool_maker maker;
	struct arena *arena;
	struct dynamic_spec_options options;
	struct str path;
	struct pool pool; /* marked as awaited until the maker has looked */
	struct str why_not; /* of the last look; "": the file is good */
};

/* true: a selected test has the property. */
bool dynamic_spec_is_wanted(const struct selection *s);
/* *found is NULL if no selected test writes one. false after diag_error: the properties
 * cannot be obeyed. */
bool dynamic_spec_find(struct arena *a, const struct dynamic_spec_options *o,
	struct dynamic_spec **found, struct diag *d);

#endif
