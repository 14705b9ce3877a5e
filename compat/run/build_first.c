/*
 * A test needs the targets whose files are words of its command. That is known if its
 * program is such a file: a script, or an interpreter, may use others. Tests may appear
 * with the build, so that the run reads them again. They may also need other targets
 * then: a build that configures the tree again knows only afterwards what it should have
 * built.
 */
#include "compat/run/build_first.h"

#include <string.h>

#include "compat/run/build_targets.h"
#include "compat/run/quiet_tests.h"
#include "runner/base/shell_word.h"
#include "runner/cmakelang/cmake_program.h"
#include "runner/process/command.h"

struct build {
	struct run_context *c;
	const struct run_settings *s;
	struct build_targets targets;
	bool *needs; /* by target */
	struct map built; /* names of targets */
	bool builds_all;
	str_vec words; /* of the command */
};

static bool
build_all(struct build *b, const char *why, struct str name)
{
	console_say(b->c->console, CHANNEL_ERROR,
		str_fmt(b->c->arena, "--build: everything is built: %s%.*s\n", why,
			STR_ARG(name)));
	return false;
}

/* gtest_discover_tests() and others declare it in place of tests that they do not know
 * before the program is built. */
static bool
is_not_built(const struct test *t)
{
	return t->command.n && str_ends(t->command.v[0], STR("_NOT_BUILT"));
}

/* false: the program of the test is none of the targets'. */
static bool
note_targets(struct build *b, const struct test *t)
{
	bool is_known = false;

	for (size_t i = 0; i < t->command.n; i++) {
		uint32_t at = map_get(&b->targets.by_path, t->command.v[i]);

		if (at == MAP_NONE)
			continue;
		b->needs[at] = true;
		is_known = is_known || i == 0;
	}
	return is_known;
}

/* false: all targets are needed, which has been said. */
static bool
choose_targets(struct build *b)
{
	const struct run_settings *s = b->s;
	struct run_suite suite;
	struct run_tests tests = {0};

	if (!build_targets_read(
		    b->c->arena, s->directory, s->options.configuration, &b->targets)) {
		build_targets_ask(b->c->arena, s->directory);
		return build_all(b,
			"CMake's file API has no reply yet; the next configuration of "
			"the "
			"build tree gives one",
			STR(""));
	}
	b->needs = NEW_ARRAY(b->c->arena, bool, b->targets.names.n);
	if (!quiet_tests_select(b->c, s, &suite, &tests) || !tests.selection.n)
		return build_all(b, "no tests are known", STR(""));
	for (size_t i = 0; i < suite.suite->n; i++)
		if (is_not_built(&suite.suite->tests[i]))
			return build_all(b, "tests are not known before: ",
				suite.suite->tests[i].name);
	for (size_t i = 0; i < tests.selection.n; i++) {
		const struct test *t = &suite.suite->tests[tests.selection.v[i].test];

		if (!note_targets(b, t))
			return build_all(
				b, "the program of a test is of no target: ", t->name);
	}
	return true;
}

static void
add_word(struct build *b, struct str word)
{
	VEC_PUSH(b->c->arena, &b->words, word);
}

/* false: all that are needed have been built. */
static bool
add_targets(struct build *b)
{
	size_t before = b->built.n;

	add_word(b, STR("--target"));
	for (size_t i = 0; i < b->targets.names.n; i++)
		if (b->needs[i] && map_add(&b->built, b->targets.names.v[i]))
			add_word(b, b->targets.names.v[i]);
	return b->built.n > before;
}

/* false: nothing is left to build. */
static bool
fill_command(struct build *b, struct str cmake)
{
	const struct schedule_options *o = &b->s->options.schedule;

	b->words.n = 0;
	add_word(b, cmake);
	add_word(b, STR("--build"));
	add_word(b, b->s->directory);
	if (b->s->options.configuration.n) {
		add_word(b, STR("--config"));
		add_word(b, b->s->options.configuration);
	}
	if (o->has_parallel && !o->parallel_is_chosen && o->parallel < UNBOUNDED_JOBS) {
		add_word(b, STR("--parallel"));
		add_word(b, str_fmt(b->c->arena, "%zu", o->parallel));
	}
	b->builds_all = !choose_targets(b);
	return b->builds_all || add_targets(b);
}

static bool
say_failure(struct build *b, const struct command_end *end)
{
	struct buf text = {.arena = b->c->arena};

	buf_z(&text, "--build: the build failed, no test runs: ");
	for (size_t i = 0; i < b->words.n; i++) {
		buf_z(&text, i ? " " : "");
		shell_word(&text, b->words.v[i]);
	}
	if (command_has_error(end))
		buf_fmt(&text, ": %s", strerror(end->error));
	buf_char(&text, '\n');
	console_say(b->c->console, CHANNEL_ERROR, buf_as_str(&text));
	return false;
}

static bool
run_command(struct build *b)
{
	struct command command = {.words = str_vec_list(&b->words),
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_INHERITED,
		.lets_orphans_go = true};
	struct command_end end = command_run(&command);

	if (end.ending == COMMAND_INTERRUPTED)
		b->c->interrupted = end.signal;
	else if (!command_succeeded(&end))
		return say_failure(b, &end);
	return !b->c->interrupted;
}

bool
build_first(struct run_context *c, const struct run_settings *s)
{
	struct build b = {.c = c, .s = s, .built = map_in(c->arena)};
	struct str cmake = cmake_program_for(c->arena, STR_NONE, s->directory);

	INVARIANT(s->options.run.builds && !s->step);
	if (!cmake.n) {
		console_say(c->console, CHANNEL_ERROR,
			STR("--build: there is no cmake to build with\n"));
		return false;
	}
	while (!b.builds_all && fill_command(&b, cmake))
		if (!run_command(&b))
			return false;
	return true;
}
