/* The run's side. See pmix_link.h. */
#include "runner/pmix/pmix_link.h"

#include <errno.h>
#include <fcntl.h>
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
enum { NAME_SIZE = sizeof NAME_HEAD + 32, TRIES = 2 };

enum admission_state {
	ADMISSION_NEW,
	ADMISSION_ASKED, /* the server has not answered yet */
	ADMISSION_ANSWERED, /* ... or there is none */
	ADMISSION_TAKEN, /* the test has started */
	ADMISSION_LOST /* the server has ended before */
};
/* A test that may ask, by the name of its namespace, which no other program can guess. */
struct admission {
	struct arena *arena; /* it lives there */
	char name[NAME_SIZE];
	node_id node;
	enum admission_state state;
	unsigned tries;
	uint64_t number; /* of the command */
	struct str_list variables; /* none: it is refused */
	const char *why;
};
/* Lines to and from the server. */
struct channel {
	int fd; /* -1: there is no server */
	struct loop_reader *reader;
	struct outlet outlet;
	struct pmix_lines lines;
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
	struct loop_timer *expiry, *patience;
	bool has_folder;
	struct scratch_folder folder;
	int pid; /* of the server; 0: none */
	struct channel commands, questions;
	uint64_t commands_n,
		replies_n; /* how many admissions were asked for and answered */
	VEC(struct admission *) admitted;
	VEC(struct waiting) waiting;
};

/* ---- the server ------------------------------------------------------------------ */

static bool
has_server(const struct pmix_link *l)
{
	return l->commands.fd >= 0;
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
drop_admission(struct pmix_link *l, size_t at)
{
	arena_close(l->admitted.v[at]->arena);
	l->admitted.v[at] = l->admitted.v[--l->admitted.n];
}

/* The programs of tests that run cannot ask any more. */
static void
lose_admissions(struct pmix_link *l)
{
	for (size_t i = l->admitted.n; i > 0; i--) {
		struct admission *x = l->admitted.v[i - 1];

		if (x->state == ADMISSION_TAKEN)
			drop_admission(l, i - 1);
		else
			x->state = ADMISSION_LOST;
	}
}

/* 0, or the errno: it cannot be watched. */
static int
open_channel(struct pmix_link *l, struct channel *c, int fd, loop_call *hear)
{
	int error;

	c->fd = fd;
	c->reader = loop_watch(l->loop, fd, hear, l);
	error = c->reader ? 0 : errno;
	c->outlet = outlet_open(fd, l->folder.path.p);
	c->lines = pmix_lines_open(fd);
	return error;
}

static void
close_channel(struct channel *c)
{
	if (c->fd < 0)
		return;
	if (c->reader)
		loop_unwatch(c->reader);
	outlet_close(&c->outlet);
	pmix_lines_close(&c->lines);
	close(c->fd);
	c->fd = -1;
}

static void
lose_server(struct pmix_link *l)
{
	if (!has_server(l))
		return;
	close_channel(&l->commands);
	close_channel(&l->questions);
	loop_timer_stop(l->patience);
	l->commands_n = l->replies_n = 0;
	lose_admissions(l);
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

static void hear_questions(void *context);
static void hear_replies(void *context);

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
	if (error) {
		if (commands[0] >= 0)
			close(commands[0]);
		if (questions[0] >= 0)
			close(questions[0]);
		end_server(l);
		return error;
	}
	error = open_channel(l, &l->commands, commands[0], hear_replies);
	if (!error)
		error = open_channel(l, &l->questions, questions[0], hear_questions);
	else
		close(questions[0]);
	if (error)
		lose_server(l);
	return error;
}

/* ---- questions ------------------------------------------------------------------- */

static void
put_answer(struct pmix_link *l, uint64_t number, const struct buf *answer)
{
	outlet_put(&l->questions.outlet,
		str_fmt(answer->arena, "%llu %.*s", (unsigned long long)number,
			STR_ARG(buf_as_str(answer))));
}

/* MAP_NONE: there is none of that name any more. */
static node_id
find_admitted(const struct pmix_link *l, struct str name)
{
	for (size_t i = 0; i < l->admitted.n; i++)
		if (str_is(name, l->admitted.v[i]->name))
			return l->admitted.v[i]->node;
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

static bool
is_broken(struct channel *c)
{
	loop_want_room(c->reader, c->outlet.is_pending);
	return c->outlet.error || c->outlet.is_left;
}

/* After something was written. */
static void
check_outlets(struct pmix_link *l)
{
	if (has_server(l) && (is_broken(&l->commands) || is_broken(&l->questions)))
		lose_server(l);
}

static void
hear_questions(void *context)
{
	struct pmix_link *l = context;
	struct channel *c = &l->questions;
	bool is_there;
	struct str line;

	outlet_push(&c->outlet);
	is_there = pmix_lines_read(&c->lines);
	while (pmix_lines_take(&c->lines, &line))
		take_question(l, line);
	if (!has_server(l))
		return;
	if (is_there)
		check_outlets(l);
	else
		lose_server(l);
}

/* ---- tests ----------------------------------------------------------------------- */

static void
read_reply(struct admission *x, struct str line)
{
	cJSON *o = cJSON_ParseWithLength(line.p, line.n);
	const cJSON *e;
	str_vec v = {0};

	x->why = str_dup(x->arena, str_of(json_text_of(o, "why"))).p;
	cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(o, "variables"))
	{
		if (cJSON_IsString(e))
			VEC_PUSH(x->arena, &v, str_dup(x->arena, str_of(e->valuestring)));
	}
	x->variables = str_vec_list(&v);
	x->state = ADMISSION_ANSWERED;
	cJSON_Delete(o);
}

/* The test may have been withdrawn. */
static void
take_reply(struct pmix_link *l, struct str line)
{
	uint64_t number = l->replies_n++;

	for (size_t i = 0; i < l->admitted.n; i++) {
		struct admission *x = l->admitted.v[i];

		if (x->state == ADMISSION_ASKED && x->number == number)
			read_reply(x, line);
	}
}

static void
be_patient(struct pmix_link *l)
{
	loop_timer_start(l->patience, l->replies_n < l->commands_n
					      ? loop_later(loop_now_ns(), PATIENCE_NS)
					      : LOOP_FOREVER);
}

static void
end_patience(void *context)
{
	lose_server(context);
}

static void
hear_replies(void *context)
{
	struct pmix_link *l = context;
	struct channel *c = &l->commands;
	bool is_there;
	struct str line;

	outlet_push(&c->outlet);
	is_there = pmix_lines_read(&c->lines);
	while (pmix_lines_take(&c->lines, &line)) {
		take_reply(l, line);
		be_patient(l);
	}
	if (is_there)
		check_outlets(l);
	else
		lose_server(l);
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

static size_t
find_admission(const struct pmix_link *l, node_id node)
{
	size_t i = 0;

	while (i < l->admitted.n && l->admitted.v[i]->node != node)
		i++;
	return i;
}

/* The last attempt of the test asks for nothing more. */
static void
end_admission(struct pmix_link *l, node_id node)
{
	size_t at = find_admission(l, node);
	struct admission *x;

	if (at == l->admitted.n)
		return;
	x = l->admitted.v[at];
	if (has_server(l) && x->state != ADMISSION_LOST)
		outlet_put(&l->commands.outlet, str_fmt(x->arena, "leave %s\n", x->name));
	drop_admission(l, at);
	check_outlets(l);
}

static struct admission *
add_admission(struct pmix_link *l, node_id node)
{
	struct arena *a = arena_open();
	struct admission *x = NEW(a, struct admission);

	x->arena = a;
	x->node = node;
	VEC_PUSH(l->arena, &l->admitted, x);
	return x;
}

static void
refuse_admission(struct admission *x, const char *why)
{
	x->state = ADMISSION_ANSWERED;
	x->why = why;
}

/* Afterwards the server is asked, or the admission is refused. */
static void
ask_server(struct pmix_link *l, struct admission *x, unsigned ranks)
{
	int error = 0;

	x->tries++;
	if (!make_name(x->name)) {
		refuse_admission(x, "the system has no random numbers yet");
		return;
	}
	if (!has_server(l))
		error = open_server(l, x->arena);
	if (error) {
		refuse_admission(
			x, str_fmt(x->arena, "the server cannot be started: %.*s",
				   STR_ARG(loop_error_text(x->arena, error)))
				   .p);
		return;
	}
	x->state = ADMISSION_ASKED;
	x->number = l->commands_n++;
	outlet_put(
		&l->commands.outlet, str_fmt(x->arena, "admit %s %u\n", x->name, ranks));
	be_patient(l);
	check_outlets(l);
}

bool
pmix_link_ask(struct pmix_link *l, node_id node, unsigned ranks)
{
	size_t at = find_admission(l, node);
	struct admission *x = at < l->admitted.n ? l->admitted.v[at] : NULL;

	INVARIANT(l->runner);
	if (x && x->state == ADMISSION_TAKEN) {
		end_admission(l, node);
		x = NULL;
	}
	if (!x)
		x = add_admission(l, node);
	/* The server had ended, perhaps long ago. */
	while ((x->state == ADMISSION_NEW || x->state == ADMISSION_LOST) &&
		x->tries < TRIES)
		ask_server(l, x, ranks);
	if (x->state == ADMISSION_LOST)
		refuse_admission(x, "the server has ended, or does not answer");
	return x->state != ADMISSION_ASKED;
}

bool
pmix_link_admit(struct pmix_link *l, struct arena *a, node_id node,
	struct str_list *variables, const char **why)
{
	size_t at = find_admission(l, node);
	struct admission *x;

	INVARIANT(at < l->admitted.n && l->admitted.v[at]->state == ADMISSION_ANSWERED);
	x = l->admitted.v[at];
	if (!x->variables.n) {
		*why = str_dup(a, str_of(x->why)).p;
		return false;
	}
	*variables = str_list_dup(a, x->variables);
	x->state = ADMISSION_TAKEN;
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
	l->patience = loop_timer_new(loop, end_patience, l);
	if (l->other)
		l->other->begin(l->other, r, loop);
}

static void
answer_those(struct pmix_link *l)
{
	if (!l->waiting.n)
		return;
	answer_waiting(l);
	check_outlets(l);
}

static void
end_test(struct control *c, node_id node)
{
	struct pmix_link *l = link_of(c);

	answer_those(l);
	end_admission(l, node);
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
	while (l->admitted.n)
		drop_admission(l, 0);
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
		.commands = {.fd = -1},
		.questions = {.fd = -1}};
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
