/* A job that cctr asks for. See own_job.h. */
#include "runner/cluster/own_job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/host_name.h"
#include "runner/base/loop.h"
#include "runner/cluster/batch_systems.h"

#define FILE_HEAD "cctr-job-"
#define NAME_HEAD "cctr-"
#define FIRST_PAUSE_NS 20000000u
#define LONGEST_PAUSE_NS 2000000000u

/* ---- the file -------------------------------------------------------------------- */

/* -1 leaves errno; EWOULDBLOCK: another cctr has the file, which lives. */
static int
open_locked(const char *path, int flags)
{
	int file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);
	int error;

	if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0)
		return file;
	error = errno;
	close(file);
	errno = error;
	return -1;
}

/* A name that no other job has. */
static struct str
new_name(struct arena *a, struct str head)
{
	struct str host = host_name(a, STR("host"));

	return str_fmt(a, "%.*s" NAME_HEAD "%.*s-%d-%lld", STR_ARG(head),
		(int)str_find(host, '.'), host.p, (int)getpid(),
		(long long)loop_wall_us());
}

/* 0, or the errno. */
static int
make_file(struct arena *a, struct own_job *own)
{
	own->name = new_name(a, own->by.settings->repo_key);
	own->path = path_join(
		a, own->directory, str_fmt(a, FILE_HEAD "%.*s", STR_ARG(own->name)))
			    .p;
	own->file = open_locked(own->path, O_CREAT | O_EXCL);
	if (own->file < 0) {
		own->path = NULL;
		return errno;
	}
	return file_put(own->file,
		       str_fmt(a, "%s %.*s\n", own->by.system->name, STR_ARG(own->name)))
		       ? 0
		       : errno;
}

static void
remove_file(struct own_job *own)
{
	if (!own->path)
		return;
	unlink(own->path);
	close(own->file);
	own->path = NULL;
}

/* ---- asking and waiting ---------------------------------------------------------- */

static bool
run_words(struct arena *a, const struct own_job *own, struct str_list words,
	struct str *text, const char **why, int *interrupted)
{
	return cluster_run(a, &own->by, words, text, why, interrupted);
}

/* The signal that came meanwhile; 0: none. */
static int
wait_for_time(uint64_t pause_ns)
{
	struct arena *scratch = arena_open();
	struct diag d = diag_in(scratch);
	int signal = 0;

	(void)!loop_pause(loop_later(loop_now_ns(), pause_ns), &signal, &d);
	arena_close(scratch);
	return signal;
}

/* The state stays as it is where the batch system does not say why. */
static void
add_reason(struct arena *a, const struct own_job *own, struct job_report *report,
	int *interrupted)
{
	const struct batch_system *system = own->by.system;
	const char *why = NULL;
	struct str text, reason;

	if (!run_words(a, own, system->show_reason(a, own->id), &text, &why, interrupted))
		return;
	reason = system->read_reason(a, text);
	if (reason.n)
		report->reason = str_fmt(
			a, "%.*s, %.*s", STR_ARG(report->reason), STR_ARG(reason));
}

/* false: the batch system does not say. */
static bool
read_state(struct arena *a, const struct own_job *own, struct job_report *report,
	const char **why, int *interrupted)
{
	const struct batch_system *system = own->by.system;
	struct str_list ids = {drop_const(&own->id), 1};
	struct str text;

	if (!run_words(a, own, system->show_states(a, ids), &text, why, interrupted))
		return false;
	if (!system->read_states(a, text, ids, report, why))
		return false;
	if (report->state == JOB_WAITS && system->show_reason)
		add_reason(a, own, report, interrupted);
	return true;
}

bool
own_job_input_is_closed(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLRDHUP};

	return poll(&input, 1, 0) == 1 &&
	       (input.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

/* How the wait for the job has ended: it does not wait any more. */
static enum own_job_end
end_wait(struct arena *a, const struct own_job *own, const struct job_report *report,
	const char **why)
{
	const char *what = NULL;

	switch (report->state) {
	case JOB_RUNS:
		return OWN_JOB_RUNS;
	case JOB_WAITS:
	case JOB_NEVER_FITS:
		what = "can never start";
		break;
	case JOB_LOST:
	case JOB_FAILED:
	case JOB_EXCEEDED:
		what = "has ended before it was used";
		break;
	case JOB_UNKNOWN:
		what = "is not known any more";
		break;
	}
	*why = str_fmt_z(a, "job %.*s %s%s%.*s", STR_ARG(own->id), what,
		report->reason.n ? ": " : "", STR_ARG(report->reason));
	return report->state == JOB_LOST ? OWN_JOB_LOST : OWN_JOB_REFUSED;
}

/* A sixteenth: so a start is noticed late by no more than that part of the whole wait. */
static uint64_t
longer_pause(uint64_t pause_ns)
{
	pause_ns += pause_ns / 16;
	return pause_ns < LONGEST_PAUSE_NS ? pause_ns : LONGEST_PAUSE_NS;
}

/* Waits until the job runs, or never will. */
static enum own_job_end
await_start(struct arena *a, struct own_job *own, const char **why, int *interrupted)
{
	uint64_t pause_ns = FIRST_PAUSE_NS, heard_ns = loop_now_ns();
	struct str reason = STR("");

	for (;;) {
		struct job_report report = {.state = JOB_UNKNOWN};
		bool is_known = read_state(a, own, &report, why, interrupted);

		if (*interrupted)
			return OWN_JOB_INTERRUPTED;
		if (is_known) {
			heard_ns = loop_now_ns();
			if (report.state != JOB_WAITS)
				return end_wait(a, own, &report, why);
			if (!str_eq(reason, report.reason))
				own->waits(own->context, own->id, report.reason);
			reason = report.reason;
		} else if (loop_now_ns() >= loop_later(heard_ns, own->by.patience_ns)) {
			return OWN_JOB_REFUSED;
		}
		*interrupted = wait_for_time(pause_ns);
		if (own->ends_with_input && own_job_input_is_closed())
			*interrupted = SIGTERM;
		if (*interrupted)
			return OWN_JOB_INTERRUPTED;
		pause_ns = longer_pause(pause_ns);
	}
}

static enum own_job_end
read_own(struct arena *a, const struct own_job *own, const char *const *environment,
	struct cluster_job *job, const char **why, int *interrupted)
{
	if (cluster_job_read(a, &own->by, own->id, environment, job, why, interrupted))
		return OWN_JOB_RUNS;
	return *interrupted ? OWN_JOB_INTERRUPTED : OWN_JOB_REFUSED;
}

static bool
ask_for_job(struct arena *a, struct own_job *own, const struct cluster_request *r,
	const char **why, int *interrupted)
{
	const struct batch_system *system = own->by.system;
	struct str text;

	if (run_words(a, own, system->ask(a, r), &text, why, interrupted))
		return system->read_answer(a, text, &own->id, why);
	if (system->ask_why && !*interrupted)
		(void)run_words(a, own, system->ask_why(a, r), &text, why, interrupted);
	return false;
}

enum own_job_end
own_job_open(struct arena *a, struct own_job *own, const struct cluster_request *r,
	const char *const *environment, struct cluster_job *job, const char **why,
	int *interrupted)
{
	struct cluster_request named = *r;
	struct str text;
	enum own_job_end end;
	int error;

	own->path = NULL;
	if (!run_words(a, own, own->by.system->probe(a), &text, why, interrupted))
		return *interrupted ? OWN_JOB_INTERRUPTED : OWN_JOB_NO_SYSTEM;
	error = make_file(a, own);
	if (error) {
		*why = str_fmt_z(a, "cannot write to %.*s: %.*s", STR_ARG(own->directory),
			STR_ARG(loop_error_text(a, error)));
		return OWN_JOB_REFUSED;
	}
	named.name = own->name;
	named.settings = own->by.settings;
	if (!ask_for_job(a, own, &named, why, interrupted))
		return *interrupted ? OWN_JOB_INTERRUPTED : OWN_JOB_REFUSED;
	end = await_start(a, own, why, interrupted);
	if (end != OWN_JOB_RUNS)
		return end;
	return read_own(a, own, environment, job, why, interrupted);
}

/* As read_end, where jobs that have ended are in no list of states. One that is being
 * deleted may be at a limit. */
static bool
look_up_end(struct arena *a, const struct own_job *own, struct job_report *report)
{
	const struct batch_system *system = own->by.system;
	const char *why = NULL;
	struct str text = STR("");
	int interrupted = 0;

	if (!read_state(a, own, report, &why, &interrupted))
		return false;
	if (report->state == JOB_LOST)
		report->state = JOB_WAITS;
	if (report->state != JOB_UNKNOWN)
		return true;
	(void)run_words(a, own, system->show_end(a, own->id, own->name), &text, &why,
		&interrupted);
	*report = system->read_end(a, own->id, text);
	return true;
}

/* Asks once. false: the batch system does not say. */
static bool
read_end(struct arena *a, const struct own_job *own, const char *const *environment,
	struct job_report *report)
{
	const struct batch_system *system = own->by.system;
	const char *why = NULL;
	struct str text;
	int interrupted = 0;

	if (system->show_end)
		return look_up_end(a, own, report);
	if (!run_words(a, own, system->show_job(a, own->id, environment), &text, &why,
		    &interrupted))
		return false;
	*report = system->read_end(a, own->id, text);
	return true;
}

/* Whether the batch system may soon say more. */
static bool
may_say_more(const struct own_job *own, enum job_state state, uint64_t since_ns)
{
	const struct batch_system *system = own->by.system;
	uint64_t passed_ns = loop_now_ns() - since_ns;

	return (state == JOB_WAITS && passed_ns < system->end_ns) ||
	       (state == JOB_RUNS && passed_ns < system->doubt_ns);
}

/* A job that does not say in time how it has ended is lost. */
bool
own_job_ended(struct arena *a, const struct own_job *own, const char *const *environment,
	struct job_report *report)
{
	uint64_t since_ns = loop_now_ns();

	for (uint64_t pause_ns = FIRST_PAUSE_NS;; pause_ns = longer_pause(pause_ns)) {
		if (!read_end(a, own, environment, report))
			return false;
		if (!may_say_more(own, report->state, since_ns) ||
			wait_for_time(pause_ns))
			break;
	}
	if (report->state == JOB_WAITS)
		report->state = JOB_LOST;
	return report->state == JOB_LOST || report->state == JOB_FAILED ||
	       report->state == JOB_EXCEEDED;
}

/* ---- giving back ----------------------------------------------------------------- */

static bool
give_back(struct arena *a, const struct cluster_access *by, struct str name,
	const char **why)
{
	const struct batch_system *system = by->system;
	struct str text;
	int interrupted = 0;

	return cluster_run(a, by, system->give_back_named(a, name), &text, why,
		       &interrupted) ||
	       (system->knows_none && system->knows_none(text));
}

bool
own_job_close(struct arena *a, struct own_job *own, const char **why)
{
	if (!own->path)
		return true;
	if (give_back(a, &own->by, own->name, why)) {
		remove_file(own);
		return true;
	}
	close(own->file);
	own->path = NULL;
	return false;
}

/* Names come from cctr; any other text is not given to the batch system. */
static bool
is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || strchr(",;|&'\"\\`$*?[]", s.p[i]) || s.p[i] == 127)
			return false;
	return s.n && s.p[0] != '-' && str_has(s, STR(NAME_HEAD));
}

static void
give_back_of(struct arena *a, const char *path, const struct cluster_access *by,
	const char *whose, struct diag *d)
{
	struct own_job left = {.path = path, .file = open_locked(path, 0)};
	struct str text = STR(""), name;
	const char *why = NULL;
	size_t blank;

	if (left.file < 0)
		return;
	if (!file_read(a, path, &text)) {
		close(left.file);
		return;
	}
	text = str_trim(text);
	blank = str_find(text, ' ');
	name = str_from(text, blank < text.n ? blank + 1 : blank);
	if (!str_is(str_cut(text.p, blank), by->system->name) || !is_name(name)) {
		close(left.file);
		return;
	}
	if (!give_back(a, by, name, &why)) {
		diag_warning(d, NO_PLACE, "job %.*s of %s, could not be given back: %s",
			STR_ARG(name), whose, why);
		close(left.file);
		return;
	}
	diag_warning(d, NO_PLACE, "job %.*s of %s, was given back", STR_ARG(name), whose);
	remove_file(&left);
}

void
own_jobs_give_back(struct arena *a, struct str directory, const struct cluster_access *by,
	const char *whose, struct diag *d)
{
	str_vec names = {0};

	if (!directory_read(a, str_z(a, directory), &names))
		return;
	for (size_t i = 0; i < names.n; i++)
		if (str_begins(names.v[i], STR(FILE_HEAD)))
			give_back_of(
				a, path_join(a, directory, names.v[i]).p, by, whose, d);
}
