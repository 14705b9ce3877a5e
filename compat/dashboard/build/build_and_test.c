/* The sequence of --build-and-test; its steps are in build_steps.c. */
#include "compat/dashboard/build/build_and_test.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/dashboard/build/build_steps.h"
#include "runner/base/caller.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"

/* ---- messages -------------------------------------------------------------------- */

void
build_say(struct build_session *s, struct str text)
{
	if (s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE])
		console_raw(s->console, text);
	else
		buf_str(&s->said, text);
}

void
build_fmt(struct build_session *s, const char *fmt, ...)
{
	struct str text;
	va_list args;

	va_start(args, fmt);
	text = str_vfmt(s->arena, fmt, args);
	va_end(args);
	build_say(s, text);
}

/* The text ends at its first NUL, as in ctest. */
static void
build_flush(struct build_session *s)
{
	struct str text = buf_as_str(&s->said);

	if (text.n)
		console_say(s->console, CHANNEL_PROGRAM,
			str_cut(text.p, str_find(text, '\0')));
	s->said.n = 0;
}

/* Prints only this text, in dialects that print everything at the end. */
static bool
say_alone(struct build_session *s, const char *text)
{
	s->said.n = 0;
	build_fmt(s, "%s", text);
	return false;
}

uint64_t
build_time_left(const struct build_session *s)
{
	double limit_s = s->options->build.timeout_s;
	uint64_t gone_ns = loop_now_ns() - s->began_ns;

	if (!(limit_s > 0) || limit_s >= 1e9)
		return NO_TIMEOUT;
	return limit_s * 1e9 > (double)gone_ns ? (uint64_t)(limit_s * 1e9) - gone_ns : 0;
}

bool
build_timed_out(struct build_session *s)
{
	return say_alone(s, "--build-and-test timeout exceeded. ");
}

/* ---- the sequence ---------------------------------------------------------------- */

/* Since 4.0 messages about all tests need -V here. */
static void
say_of_tests(struct build_session *s, struct str text)
{
	if (s->dialect->has[DIALECT_BUILD_AND_TEST_AT_ONCE] &&
		!s->options->console.verbose)
		console_log(s->console, CHANNEL_OUTPUT, text);
	else
		console_say(s->console, CHANNEL_OUTPUT, text);
}

void
build_say_search(
	struct build_session *s, struct str word, const struct executable_search *search)
{
	say_of_tests(s, str_fmt(s->arena,
				"Could not find executable %.*s\n"
				"Looked in the following places:\n",
				STR_ARG(word)));
	say_of_tests(s, search->tried);
}

bool
build_can_enter(const struct build_session *s, struct str directory)
{
	struct stat status;

	return stat(str_fmt_z(s->arena, "%.*s/.", STR_ARG(directory)), &status) == 0;
}

bool
build_not_entered(struct build_session *s, struct str directory, struct str before)
{
	const char *why = strerror(errno);

	if (s->dialect->has[DIALECT_ERROR_QUOTES_DIRECTORY])
		before = str_fmt(s->arena, "to \"%.*s\"", STR_ARG(directory));
	build_fmt(
		s, "Failed to change working directory %.*s: %s\n", STR_ARG(before), why);
	return false;
}

/* Without -C, the folder in which the sample program is found gives the configuration. */
static void
ask_sample(struct build_session *s)
{
	struct str word = s->options->build.config_sample;
	struct executable_search found;

	if (s->configuration.n || !word.n)
		return;
	found = executable_search(s->finder, word, STR(""), path_here(s->arena));
	if (!found.path.n)
		build_say_search(s, word, &found);
	s->configuration = found.configuration;
	executable_finder_close(s->finder, s->console);
	s->finder = executable_finder_new(
		s->arena, s->dialect, s->configuration, path_here(s->arena));
	build_fmt(s, "Using config sample with results: %.*s and %.*s\n",
		STR_ARG(found.path), STR_ARG(found.configuration));
}

static bool
enter_binary(struct build_session *s)
{
	build_fmt(
		s, "Internal cmake changing into directory: %.*s\n", STR_ARG(s->binary));
	if (build_can_enter(s, s->binary))
		return true;
	s->said.n = 0;
	return build_not_entered(
		s, s->binary, str_fmt(s->arena, "to %.*s ", STR_ARG(s->binary)));
}

static bool
find_and_run_test(struct build_session *s)
{
	const str_vec *command = &s->options->build.test_command;
	struct str path;

	if (!command->n || !command->v[0].n)
		return true;
	return build_find_test(s, &path) && build_run_test(s, path);
}

#define NO_GENERATOR                                                                     \
	"--build-and-test requires that the generator be provided using the "            \
	"--build-generator command line option."

static bool
run_sequence(struct build_session *s)
{
	if (!s->options->build.generator.n)
		return say_alone(s, s->dialect->has[DIALECT_GENERATOR_ERROR_ENDS_LINE]
					    ? NO_GENERATOR "\n"
					    : NO_GENERATOR " ");
	ask_sample(s);
	if (s->configuration.n)
		s->environment = environment_with(s->arena, caller_environment(s->arena),
			"CMAKE_CONFIG_TYPE", s->configuration);
	if (!enter_binary(s))
		return false;
	if (!s->options->build.no_cmake && !build_configure(s))
		return false;
	return build_targets(s) && find_and_run_test(s);
}

enum exit_code
build_and_test(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, int *interrupted)
{
	struct str here = path_here(a);
	struct build_session s = {.arena = a,
		.options = o,
		.dialect = dialect,
		.console = console,
		.source = path_join(a, here, o->build.source),
		.binary = path_join(a, here, o->build.binary),
		.configuration = o->configuration,
		.finder = executable_finder_new(a, dialect, o->configuration, here),
		.began_ns = loop_now_ns(),
		.said = {.arena = a}};
	bool is_good;

	/* The directory is made in any case; an error shows when it is entered. */
	directory_try_make(a, s.binary.p);
	is_good = run_sequence(&s);
	build_flush(&s);
	executable_finder_close(s.finder, s.console);
	*interrupted = s.interrupted;
	return is_good ? EXIT_OK : EXIT_USAGE;
}
