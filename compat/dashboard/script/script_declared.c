/* In ctest's order, with its texts; only -VV shows the messages about commands. */
#include "compat/dashboard/script/script_declared.h"

#include <stdio.h>

#include "compat/console/report_text.h"
#include "compat/dashboard/script/script_steps.h"
#include "compat/format/secrets.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/atomic_file.h"
#include "runner/base/caller.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/tree_removal.h"
#include "runner/cmakelang/cmake_text.h"
#include "runner/process/command.h"

enum { MINUTE_S = 60, UPDATES = 9, BUILD_ERRORS = 4 };

struct declared {
	struct scripts *s;
	struct arena *a;
	const struct script_call *call;
	const char *const *environment; /* of its commands */
	struct str source, binary, root; /* root: where the checkout runs */
	struct str checkout, update;
	bool keeps_backup, empties, empties_once;
};

static struct str
get_setting(const struct declared *d, const char *name)
{
	return script_variable(d->call, name);
}

/* Raises an error of CMake's own. Always false. */
static bool
say_failure(const struct declared *d, struct str text)
{
	console_raw_error(
		d->s->console, str_fmt(d->a, "CMake Error: %.*s\n", STR_ARG(text)));
	return false;
}

static struct str
show_setting(struct str value)
{
	return value.n ? value : STR("(Null)");
}

static bool
has_settings(const struct declared *d)
{
	struct str command = get_setting(d, "CTEST_COMMAND");

	if (d->source.n && d->binary.n && command.n)
		return true;
	return say_failure(
		d, str_fmt(d->a,
			   "Some required settings in the configuration file were "
			   "missing:\nCTEST_SOURCE_DIRECTORY = %.*s\n"
			   "CTEST_BINARY_DIRECTORY = %.*s\nCTEST_COMMAND = %.*s",
			   STR_ARG(show_setting(d->source)),
			   STR_ARG(show_setting(d->binary)),
			   STR_ARG(show_setting(command))));
}

static const char *
update_name(char name[32], int i)
{
	snprintf(name, 32, "CTEST_EXTRA_UPDATES_%d", i);
	return name;
}

static bool
are_settings_whole(const struct declared *d)
{
	char name[32];

	if (!has_settings(d))
		return false;
	if (d->keeps_backup && !d->checkout.n)
		return say_failure(d, STR("Backup was requested without specifying "
					  "CTEST_CVS_CHECKOUT."));
	for (int i = 1; i <= UPDATES; i++)
		if (get_setting(d, update_name(name, i)).p && !d->update.n)
			return say_failure(d, str_fmt(d->a,
						      "%s specified without specifying "
						      "CTEST_CVS_COMMAND.",
						      name));
	return true;
}

/* ---- commands -------------------------------------------------------------------- */

struct run {
	struct declared *d;
	struct buf output;
	struct command_end end;
};

/* A script that another script runs prints less. */
static bool
is_verbose(const struct declared *d)
{
	if (d->s->frame.is_running)
		return false;
	return d->s->options->console.verbose || d->s->options->console.extra_verbose;
}

static void
take_output(void *context, bool is_error, struct str bytes)
{
	struct run *r = context;

	(void)is_error;
	buf_str(&r->output, bytes);
	if (is_verbose(r->d))
		console_raw(r->d->s->console, bytes);
}

/* If the command was ended from outside, the reason is added to its output. */
static void
note_end(struct run *r)
{
	struct str why = report_end_reason(r->d->a, r->d->s->dialect, &r->end);

	if (!why.n)
		return;
	buf_str(&r->output, why);
	if (is_verbose(r->d))
		console_raw_error(
			r->d->s->console, str_fmt(r->d->a, "%.*s\n", STR_ARG(why)));
}

/* Runs the command line, and returns its output. */
static struct str
run_line(struct declared *d, struct run *r, const char *title, struct str line,
	struct str directory)
{
	struct command command = {.words = custom_command_words(d->a, line),
		.directory = str_z(d->a, directory),
		.environment = d->environment,
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_TOGETHER,
		.output = take_output,
		.context = r};

	*r = (struct run){.d = d, .output = {.arena = d->a}};
	buf_room(&r->output, 1);
	console_fmt(d->s->console, CHANNEL_VERBOSE, "%s: %.*s\n", title,
		STR_ARG(secrets_masked(d->a, line)));
	r->end = command_run(&command);
	if (r->end.ending == COMMAND_INTERRUPTED)
		d->s->interrupted = r->end.signal;
	note_end(r);
	return buf_as_str(&r->output);
}

/* ---- directories ----------------------------------------------------------------- */

static bool
check_out(struct declared *d)
{
	struct run r;
	struct str output;

	if (path_exists(str_z(d->a, d->source)) || !d->checkout.n)
		return true;
	output = run_line(d, &r, "Run cvs", d->checkout, d->root);
	return command_succeeded(&r.end) ||
	       say_failure(d, str_fmt(d->a, "Unable to perform cvs checkout:\n%.*s",
				      STR_ARG(output)));
}

/* Removes what is at `to`, then renames. */
static void
move_directory(const struct declared *d, struct str from, struct str to)
{
	if (path_exists(str_z(d->a, to)) && !tree_remove(d->a, str_z(d->a, to)))
		return;
	if (path_exists(str_z(d->a, from)) &&
		rename(str_z(d->a, from), str_z(d->a, to)) != 0)
		(void)say_failure(d, str_fmt(d->a, "cannot rename %.*s", STR_ARG(from)));
}

static struct str
backup_of(const struct declared *d, struct str directory)
{
	return str_fmt(d->a, "%.*s_CMakeBackup", STR_ARG(directory));
}

static void
restore_backup(const struct declared *d)
{
	if (!d->keeps_backup)
		return;
	move_directory(d, backup_of(d, d->source), d->source);
	move_directory(d, backup_of(d, d->binary), d->binary);
}

static bool
back_up(struct declared *d)
{
	if (!d->keeps_backup)
		return true;
	move_directory(d, d->source, backup_of(d, d->source));
	move_directory(d, d->binary, backup_of(d, d->binary));
	if (check_out(d))
		return true;
	restore_backup(d);
	return false;
}

static void
forget_backup(const struct declared *d)
{
	struct str paths[] = {backup_of(d, d->source), backup_of(d, d->binary)};

	for (size_t i = 0; i < 2 && d->keeps_backup; i++)
		if (path_exists(paths[i].p) && !tree_remove(d->a, paths[i].p))
			(void)say_failure(d,
				str_fmt(d->a, "cannot remove %.*s", STR_ARG(paths[i])));
}

static void
empty_binary(const struct declared *d)
{
	const char *why = script_why_not_emptied(d->a, d->binary);

	if (!why)
		return;
	if (d->s->dialect->has[DIALECT_EMPTY_DIRECTORY_REASON])
		console_fmt(d->s->console, CHANNEL_ERROR,
			"Problem removing the binary directory (%s): %.*s\n", why,
			STR_ARG(d->binary));
	else
		console_say(d->s->console, CHANNEL_ERROR,
			STR("Problem removing the binary directory\n"));
}

static bool
make_binary(struct declared *d)
{
	bool is_source = str_eq(d->source, d->binary);

	if (d->empties)
		empty_binary(d);
	if (!is_source && !directory_make(d->a, str_z(d->a, d->binary))) {
		(void)say_failure(
			d, str_fmt(d->a, "Unable to create the binary directory:\n%.*s",
				   STR_ARG(d->binary)));
		restore_backup(d);
		return false;
	}
	if (!d->empties || !is_source)
		return true;
	if (!d->checkout.n)
		return say_failure(d,
			STR("You have specified the source and binary directories to be "
			    "the same (an in source build). You have also specified that "
			    "the binary directory is to be erased. This means that the "
			    "source will have to be checked out from CVS. But you have "
			    "not specified CTEST_CVS_CHECKOUT"));
	if (check_out(d))
		return true;
	restore_backup(d);
	return false;
}

/* ---- commands in the directories ------------------------------------------------- */

/* "DIRECTORY;WORDS"; texts with another number of elements are ignored. A failed update
 * is reported, and the updates after it do not run. */
static void
run_updates(struct declared *d)
{
	char name[32];

	for (int i = 1; i <= UPDATES; i++) {
		struct str value = get_setting(d, update_name(name, i)), output;
		struct str_list words = cmake_list_split(d->a, value, false);
		struct run r;

		if (words.n != 2)
			continue;
		output = run_line(d, &r, "Run Update",
			str_fmt(d->a, "%.*s update %.*s", STR_ARG(d->update),
				STR_ARG(words.v[1])),
			words.v[0]);
		if (command_succeeded(&r.end))
			continue;
		(void)say_failure(d,
			str_fmt(d->a,
				"Unable to perform extra updates:\n%.*s\nWith output:\n"
				"%.*s",
				STR_ARG(value), STR_ARG(output)));
		return;
	}
}

static bool
write_cache(struct declared *d)
{
	struct str text = get_setting(d, "CTEST_INITIAL_CACHE");
	struct str path = path_join(d->a, d->binary, STR("CMakeCache.txt"));

	if (!text.n ||
		file_write(d->a, path.p, ".tmp", str_fmt(d->a, "%.*s\n", STR_ARG(text))))
		return true;
	restore_backup(d);
	return false;
}

static void
write_output(const struct declared *d, struct str output)
{
	struct str name = get_setting(d, "CTEST_CMAKE_OUTPUT_FILE_NAME"), path;

	if (!name.n)
		return;
	path = path_join(d->a, d->binary, name);
	console_fmt(d->s->console, CHANNEL_VERBOSE, "Write CMake output to file: %.*s\n",
		STR_ARG(path));
	if (file_write(d->a, path.p, ".tmp", output))
		return;
	console_fmt(d->s->console, CHANNEL_ERROR,
		"Cannot open CMake output file: %.*s for writing\n", STR_ARG(path));
	console_note_loss(d->s->console);
}

/* cmake's output if it failed, or STR_NONE. */
static struct str
run_cmake(struct declared *d)
{
	struct str cmake = get_setting(d, "CTEST_CMAKE_COMMAND"), output;
	struct run r;

	if (!cmake.n)
		return STR_NONE;
	output = run_line(d, &r, "Run cmake command",
		str_fmt(d->a, "%.*s \"%.*s\"", STR_ARG(cmake), STR_ARG(d->source)),
		d->binary);
	write_output(d, output);
	return command_succeeded(&r.end) ? STR_NONE : output;
}

/* Failed tests are not a failure; a failed build is one. */
static bool
run_ctest(struct declared *d, struct str line, struct str failed_cmake)
{
	struct run r;
	struct str output = run_line(d, &r, "Run ctest command", line, d->binary);
	bool has_exited = r.end.ending == COMMAND_EXITED;

	if (has_exited && !failed_cmake.p && !(r.end.exit_code & BUILD_ERRORS))
		return true;
	restore_backup(d);
	if (failed_cmake.p)
		console_fmt(d->s->console, CHANNEL_ERROR, "Unable to run cmake:\n%.*s\n",
			STR_ARG(failed_cmake));
	else
		console_fmt(d->s->console, CHANNEL_ERROR,
			"Unable to run ctest:\ncommand: %.*s\noutput: %.*s\n",
			STR_ARG(secrets_masked(d->a, line)), STR_ARG(output));
	return false;
}

static bool
run_once(struct declared *d)
{
	struct str_list commands =
		cmake_list_split(d->a, get_setting(d, "CTEST_COMMAND"), false);
	struct str failed;

	if (!check_out(d) || !back_up(d) || !make_binary(d))
		return false;
	run_updates(d);
	if (!write_cache(d))
		return false;
	failed = run_cmake(d);
	for (size_t i = 0; i < commands.n && !d->s->interrupted; i++)
		if (!run_ctest(d, commands.v[i], failed))
			return false;
	forget_backup(d);
	return true;
}

/* ---- all ------------------------------------------------------------------------- */

static double
minutes_s(const struct declared *d, const char *name, double otherwise)
{
	struct str value = get_setting(d, name);

	return value.p ? MINUTE_S * str_double(value) : otherwise;
}

static bool
run_continuously(struct declared *d, double duration_s)
{
	double least_s = minutes_s(d, "CTEST_CONTINUOUS_MINIMUM_INTERVAL", 30 * MINUTE_S);
	uint64_t until = loop_later(loop_now_ns(), seconds_to_ns(duration_s));
	bool ok;

	d->empties = d->empties || d->empties_once;
	do {
		uint64_t began = loop_now_ns();
		int64_t rest_s;

		ok = run_once(d);
		rest_s = whole_seconds(least_s - (double)(loop_now_ns() - began) / 1e9);
		if (rest_s > 0)
			script_sleep(d->s, rest_s);
		if (d->empties_once)
			d->empties = false;
	} while (loop_now_ns() < until && !d->s->interrupted);
	return ok;
}

static const char *const *
environment_of(const struct declared *d)
{
	const char *const *script =
		d->call->environment ? d->call->environment : caller_environment(d->a);

	return environment_with_all(d->a, script,
		cmake_list_split(d->a, get_setting(d, "CTEST_ENVIRONMENT"), false));
}

static bool
run_as_declared(struct declared *d)
{
	double duration_s = minutes_s(d, "CTEST_CONTINUOUS_DURATION", -1);

	d->environment = environment_of(d);
	return duration_s < 0 ? run_once(d) : run_continuously(d, duration_s);
}

int
script_declared(struct scripts *s, const struct script_call *call)
{
	struct declared d = {.s = s, .a = s->arena, .call = call};

	INVARIANT(call);
	d.source = get_setting(&d, "CTEST_SOURCE_DIRECTORY");
	d.binary = get_setting(&d, "CTEST_BINARY_DIRECTORY");
	d.root = get_setting(&d, "CTEST_DASHBOARD_ROOT");
	d.checkout = get_setting(&d, "CTEST_CVS_CHECKOUT");
	d.update = get_setting(&d, "CTEST_UPDATE_COMMAND");
	if (!d.update.n)
		d.update = get_setting(&d, "CTEST_CVS_COMMAND");
	if (!d.root.n)
		d.root = path_parent(d.source);
	d.keeps_backup = cmake_is_on(get_setting(&d, "CTEST_BACKUP_AND_RESTORE"));
	d.empties =
		cmake_is_on(get_setting(&d, "CTEST_START_WITH_EMPTY_BINARY_DIRECTORY"));
	d.empties_once = cmake_is_on(
		get_setting(&d, "CTEST_START_WITH_EMPTY_BINARY_DIRECTORY_ONCE"));
	return are_settings_whole(&d) && run_as_declared(&d) ? 0 : -1;
}
