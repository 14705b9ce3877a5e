/*
 * The evaluator: every case of tests/cases/cmake (regenerate.py there describes them),
 * then what no text can ask: marks, rewinding, being called back.
 */
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/console/console.h"
#include "compat/format/regex.h"
#include "manifests/cmake/cmake_eval.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

static const char folder[] = "tests/cases/cmake";

/* ---- a directory of test files --------------------------------------------------- */

struct world {
	struct arena *a;
	char path[64];
	struct dialect *dialect;
	struct source_request request;
	struct declarations out;
	struct evaluator *evaluator;
	size_t piece; /* 0: the usual one */
	uint64_t steps_most; /* 0: no limit */
	bool rewinds; /* the callback reads each directory twice, the first time in vain
		       */
};

static enum eval_result
read_directory(void *context, struct evaluator *e, const struct subdirectory *sub)
{
	struct world *w = context;
	struct evaluator_mark *mark = evaluator_mark(e);

	if (w->rewinds) {
		w->rewinds = false;
		(void)evaluator_read(e, sub->file, sub->directory, false);
		w->rewinds = true;
		evaluator_rewind(e, mark);
	}
	return evaluator_read(e, sub->file, sub->directory, false);
}

static struct world
world_new(void)
{
	struct world w = {.a = arena_open(), .path = "/tmp/cctr-eval-XXXXXX"};

	assert_non_null(mkdtemp(w.path));
	w.dialect = NEW(w.a, struct dialect);
	*w.dialect = dialect_of(3025);
	w.request = (struct source_request){.configuration = STR(""),
		.dialect = w.dialect,
		.patterns = match_set_open(w.a, regex_parse)};
	return w;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void
world_end(struct world *w)
{
	nftw(w->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	match_set_close(w->request.patterns);
	arena_close(w->a);
}

static void
world_file(struct world *w, struct str name, struct str text)
{
	struct str path = path_join(w->a, str_of(w->path), name);
	FILE *f;

	assert_true(directory_make(w->a, str_z(w->a, path_parent(path))));
	f = fopen(path.p, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
	fclose(f);
}

static void
world_evaluator(struct world *w)
{
	w->evaluator = evaluator_new(w->a, &w->request, &w->out,
		&(struct evaluator_settings){read_directory, w, w->steps_most, w->piece});
}

static enum eval_result
world_read(struct world *w)
{
	struct str top = str_fmt(w->a, "%s/CTestTestfile.cmake", w->path);

	world_evaluator(w);
	return evaluator_read(w->evaluator, top, str_of(w->path), true);
}

/* ---- what came out, as text ------------------------------------------------------ */

static void
add_words(struct buf *b, const char *kind, const struct world *w,
	const struct declaration *d)
{
	struct str below = str_from(d->directory, strlen(w->path));

	buf_fmt(b, "%s %s%.*s", kind, below.n ? "." : ".", STR_ARG(below));
	for (size_t i = 0; i < d->words.n; i++)
		buf_fmt(b, " <%.*s>", STR_ARG(d->words.v[i]));
	buf_char(b, '\n');
}

static struct str
declared(struct world *w)
{
	struct buf b = {.arena = w->a};

	for (size_t i = 0; i < w->out.list.n; i++) {
		const struct declaration *d = &w->out.list.v[i];

		assert_non_null(d->place);
		switch (d->kind) {
		case DECLARE_TEST:
			add_words(&b, "test", w, d);
			break;
		case DECLARE_PROPERTIES:
			add_words(&b, "properties", w, d);
			break;
		case DECLARE_DIRECTORY_LABELS:
			add_words(&b, "labels", w, d);
			break;
		case DECLARE_ENVIRONMENT:
			add_words(&b, "environment", w, d);
			break;
		case DECLARE_MESSAGE:
		case DECLARE_OWN_PROPERTIES:
			break;
		}
	}
	return buf_as_str(&b);
}

/* The directory's name, where it occurs, as "@DIR@". */
static struct str
without_path(struct world *w, struct str s)
{
	struct buf b = {.arena = w->a};
	struct str path = str_of(w->path);

	while (s.n) {
		size_t n = str_search(s, path);

		buf_add(&b, s.p, n);
		if (n < s.n)
			buf_z(&b, "@DIR@");
		s = str_from(s, n < s.n ? n + path.n : n);
	}
	return buf_as_str(&b);
}

static struct str
said(struct world *w)
{
	struct buf b = {.arena = w->a};

	for (size_t i = 0; i < w->out.list.n; i++) {
		const struct declaration *d = &w->out.list.v[i];
		struct diag_entry entry = {d->message, declaration_place(d), STR_NONE};

		if (d->kind != DECLARE_MESSAGE)
			continue;
		entry.text = d->words.v[0];
		buf_str(&b, console_cmake_message(w->a, w->dialect, &entry));
	}
	return without_path(w, buf_as_str(&b));
}

/* ---- the cases ------------------------------------------------------------------- */

struct tester {
	const char *file;
	size_t piece;
	unsigned cases, failures;
};

/* Lines up to the next one that begins with mark; the text goes on behind them. */
static struct str
take_until(struct str *text, const char *mark, const char *other)
{
	const char *from = text->p;

	while (text->n && !str_begins(*text, str_of(mark)) &&
		!str_begins(*text, str_of(other))) {
		size_t n = str_find(*text, '\n');

		*text = str_from(*text, n < text->n ? n + 1 : n);
	}
	return str_cut(from, (size_t)(text->p - from));
}

static struct str
take_line(struct str *text)
{
	size_t n = str_find(*text, '\n');
	struct str line = str_cut(text->p, n);

	*text = str_from(*text, n < text->n ? n + 1 : n);
	return line;
}

/* From the first line that differs. */
static struct str
rest_from_line(struct str s, size_t at)
{
	enum { SHOWN = 400 };

	while (at > 0 && s.p[at - 1] != '\n')
		at--;
	s = str_from(s, at);
	return str_cut(s.p, s.n < SHOWN ? s.n : SHOWN);
}

static void
expect(struct tester *t, struct str title, const char *what, struct str want,
	struct str got)
{
	size_t at = 0;

	if (str_eq(want, got))
		return;
	while (at < want.n && at < got.n && want.p[at] == got.p[at])
		at++;
	want = rest_from_line(want, at);
	got = rest_from_line(got, at);
	t->failures++;
	print_message("# %s: %.*s: %s is\n%.*s\n# and not\n%.*s\n", t->file,
		STR_ARG(title), what, STR_ARG(got), STR_ARG(want));
}

static void
run_case(struct tester *t, struct str title, struct str body)
{
	struct world w = world_new();
	struct str stderr_text = STR_NONE, declares = STR_NONE, outside = STR("");
	struct eval_outside o;
	enum eval_result result;

	w.piece = t->piece;
	while (body.n) {
		struct str head = take_line(&body);
		struct str text = take_until(&body, "--- ", "=== ");

		if (str_begins(head, STR("--- file ")))
			world_file(&w, str_from(head, 9), text);
		else if (str_begins(head, STR("--- version ")))
			*w.dialect = dialect_of((unsigned)str_int(str_from(head, 12)));
		else if (str_begins(head, STR("--- configuration ")))
			w.request.configuration = str_from(head, 18);
		else if (str_is(head, "--- stderr"))
			stderr_text = text;
		else if (str_is(head, "--- declares"))
			declares = text;
		else if (str_begins(head, STR("--- outside ")))
			outside = str_from(head, 12);
		else
			fail_msg("%s: %.*s", t->file, STR_ARG(head));
	}
	result = world_read(&w);
	o = evaluator_outside(w.evaluator);
	expect(t, title, "outside", outside,
		result == EVAL_OUTSIDE
			? str_fmt(w.a, "%u %.*s", o.place.line, STR_ARG(o.why))
			: STR(""));
	if (stderr_text.p)
		expect(t, title, "stderr", stderr_text, said(&w));
	if (declares.p)
		expect(t, title, "declares", declares, declared(&w));
	t->cases++;
	world_end(&w);
}

static void
run_file(struct arena *a, struct tester *t)
{
	struct str text;

	assert_true(file_read(a, str_fmt(a, "%s/%s", folder, t->file).p, &text));
	take_until(&text, "=== ", "=== ");
	while (text.n) {
		struct str title = str_from(take_line(&text), 4);
		struct str body = take_until(&text, "=== ", "=== ");

		run_case(t, title, body);
	}
}

static void
run_all(size_t piece)
{
	struct arena *a = arena_open();
	DIR *d = opendir(folder);
	struct tester t = {.piece = piece};
	const struct dirent *entry;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (!str_ends(str_of(entry->d_name), STR(".txt")))
			continue;
		t.file = entry->d_name;
		run_file(a, &t);
	}
	closedir(d);
	arena_close(a);
	assert_true(t.cases > 0);
	assert_int_equal(t.failures, 0);
}

static void
cases_are_as_ctest_has_them(void **state)
{
	(void)state;
	run_all(0);
}

static void
cases_are_the_same_in_pieces(void **state)
{
	(void)state;
	run_all(1);
	run_all(3);
}

/* What must not be executed is undone, although much of the file was executed already. */
static void
large_files_are_read_before_they_are_executed(void **state)
{
	static const struct {
		const char *head, *tail, *declares;
		size_t messages;
	} rows[] = {
		{"add_test(a b)\n", "add_test(c d)\n", "test . <a> <b>\ntest . <c> <d>\n",
			0},
		{"add_test(a b)\n", "add_test(c d)\n)", "", 1},
		{"message(FATAL_ERROR no)\n", "x(", "", 1},
		{"message(no)\n", "endif()\n", "", 1},
		{"set(ENV{CCTR_E} x)\nsubdirs(sub)\n", "x", "", 1},
		{"include(sub/x.cmake)\n", "x", "", 1},
		{"subdirs(sub)\n", "", "test ./sub <of> <sub>\n", 0},
		{"add_test(a b)\nreturn()\n", "add_test(c d)\n", "test . <a> <b>\n", 0},
		{"add_test(a b)\nreturn()\n", "if(1)\n", "", 1},
		{"function(f x)\nadd_test(${x} b)\nendfunction()\n", "f(a)\n",
			"test . <a> <b>\n", 0},
		{"foreach(i 1 2)\n", "add_test(${i} b)\nendforeach()\n",
			"test . <1> <b>\ntest . <2> <b>\n", 0},
		/* a warning is said before anything else */
		{"message(one)\nadd_test(a b)\n", "add_test(\"c\"d e)\n",
			"test . <a> <b>\ntest . <c> <d> <e>\n", 2},
		{"add_test(a b)\r\n", "add_test(c [[\r\n1\r\n2]])\r\n",
			"test . <a> <b>\ntest . <c> <1\n2>\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct world w = world_new();
		struct buf text = {.arena = w.a};
		size_t messages = 0;

		buf_z(&text, rows[i].head);
		for (int k = 0; k < 5000; k++)
			buf_fmt(&text, "unset(X%d)\n", k);
		buf_z(&text, rows[i].tail);
		world_file(&w, STR("CTestTestfile.cmake"), buf_as_str(&text));
		world_file(&w, STR("sub/CTestTestfile.cmake"), STR("add_test(of sub)\n"));
		world_file(&w, STR("sub/x.cmake"), STR("add_test(of x)\n"));
		assert_int_not_equal(world_read(&w), EVAL_OUTSIDE);
		assert_string_equal(str_z(w.a, declared(&w)), rows[i].declares);
		for (size_t k = 0; k < w.out.list.n; k++)
			messages += w.out.list.v[k].kind == DECLARE_MESSAGE;
		assert_int_equal(messages, rows[i].messages);
		if (rows[i].messages == 2)
			assert_true(w.out.list.v[0].message == DIAG_CMAKE_AUTHOR);
		world_end(&w);
	}
}

/* ---- marks ----------------------------------------------------------------------- */

static const char *const sub_text =
	"set(FOO below)\nset(NEW 1)\nunset(GONE)\nlist(APPEND L x y)\nset(ENV{CCTR_E} "
	"below)\n"
	"function(f)\nadd_test(of_f \"${FOO}$ENV{CCTR_E}\")\nendfunction()\n"
	"cmake_minimum_required(VERSION 3.20)\nadd_test(a \"${L}|${GONE}\")\n";
static const char *const top_text =
	"set(FOO top)\nset(GONE no)\nset(L l)\nlist(APPEND L m)\nsubdirs(sub)\nf()\n"
	"add_test(b \"${FOO}|${NEW}|${GONE}|${L}|$ENV{CCTR_E}\")\n"
	"function(g)\nset(FOO g)\nset(L g PARENT_SCOPE)\nsubdirs(sub)\n"
	"add_test(c \"${FOO}|${L}\")\nendfunction()\nset(GONE no)\nset(FOO top)\ng()\n"
	"add_test(d \"${FOO}|${L}|${GONE}\")\n";

/* Reading in vain and rewinding must leave nothing behind. */
static void
rewinding_leaves_nothing(void **state)
{
	struct world once = world_new(), twice = world_new();

	(void)state;
	twice.rewinds = true;
	for (int i = 0; i < 2; i++) {
		struct world *w = i ? &twice : &once;

		world_file(w, STR("CTestTestfile.cmake"), str_of(top_text));
		world_file(w, STR("sub/CTestTestfile.cmake"), str_of(sub_text));
		assert_int_equal(world_read(w), EVAL_DONE);
	}
	assert_string_equal(declared(&once).p, declared(&twice).p);
	assert_string_equal(declared(&once).p, "environment ./sub <CCTR_E> <below>\n"
					       "test ./sub <a> <l;m;x;y|>\n"
					       "test . <of_f> <belowbelow>\n"
					       "test . <b> <below|1||l;m;x;y|below>\n"
					       "test ./sub <a> <l;m;x;y;x;y|>\n"
					       "test . <c> <below|l;m;x;y;x;y>\n"
					       "test . <d> <top|g|no>\n");
	world_end(&once);
	world_end(&twice);
}

static void
rewinding_to_the_beginning(void **state)
{
	struct world w = world_new();
	struct evaluator_mark *mark;
	struct str top = str_fmt(w.a, "%s/CTestTestfile.cmake", w.path);

	(void)state;
	world_file(&w, STR("CTestTestfile.cmake"),
		STR("set(A 1)\nset(A 2)\nset(ENV{CCTR_E} x)\nmessage(FATAL_ERROR no)\n"));
	world_evaluator(&w);
	evaluator_set(w.evaluator, STR("A"), STR("0"));
	mark = evaluator_mark(w.evaluator);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(evaluator_read(w.evaluator, top, str_of(w.path), true),
			EVAL_DONE);
		assert_true(str_is(evaluator_get(w.evaluator, STR("A")), "2"));
		assert_int_equal(w.out.list.n, 2);
		assert_true(evaluator_stopped(w.evaluator));
		evaluator_rewind(w.evaluator, mark);
		assert_true(str_is(evaluator_get(w.evaluator, STR("A")), "0"));
		assert_int_equal(w.out.list.n, 0);
		assert_false(evaluator_stopped(w.evaluator));
		assert_null(getenv("CCTR_E"));
	}
	world_end(&w);
}

/* A loop without end is legal CMake; a limit gives it to cmake. */
static void
a_limit_ends_loops(void **state)
{
	struct world w = world_new();

	(void)state;
	w.steps_most = 1000;
	world_file(
		&w, STR("CTestTestfile.cmake"), STR("while(1)\nset(A 1)\nendwhile()\n"));
	assert_int_equal(world_read(&w), EVAL_OUTSIDE);
	world_end(&w);
}

static bool
stops_in(unsigned release, const char *text)
{
	struct world w = world_new();
	bool is_stopped;

	*w.dialect = dialect_of(release);
	world_file(&w, STR("CTestTestfile.cmake"), str_of(text));
	assert_int_equal(world_read(&w), EVAL_DONE);
	is_stopped = evaluator_stopped(w.evaluator);
	assert_int_equal(w.out.list.n, is_stopped ? 1 : 2);
	world_end(&w);
	return is_stopped;
}

static void
a_failed_command_is_fatal_in_two_releases(void **state)
{
	static const char *const texts[] = {
		"list(LENGTH)\nadd_test(a x)\n",
		"foreach(i 1)\nlist(LENGTH)\nadd_test(a x)\nendforeach()\n",
		"function(f)\nlist(LENGTH)\nendfunction()\nf()\nadd_test(a x)\n",
	};

	(void)state;
	for (size_t i = 0; i < ROWS(texts); i++) {
		assert_false(stops_in(3025, texts[i]));
		assert_false(stops_in(4000, texts[i]));
		assert_true(stops_in(4001, texts[i]));
		assert_true(stops_in(4002, texts[i]));
		assert_false(stops_in(4003, texts[i]));
	}
}

/* Much of what is usual costs little: about 150 bytes for a call. */
static void
calls_are_small(void **state)
{
	enum { CALLS = 20000 };
	struct world w = world_new();
	struct buf text = {.arena = w.a};
	size_t before;

	(void)state;
	for (int i = 0; i < CALLS; i++)
		buf_fmt(&text, "add_test([=[test%d]=] \"/bin/true\" \"%d\")\n", i, i);
	world_file(&w, STR("CTestTestfile.cmake"), buf_as_str(&text));
	before = arena_bytes(w.a);
	assert_int_equal(world_read(&w), EVAL_DONE);
	assert_int_equal(w.out.list.n, CALLS);
	assert_true((arena_bytes(w.a) - before - text.n) / CALLS < 250);
	world_end(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_are_as_ctest_has_them),
		cmocka_unit_test(cases_are_the_same_in_pieces),
		cmocka_unit_test(large_files_are_read_before_they_are_executed),
		cmocka_unit_test(rewinding_leaves_nothing),
		cmocka_unit_test(rewinding_to_the_beginning),
		cmocka_unit_test(a_limit_ends_loops),
		cmocka_unit_test(a_failed_command_is_fatal_in_two_releases),
		cmocka_unit_test(calls_are_small),
	};

	return run_unit_tests("cmake_eval", tests, NULL, NULL);
}
