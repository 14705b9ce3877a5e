/*
 * Tests as declared: the immutable suite that every source yields (CTestTestfile.cmake
 * read natively or by cmake, a json-v1 manifest) and that all later stages only read.
 *
 * What a property means is cmake-properties(7), "Properties on Tests".
 */
#ifndef CCTR_RUNNER_MODEL_MODEL_H
#define CCTR_RUNNER_MODEL_MODEL_H

#include "runner/base/base.h"
#include "runner/base/diag.h"
#include "runner/base/environment.h"
#include "runner/regex/match.h"

typedef uint32_t test_id; /* index into suite.tests */

/* One "type:slots" of RESOURCE_GROUPS. */
struct requirement {
	struct str type;
	uint64_t slots;
	struct str instance; /* only of leases: this one; STR_NONE: any */
};
struct resource_group {
	struct requirement *v;
	size_t n;
};
struct resource_groups {
	struct resource_group *v;
	size_t n;
	uint64_t nodes; /* whole nodes, each of which has room for all groups; 0: one
			   node, which is shared */
	uint32_t partition; /* of the pool; 0 where it is not divided */
	uint32_t only_node; /* of the pool, from 1: all is there; 0: on any */
};

struct timeout_after_match {
	bool is_set;
	double seconds;
	struct pattern_list patterns;
};

struct custom_property {
	struct str name, value;
};

/* Sets (labels, fixtures, locks) are sorted bytewise and have no duplicates after
 * loading. */
struct properties {
	struct str_list attached_files, attached_files_on_fail;
	struct str_list depends;
	struct str_list environment, environment_modification;
	struct str_list fixtures_setup, fixtures_cleanup, fixtures_required;
	struct str_list labels;
	struct str_list measurements; /* "name=value" or "name", as declared */
	struct str_list required_files;
	struct str_list resource_locks;
	struct pattern_list pass, fail, skip;
	struct timeout_after_match timeout_after_match;
	struct resource_groups resource_groups;
	struct str generated_resource_spec_file;
	struct str timeout_signal_name; /* "" when not set */
	struct str defect; /* why the test cannot run; "" when it can */
	struct custom_property *custom; /* unknown names, sorted; shown, never used */
	size_t custom_n;
	double cost; /* 0: not declared */
	double expected_s; /* CCTR_EXPECTED_SECONDS; 0: not declared */
	double timeout_s; /* meaningful when has_timeout; 0: no limit */
	double timeout_grace_s; /* meaningful when has_timeout_grace */
	int processors; /* at least 1 */
	int nodes; /* CCTR_NODES: whole nodes; 1: one that is shared */
	int pmix; /* CCTR_PMIX: processes that may use PMIx; 0: none */
	int skip_return_code; /* -1: none */
	bool has_timeout, has_timeout_grace, has_skip_return_code;
	bool will_fail, run_serial, disabled, processor_affinity;
};

struct test {
	struct str name;
	struct str_list command; /* as declared; command.v[0] is looked up at run time */
	struct str directory; /* WORKING_DIRECTORY, else the directory of the add_test */
	struct str declared_in; /* the directory whose test file declares it */
	/* A list of triples: file, line, command, innermost first; "": none */
	struct str backtrace;
	/* Never NULL; tests without properties share one default. */
	const struct properties *properties;
};

struct suite {
	const struct test *tests;
	size_t n;
	/* The tests' names are numbered as they first appear. Only suites of suite_build
	 * have the numbers. */
	struct map names;
	const uint32_t *name_numbers; /* by test, or NULL */
	struct str
		resource_spec_file; /* CTEST_RESOURCE_SPEC_FILE of the top file, or "" */
	/* set(ENV{...}) while the files were read, in the order of the files */
	const struct environment_change *environment;
	size_t environment_n;
	struct match_set *patterns; /* owns the matchers of the properties */
};

/* The default of every property. */
extern const struct properties properties_default;

#endif
