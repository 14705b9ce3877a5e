/*
 * The update step: finds the source directory's version control system. Then the sequence
 * is the same for all: the old revision, the update, the new revision, the changes. See
 * step.h and update.h.
 */
#include "compat/dashboard/step/step.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "compat/dashboard/update/update_run.h"
#include "compat/format/regex.h"
#include "compat/settings/settings.h"
#include "runner/base/atomic_file.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

/* In the order in which names are compared. */
static const struct vcs *const systems[] = {
	&vcs_cvs, &vcs_svn, &vcs_bzr, &vcs_git, &vcs_hg, &vcs_p4};
enum { SYSTEMS = sizeof systems / sizeof *systems };

/* ---- an unknown system ----------------------------------------------------------- */

static bool
update_nothing(struct update *u)
{
	console_say(u->in->console, CHANNEL_VERBOSE,
		STR("* Unknown VCS tool, not updating!\n"));
	return true;
}

static bool
load_nothing(struct update *u)
{
	console_say(u->in->console, CHANNEL_VERBOSE,
		STR("* CTest cannot extract updates for this VCS tool.\n"));
	return true;
}

static const struct vcs unknown = {
	.name = "Unknown",
	.update = update_nothing,
	.load_revisions = load_nothing,
};

/* ---- choice of the system -------------------------------------------------------- */

static bool
is_marked(struct arena *a, struct str source, const struct vcs *vcs)
{
	for (size_t i = 0; i < 2 && vcs->markers[i]; i++)
		if (path_exists(
			    str_fmt_z(a, "%.*s/%s", STR_ARG(source), vcs->markers[i])))
			return true;
	return false;
}

/* Until 4.0 Subversion's marker is looked for first. */
static const struct vcs *
by_marker(const struct step_input *in, struct str source)
{
	struct arena *a = in->arena;

	if (!in->dialect->has[DIALECT_UPDATE_NAMES_REPOSITORY] &&
		is_marked(a, source, &vcs_svn))
		return &vcs_svn;
	for (size_t i = 0; i < SYSTEMS; i++)
		if (is_marked(a, source, systems[i]))
			return systems[i];
	return &unknown;
}

static const struct vcs *
by_name(struct arena *a, struct str name)
{
	name = str_lower(a, name);
	for (size_t i = 0; i < SYSTEMS; i++)
		if (str_has(name, str_of(systems[i]->word)))
			return systems[i];
	return &unknown;
}

/* Since 4.0 the type counts only if the command's name does not say which one it is. */
static const struct vcs *
choose_vcs(const struct update *u)
{
	const struct vcs *found = by_marker(u->in, u->source);
	struct str type = update_key(u, "UpdateType");
	bool types_last = u->in->dialect->has[DIALECT_UPDATE_NAMES_REPOSITORY];

	if (found == &unknown && (types_last || !type.n))
		found = by_name(u->arena, update_key(u, "UpdateCommand"));
	return found == &unknown ? by_name(u->arena, type) : found;
}

/* The system's command; "" if it is not known. */
static struct str
tool_of(const struct update *u)
{
	struct str tool = update_key(u, "UpdateCommand");

	if (tool.n || u->vcs == &unknown)
		return tool;
	return update_key(u, str_fmt_z(u->arena, "%sCommand", u->vcs->name));
}

/* ---- English --------------------------------------------------------------------- */

static bool
is_about(const char *variable, const char *name)
{
	size_t n = strlen(name);

	return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

/* Readers need English messages, whatever the user's language; the encoding of file names
 * stays. */
static const char *const *
english_environment(struct arena *a, bool is_bzr)
{
	const char *const *ours = environment_own();
	VEC(const char *) all = {0};
	const char *locale = NULL;

	for (const char *const *v = ours; *v; v++)
		if (is_about(*v, "LC_ALL") && v[0][7])
			locale = *v + 7;
	for (const char *const *v = ours; *v; v++)
		if (!is_about(*v, "LC_MESSAGES") &&
			!(is_bzr && is_about(*v, "BZR_PROGRESS_BAR")) &&
			!(locale && (is_about(*v, "LC_ALL") || is_about(*v, "LC_CTYPE"))))
			VEC_PUSH(a, &all, *v);
	VEC_PUSH(a, &all, "LC_MESSAGES=C");
	if (is_bzr)
		VEC_PUSH(a, &all, "BZR_PROGRESS_BAR=none");
	if (locale)
		VEC_PUSH(a, &all, str_fmt_z(a, "LC_CTYPE=%s", locale));
	VEC_PUSH(a, &all, NULL);
	return all.v;
}

/* ---- the sequence ---------------------------------------------------------------- */

static void
log_frame(struct update *u, const char *end, const char *what)
{
	buf_fmt(&u->log, "--- %s %s ---\n", end, what);
}

static bool
call_optional(struct update *u, bool (*function)(struct update *))
{
	return !function || function(u);
}

struct course {
	bool updated, loaded;
};

static bool
bring_up_to_date(struct update *u)
{
	bool ok = call_optional(u, u->vcs->note_old);

	log_frame(u, "Begin", "Update");
	ok = u->vcs->update(u) && ok;
	log_frame(u, "End", "Update");
	return call_optional(u, u->vcs->note_new) && ok;
}

static void
load_local_revisions(struct update *u, struct course *c)
{
	log_frame(u, "Begin", "Revisions");
	if (u->vcs->dot_is)
		update_gathering(u);
	if (!u->vcs->load_revisions(u))
		c->loaded = false;
	if (u->vcs->dot_is)
		console_say(u->in->console, CHANNEL_OUTPUT, STR("\n"));
	if (!call_optional(u, u->vcs->load_local))
		c->loaded = false;
	log_frame(u, "End", "Revisions");
}

static void
run_update(struct update *u, struct course *c)
{
	struct str given = update_key(u, "UpdateVersionOverride");

	*c = (struct course){true, true};
	log_frame(u, "Begin", "Cleanup");
	if (u->vcs->cleanup)
		u->vcs->cleanup(u);
	log_frame(u, "End", "Cleanup");
	if (given.n)
		u->new_rev = given;
	else if (cmake_is_on(update_key(u, "UpdateVersionOnly")))
		c->updated = call_optional(u, u->vcs->note_new);
	else
		c->updated = bring_up_to_date(u);
	load_local_revisions(u, c);
}

/* ---- messages -------------------------------------------------------------------- */

static size_t
count_files(const struct update *u, enum file_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < u->files.n; i++)
		n += u->files.v[i].state == state;
	return n;
}

static void
say_count(struct update *u, enum file_state state, const char *what)
{
	size_t n = count_files(u, state);

	if (n)
		step_fmt(u->in, CHANNEL_OUTPUT, "   Found %zu %s files\n", n, what);
}

/* The text about a failure for Update.xml; "" without one. */
static struct str
say_end(struct update *u, const struct course *c)
{
	struct console *console = u->in->console;
	struct buf failure = {.arena = u->arena};

	say_count(u, FILE_UPDATED, "updated");
	say_count(u, FILE_MODIFIED, "locally modified");
	say_count(u, FILE_CONFLICTING, "conflicting");
	if (count_files(u, FILE_MODIFIED) || count_files(u, FILE_CONFLICTING)) {
		console_say(console, CHANNEL_WARNING,
			STR("   There are modified or conflicting files in the "
			    "repository\n"));
		buf_z(&failure, "Update error: There are modified or conflicting files "
				"in the repository");
	}
	if (!c->updated) {
		console_fmt(console, CHANNEL_OUTPUT, "   Update command failed: %.*s\n",
			STR_ARG(u->command));
		buf_fmt(&failure, "Update command failed:\n%.*s", STR_ARG(u->command));
	}
	return failure.n ? buf_as_str(&failure) : STR("");
}

static bool
has_log_file(const struct update *u)
{
	return u->in->stamp.tag.n && u->in->options->show_only == SHOW_NOTHING;
}

/* Tests whether there can be a log; an earlier run's log stays until this one is
 * complete. false: see errno. */
static bool
open_log(struct update *u, struct str path)
{
	errno = EISDIR;
	u->has_log_file = !path_is_directory(path.p) &&
			  atomic_file_open(u->arena, &u->log_file, path.p, ".tmp");
	return u->has_log_file;
}

/* A step continues without a log. */
static void
open_log_of_step(struct update *u)
{
	struct str path = step_log(u->in, "Update");

	if (has_log_file(u) && step_log_directory(u->in, path) && !open_log(u, path))
		console_lost_file(u->in->console, path, errno);
}

static void
write_log(struct update *u)
{
	if (!u->has_log_file)
		return;
	u->has_log_file = false;
	if (atomic_file_write(&u->log_file, buf_as_str(&u->log)))
		return;
	console_fmt(u->in->console, CHANNEL_ERROR, "Cannot create log file: %s\n",
		path_name(str_of(u->log_file.path)).p);
	console_note_loss(u->in->console);
}

/* A command does not. Returns the path that it cannot write, or "". */
static struct str
not_writable(struct update *u)
{
	struct str path = step_log(u->in, "Update");

	if (has_log_file(u) && !(settings_make_directory(u->arena, u->in->console,
					 str_z(u->arena, path_parent(path))) &&
				       open_log(u, path)))
		return str_fmt(u->arena, "cannot create log file: %.*s",
			STR_ARG(path_name(path)));
	if (step_directory(u->in, u->result).n)
		return STR("");
	write_log(u);
	return STR("cannot create resulting XML file: Update.xml");
}

/* For a step without a result. */
static void
drop_log(struct update *u)
{
	if (!u->has_log_file)
		return;
	u->has_log_file = false;
	close(u->log_file.file);
	atomic_file_close(&u->log_file, false);
}

static bool
perform_update(struct update *u)
{
	struct course course;
	struct str failure;

	if (u->in->dialect->has[DIALECT_UPDATE_NAMES_REPOSITORY])
		step_fmt(u->in, CHANNEL_OUTPUT, "   Updating %s repository: %.*s\n",
			u->vcs->name, STR_ARG(u->source));
	else
		step_fmt(u->in, CHANNEL_OUTPUT, "   Use %s repository type\n",
			u->vcs->name);
	if (!step_directory(u->in, u->result).n) {
		step_say(u->in, CHANNEL_ERROR, STR("Cannot open log file\n"));
		return false;
	}
	u->started_s = time(NULL);
	run_update(u, &course);
	failure = say_end(u, &course);
	u->result->value = (int)count_files(u, FILE_UPDATED);
	write_log(u);
	return step_write(u->in, u->result, "Update",
		       update_report(u, time(NULL), failure)) &&
	       course.updated && course.loaded && !u->result->interrupted;
}

static void
say_no_command(const struct update *u)
{
	step_fmt(u->in, CHANNEL_ERROR,
		u->vcs == &unknown
			? "Cannot find UpdateCommand %s configuration key.\n"
			: "Cannot find UpdateCommand or %sCommand configuration key.\n",
		u->vcs == &unknown ? "" : u->vcs->name);
}

/* What the command lacks, in ctest's words; "" for nothing. */
static struct str
why_refused(const struct update *u)
{
	if (!u->source.n)
		return STR("called with no source directory specified.  Use SOURCE "
			   "argument or set CTEST_SOURCE_DIRECTORY.");
	if (!u->in->stamp.tag.n)
		return STR("called with no current tag.");
	if (u->tool.n)
		return STR("");
	return str_fmt(u->arena,
		u->vcs == &unknown ? "called with no update command specified. Please "
				     "set CTEST_UPDATE_COMMAND%s."
				   : "called with no update command specified. Please "
				     "set CTEST_UPDATE_COMMAND or CTEST_%s_COMMAND.",
		u->vcs == &unknown ? "" : u->vcs->name);
}

static bool
find_command(struct update *u)
{
	u->vcs = choose_vcs(u);
	u->tool = tool_of(u);
	return u->tool.n > 0;
}

struct str
step_update_missing(const struct step_input *in)
{
	struct update u = {.in = in, .arena = in->arena, .source = in->source};

	find_command(&u);
	return why_refused(&u);
}

/* ctest's rules since 4.0. false: the result has the reason. */
static bool
find_as_command(struct update *u)
{
	struct str what;

	find_command(u);
	what = why_refused(u);
	if (!what.n)
		what = not_writable(u);
	if (what.n)
		VEC_PUSH(u->arena, &u->result->errors, what);
	return !what.n;
}

static bool
find_as_step(struct update *u)
{
	step_fmt(u->in, CHANNEL_OUTPUT, "   Updating the repository: %.*s\n",
		STR_ARG(u->source));
	open_log_of_step(u);
	if (find_command(u))
		return true;
	say_no_command(u);
	write_log(u);
	return false;
}

bool
step_update(const struct step_input *in, struct step_result *r)
{
	struct update u = {.in = in,
		.result = r,
		.arena = in->arena,
		.source = in->source,
		.run = command_run};
	bool is_command = in->dialect->has[DIALECT_UPDATE_NAMES_REPOSITORY], ok;

	update_begin(&u);
	if (!(is_command ? find_as_command(&u) : find_as_step(&u))) {
		drop_log(&u);
		return step_fail(r);
	}
	u.patterns = match_set_open(in->arena, regex_parse);
	u.environment = english_environment(in->arena, u.vcs == &vcs_bzr);
	ok = perform_update(&u);
	drop_log(&u);
	match_set_close(u.patterns);
	if (!ok)
		step_fail(r);
	return ok || is_command;
}
