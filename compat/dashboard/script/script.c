/*
 * The variables that a script starts with, the meaning of its end, and the process that
 * it runs in. See script.h; the commands are in script_commands.c.
 */
#include "compat/dashboard/script/script.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compat/dashboard/script/script_commands.h"
#include "compat/dashboard/script/script_custom.h"
#include "compat/dashboard/script/script_declared.h"
#include "compat/dashboard/script/script_exits.h"
#include "compat/dashboard/script/script_start.h"
#include "compat/format/secrets.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/cmakelang/cmake_text.h"
#include "runner/process/command.h"
#include "runner/process/install_paths.h"

extern char **environ;

/* One script that is running. */
struct running {
	struct scripts *scripts;
	size_t forgotten; /* errors of cmake that ctest has forgotten */
	bool is_ended; /* it was read to its end, or returned */
	bool may_choose; /* it may choose its exit code */
	bool has_error; /* an error that is not cmake's */
	bool is_nested; /* another script runs it in this process */
	struct script_call settings; /* the variables at its end */
	bool declares; /* its variables say what to do */
};

/* ---- its beginning --------------------------------------------------------------- */

static struct str
start_text(struct scripts *s, struct str file, struct str argument)
{
	struct buf b = {.arena = s->arena};
	struct str program = program_path(s->arena);

	cmake_set(&b, STR("CTEST_SCRIPT_DIRECTORY"), path_parent(file));
	cmake_set(&b, STR("CTEST_SCRIPT_NAME"), path_name(file));
	cmake_set(&b, STR("CTEST_EXECUTABLE_NAME"), program);
	buf_z(&b, "set(CMAKE_CTEST_COMMAND ");
	cmake_quote(&b, program);
	buf_z(&b, " CACHE INTERNAL \"\" FORCE)\n");
	if (!s->dialect->has[DIALECT_DECLARATIVE_SCRIPTS])
		buf_z(&b, "set_property(GLOBAL PROPERTY CCTR_CUSTOM_STAYS TRUE)\n");
	if (s->options->configuration.n)
		cmake_set(&b, STR("CTEST_CONFIGURATION_TYPE"), s->options->configuration);
	if (argument.n)
		cmake_set(&b, STR("CTEST_SCRIPT_ARG"), argument);
	for (size_t i = 0; i < s->options->script.definitions.n; i++)
		cmake_set(&b, s->options->script.definitions.v[i].name,
			s->options->script.definitions.v[i].value);
	return buf_as_str(&b);
}

/* ---- its end --------------------------------------------------------------------- */

/* Until 4.0 the variables of a script without ctest_start say what to do. Only the
 * outermost script knows that ctest_start was called, not one that another runs. */
static void
look_at_settings(struct running *r, const struct script_call *call)
{
	if (!r->scripts->dialect->has[DIALECT_DECLARATIVE_SCRIPTS] ||
		(r->scripts->is_started && !r->is_nested) ||
		!cmake_is_on(script_variable(call, "CTEST_RUN_CURRENT_SCRIPT")))
		return;
	r->settings = *call;
	r->declares = true;
}

/* After a script runs another in this process, its own earlier errors are forgotten. */
static bool
forgets_errors(const struct script_call *call)
{
	return str_is(call->command, "ctest_run_script") && call->words.n &&
	       !str_is(call->words.v[0], "NEW_PROCESS");
}

static void
answer_command(void *context, const struct script_call *call, struct script_reply *reply)
{
	struct running *r = context;
	struct script_command c = {r->scripts, call, reply};

	if (str_is(call->command, "_cctr_end")) {
		r->is_ended = true;
		look_at_settings(r, call);
		return;
	}
	if (str_is(call->command, "_cctr_ctest_start"))
		r->scripts->is_started = true;
	script_answer(&c);
	if (forgets_errors(call)) {
		r->has_error = false;
		r->forgotten = call->errors;
	}
	r->has_error = r->has_error || reply->has_error;
	script_reply_set(reply, STR("CTEST_ELAPSED_TIME"),
		str_fmt(r->scripts->arena, "%llu",
			(unsigned long long)((loop_now_ns() -
						     r->scripts->frame.started_ns) /
					     1000000000)));
}

/* true: the script called cmake_language(EXIT), which ends it. An error that ends cmake
 * -P also makes it exit with 1. */
static bool
has_chosen(const struct running *r, const struct script_end *end)
{
	int status = WEXITSTATUS(end->status);

	if (!r->may_choose || r->is_ended || !WIFEXITED(end->status) || status == 255)
		return false;
	return status != 1 || (end->errors <= r->forgotten && !r->has_error);
}

static int
value_of(struct running *r, const struct script_end *end)
{
	/* cmake -P exits with 1 even if the errors are forgotten. */
	bool is_good = end->status == 0 || (r->forgotten && r->is_ended);

	if (has_chosen(r, end))
		return WEXITSTATUS(end->status);
	if (!is_good || r->has_error || r->scripts->has_failed ||
		end->errors > r->forgotten || !r->is_ended)
		return -1;
	if (!r->declares || script_declared(r->scripts, &r->settings) == 0)
		return 0;
	r->scripts->has_failed = true;
	return -1;
}

/* ---- one script ------------------------------------------------------------------ */

/* Until 4.1 no script could choose its exit code, and later only few do. */
static enum script_host_kind
host_of(const struct scripts *s, struct str file)
{
	if (s->options->script.evaluator == EVALUATED_BY_CTEST)
		return HOST_CTEST;
	return s->dialect->has[DIALECT_SCRIPT_CHOOSES_EXIT_CODE] &&
			       script_may_exit(s->arena, file, path_here(s->arena))
		       ? HOST_CMAKE
		       : HOST_CMAKE_NORMAL;
}

static int
run_file(struct scripts *s, struct str file, struct str argument,
	const char *const *environment)
{
	struct running r = {.scripts = s, .is_nested = s->frame.is_running};
	struct script_job job = {.arena = s->arena,
		.console = s->console,
		.share = s->inputs->share,
		.file = file,
		.start = start_text(s, file, argument),
		.environment = environment ? environment : (const char *const *)environ,
		.shows_status = s->options->console.verbose,
		.kind = host_of(s, file),
		.limit = &s->frame.depth.limit,
		.answer = answer_command,
		.context = &r};
	struct diag d = diag_in(s->arena);
	struct script_end end = {0};
	struct script_frame outer = s->frame;
	bool ok;

	r.may_choose = job.kind != HOST_CMAKE_NORMAL;
	s->has_failed = false;
	s->is_started = s->is_started && r.is_nested;
	s->frame = (struct script_frame){.is_running = true,
		.started_s = time(NULL),
		.started_ns = loop_now_ns(),
		.depth = s->below};
	ok = script_host(&job, &end, &d);
	if (!end.interrupted) {
		script_custom_end(s);
		script_starts_end(s);
	}
	s->frame = outer;
	console_diag(s->console, &d);
	if (end.interrupted)
		s->interrupted = end.interrupted;
	return ok ? value_of(&r, &end) : -1;
}

/* The path with the argument, which ctest takes for a part of the path. */
static struct str
whole_path(struct scripts *s, struct str script)
{
	return path_join(s->arena, path_here(s->arena), script);
}

static struct str
file_of(struct scripts *s, struct str script)
{
	struct str whole = whole_path(s, script);

	return str_dup(s->arena, str_cut(whole.p, str_find(whole, ',')));
}

bool
script_exists(struct scripts *s, struct str script)
{
	return path_exists(file_of(s, script).p);
}

int
script_run(struct scripts *s, struct str script, const char *const *environment)
{
	struct str whole = whole_path(s, script), file = file_of(s, script);
	struct str argument = STR("");

	if (file.n < whole.n)
		argument = str_from(whole, file.n + 1);
	console_fmt(s->console, CHANNEL_VERBOSE, "Reading Script: %.*s\n",
		STR_ARG(secrets_masked(s->arena, whole)));
	if (!path_exists(file.p)) {
		console_raw_error(s->console,
			str_fmt(s->arena, "CMake Error: Cannot find file: %.*s\n",
				STR_ARG(file)));
		return s->dialect->has[DIALECT_MISSING_SCRIPT_EXITS_1] ? 1 : -1;
	}
	if (path_is_directory(file.p))
		return -1;
	return run_file(s, file, argument, environment);
}

/* ---- in another process ---------------------------------------------------------- */

static bool
names_script(const char *word)
{
	static const char *const names[] = {
		"-S", "--script", "-SP", "--script-new-process", "-SR", "--script-run"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

/* This command line, with another script. */
static struct str_list
command_line(struct scripts *s, struct str script)
{
	str_vec words = {0};

	VEC_PUSH(s->arena, &words, program_path(s->arena));
	VEC_PUSH(s->arena, &words, STR("-SR"));
	VEC_PUSH(s->arena, &words, script);
	for (char *const *word = s->argv + 1; *word; word++)
		if (!names_script(*word))
			VEC_PUSH(s->arena, &words, str_of(*word));
		else if (word[1])
			word++;
	return str_vec_list(&words);
}

/* The process's output is relayed line by line: twice under -VV, and its errors
 * always. */
struct relay {
	struct scripts *scripts;
	struct buf parts[2]; /* of the last line of each stream */
};

static void
relay_line(struct relay *r, bool is_error)
{
	struct console *c = r->scripts->console;
	struct buf *line = &r->parts[is_error];
	bool is_shown = r->scripts->options->console.extra_verbose;

	buf_char(line, '\n');
	if (is_shown) {
		console_raw(c, STR("Output: "));
		console_raw(c, buf_as_str(line));
	}
	if (is_error)
		console_raw_error(c, buf_as_str(line));
	else if (is_shown)
		console_raw(c, buf_as_str(line));
	line->n = 0;
}

static void
relay_output(void *context, bool is_error, struct str bytes)
{
	struct relay *r = context;

	while (bytes.n) {
		size_t n = str_find(bytes, '\n');

		buf_str(&r->parts[is_error], str_cut(bytes.p, n));
		if (n == bytes.n)
			return;
		relay_line(r, is_error);
		bytes = str_from(bytes, n + 1);
	}
}

int
script_run_process(struct scripts *s, struct str script, const char *const *environment)
{
	struct relay r = {s, {{.arena = s->arena}, {.arena = s->arena}}};
	struct str whole = whole_path(s, script);
	struct command command = {.words = command_line(s, whole),
		.environment = environment,
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_APART,
		.output = relay_output,
		.context = &r};
	struct command_end end;

	if (s->options->console.extra_verbose)
		console_raw(s->console,
			str_fmt(s->arena,
				"Executing Script: %.*s\nExecutable for CTest is: %.*s\n",
				STR_ARG(whole), STR_ARG(command.words.v[0])));
	end = command_run(&command);
	for (int i = 0; i < 2; i++)
		if (r.parts[i].n)
			relay_line(&r, i);
	if (end.ending == COMMAND_INTERRUPTED)
		s->interrupted = end.signal;
	if (command_has_error(&end))
		console_raw_error(s->console,
			str_fmt(s->arena, "cctr: cannot run %.*s: %s\n",
				STR_ARG(command.words.v[0]), strerror(end.error)));
	return end.ending == COMMAND_EXITED ? end.exit_code : -1;
}

/* ---- all ------------------------------------------------------------------------- */

int
script_mode(struct scripts *s)
{
	int code = 0;

	if (s->options->console.extra_verbose)
		console_say(s->console, CHANNEL_PROGRAM,
			STR("* Extra verbosity turned on\n"));
	for (size_t i = 0; i < s->options->script.requests.n && !s->interrupted; i++) {
		const struct script_request *r = &s->options->script.requests.v[i];
		int value = r->is_process ? script_run_process(s, r->script, NULL)
					  : script_run(s, r->script, NULL);

		if (value)
			code = value & 255;
	}
	return code;
}
