/*
 * The variables that a script starts with, the meaning of its end, the process that it
 * runs in, and its commands that are not steps. Texts are ctest's. See script.h.
 */
#include "compat/dashboard/script/script.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compat/dashboard/script/script_custom.h"
#include "compat/dashboard/script/script_declared.h"
#include "compat/dashboard/script/script_depth.h"
#include "compat/dashboard/script/script_exits.h"
#include "compat/dashboard/script/script_start.h"
#include "compat/dashboard/script/script_steps.h"
#include "compat/format/secrets.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/cmakelang/cmake_text.h"
#include "runner/process/command.h"
#include "runner/process/install_paths.h"

/* One script that is running. */
struct running {
	struct scripts *scripts;
	size_t forgotten; /* errors of cmake that ctest has forgotten */
	bool is_ended; /* it was read to its end, or returned */
	bool by_ctest; /* HOST_CTEST */
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
	struct str configuration = script_configuration(s);

	cmake_set(&b, STR("CTEST_SCRIPT_DIRECTORY"), path_parent(file));
	cmake_set(&b, STR("CTEST_SCRIPT_NAME"), path_name(file));
	cmake_set(&b, STR("CTEST_EXECUTABLE_NAME"), program);
	buf_z(&b, "set(CMAKE_CTEST_COMMAND ");
	cmake_quote(&b, program);
	buf_z(&b, " CACHE INTERNAL \"\" FORCE)\n");
	if (!s->dialect->has[DIALECT_DECLARATIVE_SCRIPTS])
		buf_z(&b, "set_property(GLOBAL PROPERTY CCTR_CUSTOM_STAYS TRUE)\n");
	if (configuration.n)
		cmake_set(&b, STR("CTEST_CONFIGURATION_TYPE"), configuration);
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
	struct script_command c = {
		r->scripts, call, reply, r->has_error || call->errors > r->forgotten};

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

/* true: the script called cmake_language(EXIT), which ends it. After an error ctest
 * itself exits with 255, and else with what was chosen. */
static bool
has_chosen(const struct running *r, const struct script_end *end, int *code)
{
	int status = WEXITSTATUS(end->status);

	*code = end->has_chosen ? end->chosen : status;
	return end->has_chosen ||
	       (r->by_ctest && !r->is_ended && WIFEXITED(end->status) && status != 255);
}

static int
value_of(struct running *r, const struct script_end *end)
{
	/* cmake -P exits with 1 even if the errors are forgotten. */
	bool is_good = end->status == 0 || (r->forgotten && r->is_ended);
	int code;

	if (has_chosen(r, end, &code))
		return code;
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
		.environment = environment ? environment : environment_own(),
		.shows_status = s->options->console.verbose && !s->options->console.quiet,
		.kind = host_of(s, file),
		.limit = &s->frame.depth.limit,
		.answer = answer_command,
		.context = &r};
	struct diag d = diag_in(s->arena);
	struct script_end end = {0};
	struct script_frame outer = s->frame;
	bool ok;

	r.by_ctest = job.kind == HOST_CTEST;
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

static struct str
file_of(struct scripts *s, struct str script)
{
	struct str whole = script_path(s, script);

	return str_dup(s->arena, str_cut(whole.p, str_find(whole, ',')));
}

static bool
is_script_there(struct scripts *s, struct str script)
{
	return path_exists(file_of(s, script).p);
}

/* Runs one script, "FILE[,ARGUMENT]". Returns 0, -1 after an error, or a status.
 * environment: NULL means cctr's own. */
static int
run_script(struct scripts *s, struct str script, const char *const *environment)
{
	struct str whole = script_path(s, script), file = file_of(s, script);
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

/* This command line after -SR and the other script, which make it ignore its scripts. */
static struct str_list
command_line(struct scripts *s, struct str script)
{
	str_vec words = {0};

	VEC_PUSH(s->arena, &words, program_path(s->arena));
	VEC_PUSH(s->arena, &words, STR("-SR"));
	VEC_PUSH(s->arena, &words, script);
	for (char *const *word = s->argv + 1; *word; word++)
		if (strcmp(*word, "-SR") != 0)
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
	bool has_errors; /* a line of the error stream */
};

static void
relay_line(struct relay *r, bool is_error)
{
	struct console *c = r->scripts->console;
	struct buf *line = &r->parts[is_error];
	bool is_shown = r->scripts->options->console.extra_verbose;

	r->has_errors |= is_error;
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

/* *has_errors: it wrote to its error stream. */
static int
run_in_process(struct scripts *s, struct str script, const char *const *environment,
	bool *has_errors)
{
	struct relay r = {s, {{.arena = s->arena}, {.arena = s->arena}}, false};
	struct str whole = script_path(s, script);
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
	*has_errors = r.has_errors;
	if (end.ending == COMMAND_INTERRUPTED)
		s->interrupted = end.signal;
	if (command_has_error(&end))
		console_raw_error(s->console,
			str_fmt(s->arena, "cctr: cannot run %.*s: %s\n",
				STR_ARG(command.words.v[0]), strerror(end.error)));
	return end.ending == COMMAND_EXITED ? end.exit_code : -1;
}

/* ---- commands --------------------------------------------------------------------- */

static void
fail_command(struct script_command *c, struct str text)
{
	script_reply_error(c->reply, str_fmt(c->scripts->arena, "%.*s %.*s",
					     STR_ARG(c->call->command), STR_ARG(text)));
}

static void
fail_count(struct script_command *c)
{
	fail_command(c, STR("called with incorrect number of arguments"));
}

static void
answer_sleep(struct script_command *c)
{
	const struct str_list *w = &c->call->words;
	int64_t seconds;

	if (w->n != 1 && w->n != 3) {
		fail_count(c);
		return;
	}
	seconds = str_int(w->v[0]);
	if (w->n == 3)
		seconds += (int64_t)str_int(w->v[1]) - str_int(w->v[2]);
	if (seconds > 0)
		script_sleep(c->scripts, seconds);
}

/* ---- ctest_empty_binary_directory ------------------------------------------------ */

static void
answer_empty(struct script_command *c)
{
	struct scripts *s = c->scripts;
	const char *why;

	if (c->call->words.n != 1) {
		fail_count(c);
		return;
	}
	why = script_why_not_emptied(s->arena, c->call->words.v[0]);
	if (!why)
		return;
	if (s->dialect->has[DIALECT_EMPTY_DIRECTORY_REASON])
		script_reply_error(
			c->reply, str_fmt(s->arena,
					  "Did not remove the binary directory:\n "
					  "%.*s\nbecause:\n %s",
					  STR_ARG(c->call->words.v[0]), why));
	else
		fail_command(c,
			str_fmt(s->arena, "problem removing the binary directory: %.*s",
				STR_ARG(c->call->words.v[0])));
}

/* ---- ctest_run_script ------------------------------------------------------------ */

/* Returns the value for RETURN_VALUE. */
static int
run_one(struct script_command *c, struct str script, bool is_process)
{
	struct scripts *s = c->scripts;
	bool has_errors = false;
	int value = is_process
			    ? run_in_process(s, script, c->call->environment, &has_errors)
			    : run_script(s, script, c->call->environment);

	/* ctest counts each line as an error of its own, of which a script fails. */
	c->reply->has_error |= has_errors;

	if (value && !s->dialect->has[DIALECT_SCRIPT_CHOOSES_EXIT_CODE])
		return -1;
	return value;
}

static void
answer_run_script(struct script_command *c)
{
	const struct str_list *w = &c->call->words;
	bool is_process = w->n && str_is(w->v[0], "NEW_PROCESS");
	struct str variable = STR_NONE;
	size_t keyword_at = w->n;
	int value = 0;

	for (size_t i = 0; i < w->n && keyword_at == w->n; i++)
		if (str_is(w->v[i], "RETURN_VALUE")) {
			variable = i + 1 < w->n ? w->v[i + 1] : STR_NONE;
			keyword_at = i;
		}
	if (w->n == 0) {
		fail_count(c);
		return;
	}
	c->scripts->below = script_depth_below(c);
	for (size_t i = is_process; i < w->n && !c->scripts->interrupted; i++) {
		if (keyword_at < w->n && (i == keyword_at || i == keyword_at + 1))
			continue;
		value = run_one(c, w->v[i], is_process);
		c->reply->has_error |=
			value && (is_process || !is_script_there(c->scripts, w->v[i]));
		if (variable.n)
			script_reply_set(c->reply, variable,
				str_fmt(c->scripts->arena, "%d", value));
	}
}

/* ---- the table ------------------------------------------------------------------- */

void
script_answer(struct script_command *c)
{
	static const struct {
		const char *name;
		void (*answer)(struct script_command *c);
		bool goes_on; /* continues a command that has begun */
	} commands[] = {
		{"ctest_sleep", answer_sleep, false},
		{"ctest_empty_binary_directory", answer_empty, false},
		{"_cctr_ctest_read_custom_files", script_answer_custom_files, false},
		{"_cctr_ctest_read_custom_file", script_answer_custom_file, true},
		{"ctest_run_script", answer_run_script, false},
		{"_cctr_ctest_start", script_answer_start, false},
		{"_cctr_ctest_configured", script_answer_configured, true},
		{"_cctr_ctest_customized", script_answer_customized, true},
		{"_cctr_go_on", script_answer_go_on, true},
	};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (str_is(c->call->command, commands[i].name)) {
			if (commands[i].goes_on || !script_depth_exceeded(c))
				commands[i].answer(c);
			return;
		}
	if (!script_depth_exceeded(c) && !script_answer_step(c))
		fail_command(c, STR("is not known to cctr"));
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
		bool has_errors;
		int value = r->is_process
				    ? run_in_process(s, r->script, NULL, &has_errors)
				    : run_script(s, r->script, NULL);

		code |= value;
	}
	return code & 255;
}
