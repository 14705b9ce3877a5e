/*
 * The state that the steps of a run share. Only mode.c (the sequence), mode_reading.c,
 * mode_plan.c and mode_running.c include it.
 */
#ifndef CCTR_COMPAT_RUN_SESSION_H
#define CCTR_COMPAT_RUN_SESSION_H

#include "compat/console/run_words.h"
#include "compat/launch/pinning.h"
#include "compat/records/checkpoint.h"
#include "compat/records/cost_data.h"
#include "compat/resources/dynamic_spec.h"
#include "compat/resources/resource_pool.h"
#include "compat/run/explain.h"
#include "compat/run/filters.h"
#include "compat/run/mode.h"
#include "compat/settings/settings.h"

struct session {
	struct arena *arena;
	struct options effective; /* including what CTestCustom overrides */
	const struct options *options;
	const struct dialect *dialect;
	struct console *console;
	const struct test_inputs *inputs;
	struct diag diag;
	struct match_set *patterns;
	struct str directory; /* of the build tree, as the user's shell spells it */
	struct str temporary; /* Testing/Temporary below it */
	struct settings settings;
	struct suite *suite;
	bool is_obeyed; /* no error before the tests are read */
	bool is_stopped; /* a command of CTestCustom has ended all evaluation */
	bool has_file; /* a test file exists, even if it declares nothing */
	struct filters filters;
	struct selection selection;
	struct executable_finder *finder;
	struct resource_pool pool;
	struct dynamic_spec *generated; /* NULL: no test makes the pool */
	struct diag spec_diag; /* messages that only a plan shows, since 3.28 */
	bool spec_is_refused;
	bool has_no_plan; /* no plan: the run has failed (3.30), and nothing follows */
	struct report *files[3]; /* LastTest.log; JUnit, Test.xml if they are written */
	const struct test_step *step; /* NULL: a plain run */
	size_t files_n;
	struct cost_data *cost;
	const struct recorded *recorded;
	struct layout processors; /* for tests that have their own; n is 0: none do */
	struct checkpoint checkpoint; /* -F */
	struct explained explained;
	struct buf explanation; /* printed after everything else */
	struct job_server *job_server; /* NULL: tests need no token */
	struct private_tmp *private_tmp; /* NULL: tests share their TMPDIR */
	struct tally tally;
	int interrupted;
};

/* ---- mode_reading.c -------------------------------------------------------------- */

void session_read_configuration(struct session *s);
bool session_read_custom(struct session *s);
bool session_read_suite(struct session *s);

/* ---- mode_running.c -------------------------------------------------------------- */

enum exit_code session_run_tests(struct session *s);
/* Listings write these files too: the log has its frame, JUnit no test case. */
bool session_close_files(struct session *s);
/* For a run without a plan: newer releases leave the log incomplete, and write nothing
 * else. */
void session_leave_files(struct session *s);
/* The tag of the dashboard that this run is a step of; "" for none. */
struct str session_tag(const struct session *s);
/* The program that runs the tests, or NULL. */
const struct wrapper *session_wrapper(const struct session *s);

/* ---- mode_plan.c ----------------------------------------------------------------- */

bool session_read_resources(struct session *s);
/* For dialects that read the pool last: only a plan needs it, and its errors are printed
 * after the plan's own. */
bool session_read_resources_in_time(struct session *s);

/* For a run: a pool that a test will make is awaited. */
struct scheduler_options session_run_options(struct session *s);
/* Reads the records of earlier runs. NULL: there is no plan; that has been reported. */
struct plan *session_plan(struct session *s);
/* Looks for cycles among the selected tests. NULL: there is one; that has been
 * reported. */
struct plan *session_check_graph(struct session *s, const struct plan_options *po);
/* Prints what a run would take. Nothing runs, and no file is written. */
enum exit_code session_simulate(struct session *s);
struct explain_request session_explain_request(
	struct session *s, const struct plan *plan);
/* Explains a plan that is not run. */
void session_explain(struct session *s, const struct plan *plan);

#endif
