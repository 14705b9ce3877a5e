/* Steps of --build-and-test. See build_steps.h. */
#include "compat/dashboard/build/build_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "compat/console/report_text.h"
#include "compat/dashboard/build/build_commands.h"
#include "compat/dashboard/build/cmake_lines.h"
#include "runner/cmakelang/cmake_program.h"

/* What happens to the output of a program. */
struct hearing {
	struct build_session *session;
	struct buf *kept; /* NULL: printed at once */
	struct cmake_lines *cmake; /* NULL: not output of cmake */
	bool is_build; /* NUL bytes become blanks */
	bool is_test; /* with -VV shown at once, too */
};

/* With -VV the run of the test is shown at once, and at the end again. */
static void
say_of_run(struct build_session *s, struct str text)
{
	if (s->options->console.extra_verbose &&
		!s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE])
		console_say(s->console, CHANNEL_VERBOSE, text);
}

/* ---- output of programs ---------------------------------------------------------- */

static void
pass_text(struct hearing *h, struct str bytes)
{
	if (!bytes.n)
		return;
	if (h->kept)
		buf_str(h->kept, bytes);
	else
		build_say(h->session, bytes);
}

static void
hear_output(void *context, bool is_error, struct str bytes)
{
	struct hearing *h = context;
	struct arena *scratch;
	struct buf plain, stray;

	(void)is_error;
	if (h->is_test)
		say_of_run(h->session, bytes);
	if (!h->cmake && !h->is_build) {
		pass_text(h, bytes);
		return;
	}
	scratch = arena_open();
	plain = stray = (struct buf){.arena = scratch};
	if (h->cmake)
		cmake_lines_add(h->cmake, bytes, &plain, &stray);
	for (size_t i = 0; i < bytes.n && !h->cmake; i++)
		buf_char(&plain, bytes.p[i] ? bytes.p[i] : ' ');
	pass_text(h, buf_as_str(&plain));
	if (stray.n)
		console_raw_error(h->session->console, buf_as_str(&stray));
	arena_close(scratch);
}

/* In the build directory, if the command names no other. */
static struct command_end
run_command(struct build_session *s, struct command *c)
{
	struct command_end end;

	c->environment = s->environment;
	if (!c->directory)
		c->directory = s->binary.p;
	end = command_run(c);
	if (end.ending == COMMAND_INTERRUPTED)
		s->interrupted = end.signal;
	return end;
}

/* ---- configure ------------------------------------------------------------------- */

static void
add_option(struct arena *a, str_vec *words, const char *head, struct str value)
{
	if (value.n)
		VEC_PUSH(a, words, str_fmt(a, "%s%.*s", head, STR_ARG(value)));
}

static struct str_list
cmake_words(const struct build_session *s, struct str cmake)
{
	const struct build_options *o = &s->options->build;
	struct arena *a = s->arena;
	str_vec words = {0};

	VEC_PUSH(a, &words, cmake);
	VEC_PUSH(a, &words, s->source);
	add_option(a, &words, "-G", o->generator);
	add_option(a, &words, "-A", o->platform);
	add_option(a, &words, "-T", o->toolset);
	add_option(a, &words, "-DCMAKE_BUILD_TYPE:STRING=", s->configuration);
	if (build_takes_make_program(o->generator))
		add_option(a, &words, "-DCMAKE_MAKE_PROGRAM:FILEPATH=", o->make_program);
	VEC_PUSH_ALL(a, &words, o->options);
	return str_vec_list(&words);
}

static bool
say_no_cmake(struct build_session *s)
{
	build_say(s, STR("Error: cmake execution failed\n"
			 "There is no cmake beside cctr and none in PATH.\n"));
	return false;
}

static struct command_end
run_cmake_once(struct build_session *s, struct hearing *h, struct str cmake)
{
	struct cmake_lines lines = {.line = {.arena = s->arena}};
	struct buf rest = {.arena = s->arena};
	struct command c = {.words = cmake_words(s, cmake),
		.timeout_ns = build_time_left(s),
		.output = hear_output,
		.context = h};
	struct command_end end;

	h->cmake = &lines;
	end = run_command(s, &c);
	cmake_lines_end(&lines, &rest);
	pass_text(h, buf_as_str(&rest));
	return end;
}

static struct command_end
run_cmake(struct build_session *s, struct hearing *h, struct str cmake)
{
	int times = s->options->build.two_config ? 2 : 1;
	struct command_end end = {.ending = COMMAND_EXITED};

	for (int i = 0; i < times && command_succeeded(&end); i++)
		end = run_cmake_once(s, h, cmake);
	if (command_has_error(&end)) {
		pass_text(h, report_start_error(s->arena, s->dialect, end.error));
		pass_text(h, STR("\n"));
	}
	return end;
}

/* ctest's message, in dialects that print everything at the end. */
static void
say_configured(struct build_session *s, struct buf *text, bool is_good)
{
	if (is_good)
		build_fmt(s,
			"======== CMake output     ======\n%.*s"
			"======== End CMake output ======\n",
			STR_ARG(buf_as_str(text)));
	else
		build_fmt(s, "Error: cmake execution failed\n%.*s\n",
			STR_ARG(buf_as_str(text)));
}

bool
build_configure(struct build_session *s)
{
	bool streams = s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE];
	struct str cmake = cmake_program(s->arena);
	struct buf kept = {.arena = s->arena};
	struct hearing h = {.session = s, .kept = streams ? NULL : &kept};
	struct command_end end;

	if (!cmake.n)
		return say_no_cmake(s);
	if (streams)
		build_say(s, STR("======== CMake output     ======\n"));
	end = run_cmake(s, &h, cmake);
	if (end.ending == COMMAND_TIMED_OUT)
		return build_timed_out(s);
	if (!streams) {
		say_configured(s, &kept, command_succeeded(&end));
		return command_succeeded(&end);
	}
	build_say(s, STR("======== End CMake output ======\n"));
	if (!command_succeeded(&end))
		build_say(s, STR("Error: cmake execution failed\n"));
	return command_succeeded(&end);
}

/* ---- build ----------------------------------------------------------------------- */

/* After the output: why a program did not end by itself. */
static void
say_ending(struct build_session *s, const struct command_end *end)
{
	struct str text = report_end_reason(s->arena, s->dialect, end);

	if (!s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE]) {
		build_say(s, text);
		return;
	}
	if (end->ending == COMMAND_TIMED_OUT)
		text = STR("Process terminated due to timeout\n");
	console_raw_error(s->console, str_fmt(s->arena, "%.*s\n", STR_ARG(text)));
}

/* The output goes to cctr's own streams, or into the kept text. */
static struct command_end
run_builder(struct build_session *s, struct str_list words)
{
	bool streams = s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE];
	struct hearing h = {.session = s, .is_build = true};
	struct command c = {.words = words,
		.timeout_ns = build_time_left(s),
		.streams = streams ? STREAMS_INHERITED : STREAMS_TOGETHER,
		.output = hear_output,
		.context = &h};

	return run_command(s, &c);
}

/* The command as it is shown. */
static struct str
line_of(const struct build_session *s, struct str_list words)
{
	return s->dialect->has[DIALECT_BUILD_COMMANDS_ON_LINES]
		       ? build_command_quoted(s->arena, words)
		       : build_command_line(s->arena, words);
}

static bool
clean_target(struct build_session *s, const struct build_tool *t)
{
	bool has_lines = s->dialect->has[DIALECT_BUILD_COMMANDS_ON_LINES];
	struct str_list words = build_clean_command(s->arena, t);
	struct command_end end;

	build_fmt(s, "\nRun Clean Command:%s%.*s\n", has_lines ? " " : "",
		STR_ARG(line_of(s, words)));
	end = run_builder(s, words);
	if (end.ending == COMMAND_EXITED)
		return true;
	say_ending(s, &end);
	if (s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE])
		build_say(s, STR("CMake Error: Generator: execution of make clean "
				 "failed.\n"));
	build_say(s, STR("\nGenerator: execution of make clean failed.\n"));
	return false;
}

/* Prints the command again; CMake's own error shows it unchanged. */
static void
say_build_failed(struct build_session *s, struct str_list words)
{
	static const char why[] = "Generator: build tool execution failed, command was: ";
	struct str line = line_of(s, words);

	if (s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE])
		build_fmt(s, "CMake Error: %s%.*s\n\n%s%.*s\n", why,
			STR_ARG(build_command_line(s->arena, words)), why, STR_ARG(line));
	else
		build_fmt(s,
			"\nGenerator: execution of make failed. Make command was: "
			"%.*s%s\n",
			STR_ARG(line),
			s->dialect->has[DIALECT_BUILD_COMMANDS_ON_LINES] ? "" : " && ");
}

static bool
build_target(struct build_session *s, const struct build_tool *t, struct str target)
{
	bool has_lines = s->dialect->has[DIALECT_BUILD_COMMANDS_ON_LINES];
	struct str_list words = build_command(s->arena, t, target);
	struct command_end end;

	build_fmt(s, "\nRun Build Command(s):%s%.*s%s", has_lines ? " " : "",
		STR_ARG(line_of(s, words)), has_lines ? "\n" : " && ");
	end = run_builder(s, words);
	if (end.ending == COMMAND_EXITED) {
		build_say(s, STR("\n"));
		return end.exit_code == 0;
	}
	say_ending(s, &end);
	say_build_failed(s, words);
	return false;
}

bool
build_targets(struct build_session *s)
{
	const struct build_options *o = &s->options->build;
	const char *quote = s->dialect->has[DIALECT_BUILD_COMMANDS_ON_LINES] ? "'" : "";
	struct build_tool tool = {.cmake = cmake_program(s->arena),
		.generator = o->generator,
		.make_program = o->make_program,
		.directory = s->binary,
		.configuration = s->configuration.n ? s->configuration : STR("Debug")};
	size_t n = o->targets.n ? o->targets.n : 1;

	for (size_t i = 0; i < n; i++) {
		if (build_time_left(s) == 0)
			return build_timed_out(s);
		build_fmt(s, "Change Dir: %s%.*s%s\n", quote, STR_ARG(s->binary), quote);
		if (!o->no_clean && !clean_target(s, &tool))
			return false;
		if (!build_target(s, &tool, o->targets.n ? o->targets.v[i] : STR("")))
			return false;
	}
	return true;
}

/* ---- test ------------------------------------------------------------------------ */

bool
build_find_test(struct build_session *s, struct str *path)
{
	const struct build_options *o = &s->options->build;
	struct str word = o->test_command.v[0], extra = STR("");
	struct executable_search found;

	if (o->exe_dir.n)
		extra = str_fmt(
			s->arena, "%.*s/%.*s", STR_ARG(o->exe_dir), STR_ARG(word));
	found = executable_search(s->finder, word, extra, s->binary);
	*path = found.path;
	if (found.path.n)
		return true;
	build_say_search(s, word, &found);
	build_fmt(s,
		"Could not find path to executable, perhaps it was not built: %.*s\n"
		"tried to find it in these places:\n\n%.*s",
		STR_ARG(word), STR_ARG(found.tried));
	return false;
}

/* NULL after a message: the directory cannot be entered. */
static const char *
run_directory(struct build_session *s)
{
	struct str directory = s->options->build.run_dir;
	struct str full = directory;

	if (!directory.n)
		return s->binary.p;
	build_fmt(s, "Run test in directory: %.*s\n", STR_ARG(directory));
	if (*directory.p != '/')
		full = str_fmt(
			s->arena, "%.*s/%.*s", STR_ARG(s->binary), STR_ARG(directory));
	if (build_can_enter(s, full))
		return str_z(s->arena, full);
	build_not_entered(s, directory, STR(""));
	return NULL;
}

static struct str_list
test_words(struct build_session *s, struct str path)
{
	const str_vec *command = &s->options->build.test_command;
	struct str *words = NEW_ARRAY(s->arena, struct str, command->n);

	words[0] = path;
	build_fmt(s, "Running test command: \"%.*s\"", STR_ARG(path));
	for (size_t i = 1; i < command->n; i++) {
		words[i] = command->v[i];
		build_fmt(s, " \"%.*s\"", STR_ARG(words[i]));
	}
	build_say(s, STR("\n"));
	return (struct str_list){words, command->n};
}

static void
say_limit(struct build_session *s, uint64_t limit_ns)
{
	struct str limit = STR("infinite");

	if (limit_ns != NO_TIMEOUT)
		limit = str_fmt(s->arena, "%" PRIu64, limit_ns / 1000000000);
	say_of_run(s,
		str_fmt(s->arena, "Test timeout computed to be: %.*s\n", STR_ARG(limit)));
}

/* With --output-on-failure the output of a test that fails is shown at once, too. */
static void
say_failed(struct build_session *s, const struct buf *out, const struct command_end *end)
{
	bool failed = end->ending == COMMAND_SIGNALLED ||
		      (end->ending == COMMAND_EXITED && end->exit_code != 0);

	if (failed && s->options->report.output_on_failure &&
		!s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE])
		console_fmt(s->console, CHANNEL_OUTPUT, "\n*** Test Failed:\n%.*s\n",
			STR_ARG(buf_as_str(out)));
}

/* Adds why the program did not end by itself. */
static void
add_ending(struct build_session *s, struct buf *out, const struct command_end *end)
{
	struct arena *a = s->arena;
	struct str text = STR("");

	if (command_has_error(end))
		text = str_fmt(a, "\n*** ERROR executing: %.*s",
			STR_ARG(report_start_error(s->arena, s->dialect, end->error)));
	if (end->ending == COMMAND_SIGNALLED)
		text = str_fmt(a, "\n*** Exception executing: %.*s",
			STR_ARG(report_signal(a, end->signal)));
	say_of_run(s, STR("-- Process completed\n"));
	say_failed(s, out, end);
	if (text.n)
		say_of_run(s, str_fmt(a, "%.*s\n", STR_ARG(text)));
	buf_str(out, text);
}

static struct command_end
run_tested(struct build_session *s, struct command *c)
{
	struct command_end end;

	if (!s->dialect->has[DIALECT_TEST_COMMAND_WITHOUT_INPUT])
		return run_command(s, c);
	c->input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (c->input < 0)
		return (struct command_end){
			.ending = COMMAND_NOT_STARTED, .error = errno};
	end = run_command(s, c);
	close(c->input);
	return end;
}

bool
build_run_test(struct build_session *s, struct str path)
{
	bool streams = s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE];
	struct buf out = {.arena = s->arena};
	struct hearing h = {.session = s, .kept = streams ? NULL : &out, .is_test = true};
	struct command c = {.output = hear_output, .context = &h};
	struct command_end end;
	bool is_good;

	c.directory = run_directory(s);
	if (!c.directory)
		return false;
	c.words = test_words(s, path);
	c.timeout_ns = build_time_left(s);
	if (c.timeout_ns == 0)
		return build_timed_out(s);
	say_limit(s, c.timeout_ns);
	end = run_tested(s, &c);
	is_good = command_succeeded(&end);
	add_ending(s, &out, &end);
	if (!streams || !is_good)
		buf_char(&out, '\n');
	if (streams)
		build_say(s, buf_as_str(&out));
	if (!is_good)
		build_fmt(s, "Test command failed: %.*s\n", STR_ARG(path));
	if (!streams)
		build_say(s, buf_as_str(&out));
	return is_good;
}
