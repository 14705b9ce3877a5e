/* The commands that are run before any test. See batch_systems.h. */
#include "runner/cluster/batch_systems.h"

#include "runner/base/loop.h"
#include "runner/cluster/grid_engine.h"
#include "runner/cluster/slurm.h"
#include "runner/process/command.h"

enum { SAID_MOST = 1 << 26 };

const struct batch_system *const batch_systems[] = {
	&slurm_system, &grid_engine_system, NULL};

const struct batch_system *
batch_system_named(struct str name)
{
	const struct batch_system *const *s = batch_systems;

	while (*s && !str_is(name, (*s)->name))
		s++;
	return *s;
}

/* What a command has printed, up to a ceiling. */
struct said {
	struct buf out, err;
};

static void
on_output(void *context, bool is_error, struct str bytes)
{
	struct said *said = context;
	struct buf *b = is_error ? &said->err : &said->out;

	if (b->n + bytes.n <= SAID_MOST)
		buf_str(b, bytes);
}

/* The last line of what it wrote to standard error, or how it ended. */
static const char *
reason_of(struct arena *a, const struct said *said, const struct command_end *end)
{
	struct str err = str_trim(buf_as_str(&said->err));
	size_t at = str_rfind(err, '\n');

	if (end->ending == COMMAND_TIMED_OUT)
		return "it does not answer in time";
	if (command_has_error(end))
		return str_z(a, loop_error_text(a, end->error));
	if (err.n)
		return str_z(a, str_trim(str_from(err, at < err.n ? at + 1 : 0)));
	if (end->ending == COMMAND_EXITED)
		return str_fmt(a, "exit code %d", end->exit_code).p;
	return str_fmt(a, "signal %d", end->signal).p;
}

bool
cluster_run(struct arena *a, struct str_list words, uint64_t patience_ns,
	struct str *text, const char **why, int *interrupted)
{
	struct said said = {.out = {.arena = a}, .err = {.arena = a}};
	struct command c = {.words = words,
		.timeout_ns = patience_ns,
		.streams = STREAMS_APART,
		.output = on_output,
		.context = &said};
	struct command_end end = command_run(&c);

	if (end.ending == COMMAND_INTERRUPTED)
		*interrupted = end.signal;
	*text = said.out.n ? buf_as_str(&said.out) : STR("");
	if (command_succeeded(&end))
		return true;
	*why = reason_of(a, &said, &end);
	if (!str_begins(str_of(*why), words.v[0]))
		*why = str_fmt(a, "%.*s: %s", STR_ARG(words.v[0]), *why).p;
	return false;
}

bool
cluster_job_read(struct arena *a, const struct batch_system *system, struct str id,
	const char *const *environment, uint64_t patience_ns, struct cluster_job *job,
	const char **why, int *interrupted)
{
	struct str_list words = system->show_job(a, id, environment);
	struct str text = STR("");

	if (words.n && !cluster_run(a, words, patience_ns, &text, why, interrupted))
		return false;
	*job = (struct cluster_job){.system = system, .id = id};
	return system->read_job(a, id, environment, text, job, why);
}

bool
cluster_job_inside(struct arena *a, const struct batch_system *system,
	const char *const *environment, uint64_t patience_ns, struct cluster_job *job,
	const char **why, int *interrupted)
{
	struct str id = system->inside(environment);

	if (id.n)
		return cluster_job_read(
			a, system, id, environment, patience_ns, job, why, interrupted);
	*why = str_fmt(a, "cctr does not run in a job of %s", system->title).p;
	return false;
}
