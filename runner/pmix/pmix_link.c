/* The run's side. See pmix_link.h. */
#include "runner/pmix/pmix_link.h"

#include "runner/base/loop.h"
#include "runner/control/control_answers.h"
#include "runner/control/control_leases.h"
#include "runner/pmix/pmix_server.h"
#include "runner/run/engine.h"

struct waiting {
	uint64_t number; /* of the question */
	uint64_t talk; /* of the server on another node; 0: it is ours */
	struct lease_asker asker;
	struct lease_wait wait;
};
struct pmix_link {
	struct control control, *other;
	struct arena *arena;
	struct runner *runner;
	struct pmix_server *server;
	struct loop_timer *expiry;
	VEC(struct waiting) waiting;
};

/* ---- questions ------------------------------------------------------------------- */

static void
put_answer(struct pmix_link *l, const struct waiting *w, const struct buf *answer)
{
	struct str line = str_fmt(answer->arena, "%llu %.*s",
		(unsigned long long)w->number, STR_ARG(buf_as_str(answer)));

	if (w->talk)
		runner_tell(l->runner, w->talk, line);
	else
		pmix_server_put(l->server, line);
}

static void
expire_leases(struct pmix_link *l)
{
	uint64_t next_ns = control_lease_expire(l->runner);

	if (next_ns)
		loop_timer_start(l->expiry, next_ns);
}

static void
on_expiry(void *context)
{
	expire_leases(context);
}

/* false: the answer comes later. */
static bool
answer_question(
	struct pmix_link *l, struct buf *answer, struct str request, struct waiting *w)
{
	struct control_request q;
	const char *why = "the test has ended";
	struct test_state s = runner_test(l->runner, w->asker.node);
	bool is_answered;

	if (s.stage != TEST_RUNS || !control_read(answer->arena, request, &q, &why)) {
		control_refuse(answer, why);
		return true;
	}
	if (!control_is_alloc(q.verb)) {
		control_refuse(answer, "only leases are asked for by PMIx");
		return true;
	}
	w->asker.started_ns = s.began_ns;
	is_answered = control_lease_answer(answer, l->runner, &w->asker, &q, &w->wait);
	if (q.seconds != 0)
		expire_leases(l);
	return is_answered;
}

static void
take_question(struct pmix_link *l, struct waiting w, struct str request)
{
	struct arena *scratch = arena_open();
	struct buf answer = {.arena = scratch};

	if (answer_question(l, &answer, request, &w))
		put_answer(l, &w, &answer);
	else
		VEC_PUSH(l->arena, &l->waiting, w);
	arena_close(scratch);
}

static void
hear_server(void *context, node_id node, uint64_t number, struct str request)
{
	take_question(context,
		(struct waiting){.number = number, .asker = {.node = node}}, request);
}

/* What the server of a node passes on. */
static void
hear_node(struct pmix_link *l, node_id node, uint64_t talk, struct str text)
{
	struct waiting w = {.talk = talk, .asker = {.node = node}};
	struct str line, number;

	while (str_take_whole_line(&text, &line)) {
		number = str_take(&line, ' ');
		if (str_unsigned(number, UINT64_MAX, &w.number))
			take_question(l, w, line);
	}
}

/* Those whose requests have ended. */
static void
answer_waiting(struct pmix_link *l)
{
	size_t i = 0;

	while (i < l->waiting.n) {
		struct waiting w = l->waiting.v[i];
		struct arena *scratch = arena_open();
		struct buf answer = {.arena = scratch};

		if (control_lease_ended(&answer, l->runner, &w.asker, &w.wait)) {
			l->waiting.v[i] = l->waiting.v[--l->waiting.n];
			put_answer(l, &w, &answer);
		} else {
			i++;
		}
		arena_close(scratch);
	}
}

/* No one hears the answers to a server, or to all of a node, that were not there yet. */
static void
leave_waiting(struct pmix_link *l, uint64_t talk)
{
	bool is_node = (uint32_t)talk == TALK_ALL;
	size_t i = 0;

	while (i < l->waiting.n) {
		struct waiting w = l->waiting.v[i];

		if (w.talk == talk || (is_node && w.talk && w.talk >> 32 == talk >> 32)) {
			l->waiting.v[i] = l->waiting.v[--l->waiting.n];
			control_lease_leave(l->runner, &w.asker, &w.wait);
			i = 0;
		} else {
			i++;
		}
	}
}

static void
lose_server(void *context)
{
	leave_waiting(context, 0);
}

/* ---- the run --------------------------------------------------------------------- */

static struct pmix_link *
link_of(struct control *c)
{
	return (struct pmix_link *)c;
}

static void
begin_run(struct control *c, struct runner *r, struct loop *loop)
{
	struct pmix_link *l = link_of(c);
	struct pmix_listener listener = {l, hear_server, lose_server};

	l->runner = r;
	l->expiry = loop_timer_new(loop, on_expiry, l);
	l->server = pmix_server_open(l->arena, loop, &listener);
	if (l->other)
		l->other->begin(l->other, r, loop);
}

static void
end_test(struct control *c, node_id node)
{
	struct pmix_link *l = link_of(c);

	answer_waiting(l);
	pmix_server_leave(l->server, node);
	if (l->other)
		l->other->ended(l->other, node);
}

static void
end_requests(struct control *c)
{
	struct pmix_link *l = link_of(c);

	answer_waiting(l);
	/* A request that was pending may have got a lease with a time. */
	if (l->other)
		l->other->leased(l->other);
	else if (l->runner)
		expire_leases(l);
}

static void
change_partitions(struct control *c)
{
	struct pmix_link *l = link_of(c);

	if (l->other)
		l->other->parted(l->other);
}

static void
hear_talk(struct control *c, node_id node, uint64_t talk, struct str text)
{
	struct pmix_link *l = link_of(c);

	if ((uint32_t)talk >= TALK_PMIX && text.n)
		hear_node(l, node, talk, text);
	else if ((uint32_t)talk >= TALK_PMIX)
		leave_waiting(l, talk);
	if (l->other && ((uint32_t)talk < TALK_PMIX || (uint32_t)talk == TALK_ALL))
		l->other->talk(l->other, node, talk, text);
}

/* The loop ends with the run. */
static void
end_run(struct control *c)
{
	struct pmix_link *l = link_of(c);

	l->waiting.n = 0;
	pmix_server_close(l->server);
	l->server = NULL;
	if (l->other)
		l->other->end(l->other);
}

struct pmix_link *
pmix_link_new(struct arena *a)
{
	struct pmix_link *l = NEW(a, struct pmix_link);

	*l = (struct pmix_link){.control = {.begin = begin_run,
					.ended = end_test,
					.leased = end_requests,
					.parted = change_partitions,
					.talk = hear_talk,
					.end = end_run},
		.arena = a};
	return l;
}

struct pmix_server *
pmix_link_server(const struct pmix_link *l)
{
	return l->server;
}

struct control *
pmix_link_control(struct pmix_link *l, struct control *other)
{
	l->other = other;
	return &l->control;
}
