/* What the caller of a run gives it beside the options. */
#ifndef CCTR_COMPAT_RUN_RUN_INPUTS_H
#define CCTR_COMPAT_RUN_RUN_INPUTS_H

#include "runner/model/source.h"
#include "runner/resources/pool.h"

struct configuration;
struct custom;
struct report;
struct wrapper;

/* Where tests come from. main chooses it, since compat/ does not know manifests/. */
struct test_inputs {
	const struct source *source;
	struct str path; /* manifest file, or "" for the build directory */
	struct str share; /* cctr's own .cmake files */
	/* Reads CTestCustom.cmake; NULL if there is no such file. */
	bool (*custom)(struct arena *a, const struct source_request *r,
		struct settings_file *found, struct diag *d);
	/* --resource-pool-file */
	bool (*pool_file)(
		struct arena *a, struct str path, struct pool *pool, struct diag *d);
};

/* The input of a run that is a step of a dashboard: what has already been read and
 * printed. */
struct test_step {
	const struct configuration *configuration;
	const struct custom *custom;
	struct str directory; /* of the build tree, which is the working directory */
	struct str binary; /* the same directory as spelled by the user: files go there */
	struct str tag;
	bool is_script;
	/* Runs the tests, or NULL. Chooses its program after everything is read. */
	struct wrapper *wrapper;
	/* Opens one more report, such as Test.xml; may be NULL. For a memory checker that
	 * report closes JUnit's, if there is one, and passes it the checker's results. */
	struct report *(*open_report)(void *context, struct report *junit);
	/* Called after the run or listing, before the commands of CTestCustom that follow
	 * it; may be NULL. */
	void (*finish)(void *context);
	void *context;
};

#endif
