/* Starting tests: their pipes, then spawn. See process.h. */
#include "runner/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "runner/process/brand.h"
#include "runner/process/guardian.h"
#include "runner/process/spawn.h"

struct process_starter {
	int changed[SPAWN_SIGNALS];
	size_t changed_n;
	bool groups, ends_with_us;
};

struct process_starter *
process_starter_open(struct arena *a, bool is_guarded)
{
	struct process_starter *s = NEW(a, struct process_starter);

	INVARIANT(a);
	if (is_guarded)
		guardian_begin();
	s->ends_with_us = !is_guarded;
	s->groups = !isatty(STDIN_FILENO);
	s->changed_n = spawn_changed_signals(s->changed, true);
	return s;
}

bool
process_starter_groups(const struct process_starter *s)
{
	return s->groups;
}

void
process_starter_join(struct process_starter *s)
{
	INVARIANT(s);
	s->groups = false;
}

/* Does as execvp for a file that is executable but has no known format. */
static void
make_script(struct spawn *c, struct arena *a)
{
	const char **argv;
	size_t n = 0;

	while (c->argv[n])
		n++;
	argv = NEW_ARRAY(a, const char *, n + 2);
	argv[0] = "/bin/sh";
	argv[1] = c->path;
	for (size_t i = 1; i < n; i++)
		argv[i + 1] = c->argv[i];
	c->path = argv[0];
	c->argv = drop_const(argv);
}

static int
start_as_script(struct spawn *c, int *pid)
{
	struct arena *scratch = arena_open();
	int error;

	make_script(c, scratch);
	error = spawn(c, pid);
	arena_close(scratch);
	return error;
}

/* The pipe must not use descriptors 0 to 2, or the child's dup2 would close it. */
static int
pipe_above_standard(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	for (int i = 0; i < 2; i++) {
		int low = ends[i];

		if (low > STDERR_FILENO)
			continue;
		ends[i] = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low);
		if (ends[i] < 0) {
			close(ends[1 - i]);
			return EMFILE;
		}
	}
	return 0;
}

static void
close_both(const int ends[2])
{
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0 && ends[1] != ends[0])
		close(ends[1]);
}

/* outputs: the ends that cctr reads; inputs: the ends that become the child's streams. */
static int
make_pipes(enum launch_streams streams, int outputs[2], int inputs[2])
{
	int ends[2];
	int error;

	outputs[0] = outputs[1] = inputs[0] = inputs[1] = -1;
	if (streams == STREAMS_INHERITED)
		return 0;
	error = pipe_above_standard(ends);
	if (error)
		return error;
	outputs[0] = ends[0];
	inputs[0] = inputs[1] = ends[1];
	if (streams == STREAMS_TOGETHER)
		return 0;
	error = pipe_above_standard(ends);
	if (error) {
		close_both(outputs);
		close_both(inputs);
		return error;
	}
	outputs[1] = ends[0];
	inputs[1] = ends[1];
	return 0;
}

/* Without the streams of its output. */
static struct spawn
describe_start(const struct process_starter *s, const struct launch *l)
{
	INVARIANT(l->path && l->argv && l->environment);
	return (struct spawn){
		.path = l->path,
		.argv = drop_const(l->argv),
		.environment = drop_const(l->environment),
		.directory = l->directory,
		.streams = {l->input > STDIN_FILENO ? l->input : -1},
		.processors = l->processors,
		.signals = s->changed,
		.signals_n = s->changed_n,
		.leads_group = s->groups,
		.ends_with_us = s->ends_with_us,
		.brand = brand_next(),
		.tracer = l->reports_hang ? getpid() : 0,
	};
}

/* flight: NULL: waits until it has executed. */
static int
start_with_pipes(struct process_starter *s, struct spawn_flight *flight,
	const struct launch *l, struct process_begun *p)
{
	struct spawn c = describe_start(s, l);
	int error = make_pipes(l->streams, p->outputs, &c.streams[1]);

	if (error)
		return error;
	p->brand = c.brand;
	error = flight ? spawn_begin(flight, &c, &p->pid) : spawn(&c, &p->pid);
	if (error == ENOEXEC)
		error = start_as_script(&c, &p->pid);
	close_both(&c.streams[1]);
	if (error)
		close_both(p->outputs);
	return error;
}

int
process_start(struct process_starter *s, const struct launch *l, struct process_begun *p)
{
	return start_with_pipes(s, NULL, l, p);
}

int
process_begin(struct process_starter *s, struct spawn_flight *f, const struct launch *l,
	struct process_begun *p)
{
	INVARIANT(f);
	return start_with_pipes(s, f, l, p);
}

int
process_become(struct arena *a, const struct launch *l)
{
	int changed[SPAWN_SIGNALS];
	struct spawn c = {.path = l->path,
		.argv = drop_const(l->argv),
		.environment = drop_const(l->environment),
		.directory = l->directory,
		.streams = {-1, -1, -1},
		.signals = changed,
		.signals_n = spawn_changed_signals(changed, true)};
	int error;

	INVARIANT(l->path && l->argv && l->environment);
	error = spawn_instead(&c);
	if (error != ENOEXEC)
		return error;
	make_script(&c, a);
	c.directory = NULL;
	return spawn_instead(&c);
}
