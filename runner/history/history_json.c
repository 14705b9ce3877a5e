/* The JSON. See history_text.h. */
#include "runner/base/json_line.h"
#include "runner/history/history_text.h"

enum { JSON_VERSION = 1 };

static uint64_t
to_microseconds(double seconds)
{
	return seconds_to_ns(seconds) / 1000;
}

static void
add_known(struct buf *b, const char *key, struct str text)
{
	if (text.n)
		json_line_text(b, key, text);
}

static void
add_time(struct buf *b, const char *key, int64_t us)
{
	json_line_count(b, key, us < 0 ? 0 : (uint64_t)us);
}

/* factor: the levels are multiples of the usual time. */
static void
add_slowdown(struct buf *b, const struct past_slowdown *s, bool is_factor)
{
	if (!s->is_there)
		return;
	json_line_open(b, "newly_slow", '{');
	if (is_factor) {
		json_line_number(b, "before", s->before);
		json_line_number(b, "now", s->now);
	} else {
		json_line_count(b, "before_us", to_microseconds(s->before));
		json_line_count(b, "now_us", to_microseconds(s->now));
	}
	json_line_count(b, "runs", s->runs);
	add_time(b, "since_us", s->began_us);
	add_known(b, "commit", s->commit);
	json_line_number(b, "chance", s->chance);
	json_line_close(b, '}');
}

static void
add_failing(
	struct buf *b, const struct history_content *content, const struct past_test *p)
{
	const struct history_run *run;

	if (!p->failing_since)
		return;
	run = past_run(content, p->failing_since->run);
	json_line_open(b, p->passed ? "newly_failing" : "always_failing", '{');
	json_line_count(b, "runs", p->failing);
	add_time(b, "since_us", p->failing_since->attempt.began_us);
	add_known(b, "commit", run ? run->commit : STR_NONE);
	add_known(b, "why", p->latest->attempt.why);
	json_line_close(b, '}');
}

static void
add_attempt(struct buf *b, const struct history_content *content,
	const struct history_record *r)
{
	const struct history_attempt *a = &r->attempt;
	const struct history_run *run = past_run(content, r->run);

	json_line_open(b, NULL, '{');
	json_line_text(b, "verdict", a->verdict);
	add_known(b, "why", a->why);
	add_known(b, "host", a->host.n ? a->host : run ? run->host : STR_NONE);
	add_known(b, "commit", run ? run->commit : STR_NONE);
	add_known(b, "partition", a->partition);
	add_time(b, "run", r->run);
	json_line_count(b, "number", a->number);
	json_line_bool(b, "last", a->is_last);
	add_time(b, "began_us", a->began_us);
	json_line_count(b, "wall_us", a->wall_us);
	json_line_count(b, "processor_us", a->processor_us);
	json_line_count(b, "peak_bytes", a->peak_bytes);
	json_line_count(b, "slots", a->slots);
	json_line_close(b, '}');
}

static void
add_test(struct buf *b, const struct history_view *v, size_t test)
{
	const struct past_test *p = &v->past->tests[test];
	const struct history_of_test *all = &v->content->tests[test];

	json_line_open(b, NULL, '{');
	json_line_text(b, "name", v->names[test]);
	json_line_bool(b, "disabled", v->disabled[test]);
	json_line_count(b, "attempts", p->attempts);
	json_line_count(b, "runs", p->runs);
	json_line_count(b, "passed", p->passed);
	json_line_count(b, "failed", p->failed);
	json_line_count(b, "skipped", p->skipped);
	json_line_bool(b, "flaky", past_is_flaky(p));
	json_line_count(b, "flaky_runs", p->flaky);
	json_line_count(b, "changes_without_commit", p->turns);
	if (p->expected_s > 0)
		json_line_count(b, "expected_us", to_microseconds(p->expected_s));
	if (p->latest) {
		json_line_text(b, "latest", p->latest->attempt.verdict);
		add_time(b, "latest_us", p->latest->attempt.began_us);
	}
	add_failing(b, v->content, p);
	add_slowdown(b, &p->slow, false);
	if (v->tells_attempts) {
		json_line_open(b, "history", '[');
		for (size_t i = 0; i < all->n; i++)
			add_attempt(b, v->content, &all->v[i]);
		json_line_close(b, ']');
	}
	json_line_close(b, '}');
}

void
history_json(struct buf *out, const struct history_view *v)
{
	const struct past *p = v->past;

	INVARIANT(v->content && p);
	json_line_open(out, NULL, '{');
	json_line_count(out, "version", JSON_VERSION);
	json_line_text(out, "file", v->path);
	json_line_text(out, "configuration", v->configuration);
	json_line_open(out, "configurations", '[');
	for (size_t i = 0; i < v->content->configurations.n; i++)
		json_line_text(out, NULL, v->content->configurations.v[i]);
	json_line_close(out, ']');
	json_line_count(out, "runs", p->runs);
	if (p->last) {
		add_time(out, "first_us", p->first->began_us);
		add_time(out, "last_us", p->last->began_us);
	}
	add_slowdown(out, &p->slow, true);
	json_line_open(out, "tests", '[');
	for (size_t i = 0; i < p->n; i++)
		add_test(out, v, i);
	json_line_close(out, ']');
	json_line_close(out, '}');
	buf_char(out, '\n');
}
