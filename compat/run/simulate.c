/*
 * Times from the file replace the times of earlier runs, also for the plan. A test
 * without any time takes as long as a plan by pressure expects.
 */
#include "compat/run/simulate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runner/base/files.h"

/* ---- given times ----------------------------------------------------------------- */

static bool
read_members(const cJSON *object, struct place at, const struct map *names,
	const uint32_t *next, struct recorded *into, struct diag *d)
{
	bool all = true;
	const cJSON *member;

	cJSON_ArrayForEach(member, object)
	{
		uint32_t i = map_get(names, str_of(member->string));

		if (!cJSON_IsNumber(member) || !isfinite(member->valuedouble) ||
			member->valuedouble < 0) {
			all = diag_error(d, at,
				"the time of \"%s\" is not a number of seconds",
				member->string);
			continue;
		}
		for (; i != MAP_NONE; i = next[i])
			into[i].cost = into[i].seconds = member->valuedouble;
	}
	return all;
}

/* Reads {"name": seconds, ...}. 0: not known. Unknown names are ignored; tests with the
 * same name have the same time. */
static bool
read_times(struct arena *a, struct place at, struct str text, const struct selection *s,
	struct recorded *into, struct diag *d)
{
	struct map names = map_in(a);
	uint32_t *next = NEW_ARRAY(a, uint32_t, s->n);
	cJSON *object = cJSON_ParseWithLengthOpts(text.p, text.n, NULL, false);
	bool could;

	/* tests with the same name form a list; its head is the last of them */
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t *head = map_at(&names, s->suite->tests[s->v[i].test].name);

		next[i] = *head;
		*head = i;
	}
	if (cJSON_IsObject(object))
		could = read_members(object, at, &names, next, into, d);
	else
		could = diag_error(d, at, "not a JSON object of names and seconds");
	cJSON_Delete(object);
	return could;
}

const struct recorded *
simulate_recorded(struct arena *a, struct str file, const struct selection *s,
	const struct recorded *from, struct diag *d)
{
	struct recorded *v = NEW_ARRAY(a, struct recorded, s->n);
	struct place at = {.file = file};
	struct str text;

	if (s->n)
		memcpy(v, from, s->n * sizeof *v);
	if (!file_read(a, str_z(a, file), &text)) {
		diag_error(d, at, "cannot be read: %s", strerror(errno));
		return NULL;
	}
	return read_times(a, at, text, s, v, d) ? v : NULL;
}

double *
durations_of(struct arena *a, const struct plan *p, const struct recorded *recorded)
{
	double *seconds = NEW_ARRAY(a, double, p->n);
	const struct expected *expected = expected_times(a, p->selection, recorded);

	for (node_id i = 0; i < p->n; i++)
		if (!p->nodes[i].test->properties->disabled)
			seconds[i] = recorded[i].seconds > 0 ? recorded[i].seconds
							     : expected[i].seconds;
	return seconds;
}

/* ---- output ---------------------------------------------------------------------- */

static void
print_simulation(
	struct buf *out, const struct simulation *s, const struct simulate_request *r)
{
	buf_fmt(out, "Simulated %zu tests with -j%zu, %s\n\n", s->tests,
		r->scheduler.parallel,
		r->plan->expected ? "by pressure" : "in ctest's order");
	buf_fmt(out, "Makespan      %12.2f sec\n", s->makespan_s);
	buf_fmt(out, "Lower bound   %12.2f sec (%.*s)\n", s->lower_bound_s,
		STR_ARG(s->bounds[s->lower_bound].name));
	for (size_t i = 0; i < s->bounds_n; i++)
		buf_fmt(out, "  %12.2f sec %.*s\n", s->bounds[i].seconds,
			STR_ARG(s->bounds[i].name));
	buf_fmt(out, "Utilisation   %12.1f %%\n", 100 * s->utilisation);
	if (s->refused)
		buf_fmt(out, "Too large     %12zu tests\n", s->refused);
}

void
simulate(struct buf *out, const struct simulate_request *r)
{
	struct simulation_options o = {.scheduler = r->scheduler,
		.duration_s = durations_of(out->arena, r->plan, r->recorded)};
	struct simulation result = simulation_run(out->arena, r->plan, &o);

	print_simulation(out, &result, r);
}
