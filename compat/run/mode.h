/*
 * ctest's test mode from the first line to the exit code: read, select, list or run,
 * report, remember. The order of the steps is ctest's, and each step is another module's.
 */
#ifndef CCTR_COMPAT_RUN_MODE_H
#define CCTR_COMPAT_RUN_MODE_H

#include "compat/console/console.h"
#include "compat/options/options.h"
#include "runner/model/source.h"
#include "runner/resources/pool.h"

struct configuration;
struct custom;
struct wrapper;

/* Where tests come from; main chooses, since compat/ does not know manifests/. */
struct test_inputs {
	const struct source *source;
	struct str path; /* manifest file, or "" for the build directory */
	struct str share; /* cctr's own .cmake files */
	/* Variables of CTestCustom.cmake, or NULL where there is no such file. */
	bool (*custom)(struct arena *a, const struct source_request *r,
		struct variable **variables, size_t *n, struct diag *d);
	/* --resource-pool-file */
	bool (*pool_file)(
		struct arena *a, struct str path, struct pool *pool, struct diag *d);
};

/* The exit code; *interrupted gets the signal that ended the run early, else 0. The
 * working directory is the one of the build tree. */
enum exit_code test_mode(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs, int *interrupted);

/* What a run is told when it is a step of a dashboard: what is read and said already. */
struct test_step {
	const struct configuration *configuration;
	const struct custom *custom;
	struct str directory; /* of the build tree, which is the working directory */
	struct str binary; /* the same as it is spelled: files go there */
	struct str tag;
	bool is_script;
	/* Runs the tests, or NULL; chooses its program when all is read. */
	struct wrapper *wrapper;
	/* A report more, such as Test.xml, or NULL. One of a memory checker closes
	 * JUnit's, if there is one, and tells it what the checker said. */
	struct report *(*open_report)(void *context, struct report *junit);
	/* After the run or listing, before the commands that CTestCustom has for then; or
	 * NULL. */
	void (*finish)(void *context);
	void *context;
};
enum exit_code test_mode_step(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs, const struct test_step *step, int *interrupted);

#endif
