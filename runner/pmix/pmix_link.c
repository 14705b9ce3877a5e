/* The run's side. See pmix_link.h. */
#include "runner/pmix/pmix_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "runner/base/caller.h"
#include "runner/base/environment.h"
#include "runner/base/json_members.h"
#include "runner/base/loop.h"
#include "runner/base/outlet.h"
#include "runner/base/scratch_folder.h"
#include "runner/control/control_answers.h"
#include "runner/control/control_leases.h"
#include "runner/pmix/pmix_host.h"
#include "runner/pmix/pmix_lines.h"
#include "runner/process/brand.h"
#include "runner/process/install_paths.h"
#include "runner/process/spawn.h"

/* The server needs 20 ms for its start, and less than one for a test. */
#define PATIENCE_NS 10000000000u
#define NAME_HEAD "cctr-"
enum { NAME_SIZE = sizeof NAME_HEAD + 32 };

/* A test that may ask, by the name of its namespace, which no other program can guess. */
struct admitted {
	char name[NAME_SIZE];
	node_id node;
};
struct waiting {
	uint64_t number; /* of the question */
	struct lease_asker asker;
	struct lease_wait wait;
};
struct pmix_link {
	struct control control, *other;
	struct arena *arena;
	struct runner *runner;
	struct loop *loop;
	struct loop_timer *expiry;
	bool has_folder;
	struct scratch_folder folder;
	/* The server; the descriptors are -1 where there is none. */
	int pid, commands, questions;
	struct loop_reader *reader;
	struct outlet outlet;
	struct pmix_lines replies, lines;
	VEC(struct admitted) admitted;
	VEC(struct waiting) waiting;
};

/* ---- the server ------------------------------------------------------------------ */

static bool
has_server(const struct pmix_link *l)
{
	return l->questions >= 0;
}

/* The engine reaps children, too: only one that is certainly ours is killed. */
static void
end_server(struct pmix_link *l)
{
	int status;

	if (l->pid && spawn_wait(l->pid, &status, WNOHANG) == 0) {
		kill(l->pid, SIGKILL);
		spawn_wait(l->pid, &status, 0);
	}
	l->pid = 0;
}

/* No one hears the answers that were not there yet. */
static void
leave_waiting(struct pmix_link *l)
{
	while (l->waiting.n) {
		struct waiting w = l->waiting.v[--l->waiting.n];

		control_lease_leave(l->runner, &w.asker, &w.wait);
	}
}

static void
lose_server(struct pmix_link *l)
{
	if (!has_server(l))
		return;
	loop_unwatch(l->reader);
	outlet_close(&l->outlet);
	pmix_lines_close(&l->lines);
	pmix_lines_close(&l->replies);
	close(l->commands);
	close(l->questions);
	l->commands = l->questions = -1;
	l->admitted.n = 0;
	end_server(l);
	leave_waiting(l);
}

/* Without what another server says of itself to its programs. */
static const char *const *
environment_of_server(struct arena *a)
{
	const char *const *v = caller_environment(a);
	VEC(const char *) kept = {0};

	for (; *v; v++)
		if (strncmp(*v, "PMIX_", 5) != 0 || strncmp(*v, "PMIX_MCA_", 9) == 0)
			VEC_PUSH(a, &kept, *v);
	VEC_PUSH(a, &kept, NULL);
	/* The other stores take 8 MiB of shared memory for each test. */
	return environment_with(a, kept.v, "PMIX_MCA_gds", STR("hash"));
}

/* Both ends are above the standard descriptors. */
static bool
make_pair(int pair[2])
{
	int low[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		pair[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low[i]);
	}
	return pair[0] >= 0 && pair[1] >= 0;
}

static int
spawn_server(struct pmix_link *l, struct arena *a, int commands, int questions)
{
	int signals[SPAWN_SIGNALS];
	struct str path = program_path(a);
	const char *argv[] = {"cctr", PMIX_HOST_WORD, l->folder.path.p, NULL};
	struct spawn s = {.path = path.p,
		.argv = drop_const(argv),
		.environment = drop_const(environment_of_server(a)),
		.streams = {commands, commands, questions},
		.signals = signals,
		.signals_n = spawn_changed_signals(signals, true),
		.leads_group = true,
		.ends_with_us = true,
		.brand = brand_next()};

	return path.p ? spawn(&s, &l->pid) : ENOENT;
}

static void on_ready(void *context);

/* 0, or the errno. */
static int
open_server(struct pmix_link *l, struct arena *a)
{
	int commands[2] = {-1, -1}, questions[2] = {-1, -1}, error = 0;

	if (!l->has_folder) {
		scratch_folder_sweep(a);
		if (!scratch_folder_open(l->arena, &l->folder))
			return errno;
	}
	l->has_folder = true;
	if (!make_pair(commands) || !make_pair(questions))
		error = errno;
	if (!error)
		error = spawn_server(l, a, commands[1], questions[1]);
	if (commands[1] >= 0)
		close(commands[1]);
	if (questions[1] >= 0)
		close(questions[1]);
	if (!error) {
		l->reader = loop_watch(l->loop, questions[0], on_ready, l);
		error = l->reader ? 0 : errno;
	}
	if (error) {
		if (commands[0] >= 0)
			close(commands[0]);
		if (questions[0] >= 0)
			close(questions[0]);
		end_server(l);
		return error;
	}
	l->commands = commands[0];
	l->questions = questions[0];
	l->lines = pmix_lines_open(l->questions);
	l->replies = pmix_lines_open(l->commands);
	l->outlet = outlet_open(l->questions, l->folder.path.p);
	return 0;
}

/* ---- questions ------------------------------------------------------------------- */

static void
put_answer(struct pmix_link *l, uint64_t number, const struct buf *answer)
{
	outlet_put(&l->outlet,
		str_fmt(answer->arena, "%llu %.*s", (unsigned long long)number,
			STR_ARG(buf_as_str(answer))));
}

/* MAP_NONE: there is none of that name any more. */
static node_id
find_admitted(const struct pmix_link *l, struct str name)
{
	for (size_t i = 0; i < l->admitted.n; i++)
		if (str_is(name, l->admitted.v[i].name))
			return l->admitted.v[i].node;
	return MAP_NONE;
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
answer_question(struct pmix_link *l, struct buf *answer, struct str name,
	struct str request, struct waiting *w)
{
	struct control_request q;
	const char *why = "the test has ended";
	struct test_state s;
	bool is_answered;

	w->asker.node = find_admitted(l, name);
	if (w->asker.node != MAP_NONE)
		s = runner_test(l->runner, w->asker.node);
	if (w->asker.node == MAP_NONE || s.stage != TEST_RUNS ||
		!control_read(answer->arena, request, &q, &why)) {
		control_refuse(answer, why);
		return true;
	}
	INVARIANT(control_is_alloc(q.verb));
	w->asker.started_ns = s.began_ns;
	is_answered = control_lease_answer(answer, l->runner, &w->asker, &q, &w->wait);
	if (q.seconds != 0)
		expire_leases(l);
	return is_answered;
}

static void
take_question(struct pmix_link *l, struct str line)
{
	struct arena *scratch = arena_open();
	struct buf answer = {.arena = scratch};
	struct str number = str_take(&line, ' '), name = str_take(&line, ' ');
	struct waiting w = {.number = 0};

	if (str_unsigned(number, UINT64_MAX, &w.number)) {
		if (answer_question(l, &answer, name, line, &w))
			put_answer(l, w.number, &answer);
		else
			VEC_PUSH(l->arena, &l->waiting, w);
	}
	arena_close(scratch);
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
			put_answer(l, w.number, &answer);
		} else {
			i++;
		}
		arena_close(scratch);
	}
}

static void
check_outlet(struct pmix_link *l)
{
	if (l->outlet.error || l->outlet.is_left)
		lose_server(l);
	else
		loop_want_room(l->reader, l->outlet.is_pending);
}

static void
on_ready(void *context)
{
	struct pmix_link *l = context;
	bool is_there;
	struct str line;

	outlet_push(&l->outlet);
	is_there = pmix_lines_read(&l->lines);
	while (pmix_lines_take(&l->lines, &line))
		take_question(l, line);
	if (!has_server(l))
		return;
	if (is_there)
		check_outlet(l);
	else
		lose_server(l);
}

/* ---- tests ----------------------------------------------------------------------- */

static bool
put_command(struct pmix_link *l, struct str text)
{
	while (text.n) {
		ssize_t n = send(l->commands, text.p, text.n, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		text = n > 0 ? str_from(text, (size_t)n) : text;
	}
	return true;
}

/* false: the server has ended, or does not answer. */
static bool
await_reply(struct pmix_link *l, struct str *line)
{
	uint64_t until_ns = loop_later(loop_now_ns(), PATIENCE_NS);

	while (!pmix_lines_take(&l->replies, line)) {
		struct pollfd p = {.fd = l->commands, .events = POLLIN};
		uint64_t now_ns = loop_now_ns();
		int n;

		if (now_ns >= until_ns)
			return false;
		n = poll(&p, 1, (int)((until_ns - now_ns) / 1000000 + 1));
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0 && !pmix_lines_read(&l->replies))
			return false;
	}
	return true;
}

static bool
read_reply(struct arena *a, struct str line, struct str_list *variables, const char **why)
{
	cJSON *o = cJSON_ParseWithLength(line.p, line.n);
	const cJSON *e;
	str_vec v = {0};

	*why = str_dup(a, str_of(json_text_of(o, "why"))).p;
	cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(o, "variables"))
	{
		if (cJSON_IsString(e))
			VEC_PUSH(a, &v, str_dup(a, str_of(e->valuestring)));
	}
	*variables = str_vec_list(&v);
	cJSON_Delete(o);
	return v.n > 0;
}

static bool
make_name(char name[NAME_SIZE])
{
	unsigned char bytes[16];
	int at = snprintf(name, NAME_SIZE, NAME_HEAD);

	if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != (ssize_t)sizeof bytes)
		return false;
	for (size_t i = 0; i < sizeof bytes; i++)
		at += snprintf(name + at, NAME_SIZE - (size_t)at, "%02x", bytes[i]);
	return true;
}

/* The last attempt of the test asks for nothing more. */
static void
drop_admitted(struct pmix_link *l, node_id node)
{
	for (size_t i = 0; i < l->admitted.n; i++) {
		char line[NAME_SIZE + sizeof "leave \n"];

		if (l->admitted.v[i].node != node)
			continue;
		snprintf(line, sizeof line, "leave %s\n", l->admitted.v[i].name);
		l->admitted.v[i] = l->admitted.v[--l->admitted.n];
		(void)put_command(l, str_of(line));
		return;
	}
}

/* false, and the server is gone: it had ended. */
static bool
ask_server(struct pmix_link *l, struct arena *a, const char *name, unsigned ranks,
	struct str *line)
{
	if (put_command(l, str_fmt(a, "admit %s %u\n", name, ranks)) &&
		await_reply(l, line))
		return true;
	lose_server(l);
	return false;
}

bool
pmix_link_admit(struct pmix_link *l, struct arena *a, node_id node, unsigned ranks,
	struct str_list *variables, const char **why)
{
	struct admitted new = {.node = node};
	bool was_there = has_server(l);
	struct str line;
	int error = 0;

	INVARIANT(l->runner);
	*why = "the system has no random numbers yet";
	if (!make_name(new.name))
		return false;
	drop_admitted(l, node);
	if (!has_server(l))
		error = open_server(l, a);
	*why = "the server has ended, or does not answer";
	if (!error && !ask_server(l, a, new.name, ranks, &line)) {
		if (!was_there)
			return false;
		error = open_server(l, a);
		if (!error && !ask_server(l, a, new.name, ranks, &line))
			return false;
	}
	if (error) {
		*why = str_fmt(a, "the server cannot be started: %.*s",
			STR_ARG(loop_error_text(a, error)))
			       .p;
		return false;
	}
	if (!read_reply(a, line, variables, why))
		return false;
	VEC_PUSH(l->arena, &l->admitted, new);
	return true;
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

	l->runner = r;
	l->loop = loop;
	l->expiry = loop_timer_new(loop, on_expiry, l);
	if (l->other)
		l->other->begin(l->other, r, loop);
}

static void
answer_those(struct pmix_link *l)
{
	if (!l->waiting.n)
		return;
	answer_waiting(l);
	check_outlet(l);
}

static void
end_test(struct control *c, node_id node)
{
	struct pmix_link *l = link_of(c);

	answer_those(l);
	drop_admitted(l, node);
	if (l->other)
		l->other->ended(l->other, node);
}

static void
end_requests(struct control *c)
{
	struct pmix_link *l = link_of(c);

	answer_those(l);
	if (l->other)
		l->other->leased(l->other);
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

	if (l->other)
		l->other->talk(l->other, node, talk, text);
}

/* The loop ends with the run. */
static void
end_run(struct control *c)
{
	struct pmix_link *l = link_of(c);

	l->waiting.n = 0;
	lose_server(l);
	l->runner = NULL;
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
		.arena = a,
		.commands = -1,
		.questions = -1};
	return l;
}

struct control *
pmix_link_control(struct pmix_link *l, struct control *other)
{
	l->other = other;
	return &l->control;
}

void
pmix_link_close(struct pmix_link *l)
{
	INVARIANT(!has_server(l));
	if (l->has_folder)
		scratch_folder_close(l->arena, &l->folder);
}
