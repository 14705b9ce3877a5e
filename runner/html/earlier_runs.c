/* See earlier_runs.h. */
#include "runner/html/earlier_runs.h"

#include "runner/base/files.h"

/* Attempts of each test, and of all tests, as far as each has a few. */
enum { ATTEMPTS_MOST = 30, ATTEMPTS_LEAST = 5, ALL_MOST = 200000 };

static size_t
attempts_of_each(size_t tests)
{
	size_t most = ALL_MOST / (tests ? tests : 1);

	if (most > ATTEMPTS_MOST)
		return ATTEMPTS_MOST;
	return most < ATTEMPTS_LEAST ? ATTEMPTS_LEAST : most;
}

const struct history_of_test *
earlier_runs_read(struct arena *a, const struct html_run *r, struct diag *d)
{
	const struct plan *p = r->spans->o.plan;
	struct str *names = NEW_ARRAY(a, struct str, p->n);
	struct history_content content;
	struct diag found = diag_in(a);

	if (!r->o.history.n || !path_may_exist(r->o.history.p))
		return NULL;
	for (node_id i = 0; i < p->n; i++)
		names[i] = p->nodes[i].test->name;
	if (history_read(a, r->o.history, r->o.configuration, names, p->n,
		    attempts_of_each(p->n), &content, &found))
		return content.tests;
	diag_warning(d, (struct place){.file = str_of(r->o.path)},
		"has no earlier runs: %.*s", STR_ARG(found.entries.v[0].text));
	return NULL;
}
