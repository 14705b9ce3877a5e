/* See pmix_server.h. */
#include "runner/pmix/pmix_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "runner/base/caller.h"
#include "runner/base/entropy.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/json_members.h"
#include "runner/base/loop.h"
#include "runner/base/outlet.h"
#include "runner/base/scratch_folder.h"
#include "runner/control/control_answers.h"
#include "runner/pmix/pmix_host.h"
#include "runner/pmix/pmix_lines.h"
#include "runner/process/brand.h"
#include "runner/process/install_paths.h"
#include "runner/process/spawn.h"

/* The server needs 20 ms for its start, and less than one for a test. */
#define PATIENCE_NS 10000000000u
#define NAME_HEAD "cctr-"
enum { NAME_SIZE = sizeof NAME_HEAD - 1 + ENTROPY_TEXT_SIZE, TRIES = 2 };

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
	uint32_t test;
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
struct pmix_server {
	struct arena *arena;
	struct loop *loop;
	struct pmix_listener listener;
	struct loop_timer *patience;
	bool has_folder;
	struct scratch_folder folder;
	int pid; /* of the server; 0: none */
	struct channel commands, questions;
	uint64_t commands_n,
		replies_n; /* how many admissions were asked for and answered */
	VEC(struct admission *) admitted;
};

/* ---- the server ------------------------------------------------------------------ */

static bool
has_server(const struct pmix_server *s)
{
	return s->commands.fd >= 0;
}

/* The engine reaps children, too: only one that is certainly ours is killed. */
static void
end_server(struct pmix_server *s)
{
	int status;

	if (s->pid && spawn_wait(s->pid, &status, WNOHANG) == 0) {
		kill(s->pid, SIGKILL);
		spawn_wait(s->pid, &status, 0);
	}
	s->pid = 0;
}

static void
drop_admission(struct pmix_server *s, size_t at)
{
	arena_close(s->admitted.v[at]->arena);
	s->admitted.v[at] = s->admitted.v[--s->admitted.n];
}

/* The programs of tests that run cannot ask any more. */
static void
lose_admissions(struct pmix_server *s)
{
	for (size_t i = s->admitted.n; i > 0; i--) {
		struct admission *x = s->admitted.v[i - 1];

		if (x->state == ADMISSION_TAKEN)
			drop_admission(s, i - 1);
		else if (x->state != ADMISSION_ANSWERED || x->variables.n)
			x->state = ADMISSION_LOST;
	}
}

/* 0, or the errno: it cannot be watched. */
static int
open_channel(struct pmix_server *s, struct channel *c, int fd, loop_call *hear)
{
	int error;

	c->fd = fd;
	c->reader = loop_watch(s->loop, fd, hear, s);
	error = c->reader ? 0 : errno;
	c->outlet = outlet_open(fd, s->folder.path.p);
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
	file_close(&c->fd);
}

static void
read_reply(struct admission *x, struct str line)
{
	cJSON *o = cJSON_ParseWithLength(line.p, line.n);
	const cJSON *e;
	str_vec v = {0};

	x->why = str_dup(x->arena, str_of(json_text_of(o, "why"))).p;
	cJSON_ArrayForEach(e, json_value_of(o, "variables"))
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
take_reply(struct pmix_server *s, struct str line)
{
	uint64_t number = s->replies_n++;

	for (size_t i = 0; i < s->admitted.n; i++) {
		struct admission *x = s->admitted.v[i];

		if (x->state == ADMISSION_ASKED && x->number == number)
			read_reply(x, line);
	}
}

/* false: the server has ended. */
static bool
read_replies(struct pmix_server *s)
{
	bool is_there = pmix_lines_read(&s->commands.lines);
	struct str line;

	while (pmix_lines_take(&s->commands.lines, &line))
		take_reply(s, line);
	return is_there;
}

/* What it has said before its end counts. Unwatched, the socket would block. */
static void
lose_server(struct pmix_server *s)
{
	if (!has_server(s))
		return;
	if (s->commands.reader)
		(void)read_replies(s);
	close_channel(&s->commands);
	close_channel(&s->questions);
	loop_timer_stop(s->patience);
	s->commands_n = s->replies_n = 0;
	lose_admissions(s);
	end_server(s);
	s->listener.lost(s->listener.context);
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
spawn_server(struct pmix_server *s, struct arena *a, int commands, int questions)
{
	int signals[SPAWN_SIGNALS];
	struct str path = program_path(a);
	const char *argv[] = {"cctr", PMIX_HOST_WORD, s->folder.path.p, NULL};
	struct spawn child = {.path = path.p,
		.argv = drop_const(argv),
		.environment = drop_const(environment_of_server(a)),
		.streams = {commands, commands, questions},
		.signals = signals,
		.signals_n = spawn_changed_signals(signals, true),
		.leads_group = true,
		.ends_with_us = true,
		.brand = brand_next()};

	return path.p ? spawn(&child, &s->pid) : ENOENT;
}

static void hear_questions(void *context);
static void hear_replies(void *context);

/* 0, or the errno. */
static int
open_server(struct pmix_server *s, struct arena *a)
{
	int commands[2] = {-1, -1}, questions[2] = {-1, -1}, error = 0;

	if (!s->has_folder) {
		scratch_folder_sweep(a);
		if (!scratch_folder_open(s->arena, &s->folder))
			return errno;
	}
	s->has_folder = true;
	if (!make_pair(commands) || !make_pair(questions))
		error = errno;
	if (!error)
		error = spawn_server(s, a, commands[1], questions[1]);
	file_close(&commands[1]);
	file_close(&questions[1]);
	if (error) {
		file_close(&commands[0]);
		file_close(&questions[0]);
		end_server(s);
		return error;
	}
	error = open_channel(s, &s->commands, commands[0], hear_replies);
	if (!error)
		error = open_channel(s, &s->questions, questions[0], hear_questions);
	else
		file_close(&questions[0]);
	if (error)
		lose_server(s);
	return error;
}

/* ---- questions ------------------------------------------------------------------- */

/* NULL: there is none of that name any more. */
static const struct admission *
find_admitted(const struct pmix_server *s, struct str name)
{
	for (size_t i = 0; i < s->admitted.n; i++)
		if (str_is(name, s->admitted.v[i]->name))
			return s->admitted.v[i];
	return NULL;
}

static void
refuse_question(struct pmix_server *s, uint64_t number, const char *why)
{
	struct arena *scratch = arena_open();
	struct buf answer = {.arena = scratch};

	buf_fmt(&answer, "%llu ", (unsigned long long)number);
	control_refuse(&answer, why);
	outlet_put(&s->questions.outlet, buf_as_str(&answer));
	arena_close(scratch);
}

static void
take_question(struct pmix_server *s, struct str line)
{
	struct str number = str_take(&line, ' '), name = str_take(&line, ' ');
	const struct admission *x = find_admitted(s, name);
	uint64_t n;

	if (!str_unsigned(number, UINT64_MAX, &n))
		return;
	if (!x)
		refuse_question(s, n, "the test has ended");
	else if (line.n > CONTROL_LINE_MOST)
		refuse_question(s, n, "a request is longer than 65536 bytes");
	else
		s->listener.asked(s->listener.context, x->test, n, line);
}

static bool
is_broken(struct channel *c)
{
	loop_want_room(c->reader, c->outlet.is_pending);
	return c->outlet.error || c->outlet.is_left;
}

/* After something was written. */
static void
check_outlets(struct pmix_server *s)
{
	if (has_server(s) && (is_broken(&s->commands) || is_broken(&s->questions)))
		lose_server(s);
}

static void
hear_questions(void *context)
{
	struct pmix_server *s = context;
	struct channel *c = &s->questions;
	bool is_there;
	struct str line;

	outlet_push(&c->outlet);
	is_there = pmix_lines_read(&c->lines);
	while (pmix_lines_take(&c->lines, &line))
		take_question(s, line);
	if (!has_server(s))
		return;
	if (is_there)
		check_outlets(s);
	else
		lose_server(s);
}

/* ---- tests ----------------------------------------------------------------------- */

static void
be_patient(struct pmix_server *s)
{
	loop_timer_start(s->patience, s->replies_n < s->commands_n
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
	struct pmix_server *s = context;
	bool is_there;

	outlet_push(&s->commands.outlet);
	is_there = read_replies(s);
	be_patient(s);
	if (is_there)
		check_outlets(s);
	else
		lose_server(s);
}

static bool
make_name(char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, NAME_HEAD);
	return entropy_text(name + strlen(name));
}

static size_t
find_admission(const struct pmix_server *s, uint32_t test)
{
	size_t i = 0;

	while (i < s->admitted.n && s->admitted.v[i]->test != test)
		i++;
	return i;
}

void
pmix_server_leave(struct pmix_server *s, uint32_t test)
{
	size_t at = find_admission(s, test);
	struct admission *x;

	if (at == s->admitted.n)
		return;
	x = s->admitted.v[at];
	if (has_server(s) && x->state != ADMISSION_LOST)
		outlet_put(&s->commands.outlet, str_fmt(x->arena, "leave %s\n", x->name));
	drop_admission(s, at);
	check_outlets(s);
}

static struct admission *
add_admission(struct pmix_server *s, uint32_t test)
{
	struct arena *a = arena_open();
	struct admission *x = NEW(a, struct admission);

	x->arena = a;
	x->test = test;
	VEC_PUSH(s->arena, &s->admitted, x);
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
ask_server(struct pmix_server *s, struct admission *x, unsigned ranks)
{
	int error = 0;

	x->tries++;
	if (!make_name(x->name)) {
		refuse_admission(x, "the system has no random numbers yet");
		return;
	}
	if (!has_server(s))
		error = open_server(s, x->arena);
	if (error) {
		refuse_admission(
			x, str_fmt(x->arena, "the server cannot be started: %.*s",
				   STR_ARG(loop_error_text(x->arena, error)))
				   .p);
		return;
	}
	x->state = ADMISSION_ASKED;
	x->number = s->commands_n++;
	outlet_put(
		&s->commands.outlet, str_fmt(x->arena, "admit %s %u\n", x->name, ranks));
	be_patient(s);
	check_outlets(s);
}

bool
pmix_server_ask(struct pmix_server *s, uint32_t test, unsigned ranks)
{
	size_t at = find_admission(s, test);
	struct admission *x = at < s->admitted.n ? s->admitted.v[at] : NULL;

	if (x && x->state == ADMISSION_TAKEN) {
		pmix_server_leave(s, test);
		x = NULL;
	}
	if (!x)
		x = add_admission(s, test);
	/* The server had ended, perhaps long ago. */
	while ((x->state == ADMISSION_NEW || x->state == ADMISSION_LOST) &&
		x->tries < TRIES)
		ask_server(s, x, ranks);
	if (x->state == ADMISSION_LOST)
		refuse_admission(x, "the server has ended, or does not answer");
	return x->state != ADMISSION_ASKED;
}

bool
pmix_server_admit(struct pmix_server *s, struct arena *a, uint32_t test,
	struct str_list *variables, const char **why)
{
	size_t at = find_admission(s, test);
	struct admission *x;

	INVARIANT(at < s->admitted.n && s->admitted.v[at]->state == ADMISSION_ANSWERED);
	x = s->admitted.v[at];
	if (!x->variables.n) {
		*why = str_dup(a, str_of(x->why)).p;
		return false;
	}
	*variables = str_list_dup(a, x->variables);
	x->state = ADMISSION_TAKEN;
	return true;
}

/* ---- answers --------------------------------------------------------------------- */

void
pmix_server_put(struct pmix_server *s, struct str answers)
{
	if (!has_server(s))
		return;
	outlet_put(&s->questions.outlet, answers);
	check_outlets(s);
}

void
pmix_server_hold(struct pmix_server *s, bool is_held)
{
	if (has_server(s))
		loop_hold(s->questions.reader, is_held);
}

/* ---- open and close -------------------------------------------------------------- */

struct pmix_server *
pmix_server_open(struct arena *a, struct loop *loop, const struct pmix_listener *listener)
{
	struct pmix_server *s = NEW(a, struct pmix_server);

	*s = (struct pmix_server){.arena = a,
		.loop = loop,
		.listener = *listener,
		.commands = {.fd = -1},
		.questions = {.fd = -1}};
	s->patience = loop_timer_new(loop, end_patience, s);
	return s;
}

void
pmix_server_close(struct pmix_server *s)
{
	lose_server(s);
	while (s->admitted.n)
		drop_admission(s, 0);
	if (s->has_folder)
		scratch_folder_close(s->arena, &s->folder);
}
