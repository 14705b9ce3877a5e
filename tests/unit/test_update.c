/* compat/update*: what is read from version control systems, and Update.xml. */
#include <stdlib.h>

#include "compat/dashboard/update/update_run.h"
#include "runner/base/xml_read.h"
#include "tests/unit/unit.h"
#include "tests/unit/update_fixture.h"

#define RULE "----------------------------\n"
#define END                                                                              \
	"====================================================================="          \
	"========\n"

/* "U directory/name rev prior" for each file. */
static struct str
files_of(struct update *u)
{
	struct buf text = {.arena = u->arena};

	update_sort(u);
	for (size_t i = 0; i < u->files.n; i++) {
		const struct updated_file *f = &u->files.v[i];

		buf_fmt(&text, "%s%c %.*s|%.*s %.*s %.*s", i ? "\n" : "", "UMC"[f->state],
			STR_ARG(f->directory), STR_ARG(f->name),
			STR_ARG(f->rev ? f->rev->rev : STR("-")),
			STR_ARG(f->prior ? f->prior->rev : STR("-")));
	}
	return text.n ? buf_as_str(&text) : STR("");
}

static void
test_files(void **state)
{
	static const struct {
		const struct vcs *vcs;
		const char *reader, *text, *files;
	} rows[] = {
		{&vcs_svn, "update", "U    a\nG    d/b\nC    c\n C   e\nnone\nU    last",
			"U |a - -\nC |c - -\nC |e - -\nM d|b - -"},
		{&vcs_svn, "status", "M      a\n C     b\n!      c\n?      d\nX      e\n",
			"M |a - 1\nC |b - 1\nM |c - 1"},
		{&vcs_svn, "log",
			"<log><logentry revision='1'><paths><path action='M'>/trunk/a"
			"</path></paths></logentry><logentry revision='2'><paths>"
			"<path action='M'>/trunk/d/a</path><path>/b</path></paths>"
			"</logentry></log>",
			"U /|b 2 1\nU d|a 2 1"},
		{&vcs_hg, "status", "M a\nA b/c\n? d\nC e\n", "M |a - 1\nM b|c - 1"},
		{&vcs_hg, "log",
			"<logentry revision='2'><files>a b/c</files></logentry>"
			"<logentry revision='3'><files>a</files></logentry>",
			"U |a 3 2\nU b|c 2 1"},
		{&vcs_cvs, "update", "U a\nP  b\nM c\nA d/e\nC f\n? g\n",
			"U |a - -\nU |b - -\nM |c - -\nC |f - -\nM d|e - -"},
		{&vcs_cvs, "removed",
			"cvs update: `a' is no longer in the repository\n"
			"cvs update: warning: `b' is not (any longer) pertinent\n",
			"U |a - -\nU |b - -"},
		{&vcs_cvs, "removed", "M a\n", "M |a - -"},
		{&vcs_bzr, "update", "+N  a/\n M  b\nC   c\nP   d\n",
			"U |a - -\nU |b - -\nC |c - -"},
		{&vcs_bzr, "status", "+N  a\nP   b\nC   c\n?   d\n",
			"M |a - 1\nM |b - 1\nC |c - 1"},
		{&vcs_bzr, "log",
			"<logs><log><revno>2</revno><modified><file>a</file>"
			"<symlink>l@</symlink></modified></log></logs>",
			"U |a 2 1\nU |l 2 1"},
		{&vcs_bzr, "log",
			"<?xml version='1.0' encoding='ANSI_X3.4-1968'?>"
			"<log><revno>2</revno><file>\xe9\x80</file><file>b\\c</file>"
			"<revno/></log>",
			"U |\u00e9\u20ac 2 1\nU b|c 2 1"},
		{&vcs_p4, "diff", "==== //d/a#1 - /x\nz\nz\n==== //d/b#1 - x\n",
			"M //d|a - 1"},
		{&vcs_p4, "describe",
			"Change 7 by u@c on d\n\n\tlog\n\nFiles\n\n... //d/e/a#1 edit\n"
			"... nothing\n\n",
			"U e|a 7 1"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct update_fixture f;

		fixture_open(&f, rows[i].vcs);
		fixture_read(&f, rows[i].reader, str_of(rows[i].text));
		assert_string_equal(files_of(&f.update).p, rows[i].files);
		fixture_close(&f);
	}
}

static void
test_git_commits(void **state)
{
	static const char commits[] =
		"commit 2\nauthor A B <a@b> 1700000000 +0130\n"
		"committer C <c> 5 -0230\n\n    one\n    \n     two\n\n"
		":1 2 3 4 M\0a\0:1 2 3 4 R100\0b\0c/d\0:1 2 3 4 C100\0x\0y\0\0"
		"commit 3\nauthor E <e> 1 +0\n\n    empty\n\0"
		"commit 4\nauthor E <e> 1 +0\n\n    last\n\n:1 2 3 4 M\0a\0";
	struct update_fixture f;
	const struct revision *rev;

	(void)state;
	fixture_open(&f, &vcs_git);
	fixture_read(&f, "commits", str_cut(commits, sizeof commits - 1));
	assert_string_equal(
		files_of(&f.update).p, "U |a 4 2\nU |b 2 1\nU |y 2 1\nU c|d 2 1");
	assert_string_equal(buf_as_str(&f.out).p, "...");
	rev = f.update.files.v[1].rev;
	assert_true(str_is(rev->author, "A B") && str_is(rev->email, "a@b"));
	assert_true(str_is(rev->date, "2023-11-14 22:13:20 +0130"));
	assert_true(str_is(rev->committer, "C"));
	assert_true(str_is(rev->commit_date, "1970-01-01 00:00:05 -0230"));
	assert_true(str_is(rev->log, "one\n\n two\n"));
	fixture_close(&f);
}

static void
test_cvs_log(void **state)
{
	struct update_fixture f;

	(void)state;
	fixture_open(&f, &vcs_cvs);
	fixture_read(&f, "log",
		STR("head\n" RULE "revision 1.3\ndate: D;  author: A;\nbranches: x;\n"
		    "text\ndate: no;  author: no;\n" RULE "revision 1.2\n" RULE
		    "revision 1.1\n" END));
	assert_true(str_ends(buf_as_str(&f.update.log),
		STR("log-out> head\nlog-out> " RULE "log-out> revision 1.3\n"
		    "log-out> date: D;  author: A;\nlog-out> branches: x;\nlog-out> "
		    "text\n"
		    "log-out> date: no;  author: no;\nlog-out> " RULE
		    "Found revision 1.3\n  author = A\n  date = D\n"
		    "log-out> revision 1.2\nlog-out> " RULE
		    "Found revision 1.2\n  author = \n  date = \n")));
	fixture_close(&f);
}

/* Revisions stand behind the piece that has their end; what is wrong, behind each piece
 * from there on. */
static void
test_pieces(void **state)
{
	struct update_fixture f;
	struct buf text;
	const char *found, *second;

	(void)state;
	fixture_open(&f, &vcs_hg);
	text = (struct buf){.arena = f.arena};
	buf_z(&text, "<logentry revision='2'><files>a</files></logentry>\n");
	while (text.n < LISTENER_PIECE)
		buf_z(&text, "line\n");
	buf_z(&text, "<&>\nbehind\n");
	while (text.n < 3 * LISTENER_PIECE)
		buf_z(&text, "line\n");
	fixture_read(&f, "log", buf_as_str(&text));
	found = strstr(buf_as_str(&f.update.log).p, "Found revision 2");
	assert_non_null(found);
	assert_memory_equal(found - 5, "line\n", 5);
	assert_null(strstr(found, "</logentry>"));
	assert_non_null(strstr(found, "behind"));
	second = strstr(found, "Error parsing hg log xml: not well-formed");
	assert_non_null(second);
	assert_non_null(strstr(second + 1, "Error parsing hg log xml"));
	fixture_close(&f);
}

static void
test_ends_early(void **state)
{
	struct update_fixture f;

	(void)state;
	fixture_open(&f, &vcs_svn);
	fixture_read(&f, "log", STR(""));
	assert_true(str_ends(buf_as_str(&f.update.log),
		STR("Error parsing svn log xml: no element found\n")));
	fixture_close(&f);
}

static void
test_svn_base(void **state)
{
	static const struct {
		const char *info, *base;
	} rows[] = {
		{"URL: file:///r/a%20b/x\nRepository Root: file:///r\n", "/a b/x/"},
		{"URL: file:///r\nRepository Root: file:///r\n", "/"},
		{"URL: file:///r/%4\nRepository Root: file:///r\n", "/%4/"},
		{"URL: http://x/y\nRepository Root: file:///r\n", ""},
		{"URL: a b\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct update_fixture f;

		fixture_open(&f, &vcs_svn);
		fixture_read(&f, "info", str_of(rows[i].info));
		assert_string_equal(
			str_z(f.arena, vcs_svn.path(&f.update)), rows[i].base);
		fixture_close(&f);
	}
}

static void
test_git_versions(void **state)
{
	static const struct {
		const char *said;
		bool syncs_below, updates_below;
	} rows[] = {{"git version 2.39.5", true, true},
		{"git version 1.8.1.7 (x)", true, true},
		{"git version 1.8.0.9", false, true},
		{"git version 1.6.4.99", false, false}, {"git version 2.1", false, false},
		{"git version 2.x.1", false, false}, {"2.1.1", false, false},
		{"", false, false}};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct update_fixture f;

		fixture_open(&f, &vcs_git);
		fixture_read(&f, "version", str_fmt(f.arena, "%s\n", rows[i].said));
		assert_int_equal(
			rows[i].syncs_below, str_has(buf_as_str(&f.update.log),
						     STR("\"sync\" \"--recursive\"")));
		assert_int_equal(rows[i].updates_below,
			str_has(buf_as_str(&f.update.log),
				STR("\"update\" \"--recursive\"")));
		fixture_close(&f);
	}
}

static void
test_places(void **state)
{
	/* now: the directory since 4.0; NULL: the same */
	static const struct {
		const char *path, *directory, *name, *now;
	} rows[] = {
		{"a", "", "a", NULL},
		{"a/b", "a", "b", NULL},
		{"a/b/", "a", "", NULL},
		{"/a", "/", "a", NULL},
		{"//a", "/", "a", NULL},
		{"//a/b", "//a", "b", NULL},
		{"///a/b", "//a", "b", "/a"},
		{"a//b", "a", "b", NULL},
		{"a///b", "a/", "b", "a"},
		{"a\\\\//c/b", "a//c", "b", "a/c"},
		{"c:/b", "c:/", "b", NULL},
		{"a\\b/c", "a/b", "c", NULL},
		{"~/a", "/my/home", "a", NULL},
		{"", "", "", NULL},
	};
	const size_t n = ROWS(rows);

	(void)state;
	setenv("HOME", "/my/home", 1);
	for (size_t i = 0; i < 2 * n; i++) {
		bool is_now = i >= n && rows[i % n].now;
		const char *directory = is_now ? rows[i % n].now : rows[i % n].directory;
		struct update_fixture f;
		const struct updated_file *file;

		fixture_open(&f, &vcs_git);
		f.dialect = dialect_of(i < n ? 3031 : 4000);
		update_state(&f.update, FILE_UPDATED, str_of(rows[i % n].path));
		file = &f.update.files.v[0];
		assert_true(str_is(file->directory, directory));
		assert_true(str_is(file->name, rows[i % n].name));
		fixture_close(&f);
	}
}

static bool
two_lines(void *context, struct str line)
{
	size_t *n = context;

	(void)line;
	return ++*n < 2;
}

static void
test_lines(void **state)
{
	struct update_fixture f;
	size_t n = 0;
	struct listener l = {.context = &n, .line = two_lines};

	(void)state;
	fixture_open(&f, &vcs_hg);
	listener_feed(&f.update, &l, "p", STR("a\rb\r"));
	listener_feed(&f.update, &l, "p", str_cut("\nc\0d\ne", 6));
	assert_int_equal(n, 2);
	assert_string_equal(buf_as_str(&f.update.log).p, "p-out> ab\np-out> c\n");
	fixture_close(&f);
}

static void
test_report(void **state)
{
	static const char report[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<Update mode=\"Client\" Generator=\"ctest-3.25.1\">\n"
		"\t<Site></Site>\n";
	struct update_fixture f;
	struct str text;

	(void)state;
	fixture_open(&f, &vcs_svn);
	f.update.new_rev = STR("2<");
	update_local(&f.update, FILE_MODIFIED, STR("d/a&b"));
	text = update_report(&f.update, 60, STR("why"));
	assert_true(str_begins(text, STR(report)));
	assert_true(str_has(text, STR("\t<UpdateType>SVN</UpdateType>\n"
				      "\t<Revision>2&lt;</Revision>\n"
				      "\t<PriorRevision>1</PriorRevision>\n"
				      "\t<SVNPath></SVNPath>\n"
				      "\t<Directory>\n\t\t<Name>d</Name>\n"
				      "\t\t<Modified>\n"
				      "\t\t\t<File>a&amp;b</File>\n")));
	assert_true(str_has(text, STR("\t<ElapsedMinutes>1</ElapsedMinutes>\n"
				      "\t<UpdateReturnStatus>why"
				      "</UpdateReturnStatus>\n</Update>\n")));
	fixture_close(&f);
}

static void
test_missing(void **state)
{
	static const struct {
		const char *source, *tag, *key, *what;
	} rows[] = {
		{"", "t", "",
			"no source directory specified.  Use SOURCE argument or set "
			"CTEST_SOURCE_DIRECTORY."},
		{"/source", "", "", "no current tag."},
		{"/source", "t", "",
			"no update command specified. Please set "
			"CTEST_UPDATE_COMMAND."},
		{"/source", "t", "UpdateType=git",
			"no update command specified. Please set CTEST_UPDATE_COMMAND "
			"or "
			"CTEST_GIT_COMMAND."},
		{"/source", "t", "UpdateCommand=x", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct update_fixture f;
		struct str what;

		fixture_open(&f, &vcs_git);
		f.in.source = str_of(rows[i].source);
		f.in.stamp.tag = str_of(rows[i].tag);
		if (*rows[i].key)
			configuration_set(&f.configuration, str_of(rows[i].key));
		what = step_update_missing(&f.in);
		assert_int_equal(what.n > 0, rows[i].what != NULL);
		assert_true(!what.n ||
			    str_is(str_from(what, strlen("called with ")), rows[i].what));
		fixture_close(&f);
	}
}

static void
see_begin(void *context, struct str name)
{
	buf_fmt(context, "<%.*s", STR_ARG(name));
}

static void
see_attribute(void *context, struct str name, struct str value)
{
	buf_fmt(context, " %.*s=[%.*s]", STR_ARG(name), STR_ARG(value));
}

static void
see_nothing(void *context, struct str text)
{
	(void)context, (void)text;
}

static void
test_attributes(void **state)
{
	struct arena *a = arena_open();
	struct buf seen = {.arena = a};
	struct xml_events events = {.context = &seen,
		.begin = see_begin,
		.attribute = see_attribute,
		.text = see_nothing,
		.end = see_nothing};
	struct xml_fault fault;

	(void)state;
	fault = xml_read(STR("<a x='1' y=\"&lt;\n\t&#65;\"><b z=''/></a>"), &events);
	assert_null(fault.text);
	assert_string_equal(buf_as_str(&seen).p, "<a x=[1] y=[<  A]<b z=[]");
	fault = xml_read(STR("<a><b c='1' &>"), &events);
	assert_false(fault.is_end);
	assert_int_equal(fault.at, 12);
	fault = xml_read(STR("<a><b c='1"), &events);
	assert_true(fault.is_end);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_git_commits),
		cmocka_unit_test(test_cvs_log),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_ends_early),
		cmocka_unit_test(test_svn_base),
		cmocka_unit_test(test_git_versions),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_attributes),
	};

	return run_unit_tests("update", tests, NULL, NULL);
}
