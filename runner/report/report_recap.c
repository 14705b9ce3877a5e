/* See report_recap.h. What is kept of a run is bounded: so many tests with so many lines.
 */
#include "runner/report/report_recap.h"

#include "runner/base/columns.h"
#include "runner/base/streams.h"
#include "runner/report/why.h"

#define RED "\033[31m"
#define YELLOW "\033[33m"
#define NORMAL "\033[m"

enum {
	TESTS_MOST = 20,
	LINES_MOST = 10,
	BYTES_MOST = 4096,
	WHY_MOST = 512,
	NAME_LEAST = 8
};

/* Of those beyond TESTS_MOST the text is empty. */
struct recap_test {
	node_id node;
	struct str text;
};
struct recap_part {
	VEC(struct recap_test) v;
	size_t told; /* of them */
};
struct report_recap {
	struct report report;
	struct arena *arena;
	struct recap_options o;
	struct columns *columns;
	struct buf text; /* of the test that is being told */
	struct recap_part failed, flaky;
};

/* ---- one test -------------------------------------------------------------------- */

/* A line that begins with the indent, and no longer than the terminal is wide. */
static void
add_line(struct report_recap *r, struct buf *out, const char *indent, struct str line)
{
	size_t used = strlen(indent), width = streams_size().columns - 1;

	buf_z(out, indent);
	columns_add(r->columns, out, line, width > used ? width - used : 0);
	buf_char(out, '\n');
}

static void
add_head(struct report_recap *r, struct buf *out, const char *colour, struct str line)
{
	if (r->o.has_colour)
		buf_z(out, colour);
	add_line(r, out, "", line);
	if (r->o.has_colour)
		buf_z(out, NORMAL);
}

static void
add_lines(struct report_recap *r, const char *indent, struct str text)
{
	while (text.n)
		add_line(r, &r->text, indent, str_take(&text, '\n'));
}

/* The last lines; of a long one its end. */
static struct str
last_lines(struct str s)
{
	struct str tail = str_from(s, s.n > BYTES_MOST ? s.n - BYTES_MOST : 0);
	size_t lines = 0, at = tail.n;

	while (at > 0 && (tail.p[at - 1] != '\n' || at == tail.n || ++lines < LINES_MOST))
		at--;
	return str_from(tail, at);
}

/* Of a line with so many other columns. */
static void
add_name(struct report_recap *r, struct buf *line, struct str name, size_t others)
{
	size_t width = streams_size().columns - 1;

	columns_add(r->columns, line, name,
		width > others + NAME_LEAST ? width - others : NAME_LEAST);
}

static void
add_result(struct report_recap *r, const struct event *e)
{
	struct buf line = {.arena = r->arena}, result = {.arena = r->arena};

	buf_fmt(&result, ", %s", verdict_word(e->verdict->kind));
	if (e->verdict->kind != VERDICT_NOT_RUN)
		buf_fmt(&result, ", %.2f sec", (double)e->outcome->duration_ns / 1e9);
	why_add_exit_code(&result, e);
	buf_fmt(&line, "#%u: ", e->attempt->number);
	add_name(r, &line, e->attempt->test->name, line.n + result.n);
	buf_str(&line, buf_as_str(&result));
	add_head(r, &r->text, RED, buf_as_str(&line));
}

static void
add_flaky(struct report_recap *r, const struct event *e)
{
	const struct attempt *a = e->attempt;

	add_head(r, &r->text, YELLOW,
		str_fmt(r->arena, "#%u: %.*s, failed in %u of %u attempts", a->number,
			STR_ARG(a->test->name), a->failures, a->run));
}

static void
add_again(struct report_recap *r, const struct attempt *a)
{
	buf_fmt(&r->text, "  again: %.*s ", STR_ARG(r->o.again));
	r->o.add_test(&r->text, a->test->name, a->number);
	buf_char(&r->text, '\n');
}

static void
add_test(struct report_recap *r, const struct event *e)
{
	struct buf why = {.arena = r->arena};

	add_result(r, e);
	why_add(&why, e);
	add_lines(r, "  ", str_cut(why.p, why.n < WHY_MOST ? why.n : WHY_MOST));
	if (!r->o.has_output)
		add_lines(r, "  | ", last_lines(e->outcome->output));
	add_again(r, e->attempt);
}

/* ---- events ---------------------------------------------------------------------- */

static void
add_to_part(struct report_recap *r, struct recap_part *p, const struct event *e,
	void (*add)(struct report_recap *r, const struct event *e))
{
	struct recap_test test = {.node = e->attempt->node, .text = STR("")};

	if (p->told < TESTS_MOST) {
		p->told++;
		r->text.n = 0;
		add(r, e);
		test.text = str_dup(r->arena, buf_as_str(&r->text));
	}
	VEC_PUSH(r->arena, &p->v, test);
}

static void
note_end(struct report_recap *r, const struct event *e)
{
	enum verdict_kind kind = e->verdict->kind;

	if (e->is_last && e->flaky != FLAKY_NOT)
		add_to_part(r, &r->flaky, e, add_flaky);
	if (e->is_last && !verdict_is_pass(kind) && !verdict_is_uncounted(kind))
		add_to_part(r, &r->failed, e, add_test);
}

static void
drop_from_part(struct recap_part *p, node_id node)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].node != node)
			p->v.v[kept++] = p->v.v[i];
		else
			p->told -= p->v.v[i].text.n > 0;
	p->v.n = kept;
}

static void
drop_test(struct report_recap *r, node_id node)
{
	drop_from_part(&r->failed, node);
	drop_from_part(&r->flaky, node);
}

static void
add_part(struct buf *out, const char *title, const struct recap_part *p)
{
	if (!p->v.n)
		return;
	buf_fmt(out, "\n%s:\n", title);
	for (size_t i = 0; i < p->v.n; i++)
		buf_str(out, p->v.v[i].text);
	if (p->v.n > p->told)
		buf_fmt(out, "and %zu more\n", p->v.n - p->told);
}

static void
print_recap(struct report_recap *r)
{
	struct buf out = {.arena = r->arena};

	add_part(&out, "What is flaky", &r->flaky);
	add_part(&out, "What failed", &r->failed);
	buf_z(&out, out.n ? "\n" : "");
	if (out.n)
		streams_put(STREAM_OUTPUT, buf_as_str(&out));
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_recap *r = (struct report_recap *)report;

	if (e->kind == EVENT_END)
		note_end(r, e);
	else if (e->kind == EVENT_WITHDRAW)
		drop_test(r, e->attempt->node);
	else if (e->kind == EVENT_FINISH)
		print_recap(r);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_recap *r = (struct report_recap *)report;

	(void)d;
	columns_close(r->columns);
	arena_close(r->arena);
	return true;
}

struct report *
report_recap_open(struct arena *a, const struct recap_options *o)
{
	static const struct report_type type = {
		.name = "recap",
		.event = handle_event,
		.close = close_report,
		.stop = close_report,
		.only_results = true,
	};
	struct report_recap *r = NEW(a, struct report_recap);

	r->report.type = &type;
	r->arena = arena_open();
	r->o = *o;
	r->columns = columns_open(a);
	r->text.arena = r->arena;
	return &r->report;
}
