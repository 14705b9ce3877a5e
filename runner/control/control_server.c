/* The server of a run. See control_server.h. */
#include "runner/control/control_server.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/entropy.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/control/control_leases.h"
#include "runner/control/control_socket.h"
#include "runner/run/engine.h"

/* After a failed accept: descriptors may be free again. */
#define AGAIN_NS 1000000000u
enum { CONNECTIONS_MOST = 256, READ_SIZE = 1 << 14 };

struct connection {
	struct control_server *server;
	int fd; /* -1: it is closed, or remote */
	bool is_remote; /* a process on another node */
	uint64_t talk; /* of it */
	struct loop_reader *reader;
	struct arena *arena;
	struct arena_mark mark;
	struct buf in, out;
	size_t sent; /* of out */
	bool waits; /* for ... */
	struct control_awaited awaited;
	struct lease_asker asker;
	bool waits_for_lease;
	struct lease_wait lease;
};

struct control_server {
	struct control control;
	struct arena *arena;
	struct control_about about;
	struct control_socket socket;
	struct runner *runner; /* NULL: the run has not begun, or is over */
	struct loop *loop;
	struct loop_reader *reader;
	struct loop_timer *again, *expiry;
	char token[ENTROPY_TEXT_SIZE]; /* empty: there are no leases */
	size_t waiting_n; /* connections that wait, for leases or else */
	struct connection *v[CONNECTIONS_MOST];
};

/* ---- one connection -------------------------------------------------------------- */

static bool
is_open(const struct connection *c)
{
	return c->fd >= 0 || c->is_remote;
}

static void
close_connection(struct connection *c)
{
	if (!is_open(c))
		return;
	c->server->waiting_n -= c->waits + c->waits_for_lease;
	c->waits = false;
	if (c->waits_for_lease && c->server->runner) {
		c->waits_for_lease = false;
		control_lease_leave(c->server->runner, &c->asker, &c->lease);
	}
	if (c->reader)
		loop_unwatch(c->reader);
	if (c->is_remote && c->server->runner)
		runner_tell(c->server->runner, c->talk, STR(""));
	else if (!c->is_remote)
		close(c->fd);
	c->is_remote = false;
	c->fd = -1;
}

static bool
has_answers(const struct connection *c)
{
	return c->sent < c->out.n;
}

/* Writes as much as there is room for. */
static void
write_answers(struct connection *c)
{
	if (c->is_remote && has_answers(c)) {
		runner_tell(c->server->runner, c->talk, buf_as_str(&c->out));
		c->sent = c->out.n;
	}
	if (c->fd >= 0 && !file_send_now(c->fd, buf_as_str(&c->out), &c->sent))
		close_connection(c);
	if (!has_answers(c))
		c->out.n = c->sent = 0;
	if (c->fd >= 0 && c->reader)
		loop_want_room(c->reader, has_answers(c));
}

/* The token is that of this run, and the process is one of its tests. */
static bool
may_lease(struct connection *c, const struct control_request *q, const char **why)
{
	*why = "the token is not that of this run";
	if (!*c->server->token || !q->token.p || !str_is(q->token, c->server->token))
		return false;
	return lease_asker_find(
		&c->asker, c->server->runner, control_socket_peer(c->fd), why);
}

static void
expire_leases(struct control_server *s)
{
	uint64_t next_ns = control_lease_expire(s->runner);

	if (next_ns)
		loop_timer_start(s->expiry, next_ns);
}

static void
answer_alloc(struct connection *c, const struct control_request *q, struct buf *answer)
{
	struct control_server *s = c->server;
	const char *why;

	if (!may_lease(c, q, &why)) {
		control_refuse(answer, why);
	} else if (!control_lease_answer(answer, s->runner, &c->asker, q, &c->lease)) {
		c->waits_for_lease = true;
		s->waiting_n++;
	}
	if (q->seconds != 0)
		expire_leases(s);
}

static void
answer_line(struct connection *c, struct str line)
{
	struct control_server *s = c->server;
	struct arena *scratch = arena_open();
	struct buf answer = {.arena = scratch};
	struct control_request q;
	const char *why;

	if (!control_read(scratch, line, &q, &why)) {
		control_refuse(&answer, why);
	} else if (control_is_alloc(q.verb)) {
		answer_alloc(c, &q, &answer);
	} else if (!control_answer(&answer, &s->about, s->runner, &q, &c->awaited)) {
		c->waits = true;
		s->waiting_n++;
	}
	if (answer.n)
		buf_str(&c->out, buf_as_str(&answer));
	arena_close(scratch);
}

/* Answers are written before the next request is looked at. */
static void
answer_lines(struct connection *c)
{
	struct str text = {c->in.p, c->in.n}, line;

	while (is_open(c) && !c->waits && !c->waits_for_lease && !has_answers(c) &&
		str_take_whole_line(&text, &line)) {
		answer_line(c, line);
		write_answers(c);
	}
	if (text.n)
		memmove(c->in.p, text.p, text.n);
	c->in.n = text.n;
}

static void
refuse_length(struct connection *c)
{
	control_refuse(&c->out, "a request is longer than 65536 bytes");
	write_answers(c);
	close_connection(c);
}

static void
read_part(struct connection *c)
{
	char part[READ_SIZE];
	ssize_t n = file_get_now(c->fd, part, sizeof part);

	if (n > 0)
		buf_add(&c->in, part, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		close_connection(c);
}

/* One part in each turn, so that who always has requests on the way does not keep the
 * run from its tests. Who does not read its answers, or asks again while it waits, is
 * read up to the longest request, and then closed. */
static void
on_ready(void *context)
{
	struct connection *c = context;

	write_answers(c);
	if (c->fd >= 0)
		read_part(c);
	if (c->fd >= 0)
		answer_lines(c);
	if (c->fd >= 0 && c->in.n > CONTROL_LINE_MOST)
		refuse_length(c);
}

/* ---- all of them ----------------------------------------------------------------- */

static struct connection *
free_connection(struct control_server *s)
{
	for (size_t i = 0; i < CONNECTIONS_MOST; i++) {
		struct connection *c = s->v[i];

		if (!c) {
			c = s->v[i] = NEW(s->arena, struct connection);
			c->arena = arena_open();
			c->mark = arena_mark(c->arena);
			c->fd = -1;
		}
		if (!is_open(c))
			return c;
	}
	return NULL;
}

static void
begin_connection(struct control_server *s, struct connection *c, int fd)
{
	arena_rewind(c->arena, c->mark);
	*c = (struct connection){.server = s,
		.fd = fd,
		.arena = c->arena,
		.mark = c->mark,
		.asker = {.node = MAP_NONE},
		.in = {.arena = c->arena},
		.out = {.arena = c->arena}};
}

static void
open_connection(struct control_server *s, int fd)
{
	struct connection *c = free_connection(s);

	if (!c) {
		control_turn_away(fd);
		return;
	}
	begin_connection(s, c, fd);
	c->reader = loop_watch(s->loop, fd, on_ready, c);
	if (!c->reader)
		close_connection(c);
}

static void
on_again(void *context)
{
	struct control_server *s = context;

	loop_hold(s->reader, false);
}

/* Where no descriptor is free, those who connect wait. */
static void
on_connection(void *context)
{
	struct control_server *s = context;
	int fd = control_socket_accept(&s->socket);

	if (fd >= 0) {
		open_connection(s, fd);
	} else if (errno != EAGAIN && errno != EPERM && errno != ECONNABORTED) {
		loop_hold(s->reader, true);
		loop_timer_start(s->again, loop_later(loop_now_ns(), AGAIN_NS));
	}
}

/* The answer that the connection has waited for is there. */
static void
end_wait(struct connection *c)
{
	c->waits = false;
	c->server->waiting_n--;
	write_answers(c);
	answer_lines(c);
}

/* The test, or the run (MAP_NONE), has ended. */
static void
answer_waiting(struct control_server *s, node_id node)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i] && s->waiting_n; i++) {
		struct connection *c = s->v[i];

		if (!is_open(c) || !c->waits || c->awaited.is_state ||
			c->awaited.node != node)
			continue;
		control_answer_end(&c->out, s->runner, node);
		end_wait(c);
	}
}

/* The run has ended: a test that has not ended will not. */
static void
refuse_waiting(struct control_server *s)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i] && s->waiting_n; i++) {
		struct connection *c = s->v[i];

		if (!is_open(c) || !c->waits || c->awaited.is_state)
			continue;
		control_refuse(&c->out, "the test has not run, and the run has ended");
		end_wait(c);
	}
}

/* Those who wait for a state that a partition has had get their answers, and those who
 * wait for one that it will not have. */
static void
answer_partitions(struct control_server *s)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i] && s->waiting_n; i++) {
		struct connection *c = s->v[i];

		if (is_open(c) && c->waits && c->awaited.is_state &&
			control_answer_state(&c->out, s->runner, &c->awaited))
			end_wait(c);
	}
}

/* Those whose requests have ended get their answers. */
static void
answer_leases(struct control_server *s)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i] && s->waiting_n; i++) {
		struct connection *c = s->v[i];

		if (!is_open(c) || !c->waits_for_lease ||
			!control_lease_ended(&c->out, s->runner, &c->asker, &c->lease))
			continue;
		c->waits_for_lease = false;
		s->waiting_n--;
		write_answers(c);
		answer_lines(c);
	}
}

/* ---- processes on other nodes ---------------------------------------------------- */

static struct connection *
find_remote(struct control_server *s, uint64_t talk)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i]; i++)
		if (s->v[i]->is_remote && s->v[i]->talk == talk)
			return s->v[i];
	return NULL;
}

/* They have gone: one, or all of a node. */
static void
close_remote(struct control_server *s, uint64_t talk)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i]; i++) {
		struct connection *c = s->v[i];

		if (c->is_remote &&
			(c->talk == talk || ((uint32_t)talk == TALK_ALL &&
						    c->talk >> 32 == talk >> 32)))
			close_connection(c);
	}
}

static void
turn_remote_away(struct control_server *s, uint64_t talk)
{
	struct arena *scratch = arena_open();
	struct buf answer = {.arena = scratch};

	control_refuse_more(&answer);
	runner_tell(s->runner, talk, buf_as_str(&answer));
	runner_tell(s->runner, talk, STR(""));
	arena_close(scratch);
}

static struct connection *
open_remote(struct control_server *s, node_id node, uint64_t talk)
{
	struct connection *c = free_connection(s);

	if (!c) {
		turn_remote_away(s, talk);
		return NULL;
	}
	begin_connection(s, c, -1);
	c->is_remote = true;
	c->talk = talk;
	c->asker = (struct lease_asker){
		.node = node, .started_ns = runner_test(s->runner, node).began_ns};
	return c;
}

static void
hear_remote(struct control *base, node_id node, uint64_t talk, struct str text)
{
	struct control_server *s = (struct control_server *)base;
	struct connection *c;

	if (!s->runner)
		return;
	if (!text.n) {
		close_remote(s, talk);
		return;
	}
	c = find_remote(s, talk);
	if (!c)
		c = open_remote(s, node, talk);
	if (!c)
		return;
	buf_str(&c->in, text);
	answer_lines(c);
	if (is_open(c) && c->in.n > CONTROL_LINE_MOST)
		refuse_length(c);
}

/* Of an attempt that has ended, however it did. */
static void
close_ended(struct control_server *s)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i]; i++) {
		struct connection *c = s->v[i];
		struct test_state t;

		if (!c->is_remote)
			continue;
		t = runner_test(s->runner, c->asker.node);
		if (t.stage != TEST_RUNS || t.began_ns != c->asker.started_ns)
			close_connection(c);
	}
}

/* ---- the run --------------------------------------------------------------------- */

static void
on_expiry(void *context)
{
	expire_leases(context);
}

static void
begin_run(struct control *base, struct runner *r, struct loop *l)
{
	struct control_server *s = (struct control_server *)base;

	s->runner = r;
	s->loop = l;
	s->reader = loop_watch(l, s->socket.fd, on_connection, s);
	s->again = loop_timer_new(l, on_again, s);
	s->expiry = loop_timer_new(l, on_expiry, s);
}

/* The loop ends with the run. */
static void
end_run(struct control *base)
{
	struct control_server *s = (struct control_server *)base;

	answer_partitions(s);
	answer_waiting(s, MAP_NONE);
	refuse_waiting(s);
	answer_leases(s);
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i]; i++)
		close_connection(s->v[i]);
	s->runner = NULL;
}

static void
end_test(struct control *base, node_id node)
{
	struct control_server *s = (struct control_server *)base;

	if (s->waiting_n) {
		answer_waiting(s, node);
		answer_leases(s);
	}
	close_ended(s);
}

/* A request that was pending may have got a lease with a time. */
static void
end_requests(struct control *base)
{
	struct control_server *s = (struct control_server *)base;

	if (s->waiting_n)
		answer_leases(s);
	if (s->runner)
		expire_leases(s);
}

static void
change_partitions(struct control *base)
{
	struct control_server *s = (struct control_server *)base;

	if (s->waiting_n)
		answer_partitions(s);
}

struct control_server *
control_server_open(
	struct arena *a, struct str directory, const struct control_about *about)
{
	struct control_server *s = NEW(a, struct control_server);

	s->control = (struct control){.begin = begin_run,
		.ended = end_test,
		.leased = end_requests,
		.parted = change_partitions,
		.talk = hear_remote,
		.end = end_run};
	entropy_text(s->token);
	s->arena = a;
	s->about = *about;
	return control_socket_open(a, directory, &s->socket) ? s : NULL;
}

const char *
control_server_path(const struct control_server *s)
{
	return s->socket.path;
}

const char *
control_server_token(const struct control_server *s)
{
	return s->token;
}

struct control *
control_server_control(struct control_server *s)
{
	return &s->control;
}

void
control_server_close(struct control_server *s, struct diag *d)
{
	for (size_t i = 0; i < CONNECTIONS_MOST && s->v[i]; i++)
		arena_close(s->v[i]->arena);
	control_socket_close(s->arena, &s->socket, d);
}
