/* The resource specification file, version 1.0: ctest(1), "Resource Specification File".
 */
#ifndef CCTR_COMPAT_RESOURCES_RESOURCE_SPEC_H
#define CCTR_COMPAT_RESOURCES_RESOURCE_SPEC_H

#include "runner/cmakelang/dialect.h"
#include "runner/resources/pool.h"

/* directory: as for path_in. false after one diag_error with ctest's text ("Could not
 * read/parse resource spec file
 * ...") in the dialect. A diag_warning for each ignored item: types that no test can ask
 * for, and instances with a duplicate id. */
bool resource_spec_load(struct arena *a, const struct dialect *dialect,
	struct str directory, struct str path, struct pool *pool, struct diag *d);

#endif
