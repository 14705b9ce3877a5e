/* Steps of --build-and-test. See build_steps.h. */
#include "compat/build/build_steps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "compat/build/build_commands.h"
#include "compat/report_text.h"
#include "runner/files.h"
#include "runner/install_paths.h"

/* Before the lines of cmake. */
static const char mark[] = "-- ";
enum { MARK_LENGTH = sizeof mark - 1 };

/* Where the output of a program goes. */
struct hearing {
	struct build_session *session;
	struct buf *kept; /* NULL: said at once */
	bool is_cmake; /* without the "-- " that cmake puts before its lines */
	bool is_build; /* NUL bytes are blanks */
	size_t dashes; /* how much of the mark began the line; all of it: it is over */
};

/* ---- hearing ---------------------------------------------------------------------- */

static void
pass(struct hearing *h, struct str bytes)
{
	if (!bytes.n)
		return;
	if (h->kept)
		buf_str(h->kept, bytes);
	else
		build_say(h->session, bytes);
}

/* The CMake inside ctest tells its messages without the mark that cmake gives them. */
static void
pass_cmake(struct hearing *h, struct buf *plain, char c)
{
	if (h->dashes < MARK_LENGTH && c == mark[h->dashes]) {
		h->dashes++;
		return;
	}
	if (h->dashes < MARK_LENGTH)
		buf_add(plain, mark, h->dashes);
	buf_char(plain, c);
	h->dashes = c == '\n' ? 0 : MARK_LENGTH;
}

static void
hear(void *context, bool is_error, struct str bytes)
{
	struct hearing *h = context;
	struct arena *scratch;
	struct buf plain;

	(void)is_error;
	if (!h->is_cmake && !h->is_build) {
		pass(h, bytes);
		return;
	}
	scratch = arena_open();
	plain = (struct buf){.arena = scratch};
	for (size_t i = 0; i < bytes.n; i++)
		if (h->is_cmake)
			pass_cmake(h, &plain, bytes.p[i]);
		else
			buf_char(&plain, bytes.p[i] ? bytes.p[i] : ' ');
	pass(h, buf_as_str(&plain));
	arena_close(scratch);
}

static struct command_end
run(struct hearing *h, struct str_list words, uint64_t timeout_ns)
{
	struct command c = {
		.words = words, .timeout_ns = timeout_ns, .output = hear, .context = h};
	struct command_end end = command_run(&c);

	if (end.ending == COMMAND_INTERRUPTED)
		h->session->interrupted = end.signal;
	return end;
}

/* ---- configure -------------------------------------------------------------------- */

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
	for (size_t i = 0; i < o->options.n; i++)
		VEC_PUSH(a, &words, o->options.v[i]);
	return str_vec_list(&words);
}

/* The list of generators, which follows an unknown one, is not part of the message. */
static void
say_generators(struct build_session *s, struct buf *text)
{
	const struct str head = STR("\n\nGenerators\n");
	struct str all = buf_as_str(text);
	size_t at = str_search(all, head);

	if (at == all.n ||
		!str_begins(all, STR("CMake Error: Could not create named generator")))
		return;
	console_raw_error(s->console, str_from(all, at + 1));
	text->n = at + 1;
}

static bool
say_no_cmake(struct build_session *s)
{
	build_say(s, STR("Error: cmake execution failed\n"
			 "There is no cmake beside cctr and none in PATH.\n"));
	return false;
}

static struct command_end
run_cmake(struct build_session *s, struct hearing *h, struct str cmake)
{
	int times = s->options->build.two_config ? 2 : 1;
	struct command_end end = {.ending = COMMAND_EXITED};

	for (int i = 0; i < times && command_succeeded(&end); i++) {
		h->dashes = 0;
		end = run(h, cmake_words(s, cmake), build_time_left(s));
		if (h->dashes < MARK_LENGTH)
			pass(h, str_cut(mark, h->dashes));
	}
	if (end.ending == COMMAND_NOT_STARTED) {
		pass(h, report_start_error(s->dialect, end.error));
		pass(h, STR("\n"));
	}
	return end;
}

/* What ctest says of it, where all of it is said afterwards. */
static void
say_configured(struct build_session *s, struct buf *text, bool is_good)
{
	say_generators(s, text);
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
	bool streams = s->dialect->has[DIALECT_BUILD_AND_TEST_STREAMS];
	struct str cmake = cmake_program(s->arena);
	struct buf kept = {.arena = s->arena};
	struct hearing h = {
		.session = s, .kept = streams ? NULL : &kept, .is_cmake = true};
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

/* ---- build ------------------------------------------------------------------------ */

/* Why a program came to no end of its own, behind what it wrote. */
static void
say_ending(struct build_session *s, const struct command_end *end)
{
	if (end->ending == COMMAND_NOT_STARTED)
		build_say(s, report_start_error(s->dialect, end->error));
	if (end->ending == COMMAND_SIGNALLED)
		build_say(s, report_signal(s->arena, end->signal));
}

static bool
clean(struct build_session *s, struct hearing *h, const struct build_tool *t)
{
	bool has_lines = s->dialect->has[DIALECT_BUILD_LINES];
	struct str_list words = build_clean_command(s->arena, t);
	struct command_end end;

	build_fmt(s, "\nRun Clean Command:%s%.*s\n", has_lines ? " " : "",
		STR_ARG(build_command_line(s->arena, words)));
	end = run(h, words, build_time_left(s));
	if (end.ending == COMMAND_EXITED)
		return true;
	say_ending(s, &end);
	build_say(s, STR("\nGenerator: execution of make clean failed.\n"));
	return false;
}

static bool
build(struct build_session *s, struct hearing *h, const struct build_tool *t,
	struct str target)
{
	bool has_lines = s->dialect->has[DIALECT_BUILD_LINES];
	struct str_list words = build_command(s->arena, t, target);
	struct str line = build_command_line(s->arena, words);
	const char *behind = has_lines ? "" : " && ";
	struct command_end end;

	build_fmt(s, "\nRun Build Command(s):%s%.*s%s", has_lines ? " " : "",
		STR_ARG(line), has_lines ? "\n" : behind);
	end = run(h, words, build_time_left(s));
	if (end.ending == COMMAND_EXITED) {
		build_say(s, STR("\n"));
		return end.exit_code == 0;
	}
	say_ending(s, &end);
	build_fmt(s, "\nGenerator: execution of make failed. Make command was: %.*s%s\n",
		STR_ARG(line), behind);
	return false;
}

bool
build_targets(struct build_session *s)
{
	const struct build_options *o = &s->options->build;
	const char *quote = s->dialect->has[DIALECT_BUILD_LINES] ? "'" : "";
	struct hearing h = {.session = s, .is_build = true};
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
		if (!o->no_clean && !clean(s, &h, &tool))
			return false;
		if (!build(s, &h, &tool, o->targets.n ? o->targets.v[i] : STR("")))
			return false;
	}
	return true;
}

/* ---- test ------------------------------------------------------------------------- */

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

static bool
enter_run_directory(struct build_session *s)
{
	struct str directory = s->options->build.run_dir;

	if (!directory.n)
		return true;
	build_fmt(s, "Run test in directory: %.*s\n", STR_ARG(directory));
	if (chdir(str_z(s->arena, directory)) == 0)
		return true;
	build_fmt(s, "Failed to change working directory : %s\n", strerror(errno));
	return false;
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

/* What it wrote, and why it came to no end of its own. */
static void
add_ending(const struct build_session *s, struct buf *out, const struct command_end *end)
{
	struct arena *a = s->arena;
	struct str text = STR("");

	if (end->ending == COMMAND_NOT_STARTED)
		text = str_fmt(a, "\n*** ERROR executing: %.*s",
			STR_ARG(report_start_error(s->dialect, end->error)));
	if (end->ending == COMMAND_SIGNALLED)
		text = str_fmt(a, "\n*** Exception executing: %.*s",
			STR_ARG(report_signal(a, end->signal)));
	buf_str(out, text);
}

bool
build_run_test(struct build_session *s, struct str path)
{
	bool streams = s->dialect->has[DIALECT_BUILD_AND_TEST_STREAMS];
	struct buf out = {.arena = s->arena};
	struct hearing h = {.session = s, .kept = streams ? NULL : &out};
	struct str_list words;
	struct command_end end;
	bool is_good;

	if (!enter_run_directory(s))
		return false;
	words = test_words(s, path);
	if (build_time_left(s) == 0)
		return build_timed_out(s);
	end = run(&h, words, build_time_left(s));
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
