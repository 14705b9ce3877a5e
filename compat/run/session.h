/*
 * What the steps of a run hand on. Shared by mode.c (the story), mode_reading.c,
 * mode_plan.c and mode_running.c; nobody else includes it.
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
	struct options effective; /* with what CTestCustom overrides */
	const struct options *options;
	const struct dialect *dialect;
	struct console *console;
	const struct test_inputs *inputs;
	struct diag diag;
	struct match_set *patterns;
	struct str directory; /* of the build tree, as the user's shell calls it */
	struct str temporary; /* Testing/Temporary below it */
	struct settings settings;
	struct suite *suite;
	bool is_obeyed; /* nothing has been wrong before the tests are read */
	bool is_stopped; /* by a command of CTestCustom, which ends all evaluation */
	bool has_file; /* there are declarations, be they none */
	struct filters filters;
	struct selection selection;
	struct executable_finder *finder;
	struct resource_pool pool;
	struct dynamic_spec *generated; /* NULL: no test makes the pool */
	struct diag spec_diag; /* what a plan has to say of it, since 3.28 */
	bool spec_is_refused;
	bool has_no_plan; /* which has failed the run (3.30), and nothing comes behind */
	struct report *files[3]; /* LastTest.log; JUnit, Test.xml if they are written */
	const struct test_step *step; /* NULL: a plain run */
	size_t files_n;
	struct cost_data *cost;
	const struct recorded *recorded;
	struct layout processors; /* of which tests have their own; n is 0: none have */
	struct checkpoint checkpoint; /* -F */
	struct explained explained;
	struct buf explanation; /* goes beneath everything else */
	struct job_server *job_server; /* NULL: tests need no token */
	struct private_tmp *private_tmp; /* NULL: tests share their TMPDIR */
	struct tally tally;
	int interrupted;
};

/* ---- mode_reading.c ---- */

void session_read_configuration(struct session *s);
bool session_read_custom(struct session *s);
bool session_read_suite(struct session *s);

/* ---- mode_running.c ---- */

enum exit_code session_run_tests(struct session *s);
/* Listings write their files too: the log has its frame, JUnit no test case. */
bool session_close_files(struct session *s);
/* There is no plan: newer releases leave the log as far as it is, and write nothing else.
 */
void session_leave_files(struct session *s);
/* Of the dashboard that the run is a step of; "" for none. */
struct str session_tag(const struct session *s);
/* What runs the tests, or NULL. */
const struct wrapper *session_wrapper(const struct session *s);

/* ---- mode_plan.c ---- */

bool session_read_resources(struct session *s);
/* Where it is read last, only a plan asks for it, and what is wrong is said behind the
 * plan's own mistakes. */
bool session_read_resources_in_time(struct session *s);

/* Of a plan: a pool that a test is to make is none. */
struct scheduler_options session_scheduler_options(struct session *s);
/* Of a run: it is one that is awaited. */
struct scheduler_options session_run_options(struct session *s);
/* Reads what earlier runs recorded. NULL: there is none, which has been said. */
struct plan *session_plan(struct session *s);
/* Looks for cycles among the selected tests; NULL, which is said, when there is one. */
struct plan *session_check_graph(struct session *s, const struct plan_options *po);
/* Says what a run would take; nothing runs, no file is written. */
enum exit_code session_simulate(struct session *s);
struct explain_request session_explain_request(
	struct session *s, const struct plan *plan);
/* Of a plan that is not run. */
void session_explain(struct session *s, const struct plan *plan);

#endif
