/*
 * The record of the driver, the messages around it, and the process itself: a stand-in
 * for cmake shows what is handed to it, the real one (where there is one) that every
 * argument comes back as it went in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "manifests/bridge/cmake_process.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_frames.h"
#include "tests/unit/unit.h"

/* ---- the record ------------------------------------------------------------------ */

struct record_row {
	const char *record;
	bool is_whole;
	const char *dump; /* "command|word|word\n", "variable=value\n" */
};

static const struct record_row records[] = {
	{"end 0 N\n", true, ""},
	{"add_test 2 P 3:a;b\nend 0 N\n", true, "add_test|a|b\n"},
	{"add_test 3 P 7:a;;b\\;c\nend 0 N\n", true, "add_test|a||b;c\n"},
	{"add_test 2 P 5:a\\;;b\nend 0 N\n", true, "add_test|a;|b\n"},
	{"subdirs 1 P 2:a\\\nend 0 N\n", true, "subdirs|a\\\n"},
	{"subdirs 1 P 0:\nend 0 N\n", true, "subdirs|\n"},
	{"add_test 0 P 0:\nend 0 N\n", true, "add_test\n"},
	{"add_test 3 N 2:[a 1:] 3:a\nb\nend 0 N\n", true, "add_test|[a|]|a\nb\n"},
	{"variable 2 N 1:V 3:x;y\nend 0 N\n", true, "V=x;y\n"},
	/* what is cut off or wrong, and what came before it */
	{"", false, ""},
	{"add_test 2 P 3:a;b\n", false, "add_test|a|b\n"},
	{"add_test 2 P 3:a;b\nend 0 N\nx", false, "add_test|a|b\n"},
	{"add_test 3 P 3:a;b\nend 0 N\n", false, ""},
	{"add_test 1 P 3:a;b\nend 0 N\n", false, ""},
	{"add_test 0 P 1:a\nend 0 N\n", false, ""},
	{"add_test 2 P 9:a;b\n", false, ""},
	{"add_test 2 N 1:a\n", false, ""},
	{"add_test -1 P 1:a\n", false, ""},
	{"add_test 99999999999999999999 P 1:a\n", false, ""},
	{"add_test 4000000000 P 1:a\n", false, ""},
	{"add_test 1 Q 1:a\n", false, ""},
	{"add_test", false, ""},
};

static const char *
dump_answer(struct arena *a, const struct cmake_answer *answer)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < answer->calls_n; i++) {
		const struct cmake_call *c = &answer->calls[i];

		buf_str(&b, c->command);
		for (size_t k = 0; k < c->words.n; k++)
			buf_fmt(&b, "|%.*s", STR_ARG(c->words.v[k]));
		buf_char(&b, '\n');
	}
	for (size_t i = 0; i < answer->variables_n; i++)
		buf_fmt(&b, "%.*s=%.*s\n", STR_ARG(answer->variables[i].name),
			STR_ARG(answer->variables[i].value));
	return b.p;
}

static void
reads_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(records); i++) {
		struct arena *a = arena_open();
		struct cmake_answer answer = {0};
		struct str record = str_dup(a, str_of(records[i].record));

		assert_int_equal(
			cmake_record_parse(a, record, &answer), records[i].is_whole);
		assert_string_equal(dump_answer(a, &answer), records[i].dump);
		arena_close(a);
	}
}

/* ---- messages -------------------------------------------------------------------- */

#define STACK "Call Stack (most recent call first):\n"
#define OUTER "  /tmp/x/script.cmake:7 (include)\n"

struct message_row {
	const char *cmake, *ctest;
};

/* cmake runs in /b/sub for /b/sub/CTestTestfile.cmake, the driver is /share/d.cmake. */
static const struct message_row messages[] = {
	{"", ""},
	{"plain\ntext", "plain\ntext"},
	{"CMake Error at CTestTestfile.cmake:2 (message):\n  top\n" STACK OUTER "\n\n",
		"CMake Error at /b/sub/CTestTestfile.cmake:2 (message):\n  top\n\n\n"},
	{"one\nCMake Warning (dev) at CTestTestfile.cmake:2 (message):\n  a\n\n  "
	 "b\n" STACK OUTER "This warning is for\n\ntwo\n",
		"one\nCMake Warning (dev) at /b/sub/CTestTestfile.cmake:2 (message):\n"
		"  a\n\n  b\nThis warning is for\n\ntwo\n"},
	/* of 4.4, which names the kind of all of them */
	{"CMake Warning (policy) at CTestTestfile.cmake:2 (m):\n  a\n" STACK OUTER
	 "This warning is for\nsuppress it.\n\n",
		"CMake Warning (policy) at /b/sub/CTestTestfile.cmake:2 (m):\n"
		"  a\nThis warning is for\nsuppress it.\n\n"},
	{"CMake Warning (no end at CTestTestfile.cmake:2 (m):\n  a\n" STACK OUTER,
		"CMake Warning (no end at CTestTestfile.cmake:2 (m):\n  a\n" STACK OUTER},
	{"CMake Error at i/x.cmake:1 (message):\n  i\n" STACK
	 "  CTestTestfile.cmake:14 (include)\n" OUTER "\n\n",
		"CMake Error at /b/sub/i/x.cmake:1 (message):\n  i\n" STACK
		"  /b/sub/CTestTestfile.cmake:14 (include)\n\n\n"},
	/* an error that the driver raises is one of the command that it stands for */
	{"CMake Error at /share/d.cmake:39 (message):\n  add_test called\n" STACK
	 "  /share/d.cmake:49 (_cctr_check)\n  CTestTestfile.cmake:5 (add_test)\n" OUTER
	 "\n\n",
		"CMake Error at /b/sub/CTestTestfile.cmake:5 (add_test):\n"
		"  add_test called\n\n\n"},
	/* no command: a syntax error */
	{"CMake Error at CTestTestfile.cmake:27:\n  Parse error.\n" STACK OUTER "\n\n",
		"CMake Error at /b/sub/CTestTestfile.cmake:27:\n  Parse error.\n\n\n"},
	/* only ours: nothing better to say */
	{"CMake Error at /share/d.cmake:3 (message):\n  x\n" STACK OUTER "\n",
		"CMake Error at /share/d.cmake:3 (message):\n  x\n" STACK OUTER "\n"},
	/* made to look like a message: not by the test file's commands */
	{"CMake Error at a:1 (b):\n  x\nCMake Error at c:2 (d):\n  y\n" STACK OUTER "\n",
		"CMake Error at a:1 (b):\n  x\nCMake Error at /b/sub/c:2 (d):\n  y\n\n"},
	{"CMake Error at a:1 (b):\n" STACK "  c:2 (d)\n",
		"CMake Error at a:1 (b):\n" STACK "  c:2 (d)\n"},
	{"CMake Error: The source\n", "CMake Error: The source\n"},
	{"CMake Error at :", "CMake Error at :"},
};

static void
restores_messages(void **state)
{
	const struct cmake_frames below = {.directory = STR("/b/sub"),
		.file = STR("/b/sub/CTestTestfile.cmake"),
		.spelled = STR("/b/sub/CTestTestfile.cmake"),
		.ours = {STR("/share/d.cmake"), STR("/tmp/x/script.cmake")}};

	(void)state;
	for (size_t i = 0; i < ROWS(messages); i++) {
		struct arena *a = arena_open();
		struct str got =
			cmake_frames_restore(a, &below, str_of(messages[i].cmake));

		assert_string_equal(str_z(a, got), messages[i].ctest);
		arena_close(a);
	}
}

static void
names_the_top_and_the_callers(void **state)
{
	const struct place top = {
		.file = STR("CTestTestfile.cmake"), .line = 1, .command = STR("include")};
	const struct place caller = {.file = STR("/b/i.cmake"),
		.line = 9,
		.command = STR("subdirs"),
		.caller = &top};
	struct cmake_frames f = {.directory = STR("/b"),
		.file = STR("/b/CTestTestfile.cmake"),
		.spelled = STR("CTestTestfile.cmake"),
		.ours = {STR("/d"), STR("/tmp/x/script.cmake")}};
	const struct str text = STR(
		"CMake Error at CTestTestfile.cmake:2 (x):\n  t\n" STACK OUTER "\n\n");
	struct arena *a = arena_open();

	(void)state;
	assert_string_equal(cmake_frames_restore(a, &f, text).p,
		"CMake Error at CTestTestfile.cmake:2 (x):\n  t\n\n\n");
	f.caller = &caller;
	assert_string_equal(cmake_frames_restore(a, &f, text).p,
		"CMake Error at CTestTestfile.cmake:2 (x):\n  t\n" STACK
		"  /b/i.cmake:9 (subdirs)\n  CTestTestfile.cmake:1 (include)\n\n\n");
	arena_close(a);
}

static void
names_the_limit_that_is_meant(void **state)
{
	const struct cmake_limit limit = {16, 10};
	const struct cmake_frames f = {.directory = STR("/b"),
		.file = STR("/b/CTestTestfile.cmake"),
		.spelled = STR("/b/CTestTestfile.cmake"),
		.ours = {STR("/d"), STR("/tmp/x/script.cmake")},
		.limit = &limit};
	static const char *const rows[][2] = {
		{"Maximum recursion depth of 16 exceeded",
			"Maximum recursion depth of 10 exceeded"},
		{"Maximum recursion depth of 160 exceeded",
			"Maximum recursion depth of 160 exceeded"},
		{"A maximum recursion depth of 16 exceeded",
			"A maximum recursion depth of 16 exceeded"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_fmt(a,
			"CMake Error at i:2 (x):\n  %s\n  more\n" STACK OUTER "\n\n",
			rows[i][0]);
		struct str want = str_fmt(
			a, "CMake Error at /b/i:2 (x):\n  %s\n  more\n\n\n", rows[i][1]);

		assert_string_equal(cmake_frames_restore(a, &f, text).p, want.p);
	}
	arena_close(a);
}

/* ---- the process ----------------------------------------------------------------- */

struct fixture {
	struct arena *a;
	struct diag d;
	struct str folder;
	struct source_request request;
	struct dialect dialect;
	struct cmake_question question;
	struct cmake_answer answer;
};

static struct str
put(struct fixture *f, const char *name, const char *text)
{
	struct str path = path_join(f->a, f->folder, str_of(name));

	assert_true(file_write(f->a, path.p, ".tmp", str_of(text)));
	return path;
}

static int
begin(void **state)
{
	struct arena *a = arena_open();
	struct fixture *f = NEW(a, struct fixture);
	char *folder = (char *)str_z(a, STR("/tmp/cctr-test-XXXXXX"));

	if (!mkdtemp(folder))
		return -1;
	f->a = a;
	f->d = diag_in(a);
	f->folder = str_of(folder);
	f->dialect = dialect_of(3025);
	f->request = (struct source_request){.path = f->folder,
		.share = path_join(a, path_here(a), STR("cmake")),
		.dialect = &f->dialect};
	f->question = (struct cmake_question){.directory = f->folder,
		.file = path_join(a, f->folder, STR("CTestTestfile.cmake")),
		.spelled = STR("CTestTestfile.cmake"),
		.has_tests = true,
		.request = &f->request};
	*state = f;
	return 0;
}

static int
end(void **state)
{
	static const char *const names[] = {"cmake", "CTestTestfile.cmake",
		"CMakeCache.txt", "bin/cmake", "seen", "bin"};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(names); i++)
		remove(path_join(f->a, f->folder, str_of(names[i])).p);
	rmdir(f->folder.p);
	arena_close(f->a);
	return 0;
}

/* A shell script in place of cmake; $record and $environ are what it has to write. */
static void
stand_in(struct fixture *f, const char *name, const char *script)
{
	struct str path = put(f, name,
		str_fmt(f->a,
			"#!/bin/sh\n"
			"folder=$(sed -n 's/.*CCTR_FOLDER \"\\(.*\\)\")$/\\1/p' \"$3\")\n"
			"record=$folder/record environ=$folder/environment\n%s\n",
			script)
			.p);

	assert_return_code(chmod(path.p, 0755), 0);
	f->request.cmake = path;
}

static bool
ask(struct fixture *f)
{
	return cmake_process_ask(f->a, &f->question, &f->answer, &f->d);
}

static void
brings_everything_back(void **state)
{
	static const struct environment_change before[] = {
		{.name = STR("HANDED"), .value = STR("down\nhere")},
		{.name = STR("HOME"), .value = STR(""), .unset = true}};
	struct fixture *f = *state;

	f->question.environment = before;
	f->question.environment_n = 2;
	stand_in(f, "cmake",
		"test \"$1 $2\" = '--log-level=NOTICE -P' || exit 3\n"
		"test -z \"${HOME+x}\" || exit 4\n"
		"pwd; echo problem >&2\n"
		"NEW=\"$HANDED\" HANDED= env -0 >$environ\n"
		"printf 'add_test 2 P 3:a;b\\nend 0 N\\n' >$record");
	assert_true(ask(f));
	assert_int_equal(f->d.errors, 0);
	assert_false(f->answer.failed);
	assert_string_equal(dump_answer(f->a, &f->answer), "add_test|a|b\n");
	assert_true(str_eq(str_trim(f->answer.output), f->folder));
	assert_string_equal(f->answer.messages.p, "problem\n");
	for (size_t i = 0; i < f->answer.environment_n; i++) {
		const struct environment_change *c = &f->answer.environment[i];

		assert_false(c->unset);
		if (str_is(c->name, "NEW"))
			assert_true(str_is(c->value, "down\nhere"));
		else if (str_is(c->name, "HANDED"))
			assert_int_equal(c->value.n, 0);
		else /* what a shell sets by itself */
			assert_true(str_is(c->name, "PWD") || str_is(c->name, "_") ||
				    str_is(c->name, "OLDPWD") ||
				    str_is(c->name, "SHLVL"));
	}
	assert_in_range(f->answer.environment_n, 2, 6);
}

/* Says what each turn brought; the second one ends it all. */
struct turns {
	struct fixture *f;
	struct buf seen;
	unsigned n, stop_at;
};

static bool
take_notes(void *context, const struct cmake_answer *so_far, struct cmake_state *now)
{
	static const struct variable variables[] = {
		{STR("kept"), STR("1")}, {STR("new"), STR("a;\"$\\")}};
	static const struct environment_change environment[] = {
		{.name = STR("BELOW"), .value = STR("yes")},
		{.name = STR("HOME"), .value = STR(""), .unset = true}};
	struct turns *t = context;
	struct cmake_answer calls = *so_far;

	calls.variables_n = 0;
	buf_fmt(&t->seen, "turn %u:%s", ++t->n, dump_answer(t->f->a, &calls));
	*now = (struct cmake_state){variables, 2, environment, 2};
	return t->n != t->stop_at;
}

struct turns_row {
	unsigned stop_at;
	const char *seen, *answer;
};

static void
real_cmake_takes_turns(void **state)
{
	static const struct turns_row rows[] = {
		{0, "turn 1:add_test|one|x\nsubdirs|a|b\nturn 2:add_subdirectory|c\n",
			"add_test|[1] [a;\"$\\] [] [yes] []|x\n"},
		{2, "turn 1:add_test|one|x\nsubdirs|a|b\nturn 2:add_subdirectory|c\n",
			""},
		{1, "turn 1:add_test|one|x\nsubdirs|a|b\n", ""},
	};
	struct fixture *f = *state;

	put(f, "CTestTestfile.cmake",
		"set(kept 1)\nset(gone 1)\nadd_test(one x)\nsubdirs(a b)\n"
		"function(f)\nadd_subdirectory(c)\nendfunction()\nf()\n"
		"add_test(\"[${kept}] [${new}] [${gone}] [$ENV{BELOW}] [$ENV{HOME}]\" "
		"x)\n");
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct turns t = {
			.f = f, .seen = {.arena = f->a}, .stop_at = rows[i].stop_at};

		f->question.pause = take_notes;
		f->question.context = &t;
		assert_true(ask(f));
		f->answer.variables_n = 0;
		f->answer.environment_n = 0;
		assert_int_equal(f->answer.is_cut_off, rows[i].stop_at != 0);
		assert_string_equal(t.seen.p, rows[i].seen);
		assert_string_equal(dump_answer(f->a, &f->answer), rows[i].answer);
	}
	assert_int_equal(f->d.errors, 0);
}

static bool
has_cmake(void)
{
	return system("cmake -P /dev/null >/dev/null 2>&1") == 0;
}

/* Without the first file both would wait for each other, without the second neither. */
static void
real_cmake_misses_its_turn(void **state)
{
	static const char *const names[] = {"requests", "turn1"};
	struct fixture *f = *state;

	if (!has_cmake())
		SKIP_TEST("no cmake");
	for (size_t i = 0; i < ROWS(names); i++) {
		struct turns t = {.f = f, .seen = {.arena = f->a}};

		put(f, "CTestTestfile.cmake",
			str_fmt(f->a,
				"execute_process(COMMAND sh -c \"rm "
				"'%.*s'/cctr-scratch-*/%s\")\nsubdirs(a)\n",
				STR_ARG(f->folder), names[i])
				.p);
		f->question.pause = take_notes;
		f->question.context = &t;
		setenv("TMPDIR", f->folder.p, 1);
		assert_true(ask(f));
		unsetenv("TMPDIR");
		assert_int_equal(t.n, 0);
		assert_true(f->answer.failed && f->answer.is_cut_off);
		assert_true(str_begins(f->answer.messages,
			STR("CMake Error at CTestTestfile.cmake:2 (subdirs):\n")));
		assert_true(str_has(f->answer.messages, str_fmt(f->a, "/%s ", names[i])));
	}
}

struct ending_row {
	const char *script;
	bool asked, failed, is_cut_off;
};

static void
tells_failures_apart(void **state)
{
	static const struct ending_row rows[] = {
		{"printf 'end 0 N\\n' >$record; : >$environ", true, false, false},
		{"printf 'end 0 N\\n' >$record; : >$environ; exit 1", true, true, false},
		{"exit 1", true, true, true},
		{":", true, true, true},
		{"printf 'add_test 2 P 3:a;b\\n' >$record", true, true, true},
		{"kill -9 $$", false, true, true},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		size_t errors = f->d.errors;

		stand_in(f, "cmake", rows[i].script);
		assert_int_equal(ask(f), rows[i].asked);
		assert_int_equal(f->answer.failed, rows[i].failed);
		assert_int_equal(f->answer.is_cut_off, rows[i].is_cut_off);
		assert_int_equal(f->d.errors - errors, !rows[i].asked);
	}
}

struct removal_row {
	const char *command, *missing;
	bool is_cut_off;
};

/* A test file removes cctr's files: the program says which one it misses. */
static void
says_what_was_removed(void **state)
{
	static const struct removal_row rows[] = {
		{"rm -r $folder", "/err", true},
		{"rm $folder/err; printf 'end 0 N\\n' >$record; : >$environ", "/err",
			false},
		{"rm $folder/out; printf 'end 0 N\\n' >$record; : >$environ", "/out",
			false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		size_t n = f->d.entries.n;

		stand_in(f, "cmake", rows[i].command);
		assert_true(ask(f));
		assert_true(f->answer.failed);
		assert_int_equal(f->answer.is_cut_off, rows[i].is_cut_off);
		assert_int_equal(f->d.entries.n, n + 1);
		assert_true(str_ends(f->d.entries.v[n].at.file, str_of(rows[i].missing)));
	}
}

/* The request's, the cache's, the one in PATH; then it is an error. */
static void
chooses_the_cmake(void **state)
{
	struct fixture *f = *state;
	struct str saved = str_dup(f->a, str_of(getenv("PATH")));
	struct str bin = path_join(f->a, f->folder, STR("bin"));

	assert_true(directory_make(f->a, bin.p));
	stand_in(f, "bin/cmake", "echo path");
	stand_in(f, "cmake", "echo cache");
	put(f, "CMakeCache.txt",
		str_fmt(f->a,
			"# c\nX:STRING=y\nCMAKE_COMMAND:INTERNAL=%s/cmake\nZ:BOOL=1\n",
			f->folder.p)
			.p);
	setenv("PATH", str_fmt(f->a, "/nonexistent:%s:/usr/bin:/bin", bin.p).p, 1);
	f->request.cmake = STR("");
	assert_true(ask(f));
	assert_string_equal(f->answer.output.p, "cache\n");
	remove(path_join(f->a, f->folder, STR("CMakeCache.txt")).p);
	assert_true(ask(f));
	assert_string_equal(f->answer.output.p, "path\n");
	setenv("PATH", "/nonexistent", 1);
	f->question.needed_by = (struct place){
		.file = STR("F"), .line = 3, .command = STR("execute_process")};
	assert_false(ask(f));
	setenv("PATH", saved.p, 1);
	assert_int_equal(f->d.errors, 1);
	assert_int_equal(f->d.entries.v[0].at.line, 3);
	assert_string_equal(f->d.entries.v[0].text.p,
		"execute_process needs cmake to be evaluated, and none was found");
}

static const struct variable *
variable(const struct cmake_answer *answer, const char *name)
{
	for (size_t i = 0; i < answer->variables_n; i++)
		if (str_is(answer->variables[i].name, name))
			return &answer->variables[i];
	return NULL;
}

static void
real_cmake_keeps_every_byte(void **state)
{
	static const struct variable handed[] = {
		{STR("V"), STR("a;b\\;c\r\n$x ${V} @V@ \"q\" \\ [[x]] #")},
		{STR("W"), STR("PARENT_SCOPE")},
		{STR("odd[1] name"), STR("")},
		{STR("CMAKE_VERSION"), STR("0.1")},
	};
	struct fixture *f = *state;

	if (!has_cmake())
		SKIP_TEST("no cmake");
	f->question.variables = handed;
	f->question.variables_n = 4;
	put(f, "CTestTestfile.cmake",
		"add_test(\"n;m\" c \"\" \"a\\\\\" [==[;]==] \"[\" \"x;y\" \"]\" "
		"[[\\;]])\n"
		"Add_Test(a \"${V}\" \"${W}\" \"${CMAKE_VERSION}\")\n"
		"set_tests_properties(a PROPERTIES K \"1;2\")\n"
		"subdirs(x \"y;z\")\n"
		"message(STATUS hidden)\nmessage(shown)\n"
		"set(V \"new;value\")\nunset(W)\n"
		"set(ENV{CCTR_TEST_NEW} \"one\ntwo=2\")\n"
		"execute_process(COMMAND sh -c \"echo out\")\n"
		"if(CMAKE_SCRIPT_MODE_FILE OR DEFINED CMAKE_COMMAND OR CMAKE_ARGC)\n"
		"  message(SEND_ERROR script)\nendif()\n");
	assert_true(ask(f));
	assert_string_equal(f->answer.messages.p, "shown\n");
	assert_false(f->answer.failed);
	assert_string_equal(f->answer.output.p, "out\n");
	assert_true(str_is(variable(&f->answer, "V")->value, "new;value"));
	assert_null(variable(&f->answer, "W"));
	assert_int_equal(variable(&f->answer, "odd[1] name")->value.n, 0);
	assert_int_equal(f->answer.environment_n, 1);
	assert_true(str_is(f->answer.environment[0].name, "CCTR_TEST_NEW"));
	assert_true(str_is(f->answer.environment[0].value, "one\ntwo=2"));
	assert_int_equal(f->answer.calls_n, 4);
	assert_true(str_is(f->answer.calls[1].words.v[1], handed[0].value.p));
	assert_true(str_is(f->answer.calls[1].words.v[2], "PARENT_SCOPE"));
	assert_false(str_is(f->answer.calls[1].words.v[3], "0.1"));
	f->answer.calls[1].words.n = 1;
	f->answer.variables_n = 0;
	assert_string_equal(dump_answer(f->a, &f->answer),
		"add_test|n;m|c||a\\|;|[|x;y|]|\\;\nadd_test|a\n"
		"set_tests_properties|a|PROPERTIES|K|1;2\nsubdirs|x|y;z\n");
}

static void
real_cmake_reports_as_ctest_does(void **state)
{
	struct fixture *f = *state;

	if (!has_cmake())
		SKIP_TEST("no cmake");
	put(f, "CTestTestfile.cmake",
		"add_test(a)\nset_tests_properties(a)\nsubdirs()\nadd_test(b c)\n");
	assert_true(ask(f));
	assert_true(f->answer.failed);
	assert_false(f->answer.is_cut_off);
	assert_string_equal(f->answer.messages.p,
		"CMake Error at CTestTestfile.cmake:1 (add_test):\n"
		"  add_test called with incorrect number of arguments\n\n\n"
		"CMake Error at CTestTestfile.cmake:2 (set_tests_properties):\n"
		"  set_tests_properties unknown error.\n\n\n"
		"CMake Error at CTestTestfile.cmake:3 (subdirs):\n"
		"  subdirs called with incorrect number of arguments\n\n\n");
	put(f, "CTestTestfile.cmake", "message(FATAL_ERROR \"stop\")\nmessage(on)\n");
	assert_true(ask(f));
	assert_true(f->answer.is_cut_off);
	assert_string_equal(f->answer.messages.p,
		"CMake Error at CTestTestfile.cmake:1 (message):\n  stop\n\n\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_records),
		cmocka_unit_test(restores_messages),
		cmocka_unit_test(names_the_top_and_the_callers),
		cmocka_unit_test(names_the_limit_that_is_meant),
		cmocka_unit_test_setup_teardown(brings_everything_back, begin, end),
		cmocka_unit_test_setup_teardown(tells_failures_apart, begin, end),
		cmocka_unit_test_setup_teardown(says_what_was_removed, begin, end),
		cmocka_unit_test_setup_teardown(chooses_the_cmake, begin, end),
		cmocka_unit_test_setup_teardown(real_cmake_keeps_every_byte, begin, end),
		cmocka_unit_test_setup_teardown(
			real_cmake_reports_as_ctest_does, begin, end),
		cmocka_unit_test_setup_teardown(real_cmake_takes_turns, begin, end),
		cmocka_unit_test_setup_teardown(real_cmake_misses_its_turn, begin, end),
	};

	return run_unit_tests("cmake_process", tests, NULL, NULL);
}
