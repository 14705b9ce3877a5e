/* The text for people. See history_text.h. */
#include "runner/history/history_text.h"

#include "runner/base/columns.h"
#include "runner/base/local_time.h"
#include "runner/base/sort.h"

enum { SHOWN_MOST = 20, SLOWEST_MOST = 10, COMMIT_DIGITS = 10, LINE_MOST = 400 };

struct text {
	struct buf *out;
	const struct history_view *v;
	struct columns *columns;
};
struct row {
	size_t test;
	double key; /* the largest is the first */
};
typedef VEC(struct row) row_vec;

/* ---- words ----------------------------------------------------------------------- */

/* On one line, without control characters. */
static void
add_plain(struct text *t, struct str s)
{
	columns_add(t->columns, t->out, s, LINE_MOST);
}

static void
add_time(struct text *t, int64_t us)
{
	char text[32] = "?";
	struct tm clock;

	if (us > 0 && local_time(us / 1000000, &clock))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M", &clock);
	buf_fmt(t->out, "%-16s", text);
}

static void
add_commit(struct text *t, const char *before, struct str commit)
{
	if (!commit.n)
		return;
	buf_z(t->out, before);
	add_plain(t,
		str_cut(commit.p, commit.n < COMMIT_DIGITS ? commit.n : COMMIT_DIGITS));
}

static void
add_name(struct text *t, size_t test)
{
	add_plain(t, t->v->names[test]);
}

/* "3 tests" */
static void
add_count(struct text *t, size_t n, const char *one)
{
	buf_fmt(t->out, "%zu %s%s", n, one, n == 1 ? "" : "s");
}

static void
add_slowdown(struct text *t, const struct past_slowdown *s, const char *unit)
{
	buf_fmt(t->out, "%.3f%s, %.3f%s before, in the latest ", s->now, unit, s->before,
		unit);
	add_count(t, s->runs, "run");
	buf_z(t->out, ", since ");
	add_time(t, s->began_us);
	add_commit(t, ", commit ", s->commit);
	buf_fmt(t->out, "; by chance: %.2g", s->chance);
}

/* ---- lists ----------------------------------------------------------------------- */

SORT_BY(sort_rows, struct row, DESCENDING(key) ASCENDING(test))

typedef bool row_chooser(const struct history_view *v, size_t test, double *key);
typedef void row_writer(struct text *t, size_t test);

struct list {
	const char *title;
	row_chooser *choose;
	row_writer *add;
	size_t most;
};

static void
add_list(struct text *t, const struct list *l)
{
	row_vec rows = {0};
	size_t n;

	for (size_t i = 0; i < t->v->past->n; i++) {
		struct row row = {.test = i};

		if (l->choose(t->v, i, &row.key))
			VEC_PUSH(t->out->arena, &rows, row);
	}
	if (!rows.n)
		return;
	sort_rows(rows.v, rows.n);
	n = rows.n < l->most ? rows.n : l->most;
	buf_fmt(t->out, "\n%s: %zu\n", l->title, rows.n);
	for (size_t i = 0; i < n; i++) {
		buf_z(t->out, "  ");
		l->add(t, rows.v[i].test);
		buf_char(t->out, '\n');
	}
	if (n < rows.n)
		buf_fmt(t->out, "  and %zu more\n", rows.n - n);
}

static bool
is_failing(const struct history_view *v, size_t test, double *key)
{
	const struct past_test *p = &v->past->tests[test];

	if (!p->failing_since)
		return false;
	*key = (double)p->failing_since->attempt.began_us;
	return true;
}

static bool
is_newly_failing(const struct history_view *v, size_t test, double *key)
{
	return is_failing(v, test, key) && v->past->tests[test].passed;
}

static bool
is_always_failing(const struct history_view *v, size_t test, double *key)
{
	return is_failing(v, test, key) && !v->past->tests[test].passed;
}

static void
add_failing(struct text *t, size_t test)
{
	const struct past_test *p = &t->v->past->tests[test];
	const struct history_run *run = past_run(t->v->content, p->failing_since->run);
	const struct history_attempt *latest = &p->latest->attempt;

	add_time(t, p->failing_since->attempt.began_us);
	buf_z(t->out, "  ");
	add_name(t, test);
	buf_z(t->out, ": ");
	add_count(t, p->failing, "run");
	buf_z(t->out, ", ");
	add_plain(t, latest->why.n ? latest->why : latest->verdict);
	add_commit(t, ", commit ", run ? run->commit : STR_NONE);
}

static bool
is_flaky(const struct history_view *v, size_t test, double *key)
{
	const struct past_test *p = &v->past->tests[test];

	*key = p->runs ? (double)p->flaky / (double)p->runs : 0;
	return past_is_flaky(p);
}

static void
add_flaky(struct text *t, size_t test)
{
	const struct past_test *p = &t->v->past->tests[test];

	buf_fmt(t->out, "%5.1f %%  ",
		p->runs ? 100 * (double)p->flaky / (double)p->runs : 0);
	add_name(t, test);
	buf_fmt(t->out, ": failed and passed in %zu of ", p->flaky);
	add_count(t, p->runs, "run");
	if (p->turns) {
		buf_z(t->out, ", ");
		add_count(t, p->turns, "change");
		buf_z(t->out, " without a new commit");
	}
}

static bool
is_slower(const struct history_view *v, size_t test, double *key)
{
	const struct past_slowdown *s = &v->past->tests[test].slow;

	*key = s->now - s->before;
	return s->is_there;
}

static void
add_slower(struct text *t, size_t test)
{
	add_name(t, test);
	buf_z(t->out, ": ");
	add_slowdown(t, &t->v->past->tests[test].slow, " s");
}

static bool
has_time(const struct history_view *v, size_t test, double *key)
{
	*key = v->past->tests[test].expected_s;
	return *key > 0;
}

static void
add_seconds(struct text *t, size_t test)
{
	buf_fmt(t->out, "%12.3f s  ", t->v->past->tests[test].expected_s);
	add_name(t, test);
}

static bool
has_never_run(const struct history_view *v, size_t test, double *key)
{
	*key = 0;
	return !v->past->tests[test].runs && !v->disabled[test];
}

/* ---- all tests ------------------------------------------------------------------- */

static void
add_head(struct text *t)
{
	const struct past *p = t->v->past;
	double sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += p->tests[i].expected_s;
	add_count(t, p->n, "test");
	if (t->v->configuration.n) {
		buf_z(t->out, " of configuration ");
		add_plain(t, t->v->configuration);
	}
	buf_z(t->out, ", ");
	add_count(t, p->runs, "run");
	if (p->last) {
		buf_z(t->out, " from ");
		add_time(t, p->first->began_us);
		buf_z(t->out, " to ");
		add_time(t, p->last->began_us);
	}
	buf_fmt(t->out, ", expected %.3f s one after the other\n", sum);
}

/* Nothing is known, but of other configurations there is something. */
static void
add_configurations(struct text *t)
{
	const struct str_list *all = &t->v->content->configurations;

	if (t->v->past->runs || !all->n)
		return;
	buf_z(t->out, "The history has configurations:");
	for (size_t i = 0; i < all->n; i++) {
		buf_z(t->out, i ? ", " : " ");
		if (all->v[i].n)
			add_plain(t, all->v[i]);
		else
			buf_z(t->out, "(without -C)");
	}
	buf_char(t->out, '\n');
}

static void
add_overview(struct text *t)
{
	static const struct list lists[] = {
		{"Newly failing", is_newly_failing, add_failing, SHOWN_MOST},
		{"Failing, never passed", is_always_failing, add_failing, SHOWN_MOST},
		{"Flaky", is_flaky, add_flaky, SHOWN_MOST},
		{"Newly slow", is_slower, add_slower, SHOWN_MOST},
		{"Slowest", has_time, add_seconds, SLOWEST_MOST},
		{"Never run", has_never_run, add_name, SHOWN_MOST},
	};

	add_head(t);
	add_configurations(t);
	if (t->v->past->slow.is_there) {
		buf_z(t->out, "\nAll tests together take longer: ");
		add_slowdown(t, &t->v->past->slow, " of the usual time");
		buf_char(t->out, '\n');
	}
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		add_list(t, &lists[i]);
}

/* ---- one test -------------------------------------------------------------------- */

static void
add_attempt(struct text *t, const struct history_record *r)
{
	const struct history_attempt *a = &r->attempt;
	const struct history_run *run = past_run(t->v->content, r->run);
	struct str host = a->host.n ? a->host : run ? run->host : STR_NONE;

	buf_z(t->out, "  ");
	add_time(t, a->began_us);
	buf_fmt(t->out, " %2u  %-11.*s %12.3f %12.3f %9.1f  ", a->number,
		STR_ARG(a->verdict), (double)a->wall_us / 1e6,
		(double)a->processor_us / 1e6, (double)a->peak_bytes / (1 << 20));
	add_commit(t, "", run ? run->commit : STR_NONE);
	if (!run || !run->commit.n)
		buf_fmt(t->out, "%-*s", COMMIT_DIGITS, "-");
	buf_z(t->out, "  ");
	add_plain(t, host.n ? host : STR("-"));
	if (a->why.n) {
		buf_z(t->out, "  ");
		add_plain(t, a->why);
	}
	buf_char(t->out, '\n');
}

static void
add_test(struct text *t, size_t test)
{
	const struct past_test *p = &t->v->past->tests[test];
	const struct history_of_test *all = &t->v->content->tests[test];

	add_name(t, test);
	buf_z(t->out, ": ");
	if (!p->runs)
		buf_z(t->out, "never run\n");
	else {
		add_count(t, p->runs, "run");
		buf_fmt(t->out,
			", %zu passed, %zu failed, %zu skipped, expected %.3f s\n",
			p->passed, p->failed, p->skipped, p->expected_s);
	}
	if (p->failing_since) {
		buf_fmt(t->out, "%s since ", p->passed ? "Newly failing" : "Failing");
		add_failing(t, test);
		buf_char(t->out, '\n');
	}
	if (past_is_flaky(p)) {
		buf_z(t->out, "Flaky: ");
		add_flaky(t, test);
		buf_char(t->out, '\n');
	}
	if (p->slow.is_there) {
		buf_z(t->out, "Newly slow: ");
		add_slowdown(t, &p->slow, " s");
		buf_char(t->out, '\n');
	}
	if (!all->n)
		return;
	buf_fmt(t->out, "  %-16s %2s  %-11s %12s %12s %9s  %-*s  %s\n", "began", "no",
		"verdict", "seconds", "processor s", "MiB", COMMIT_DIGITS, "commit",
		"host, why");
	for (size_t i = 0; i < all->n; i++)
		add_attempt(t, &all->v[i]);
}

void
history_text(struct buf *out, const struct history_view *v)
{
	struct text t = {.out = out, .v = v, .columns = columns_open(out->arena)};

	INVARIANT(v && v->content && v->past);
	if (v->tells_attempts)
		for (size_t i = 0; i < v->past->n; i++) {
			buf_z(out, i ? "\n" : "");
			add_test(&t, i);
			if (i + 1 == v->past->n)
				add_configurations(&t);
		}
	else
		add_overview(&t);
	columns_close(t.columns);
}
