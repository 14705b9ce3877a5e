/*
 * Each command has a loop of its own: no two commands run at the same time, and none runs
 * while tests do. See command.h.
 */
#include "runner/process/command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/caller.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/process/process.h"
#include "runner/process/spawn.h"

#define USUAL_GRACE_NS 1000000000u

enum { PIECE = 65536, MOST_READS = 64 };

struct stream {
	struct running *running;
	int fd; /* -1 when closed */
	bool is_error;
	struct loop_reader *reader;
};
struct running {
	const struct command *command;
	struct arena *scratch;
	struct loop *loop;
	int pid;
	uint64_t brand;
	bool is_alive;
	struct process_scope scope;
	struct process_refused refused;
	struct stream streams[2];
	struct process_end end;
	int interrupted; /* the signal that interrupted; 0: none */
	int lost; /* the errno with which reading its output failed; 0: none */
	bool timed_out, was_killed;
	uint64_t kill_at_ns; /* when it was killed: until it is given up */
	char piece[PIECE];
};

/* ---- finding --------------------------------------------------------------------- */

/* Whether this error of access says that the file is no program, so that the next file of
 * that name counts. After any other error it is not known which file counts. */
static bool
is_answer(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP ||
	       error == ENAMETOOLONG;
}

/* 0, or the errno that says why the file is no program or may be none. */
static int
check_program(const char *path)
{
	if (access(path, X_OK) != 0)
		return errno;
	return path_is_directory(path) ? EACCES : 0;
}

/* Searches the folders of `list`, a value of PATH or NULL. A relative folder is one of
 * the directory that the program will be in; NULL: where we are. */
static int
find_in_path(struct arena *a, struct str name, const char *list, const char *directory,
	struct str *path)
{
	struct str from = str_of(directory);
	struct str left = list ? str_of(list) : STR("/bin:/usr/bin");
	int refused = ENOENT;

	while (name.n && left.n) {
		struct str folder = str_take(&left, ':');
		struct str full = path_join(a, folder.n ? folder : STR("."), name);
		int error = check_program(path_join(a, from, full).p);

		if (!error || !is_answer(error)) {
			*path = str_dup(a, full);
			return error;
		}
		if (error == EACCES)
			refused = EACCES;
	}
	*path = STR_NONE;
	return refused;
}

static int
locate_in(struct arena *a, struct str name, const char *list, const char *directory,
	struct str *path)
{
	if (str_find(name, '/') == name.n)
		return find_in_path(a, name, list, directory, path);
	*path = str_dup(a, name);
	return 0;
}

struct str
command_find(struct arena *a, struct str name)
{
	struct str path;

	command_locate(a, name, NULL, &path);
	return path;
}

int
command_locate(struct arena *a, struct str name, const char *directory, struct str *path)
{
	INVARIANT(path);
	return locate_in(a, name, getenv("PATH"), directory, path);
}

/* ---- output ---------------------------------------------------------------------- */

static void
close_stream(struct stream *s)
{
	if (s->fd < 0)
		return;
	if (s->reader)
		loop_unwatch(s->reader);
	close(s->fd);
	s->fd = -1;
}

static void
lose_stream(struct stream *s, int error)
{
	s->running->lost = error;
	close_stream(s);
}

static bool
read_once(struct stream *s)
{
	struct running *r = s->running;
	ssize_t got = file_get_now(s->fd, r->piece, PIECE);

	if (got > 0)
		r->command->output(
			r->command->context, s->is_error, str_cut(r->piece, (size_t)got));
	else if (got == 0)
		close_stream(s);
	else if (errno != EAGAIN)
		lose_stream(s, errno);
	return got > 0;
}

static void
on_output(void *context)
{
	read_once(context);
}

/* What is in the pipe now belongs to the command; what other processes write later does
 * not. */
static void
close_streams(struct running *r)
{
	for (int i = 0; i < 2; i++) {
		for (int n = 0; r->streams[i].fd >= 0 && n < MOST_READS; n++)
			if (!read_once(&r->streams[i]))
				break;
		close_stream(&r->streams[i]);
	}
}

static bool
is_open(const struct running *r)
{
	return r->streams[0].fd >= 0 || r->streams[1].fd >= 0;
}

/* ---- the end --------------------------------------------------------------------- */

static void
on_children(void *context)
{
	struct running *r = context;
	struct process_end end;

	while (process_reap(&end))
		if (r->is_alive && end.pid == r->pid) {
			r->end = end;
			r->is_alive = false;
		}
}

static void
signal_tree(struct running *r, int signal)
{
	struct process_root root = {.pid = r->pid,
		.is_alive = r->is_alive,
		.brand = r->command->lets_orphans_go ? 0 : r->brand,
		.wanted = true};
	struct process_kill k = {.scope = &r->scope,
		.roots = &root,
		.roots_n = 1,
		.everything = r->scope.adopts,
		.refused = &r->refused};

	process_signal_all(r->scratch, &k, signal);
}

/* A signal of the terminal has reached the whole process group already. */
static void
on_interrupt(void *context, int signal, bool by_terminal)
{
	struct running *r = context;
	uint64_t grace = r->command->grace_ns ? r->command->grace_ns : USUAL_GRACE_NS;
	uint64_t now = loop_now_ns();

	if (!r->interrupted && !by_terminal)
		signal_tree(r, loop_passed_on(signal));
	r->kill_at_ns = r->interrupted ? now : now + grace;
	r->interrupted = signal;
}

static void
end_by_force(struct running *r)
{
	r->timed_out = !r->interrupted;
	r->was_killed = true;
	signal_tree(r, SIGKILL);
	close_streams(r);
	r->kill_at_ns = loop_now_ns() + process_patience_ns(r->pid);
}

/* A program that cannot be killed is not waited for. */
static void
wait_for_end(struct running *r)
{
	while (r->is_alive || is_open(r)) {
		loop_turn(r->loop, r->kill_at_ns);
		if (loop_now_ns() < r->kill_at_ns || (!r->is_alive && !is_open(r)))
			continue;
		if (r->was_killed) {
			process_note_refused(&r->refused, r->pid);
			return;
		}
		end_by_force(r);
	}
}

static void
name_left(struct running *r)
{
	char name[PROCESS_NAME_SIZE];
	size_t at = 0;
	int pid;

	while ((pid = process_next_refused(&r->scope, &r->refused, &at, name)))
		streams_put(STREAM_ERROR, str_fmt(r->scratch, "%.*s\n",
						  STR_ARG(process_refused_text(r->scratch,
							  pid, str_of(name)))));
}

static struct command_end
end_of_run(const struct running *r)
{
	struct command_end end = {.exit_code = r->end.exit_code, .signal = r->end.signal};

	if (r->interrupted) {
		end.ending = COMMAND_INTERRUPTED;
		end.signal = r->interrupted;
	} else if (r->timed_out) {
		end.ending = COMMAND_TIMED_OUT;
	} else if (r->lost) {
		end.ending = COMMAND_OUTPUT_LOST;
		end.error = r->lost;
	} else {
		end.ending = r->end.was_signalled ? COMMAND_SIGNALLED : COMMAND_EXITED;
	}
	return end;
}

/* ---- the start ------------------------------------------------------------------- */

/* Kills the program because its output cannot be read. */
static void
end_unheard(struct running *r)
{
	kill(r->pid, SIGKILL);
	spawn_wait(r->pid, NULL, 0);
	for (int i = 0; i < 2; i++)
		close_stream(&r->streams[i]);
}

/* 0, or the errno. */
static int
start_program(struct running *r)
{
	const struct command *c = r->command;
	struct str name = c->words.n ? c->words.v[0] : STR("");
	struct launch l = {.argv = str_list_words(r->scratch, c->words),
		.environment =
			c->environment ? c->environment : caller_environment(r->scratch),
		.directory = c->directory,
		.input = c->input,
		.streams = c->streams};
	struct process_starter *starter;
	struct str path;
	struct process_begun begun;
	int error = locate_in(r->scratch, name, environment_find(l.environment, "PATH"),
		c->directory, &path);

	if (error)
		return error;
	l.path = path.p;
	starter = process_starter_open(r->scratch, !c->is_unguarded);
	process_starter_join(starter);
	error = process_start(starter, &l, &begun);
	if (error)
		return error;
	r->pid = begun.pid;
	r->brand = begun.brand;
	r->is_alive = true;
	r->kill_at_ns = loop_later(loop_now_ns(), c->timeout_ns);
	for (int i = 0; i < 2; i++) {
		struct stream *s = &r->streams[i];

		*s = (struct stream){r, begun.outputs[i], i == 1, NULL};
		if (s->fd >= 0)
			s->reader = loop_watch(r->loop, s->fd, on_output, s);
		if (s->fd >= 0 && !s->reader)
			error = errno;
	}
	if (error)
		end_unheard(r);
	return error;
}

/* how: as of sigprocmask(2). */
static void
mask_blocked(const struct command *c, int how)
{
	if (c->blocked)
		sigprocmask(how, c->blocked, NULL);
}

struct command_end
command_run(const struct command *c)
{
	/* kept: signals use the other one again and again */
	struct arena *scratch = arena_open(), *kept = arena_open();
	struct running *r = NEW(scratch, struct running);
	struct loop_listener listener = {r, on_children, on_interrupt};
	struct diag d = diag_in(scratch);
	struct command_end end = {.ending = COMMAND_NOT_STARTED, .error = EMFILE};

	INVARIANT(c->streams <= STREAMS_INHERITED);
	*r = (struct running){
		.command = c, .scratch = scratch, .refused = {.arena = kept}};
	if (c->streams == STREAMS_INHERITED)
		streams_drain();
	r->loop = loop_open(scratch, &listener, &d);
	if (r->loop) {
		mask_blocked(c, SIG_UNBLOCK);
		process_scope_open(&r->scope, scratch, !c->lets_orphans_go);
		end.error = start_program(r);
		if (!end.error) {
			wait_for_end(r);
			name_left(r);
			end = end_of_run(r);
		}
		mask_blocked(c, SIG_BLOCK);
		loop_close(r->loop);
		process_scope_close(&r->scope);
	}
	arena_close(kept);
	arena_close(scratch);
	return end;
}
