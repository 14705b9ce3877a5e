/* The commands that are run before any test. See batch_systems.h. */
#include "runner/cluster/batch_systems.h"

#include <stdlib.h>

#include "runner/base/loop.h"
#include "runner/cluster/grid_engine.h"
#include "runner/cluster/slurm.h"
#include "runner/process/command.h"

enum { SAID_MOST = 1 << 26 };

const struct batch_system *const batch_systems[BATCH_SYSTEMS_N] = {
	&slurm_system, &grid_engine_system};

const struct batch_system *
batch_system_named(struct str name)
{
	for (size_t i = 0; i < BATCH_SYSTEMS_N; i++)
		if (str_is(name, batch_systems[i]->name))
			return batch_systems[i];
	return NULL;
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

/* The words after those of the settings. */
static struct str_list
add_settings(
	struct arena *a, const struct cluster_settings *settings, struct str_list words)
{
	struct str_list first = cluster_settings_words(a, settings, getenv("PATH"));
	struct str *v = NEW_ARRAY(a, struct str, first.n + words.n);
	size_t n = 0;

	for (size_t i = 0; i < first.n; i++)
		v[n++] = first.v[i];
	for (size_t i = 0; i < words.n; i++)
		v[n++] = words.v[i];
	return (struct str_list){v, n};
}

/* What it wrote to standard error, or how it ended. */
static const char *
reason_of(struct arena *a, const struct batch_system *system, const struct said *said,
	const struct command_end *end)
{
	struct str err = str_trim(buf_as_str(&said->err));
	size_t at = str_rfind(err, '\n');

	if (end->ending == COMMAND_TIMED_OUT)
		return "it does not answer in time";
	if (command_has_error(end))
		return str_z(a, loop_error_text(a, end->error));
	if (err.n && system->read_refusal)
		return str_z(a, system->read_refusal(a, err));
	if (err.n)
		return str_z(a, str_trim(str_from(err, at < err.n ? at + 1 : 0)));
	if (end->ending == COMMAND_EXITED)
		return str_fmt_z(a, "exit code %d", end->exit_code);
	return str_fmt_z(a, "signal %d", end->signal);
}

bool
cluster_run(struct arena *a, const struct cluster_access *by, struct str_list words,
	struct str *text, const char **why, int *interrupted)
{
	struct said said = {.out = {.arena = a}, .err = {.arena = a}};
	struct command c = {.words = add_settings(a, by->settings, words),
		.timeout_ns = by->patience_ns,
		.streams = STREAMS_APART,
		.output = on_output,
		.context = &said};
	struct command_end end = command_run(&c);

	if (end.ending == COMMAND_INTERRUPTED)
		*interrupted = end.signal;
	*text = said.out.n ? buf_as_str(&said.out) : STR("");
	if (command_succeeded(&end))
		return true;
	*why = reason_of(a, by->system, &said, &end);
	if (!str_begins(str_of(*why), words.v[0]))
		*why = str_fmt_z(a, "%.*s: %s", STR_ARG(words.v[0]), *why);
	return false;
}

bool
cluster_job_read(struct arena *a, const struct cluster_access *by, struct str id,
	const char *const *environment, struct cluster_job *job, const char **why,
	int *interrupted)
{
	const struct batch_system *system = by->system;
	struct str_list words = system->show_job(a, id, environment);
	struct str text = STR("");

	if (words.n && !cluster_run(a, by, words, &text, why, interrupted))
		return false;
	*job = (struct cluster_job){.system = system, .settings = by->settings, .id = id};
	if (!system->read_job(a, id, environment, text, job, why))
		return false;
	job->launcher = add_settings(a, by->settings, job->launcher);
	return true;
}

bool
cluster_job_inside(struct arena *a, const struct cluster_access *by,
	const char *const *environment, struct cluster_job *job, const char **why,
	int *interrupted)
{
	struct str id = by->system->inside(environment);

	if (id.n)
		return cluster_job_read(a, by, id, environment, job, why, interrupted);
	return fail_why(
		why, str_fmt_z(a, "cctr does not run in a job of %s", by->system->title));
}
