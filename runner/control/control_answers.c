/* Answers. See control_answers.h. */
#include "runner/control/control_answers.h"

#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/json_line.h"
#include "runner/base/loop.h"

static const char *const blockers[] = {
	[BLOCKED_NOT] = "nothing",
	[BLOCKED_BY_DEPENDENCY] = "dependency",
	[BLOCKED_BY_PARTITION] = "partition",
	[BLOCKED_BY_SLOTS] = "slots",
	[BLOCKED_BY_PROCESSORS] = "processors",
	[BLOCKED_BY_OTHERS] = "others",
	[BLOCKED_BY_SERIAL] = "serial",
	[BLOCKED_BY_LOCK] = "lock",
	[BLOCKED_BY_RESOURCE] = "resource",
	[BLOCKED_BY_LEASE] = "lease",
	[BLOCKED_BY_RESERVATION] = "reservation",
	[BLOCKED_BY_RANK] = "rank",
	[BLOCKED_BY_LOAD] = "load",
	[BLOCKED_BY_STOP] = "stop",
};

void
control_begin_answer(struct buf *b, const char *status)
{
	json_line_open(b, NULL, '{');
	json_line_count(b, "version", CONTROL_VERSION);
	json_line_text(b, "status", str_of(status));
}

void
control_end_answer(struct buf *b)
{
	json_line_close(b, '}');
	buf_char(b, '\n');
}

void
control_refuse(struct buf *b, const char *reason)
{
	control_begin_answer(b, "error");
	json_line_text(b, "reason", str_of(reason));
	control_end_answer(b);
}

void
control_refuse_more(struct buf *b)
{
	control_refuse(b, "too many ask at the same time");
}

void
control_turn_away(int fd)
{
	struct arena *scratch = arena_open();
	struct buf answer = {.arena = scratch};
	size_t sent = 0;

	control_refuse_more(&answer);
	(void)!file_send_now(fd, buf_as_str(&answer), &sent);
	close(fd);
	arena_close(scratch);
}

/* ---- members --------------------------------------------------------------------- */

static void
add_counts(struct buf *b, const struct runner *r)
{
	struct runner_counts n = runner_count(r);

	json_line_count(b, "tests", n.tests);
	json_line_count(b, "ended", n.ended);
	json_line_count(b, "passed", n.passed);
	json_line_count(b, "failed", n.failed);
	json_line_bool(b, "paused", n.is_paused);
}

static void
add_name(struct buf *b, const struct runner *r, node_id node)
{
	const struct node *n = runner_node(r, node);

	json_line_text(b, "test", n->test->name);
	json_line_count(b, "number", n->number);
}

static double
seconds_of(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* Seconds since the start, and until the limit, of a test that runs. */
static void
add_times(struct buf *b, const struct test_state *s)
{
	uint64_t now_ns = loop_now_ns();

	json_line_count(b, "attempt", s->attempt->run);
	json_line_seconds(b, "seconds", seconds_of(now_ns - s->started_ns));
	if (s->limit_ns != LOOP_FOREVER)
		json_line_seconds(b, "left",
			s->limit_ns > now_ns ? seconds_of(s->limit_ns - now_ns) : 0);
}

static void
add_blocker(struct buf *b, const struct runner *r, node_id node)
{
	struct blocker why = runner_blocker(r, node);

	json_line_text(b, "waits", str_of(blockers[why.kind]));
	if (why.name.n)
		json_line_text(b, "name", why.name);
	if (why.node != MAP_NONE)
		json_line_text(b, "for", runner_node(r, why.node)->test->name);
	if (why.wanted) {
		json_line_count(b, "wanted", why.wanted);
		json_line_count(b, "free", why.is_free);
	}
}

static void
add_state(struct buf *b, const struct runner *r, node_id node)
{
	struct test_state s = runner_test(r, node);

	add_name(b, r, node);
	switch (s.stage) {
	case TEST_WAITS:
		json_line_text(b, "state", STR("waits"));
		add_blocker(b, r, node);
		return;
	case TEST_RUNS:
		json_line_text(b, "state", STR("runs"));
		add_times(b, &s);
		return;
	case TEST_ENDED:
		json_line_text(b, "state", STR("ended"));
		json_line_text(b, "result", str_of(verdict_word(s.result->verdict.kind)));
		return;
	}
}

static void
add_running(struct buf *b, const struct runner *r)
{
	size_t at = 0;
	node_id node;

	json_line_open(b, "running", '[');
	while ((node = runner_next(r, &at)) != MAP_NONE) {
		struct test_state s = runner_test(r, node);

		json_line_open(b, NULL, '{');
		add_name(b, r, node);
		add_times(b, &s);
		json_line_close(b, '}');
	}
	json_line_close(b, ']');
}

/* ---- answers --------------------------------------------------------------------- */

static void
answer_hello(struct buf *b, const struct control_about *about)
{
	control_begin_answer(b, "ok");
	json_line_count(b, "pid", (uint64_t)getpid());
	json_line_text(b, "tree", about->tree);
	json_line_text(b, "program", str_of(about->program));
	control_end_answer(b);
}

static void
answer_counts(struct buf *b, const struct runner *r, bool with_running)
{
	control_begin_answer(b, "ok");
	add_counts(b, r);
	if (with_running)
		add_running(b, r);
	control_end_answer(b);
}

static void
answer_state(struct buf *b, const struct runner *r, node_id node)
{
	control_begin_answer(b, "ok");
	add_state(b, r, node);
	control_end_answer(b);
}

static void
answer_tail(struct buf *b, const struct runner *r, node_id node, size_t bytes)
{
	struct str text = runner_tail(r, b->arena, node, bytes);

	if (!text.p) {
		control_refuse(b, "the test does not run");
		return;
	}
	control_begin_answer(b, "ok");
	json_line_text(b, "output", text);
	control_end_answer(b);
}

static void
answer_retry(struct buf *b, struct runner *r, node_id node)
{
	const char *why = runner_retry(r, b->arena, node);

	if (why)
		control_refuse(b, why);
	else
		answer_state(b, r, node);
}

static void
answer_test(
	struct buf *b, struct runner *r, const struct control_request *q, node_id node)
{
	switch (q->verb) {
	case CONTROL_TAIL:
		answer_tail(b, r, node, q->bytes);
		return;
	case CONTROL_CANCEL:
		if (runner_cancel(r, node))
			answer_state(b, r, node);
		else
			control_refuse(b, "the test has ended");
		return;
	case CONTROL_RETRY:
		answer_retry(b, r, node);
		return;
	case CONTROL_LIMIT:
		if (runner_move_limit(r, node, q->seconds))
			answer_state(b, r, node);
		else
			control_refuse(b, "the test does not run, or has no limit");
		return;
	case CONTROL_WHY:
	case CONTROL_HELLO:
	case CONTROL_PS:
	case CONTROL_PAUSE:
	case CONTROL_RESUME:
	case CONTROL_STOP:
	case CONTROL_PARTITIONS:
	case CONTROL_WAIT:
	case CONTROL_RECONFIG:
	case CONTROL_ALLOC_NEW:
	case CONTROL_ALLOC_EXTEND:
	case CONTROL_ALLOC_RELEASE:
	case CONTROL_ALLOC_LEND:
	case CONTROL_ALLOC_REACQUIRE:
	case CONTROL_ALLOC_CANCEL:
	case CONTROL_ALLOC_QUERY:
	case CONTROL_ALLOC_WAIT:
	case CONTROL_VERBS:
		break;
	}
	answer_state(b, r, node);
}

/* ---- partitions ------------------------------------------------------------------ */

/* warnings: NULL for none. */
static void
answer_partitions(struct buf *b, const struct control_about *about,
	const struct runner *r, const struct diag *warnings)
{
	double seconds;
	const struct partitions *p = runner_partitions(r, &seconds);

	if (!p) {
		control_refuse(b, about->no_partitions);
		return;
	}
	control_begin_answer(b, "ok");
	json_line_seconds(b, "seconds", seconds);
	if (warnings && warnings->entries.n)
		json_line_text(b, "warning", warnings->entries.v[0].text);
	partitions_add_json(b, p, seconds);
	control_end_answer(b);
}

/* All that went wrong, on one line. */
static void
refuse_change(struct buf *b, const struct diag *d)
{
	struct buf text = {.arena = b->arena};

	buf_z(&text, "");
	for (size_t i = 0; i < d->entries.n; i++)
		if (diag_is_error(d->entries.v[i].kind))
			buf_fmt(&text, "%s%.*s", text.n ? "; " : "",
				STR_ARG(d->entries.v[i].text));
	control_refuse(b, str_dup(b->arena, buf_as_str(&text)).p);
}

static void
answer_reconfig(struct buf *b, const struct control_about *about, struct runner *r,
	const struct control_request *q)
{
	double seconds;
	struct diag d = diag_in(b->arena);
	struct runner_change c = {.stop = str_vec_list(&q->stop),
		.start = str_vec_list(&q->start),
		.is_now = q->is_immediate,
		.is_off = q->calls_off};

	if (!runner_partitions(r, &seconds)) {
		control_refuse(b, about->no_partitions);
		return;
	}
	switch (runner_change_partitions(r, &c, &d)) {
	case RUNNER_CHANGED:
		answer_partitions(b, about, r, &d);
		break;
	case RUNNER_CHANGES_OTHERWISE:
		control_refuse(b, "partitions are being stopped for another change: wait "
				  "for it, or see --now and --cancel");
		break;
	case RUNNER_REFUSES:
		refuse_change(b, &d);
	}
}

bool
control_answer_state(
	struct buf *b, const struct runner *r, const struct control_awaited *awaited)
{
	double seconds;
	const struct partitions *p = runner_partitions(r, &seconds);
	const struct partition *one = &p->v.v[awaited->partition];

	if (one->since_s[awaited->state] < 0 && !partition_is_final(one->state))
		return false;
	if (one->since_s[awaited->state] < 0) {
		control_refuse(b, str_fmt_z(b->arena, "partition %.*s is %s",
					  STR_ARG(one->request.name),
					  partition_state_name(one->state)));
		return true;
	}
	control_begin_answer(b, "ok");
	json_line_seconds(b, "seconds", seconds);
	json_line_open(b, "partitions", '[');
	partition_add_json(b, NULL, p, one, seconds);
	json_line_close(b, ']');
	control_end_answer(b);
	return true;
}

/* As control_answer. */
static bool
await_partition(struct buf *b, const struct runner *r, const struct control_request *q,
	struct control_awaited *awaited)
{
	double seconds;
	const struct partitions *p = runner_partitions(r, &seconds);
	const struct partition *one = p ? partitions_find(p, q->partition) : NULL;

	awaited->state = q->state.p ? partition_state_named(q->state) : PARTITION_ACTIVE;
	if (!one || awaited->state == PARTITION_STATES) {
		control_refuse(b, one ? "a partition has no such state"
				      : "the run has no such partition");
		return true;
	}
	awaited->is_state = true;
	awaited->partition = (size_t)(one - p->v.v);
	return control_answer_state(b, r, awaited);
}

/* ---------------------------------------------------------------------------------- */

static void
answer_run(struct buf *b, const struct control_about *about, struct runner *r,
	enum control_verb verb)
{
	if (verb == CONTROL_HELLO) {
		answer_hello(b, about);
		return;
	}
	if (verb == CONTROL_PARTITIONS) {
		answer_partitions(b, about, r, NULL);
		return;
	}
	if (verb == CONTROL_PAUSE || verb == CONTROL_RESUME)
		runner_pause(r, verb == CONTROL_PAUSE);
	if (verb == CONTROL_STOP)
		runner_cancel_waiting(r);
	answer_counts(b, r, verb == CONTROL_PS);
}

bool
control_answer(struct buf *b, const struct control_about *about, struct runner *r,
	const struct control_request *q, struct control_awaited *awaited)
{
	bool has_test = q->test.p && control_verb_wants(q->verb) != WANTS_NO_TEST;

	*awaited = (struct control_awaited){
		.node = has_test ? runner_find(r, q->test) : MAP_NONE};
	if (has_test && awaited->node == MAP_NONE) {
		control_refuse(b, "the run has no such test");
		return true;
	}
	if (q->verb == CONTROL_WAIT && q->partition.p)
		return await_partition(b, r, q, awaited);
	if (q->verb == CONTROL_WAIT && !has_test)
		return false;
	if (q->verb == CONTROL_WAIT && runner_test(r, awaited->node).stage != TEST_ENDED)
		return false;
	if (has_test)
		answer_test(b, r, q, awaited->node);
	else if (q->verb == CONTROL_RECONFIG)
		answer_reconfig(b, about, r, q);
	else
		answer_run(b, about, r, q->verb);
	return true;
}

void
control_answer_end(struct buf *b, const struct runner *r, node_id node)
{
	if (node == MAP_NONE)
		answer_counts(b, r, false);
	else
		answer_state(b, r, node);
}
