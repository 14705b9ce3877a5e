/*
 * What ctest checks before it starts a test, in its order, with its texts; the
 * executable, the working directory, the environment with CTEST_RESOURCE_GROUP_*, the
 * time limit.
 */
#ifndef CCTR_COMPAT_LAUNCH_PREPARE_H
#define CCTR_COMPAT_LAUNCH_PREPARE_H

#include "compat/launch/executable.h"
#include "compat/launch/wrapper.h"
#include "compat/options/options.h"
#include "compat/resources/resource_environment.h"
#include "runner/cmakelang/dialect.h"
#include "runner/process/private_tmp.h"
#include "runner/run/preparer.h"

struct llvm_profile;
struct pmix_link;
struct whole_nodes;
struct prepare_options {
	const struct dialect *dialect;
	struct str directory; /* where relative names are: path_in */
	struct executable_finder *finder;
	struct str configuration;
	double timeout_s; /* --timeout, 0 when not given */
	int64_t stop_s; /* --stop-time, seconds since 1970; 0: none */
	int64_t limit_end_s; /* end of CTEST_TIME_LIMIT, seconds since 1970; 0: none */
	double default_timeout_s; /* TimeOut of DartConfiguration.tcl, 0 when not given */
	struct limit_options limits; /* of cctr's own */
	const struct pool *pool; /* NULL: no resource specification */
	struct resource_telling telling; /* variables beside CTEST_RESOURCE_GROUP_* */
	bool skip_insufficient; /* --insufficient-resources=skip */
	/* Variables ask tests to use as many threads as PROCESSORS, but at most this
	 * many; 0: no variables. */
	size_t most_threads;
	struct private_tmp *private_tmp; /* --private-tmp, or NULL */
	const char *temporary_mark; /* --private-tmp on other nodes, or NULL: launch.h */
	bool keeps_failed_temporary; /* as in launch.h */
	const char *socket; /* by which the run can be asked; NULL: by none */
	struct whole_nodes *whole_nodes; /* NULL: no test has any */
	const char *token; /* that tests show then */
	struct pmix_link *pmix; /* NULL: there is none, ... */
	const char *pmix_lacks; /* ... because of this */
	bool pmix_is_remote; /* the nodes of tests have servers of their own */
	bool pmix_for_all; /* --pmix */
	const struct wrapper *wrapper; /* runs the tests, or NULL */
	/* Words before all others, the first one the path of a program. */
	struct str_list before;
	const struct llvm_profile *profile; /* Clang's coverage is needed, or NULL */
	bool shows_changes; /* fill launch.environment_changes */
	struct str resource_spec_file; /* named in "Insufficient resources" */
};
/* Reads environ once, in this call. */
const struct preparer *prepare_open(struct arena *a, const struct prepare_options *o);

#endif
