/* What --explain and --simulate say, as members of an object of JSON: --plan-json. */
#ifndef CCTR_COMPAT_REPORT_EXPLAIN_JSON_H
#define CCTR_COMPAT_REPORT_EXPLAIN_JSON_H

#include "compat/report/explain_text.h"
#include "runner/schedule/simulation.h"

/* The text of --explain, and the object to which the same is added. */
struct explanation {
	struct buf text;
	struct buf json; /* begun by explain_json_begin */
	bool has_tests; /* the array of explained tests is open */
};
struct explanation explanation_in(struct arena *a);
/* The whole text of the object, with a newline. */
struct str explain_json_end(struct explanation *e);

void explain_json_simulation(struct explanation *e, const struct simulation *s,
	size_t parallel, bool by_pressure, size_t guesses);
/* steps: NULL where the test has not run. */
void explain_json_test(struct explanation *e, const struct account *a,
	const struct watched *t, const struct steps *steps);
/* After the tests. */
void explain_json_path(
	struct explanation *e, const struct account *a, const struct steps *s);
void explain_json_gains(struct explanation *e, double makespan_s,
	const struct simulation_bound *bottleneck, const struct gain *v, size_t n);

#endif
