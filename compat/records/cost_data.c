/*
 * One line per test, "name runs mean", in the order in which tests were first seen; then
 * "---" and the names of the tests that failed last.
 *
 * A name means the last test of the selection with this name. If lines repeat, the last
 * number of runs and the first time count, and all these lines are rewritten.
 */
#include "compat/records/cost_data.h"

#include "compat/console/report_text.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

#include <errno.h>
#include <stdlib.h>

struct line {
	struct str name;
	int runs;
	float mean;
};

struct cost_data {
	struct report report;
	struct arena *arena;
	struct str path;
	int error; /* an errno: the old data cannot be read; 0: it can */
	size_t parallel;
	VEC(struct line) lines;
	struct map known; /* name -> index into tests */
	VEC(struct line) tests; /* lines with the same name are merged */
	struct map failed; /* names; the values mean nothing */
	struct map names; /* of the selection, once they are needed: see index_of */
	/* Passed attempts by index of the selection; NULL without a listener. */
	struct line *passed;
	const bool *left_out; /* by node, or NULL */
	const double *seconds; /* by node, for left_out; negative: not known */
};

/* ---- reading --------------------------------------------------------------------- */

/* A field ends at a blank, but every one after the first may begin with one. false: it is
 * the last. */
static bool
take_field(struct str *rest, size_t least, struct str *field)
{
	size_t from = rest->n < least ? rest->n : least;
	size_t n = from + str_find(str_from(*rest, from), ' ');
	bool is_last = n == rest->n;

	*field = str_cut(rest->p, n);
	*rest = str_from(*rest, is_last ? n : n + 1);
	return !is_last;
}

/* Text after the third field is ignored. */
static bool
parse_old(struct str text, struct line *line)
{
	struct str runs, mean;

	if (!take_field(&text, 0, &line->name) || !take_field(&text, 1, &runs))
		return false;
	(void)take_field(&text, 1, &mean);
	line->runs = str_int(runs);
	line->mean = (float)str_double(mean);
	return true;
}

/* The last two fields are the numbers; the name may contain blanks. */
static bool
parse_new(struct str text, struct line *line)
{
	size_t last = str_rfind(text, ' ');
	size_t middle = last < text.n ? str_rfind(str_cut(text.p, last), ' ') : last;

	if (last == text.n || middle == last)
		return false;
	*line = (struct line){{text.p, middle},
		str_int(str_cut(text.p + middle + 1, last - middle - 1)),
		(float)str_double(str_from(text, last + 1))};
	return true;
}

static void
add_line(struct cost_data *c, struct line line)
{
	uint32_t at = map_number(&c->known, line.name);

	VEC_PUSH(c->arena, &c->lines, line);
	if (at == c->tests.n)
		VEC_PUSH(c->arena, &c->tests, line);
	c->tests.v[at].runs = line.runs;
	if (c->tests.v[at].mean == 0)
		c->tests.v[at].mean = line.mean;
}

static struct cost_data *
parse_data(
	struct arena *a, const struct dialect *dialect, struct str text, size_t parallel)
{
	struct cost_data *c = NEW(a, struct cost_data);
	bool blanks = dialect->has[DIALECT_COST_NAMES_WITH_BLANKS];
	struct line read;
	struct str line;

	*c = (struct cost_data){.arena = a,
		.parallel = parallel,
		.known = map_in(a),
		.failed = map_in(a),
		.names = map_in(a)};
	while (str_take_crlf_line(&text, &line)) {
		if (str_is(line, "---") || !(blanks ? parse_new : parse_old)(line, &read))
			break;
		add_line(c, read);
	}
	while (str_take_crlf_line(&text, &line)) {
		if (line.n)
			map_add(&c->failed, line);
	}
	return c;
}

struct cost_data *
cost_data_load(
	struct arena *a, const struct dialect *dialect, struct str path, size_t parallel)
{
	struct str text;
	bool is_read = file_read(a, str_z(a, path), &text);
	int error = is_read || error_is_absence(errno) ? 0 : errno;
	struct cost_data *c = parse_data(a, dialect, is_read ? text : STR(""), parallel);

	c->path = path;
	c->error = error;
	return c;
}

/* ---- what the plan gets ---------------------------------------------------------- */

/* The index of a name in the selection; of tests with the same name, that of the last
 * number. MAP_NONE: the selection does not have the name. */
static uint32_t
index_of(struct cost_data *c, const struct selection *s, struct str name)
{
	if (!c->names.n) {
		map_reserve(&c->names, s->n);
		for (size_t i = 0; i < s->n; i++)
			map_set(&c->names, selected_test(s, i)->name, (uint32_t)i);
	}
	return map_get(&c->names, name);
}

struct recorded *
cost_data_recorded(struct arena *a, struct cost_data *c, const struct selection *s)
{
	struct recorded *r = NEW_ARRAY(a, struct recorded, s->n);

	for (size_t i = 0; i < s->n; i++) {
		struct str name = selected_test(s, i)->name;
		uint32_t known = map_get(&c->known, name);

		if (known != MAP_NONE && index_of(c, s, name) == i)
			r[i].cost = c->tests.v[known].mean;
		r[i].failed_last = map_has(&c->failed, name);
	}
	return r;
}

/* ---- counting this run ----------------------------------------------------------- */

static void
blend_time(struct line *line, double seconds)
{
	line->mean =
		(float)((line->runs * (double)line->mean + seconds) / (line->runs + 1.0));
	line->runs += line->runs < INT_MAX;
}

/* The data of the selection's tests before the run. A declared COST counts as the mean; a
 * serial run has no mean. */
static struct line *
read_lines(struct arena *a, struct cost_data *c, const struct selection *s)
{
	struct line *v = NEW_ARRAY(a, struct line, s->n);

	for (size_t i = 0; i < s->n; i++) {
		const struct test *t = selected_test(s, i);
		uint32_t known = map_get(&c->known, t->name);

		v[i] = (struct line){t->name, 0, (float)t->properties->cost};
		if (known == MAP_NONE || index_of(c, s, t->name) != i)
			continue;
		v[i].runs = c->tests.v[known].runs;
		if (v[i].mean == 0 && c->parallel > 1)
			v[i].mean = c->tests.v[known].mean;
	}
	return v;
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct cost_data *c = (struct cost_data *)report;

	if (e->kind == EVENT_END && e->verdict->kind == VERDICT_PASSED)
		blend_time(&c->passed[e->attempt->node],
			(double)e->outcome->duration_ns / 1e9);
}

static bool
close_report(struct report *report, struct diag *d)
{
	(void)report, (void)d;
	return true;
}

void
cost_data_leave_out(struct cost_data *c, const bool *nodes, const double *seconds)
{
	INVARIANT(nodes && seconds);
	c->left_out = nodes;
	c->seconds = seconds;
}

static bool
is_left_out(const struct cost_data *c, size_t node)
{
	return c->left_out && c->left_out[node] && c->seconds[node] < 0;
}

struct report *
cost_data_listen(struct cost_data *c, const struct selection *s)
{
	static const struct report_type type = {.name = "cost data",
		.event = handle_event,
		.close = close_report,
		.only_results = true};

	c->report = (struct report){.type = &type};
	c->passed = read_lines(c->arena, c, s);
	for (size_t i = 0; c->left_out && i < s->n; i++)
		if (c->left_out[i] && c->seconds[i] >= 0)
			blend_time(&c->passed[i], c->seconds[i]);
	return &c->report;
}

/* ---- writing --------------------------------------------------------------------- */

static const struct line *
blend_run(struct arena *a, struct cost_data *c, const struct selection *s,
	const struct tally *t)
{
	struct line *v = c->passed;

	if (v)
		return v;
	v = read_lines(a, c, s);
	for (size_t i = 0; i < t->results.n; i++) {
		const struct result *r = &t->results.v[i];

		if (r->verdict.kind == VERDICT_PASSED)
			blend_time(&v[r->node], (double)r->outcome.duration_ns / 1e9);
	}
	return v;
}

static void
format_line(struct buf *out, const struct line *line)
{
	buf_str(out, line->name);
	buf_z(out, line->runs < 0 ? " -" : " ");
	buf_number(out, (uint64_t)llabs(line->runs), 0);
	buf_char(out, ' ');
	report_add_number(out, (double)line->mean);
	buf_char(out, '\n');
}

static void
format_data(struct buf *out, struct cost_data *c, const struct selection *s,
	const struct tally *t)
{
	const struct line *tests = blend_run(out->arena, c, s, t);
	bool *is_written = NEW_ARRAY(out->arena, bool, s->n);

	for (size_t i = 0; i < s->n; i++)
		is_written[i] = is_left_out(c, i);
	for (size_t i = 0; i < c->lines.n; i++) {
		uint32_t at = index_of(c, s, c->lines.v[i].name);

		if (at != MAP_NONE && is_left_out(c, at))
			at = MAP_NONE;
		format_line(out, at == MAP_NONE ? &c->lines.v[i] : &tests[at]);
		if (at != MAP_NONE)
			is_written[at] = true;
	}
	for (size_t i = 0; i < s->n; i++)
		if (!is_written[i])
			format_line(out, &tests[i]);
	buf_z(out, "---\n");
	for (size_t i = 0; i < t->results.n; i++)
		if (report_is_failure(t->results.v[i].verdict.kind) &&
			!t->results.v[i].test->properties->disabled) {
			buf_str(out, t->results.v[i].test->name);
			buf_char(out, '\n');
		}
}

bool
cost_data_save(struct arena *a, struct cost_data *c, const struct selection *s,
	const struct tally *t, struct diag *d)
{
	struct buf out = {.arena = a};

	INVARIANT(t && d);
	if (c->error)
		return diag_unreadable(d, c->path, c->error);
	format_data(&out, c, s, t);
	if (file_write(a, str_z(a, c->path), ".tmp", buf_as_str(&out)))
		return true;
	return diag_system(d, c->path, "cannot be written", errno);
}
