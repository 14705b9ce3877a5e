/*
 * A debugger stops the threads of a process while it reads their stacks. A process that
 * is about to be killed loses nothing by this. When the debugger is killed, the system
 * lets the process go on. See stack_dump.h.
 */
#include "runner/process/stack_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/process/command.h"

#define INDENT "  "
#define SECOND_NS ((uint64_t)1000000000)

enum { PIECE = 16384, MOST_READS = 64 };

struct debugger {
	const char *name;
	const char *words[6]; /* before the process id */
};
static const struct debugger debuggers[] = {
	{"eu-stack", {"-s", "-p"}},
	{"gdb", {"-nx", "-batch", "-ex", "thread apply all backtrace 256", "-p"}},
	{"gstack", {NULL}},
};

struct stack_dump {
	struct stack_dump_options o;
	struct loop_timer *timer;
	const struct debugger *debugger;
	struct str path;
	struct buf *out;
	const int *pids;
	size_t n, next; /* next: index of the process that is looked at then */
	uint64_t until_ns; /* for all processes */
	int pid, output; /* of the debugger; 0: none runs; -1: closed */
	uint64_t brand;
	bool is_alive;
	struct loop_reader *reader;
	size_t begun_at; /* where the text of the process begins in out */
	bool is_cut, is_line_open;
};

/* ---- text ------------------------------------------------------------------------ */

/* Foreign bytes: control characters become blanks. */
static void
add_bytes(struct stack_dump *d, const char *p, size_t n)
{
	struct buf *out = d->out;

	for (size_t i = 0; i < n && !d->is_cut; i++) {
		d->is_cut = out->n - d->begun_at >= STACK_BYTES_MOST;
		if (p[i] == '\n' && !d->is_line_open)
			continue;
		if (!d->is_line_open)
			buf_z(out, INDENT);
		d->is_line_open = p[i] != '\n';
		buf_char(out, (unsigned char)p[i] < ' ' && p[i] != '\n' ? ' ' : p[i]);
	}
}

static void
end_text(struct stack_dump *d, const char *remark)
{
	if (d->is_line_open)
		buf_char(d->out, '\n');
	d->is_line_open = false;
	if (remark)
		buf_fmt(d->out, INDENT "%s: %s\n", d->debugger->name, remark);
}

/* ---- one process ------------------------------------------------------------------ */

static const char *const *
words_for(struct stack_dump *d, int pid)
{
	struct arena *a = d->out->arena;
	const struct debugger *g = d->debugger;
	const char **words =
		NEW_ARRAY(a, const char *, sizeof g->words / sizeof *g->words + 2);
	size_t n = 1;

	words[0] = d->path.p;
	for (; g->words[n - 1]; n++)
		words[n] = g->words[n - 1];
	words[n] = str_fmt(a, "%d", pid).p;
	return words;
}

/* A debugger may ask servers for symbols, which takes long: it gets no servers. */
static const char *const *
own_environment(struct arena *a)
{
	return environment_with(a, environment_own(), "DEBUGINFOD_URLS", STR(""));
}

static void
close_output(struct stack_dump *d)
{
	if (d->output < 0)
		return;
	loop_unwatch(d->reader);
	close(d->output);
	d->output = -1;
}

/* Ends what the debugger has started, too: gstack is a script. */
static void
kill_debugger(struct stack_dump *d)
{
	struct arena *scratch = arena_open();
	struct process_root root = {.pid = d->pid,
		.is_alive = d->is_alive,
		.has_group = process_starter_groups(d->o.starter),
		.brand = d->brand,
		.wanted = true};
	struct process_kill k = {.scope = d->o.scope, .roots = &root, .roots_n = 1};

	process_signal_all(scratch, &k, SIGKILL);
	arena_close(scratch);
	close_output(d);
}

static bool begin_next(struct stack_dump *d);

/* remark: why the text of the process ends early; NULL: it does not. */
static void
end_process(struct stack_dump *d, const char *remark)
{
	loop_timer_stop(d->timer);
	if (remark)
		kill_debugger(d);
	d->pid = 0;
	end_text(d, remark);
	if (!begin_next(d))
		d->o.done(d->o.context);
}

static void
on_limit(void *context)
{
	end_process(context, "it took too long");
}

/* true: there may be more. */
static bool
read_piece(struct stack_dump *d)
{
	char piece[PIECE];
	ssize_t got = file_get_now(d->output, piece, sizeof piece);

	if (got > 0)
		add_bytes(d, piece, (size_t)got);
	if (got == 0 || (got < 0 && errno != EAGAIN))
		close_output(d);
	return got > 0;
}

static void
end_if_over(struct stack_dump *d)
{
	if (d->is_cut)
		end_process(d, "it wrote too much");
	else if (d->output < 0 && !d->is_alive)
		end_process(d, NULL);
}

static void
on_output(void *context)
{
	struct stack_dump *d = context;

	(void)read_piece(d);
	end_if_over(d);
}

/* 0, or the errno. */
static int
start_debugger(struct stack_dump *d, int pid)
{
	struct launch l = {.path = d->path.p,
		.argv = words_for(d, pid),
		.environment = own_environment(d->out->arena),
		.timeout_ns = NO_TIMEOUT};
	struct process_begun begun;
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), error;

	l.input = nothing > 0 ? nothing : 0;
	error = process_start(d->o.starter, &l, &begun);
	if (nothing >= 0)
		close(nothing);
	if (error)
		return error;
	d->pid = begun.pid;
	d->brand = begun.brand;
	d->output = begun.outputs[0];
	d->is_alive = true;
	d->reader = loop_watch(d->o.loop, d->output, on_output, d);
	if (d->reader)
		return 0;
	error = errno;
	close(d->output);
	d->output = -1;
	kill_debugger(d);
	d->pid = 0;
	return error;
}

/* ---- all of them ------------------------------------------------------------------ */

/* true: a debugger has started. */
static bool
look_at(struct stack_dump *d, int pid)
{
	int error;

	buf_fmt(d->out, "stacks of process %d, by %s:\n", pid, d->debugger->name);
	d->begun_at = d->out->n;
	d->is_cut = d->is_line_open = false;
	error = start_debugger(d, pid);
	if (error)
		end_text(d, strerror(error));
	return !error;
}

/* false: no debugger runs any more. */
static bool
begin_next(struct stack_dump *d)
{
	uint64_t now_ns = loop_now_ns();
	uint64_t limit_ns = now_ns + STACK_SECONDS_MOST * SECOND_NS;

	while (d->next < d->n && now_ns < d->until_ns)
		if (look_at(d, d->pids[d->next++])) {
			loop_timer_start(d->timer,
				limit_ns < d->until_ns ? limit_ns : d->until_ns);
			return true;
		}
	if (d->next < d->n)
		buf_fmt(d->out, "stacks of %zu more processes: no time is left\n",
			d->n - d->next);
	return false;
}

static const struct debugger *
find_debugger(struct arena *a, struct str *path)
{
	for (size_t i = 0; i < sizeof debuggers / sizeof *debuggers; i++) {
		*path = command_find(a, str_of(debuggers[i].name));
		if (path->n)
			return &debuggers[i];
	}
	return NULL;
}

struct stack_dump *
stack_dump_new(struct arena *a, const struct stack_dump_options *o)
{
	struct stack_dump *d = NEW(a, struct stack_dump);

	*d = (struct stack_dump){.o = *o, .output = -1};
	d->timer = loop_timer_new(o->loop, on_limit, d);
	return d;
}

bool
stack_dump_begin(struct stack_dump *d, const int *pids, size_t n, struct buf *out)
{
	int *copy = NEW_ARRAY(out->arena, int, n);

	INVARIANT(!d->pid && (pids || !n));
	d->debugger = find_debugger(out->arena, &d->path);
	if (!d->debugger)
		return false;
	if (n)
		memcpy(copy, pids, n * sizeof *pids);
	d->pids = copy;
	d->n = n;
	d->next = 0;
	d->out = out;
	d->until_ns = loop_now_ns() + STACK_ALL_SECONDS_MOST * SECOND_NS;
	return begin_next(d);
}

bool
stack_dump_reaped(struct stack_dump *d, const struct process_end *end)
{
	if (!d->is_alive || end->pid != d->pid)
		return false;
	d->is_alive = false;
	for (int i = 0; i < MOST_READS && d->output >= 0 && read_piece(d); i++)
		;
	end_if_over(d);
	return true;
}

void
stack_dump_stop(struct stack_dump *d)
{
	if (!d->pid)
		return;
	loop_timer_stop(d->timer);
	kill_debugger(d);
	d->pid = 0;
	end_text(d, "it was stopped");
}
