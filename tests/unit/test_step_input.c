/*
 * What steps get: command lines and commands of scripts as struct step_input. The steps
 * themselves are not linked; step_run here writes its input down.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/command_line/command_line.h"
#include "compat/dashboard/client/dashboard.h"
#include "compat/dashboard/script/script.h"
#include "compat/dashboard/step_table.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

/* The inputs of all steps that ran, as text; the facts in it are those of the row. */
static struct {
	struct buf text;
	const char *facts;
	struct str directory; /* shown as "@" */
} seen;

struct fact {
	const char *name;
	struct str value;
};

static struct str
number(double n)
{
	return str_fmt(seen.text.arena, "%g", n);
}

static struct str
joined(struct str_list words)
{
	struct buf b = {.arena = seen.text.arena};

	buf_room(&b, 1);
	for (size_t i = 0; i < words.n; i++)
		buf_fmt(&b, "%s%.*s", i ? "," : "", STR_ARG(words.v[i]));
	return buf_as_str(&b);
}

/* A fact of the input, or else the value of a key. */
static struct str
fact(const struct step_input *in, struct str name)
{
	const struct options *o = in->options;
	const struct fact facts[] = {
		{"part", str_of(part_name(in->call.part))},
		{"append", number(in->call.append)},
		{"index", number(in->call.submit_index)},
		{"parts", joined(step_values(&in->call, "PARTS"))},
		{"quiet", number(in->is_quiet)},
		{"script", number(in->is_script)},
		{"directory", in->directory},
		{"binary", in->binary},
		{"source", in->source},
		{"group", in->stamp.group},
		{"model", str_of(model_name(in->stamp.model))},
		{"subproject", in->subproject},
		{"excluded", joined(in->custom->coverage_exclude)},
		{"include", o->selection.include_name},
		{"labels", joined(str_vec_list(&o->selection.include_labels))},
		{"range", o->selection.range},
		{"jobs", number((double)o->schedule.parallel)},
		{"timeout", number(o->run.timeout_s)},
		{"limit", number(o->run.default_timeout_s)},
		{"load", number((double)o->schedule.test_load)},
		{"stops", number(o->run.stop_on_failure)},
		{"repeats", number(o->run.repeat.count)},
		{"error", number(o->has_error)},
		{"notes", joined(str_vec_list(&o->dashboard.notes))},
	};

	for (size_t i = 0; i < ROWS(facts); i++)
		if (str_is(name, facts[i].name))
			return facts[i].value;
	return configuration_get(in->configuration, str_z(seen.text.arena, name));
}

/* Writes the facts that the row names for its first step: "name=value name=value". A
 * blank in a value is written as $. */
struct step_result
step_run(const struct step_input *in)
{
	struct str text = str_cut(seen.facts, str_find(str_of(seen.facts), ';'));
	const char *between = seen.text.n ? "; " : "";

	while (text.n) {
		size_t n = str_find(text, ' ');
		struct str pair = str_cut(text.p, n);
		struct str name = str_cut(pair.p, str_find(pair, '='));
		struct str value = fact(in, name);

		if (str_begins(value, seen.directory))
			value = str_fmt(seen.text.arena, "@%.*s",
				STR_ARG(str_from(value, seen.directory.n)));
		buf_fmt(&seen.text, "%s%.*s=", between, STR_ARG(name));
		between = " ";
		for (size_t i = 0; i < value.n; i++)
			buf_char(&seen.text, value.p[i] == ' ' ? '$' : value.p[i]);
		text = str_from(text, n < text.n ? n + 1 : n);
	}
	return (struct step_result){0};
}

/* ---- scripts --------------------------------------------------------------------- */

struct dashboard_fixture {
	struct arena *a;
	struct arena *shown; /* what is printed outlives what steps give back */
	struct dialect dialect;
	struct options options;
	struct buf out, err;
	struct console *console;
	struct test_inputs inputs;
	char directory[32];
};

static void
words_of(struct dashboard_fixture *f, const char *line, char separator, str_vec *words)
{
	struct str text = str_of(line);

	while (text.n) {
		size_t n = str_find(text, separator);

		if (n)
			VEC_PUSH(f->a, words, str_dup(f->a, str_cut(text.p, n)));
		text = str_from(text, n < text.n ? n + 1 : n);
	}
}

/* mode, options: words of a command line. */
static struct dashboard_fixture *
open_fixture(
	const char *version, const char *mode, const char *options, const char *facts)
{
	struct arena *a = arena_open();
	struct dashboard_fixture *f = NEW(a, struct dashboard_fixture);
	options_messages messages = {0};
	struct diag d = diag_in(a);
	str_vec words = {0};
	char **argv;

	f->a = a;
	f->shown = f->out.arena = f->err.arena = arena_open();
	strcpy(f->directory, "/tmp/cctr-input-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	assert_int_equal(chdir(f->directory), 0);
	seen.text = (struct buf){.arena = f->shown};
	seen.facts = facts;
	seen.directory = str_of(f->directory);
	assert_true(dialect_choose(&f->dialect, a, str_of(version), NULL, STR(""), &d));
	words_of(f, str_fmt(a, "%s %s", mode, options).p, ' ', &words);
	argv = NEW_ARRAY(a, char *, words.n + 2);
	argv[0] = str_own(str_dup(a, STR("cctr")));
	argv[words.n + 1] = NULL;
	for (size_t i = 0; i < words.n; i++)
		argv[i + 1] = str_own(words.v[i]);
	assert_true(command_line_parse(
		a, &f->dialect, NULL, (int)words.n + 1, argv, &f->options, &messages));
	f->console = console_open(a, &f->options.console, &f->dialect,
		&(struct console_capture){&f->out, &f->err, false, false});
	return f;
}

static void
close_fixture(struct dashboard_fixture *f)
{
	assert_int_equal(chdir("/"), 0);
	assert_true(tree_remove(f->a, f->directory));
	console_close(f->console);
	arena_close(f->shown);
	arena_close(f->a);
}

static void
check_seen(const char *facts)
{
	buf_char(&seen.text, '\0');
	assert_string_equal(seen.text.p, facts);
}

static void
note_set(void *context, struct str name, struct str value)
{
	(void)context;
	(void)name;
	(void)value;
}

static void
note_error(void *context, struct str text)
{
	(void)context;
	buf_fmt(&seen.text, "%.*s", STR_ARG(text));
}

static void
note_files(void *context, const struct str_list *files)
{
	(void)context;
	(void)files;
}

static void
note_end(void *context)
{
	(void)context;
	buf_z(&seen.text, "ends\n");
}

/* Calls the commands, one in each line, with the variables, one in each line. */
static void
call_commands(struct dashboard_fixture *f, const char *commands, const char *variables)
{
	struct scripts scripts = {.arena = f->a,
		.options = &f->options,
		.dialect = &f->dialect,
		.console = f->console,
		.inputs = &f->inputs};
	const struct script_listener listener = {
		note_set, note_error, note_files, note_end, NULL};
	str_vec lines = {0}, pairs = {0};
	VEC(struct variable) all = {0};

	words_of(f, variables, '\n', &pairs);
	VEC_PUSH(f->a, &all,
		(struct variable){STR("CTEST_BINARY_DIRECTORY"), str_of(f->directory)});
	for (size_t i = 0; i < pairs.n; i++) {
		size_t end = str_find(pairs.v[i], '=');

		VEC_PUSH(f->a, &all,
			(struct variable){str_cut(pairs.v[i].p, end),
				str_from(pairs.v[i], end + 1)});
	}
	words_of(f, commands, '\n', &lines);
	for (size_t i = 0; i < lines.n; i++) {
		str_vec words = {0};
		struct script_call call = {.variables = all.v, .variables_n = all.n};
		struct script_reply reply = {
			.text = {.arena = f->a}, .listener = &listener};
		struct script_command c = {&scripts, &call, &reply, false};

		words_of(f, lines.v[i].p, ' ', &words);
		call.command = words.v[0];
		call.words = (struct str_list){words.v + 1, words.n - 1};
		script_answer(&c);
	}
}

static void
test_scripts(void **state)
{
	static const struct {
		const char *version, *options, *commands, *variables, *facts;
	} rows[] = {
		/* ---- what all have */
		{"3.25", "", "ctest_test", "",
			"part=Test script=1 quiet=0 append=0 index=0 directory=@ "
			"binary=@ source=@ BuildDirectory=@ SourceDirectory=@"},
		{"3.25", "", "ctest_test QUIET APPEND", "", "quiet=1 append=1"},
		{"3.25", "", "ctest_test SOURCE src", "CTEST_SOURCE_DIRECTORY=/s",
			"source=@/src"},
		{"3.25", "", "ctest_test", "CTEST_SOURCE_DIRECTORY=/s", "source=/s"},
		{"3.25", "", "ctest_test BUILD .", "", "directory=@ binary=@"},
		{"3.25", "", "ctest_test",
			"_cctr_property_SubProject=p\nCTEST_CHANGE_ID=7",
			"subproject=p ChangeId=7"},
		{"3.25", "", "ctest_test\nctest_test", "", "index=0; index=0"},
		{"3.25", "", "ctest_test SUBMIT_INDEX 2\nctest_test", "",
			"index=2; index=2"},
		{"4.4", "", "ctest_test SUBMIT_INDEX 2\nctest_test", "",
			"index=2; index=0"},
		/* ---- ctest_test */
		{"3.25", "", "ctest_test", "", "jobs=1 limit=600 repeats=1 stops=0"},
		{"3.25", "-j4 --timeout 5", "ctest_test", "", "jobs=4 timeout=5"},
		{"3.25", "-j4", "ctest_test PARALLEL_LEVEL 2", "", "jobs=2"},
		{"3.25", "--timeout 5", "ctest_test", "CTEST_TEST_TIMEOUT=7",
			"timeout=5 limit=7"},
		{"4.4", "--timeout 5", "ctest_test", "CTEST_TEST_TIMEOUT=7",
			"timeout=5 limit=7"},
		{"3.25", "-L a", "ctest_test INCLUDE_LABEL b INCLUDE x", "",
			"labels=a,b include=x"},
		{"4.4", "-L a", "ctest_test INCLUDE_LABEL b", "", "labels=b"},
		{"3.25", "", "ctest_test START 2 STRIDE 3", "", "range=2,,3"},
		{"3.25", "", "ctest_test REPEAT UNTIL_PASS:3 STOP_ON_FAILURE", "",
			"repeats=3 stops=1"},
		{"3.25", "", "ctest_test TEST_LOAD 2", "CTEST_TEST_LOAD=3", "load=2"},
		{"3.25", "", "ctest_test", "CTEST_TEST_LOAD=3", "load=3"},
		{"3.25", "", "ctest_test REPEAT NEVER:3", "", ""},
		/* ---- ctest_memcheck, ctest_coverage */
		{"3.25", "", "ctest_memcheck",
			"CTEST_MEMORYCHECK_COMMAND=m\n"
			"CTEST_MEMORYCHECK_TYPE=Valgrind",
			"part=MemCheck MemoryCheckCommand=m MemoryCheckType=Valgrind "
			"limit=600"},
		{"3.25", "", "ctest_coverage",
			"CTEST_COVERAGE_COMMAND=gcov\n"
			"CTEST_CUSTOM_COVERAGE_EXCLUDE=a;b",
			"part=Coverage CoverageCommand=gcov excluded=a,b"},
		/* ---- ctest_build, ctest_configure */
		{"3.25", "", "ctest_build",
			"CTEST_BUILD_COMMAND=make all\nCTEST_USE_LAUNCHERS=1",
			"part=Build MakeCommand=make$all UseLaunchers=1"},
		{"3.25", "", "ctest_build", "",
			"ctest_build has no project to build. If this is a \"built with "
			"CMake\" project, verify that CTEST_CMAKE_GENERATOR is set. "
			"Otherwise, set CTEST_BUILD_COMMAND to build the project with a "
			"custom command line."},
		{"3.25", "", "ctest_configure", "CTEST_CONFIGURE_COMMAND=cmake .",
			"part=Configure ConfigureCommand=cmake$. directory=@"},
		/* ---- ctest_update */
		{"3.25", "", "ctest_update",
			"CTEST_UPDATE_COMMAND=git\nCTEST_UPDATE_TYPE=git\n"
			"CTEST_SOURCE_DIRECTORY=/s",
			"part=Update UpdateCommand=git UpdateType= source=/s"},
		{"4.4", "", "ctest_update SOURCE /s", "CTEST_UPDATE_COMMAND=git",
			"ctest_update called with no current tag."},
		/* ---- ctest_submit, ctest_upload */
		{"3.25", "", "ctest_submit PARTS Test Build",
			"CTEST_DROP_SITE=a\nCTEST_DROP_LOCATION=/b",
			"part=Submit parts=Test,Build DropSite=a DropLocation=/b "
			"SubmitURL="},
		{"3.25", "", "ctest_submit SUBMIT_URL u",
			"CTEST_DROP_SITE=a\nCTEST_SUBMIT_URL=v", "SubmitURL=u DropSite="},
		{"4.4", "", "ctest_submit", "CTEST_SUBMIT_PARTS=Test;Done",
			"parts=Test,Done"},
		{"3.25", "", "ctest_submit", "CTEST_SUBMIT_PARTS=Test;Done", "parts="},
		{"3.25", "", "ctest_submit", "CTEST_CURL_OPTIONS=x", "CurlOptions=x"},
		{"3.25", "", "ctest_upload FILES", "", "part=Upload index=0"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct dashboard_fixture *f = open_fixture(
			rows[i].version, "-S s", rows[i].options, rows[i].facts);

		call_commands(f, rows[i].commands, rows[i].variables);
		check_seen(rows[i].facts);
		close_fixture(f);
	}
}

/* ---- command lines --------------------------------------------------------------- */

/* With the keys of DartConfiguration.tcl, one in each line. */
static void
run_client(struct dashboard_fixture *f, const char *keys)
{
	struct str text = str_fmt(f->a,
		"BuildDirectory: %s\nSourceDirectory: /usr\nSite: here\nMakeCommand: "
		"make\n%s\n",
		f->directory, keys);
	struct client *client;
	const char *unset;
	struct str build;
	int interrupted = 0;

	assert_true(file_write(f->a, "DartConfiguration.tcl", ".tmp", text));
	client = dashboard_open(f->a, &f->options, &f->dialect, f->console, &f->inputs);
	assert_string_equal(str_z(f->a, dashboard_place(client)->path), f->directory);
	assert_true(dashboard_introduce(client, &build));
	assert_int_equal(build.n, 0);
	assert_true(dashboard_begin(client));
	while (dashboard_step(client, &unset))
		assert_null(unset);
	assert_int_equal(dashboard_end(client, &interrupted), 0);
	assert_int_equal(interrupted, 0);
}

static void
test_command_lines(void **state)
{
	static const struct {
		const char *version, *options, *keys, *facts;
	} rows[] = {
		{"3.25", "-T Build", "",
			"part=Build script=0 quiet=0 append=0 index=0 directory=@ "
			"binary=@ source=/usr group=Experimental model=Experimental "
			"Site=here MakeCommand=make"},
		{"4.4", "-T Build", "",
			"part=Build script=1 quiet=0 append=0 index=0 directory=@ "
			"binary=@ source=/usr group=Experimental model=Experimental "
			"Site=here MakeCommand=make"},
		{"3.25", "-M Nightly -T Start -T Test --group g",
			"NightlyStartTime: 21:00:00 UTC", "group=g model=Nightly"},
		{"4.4", "-M Nightly -T Start -T Test --group g",
			"NightlyStartTime: 21:00:00 UTC", "group=g model=Nightly"},
		{"3.25", "-T Test -T Build", "", "part=Build; part=Test"},
		{"3.25", "-T Test -j3 --timeout 5", "TimeOut: 9", "jobs=3 timeout=5"},
		{"4.4", "-T Test -j3", "TimeOut: 9", "jobs=3 limit=9"},
		{"3.25", "-T Submit", "DropSite: a", "part=Submit DropSite=a"},
		{"3.25", "-T Submit --overwrite DropSite=b", "DropSite: a", "DropSite=b"},
		{"4.4", "-T Submit --overwrite DropSite=b", "DropSite: a", "DropSite=b"},
		{"4.4", "-T Submit -D CTEST_DROP_SITE=c", "DropSite: a", "DropSite=c"},
		{"4.4", "-T Submit", "SubmitParts: Test;Done", "parts=Test,Done"},
		{"3.25", "-T Submit", "SubmitParts: Test;Done", "parts="},
		{"3.25", "-T Test -A note", "",
			"part=Test notes=note; part=Notes notes=note"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct dashboard_fixture *f =
			open_fixture(rows[i].version, "", rows[i].options, rows[i].facts);

		run_client(f, rows[i].keys);
		check_seen(rows[i].facts);
		close_fixture(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_command_lines),
	};

	return run_unit_tests("step_input", tests, NULL, NULL);
}
