/*
 * GENERATED_RESOURCE_SPEC_FILE: one test, the setup of a fixture that all tests with
 * RESOURCE_GROUPS require, writes the resource specification. cmake-properties(7),
 * ctest(1) "Dynamically-Generated Resource Specification File".
 */
#ifndef CCTR_COMPAT_RESOURCES_DYNAMIC_SPEC_H
#define CCTR_COMPAT_RESOURCES_DYNAMIC_SPEC_H

#include "compat/console/console.h"
#include "runner/cmakelang/dialect.h"
#include "runner/run/run.h"

struct dynamic_spec_options {
	const struct dialect *dialect;
	struct console *console;
	const struct selection *selection;
	bool has_pool; /* from another source */
	enum pack_order placement;
};
struct dynamic_spec {
	struct pool_maker maker;
	struct arena *arena;
	struct dynamic_spec_options options;
	struct str path;
	struct pool pool; /* awaited until the maker has looked */
	struct str why_not; /* of the last look; "": the file is good */
};

/* A test of the selection has the property. */
bool dynamic_spec_is_wanted(const struct selection *s);
/* NULL: no selected test makes one. false after a diag_error: they cannot be obeyed. */
bool dynamic_spec_find(struct arena *a, const struct dynamic_spec_options *o,
	struct dynamic_spec **found, struct diag *d);

#endif
