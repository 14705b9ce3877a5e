/* The readers of compat/coverage_*: what each counts, line by line. */
#include "tests/unit/coverage_fixture.h"
#include "tests/unit/unit.h"

/* "1 - 0": counts, "-" for lines without code; "" for a source that nobody named. */
static struct str
counts_of(struct coverage_fixture *f)
{
	struct buf text = {.arena = f->a};
	uint32_t known = map_get(&f->c.by_path, f->source);

	for (size_t i = 0; known != MAP_NONE && i < f->c.sources.v[known].lines; i++) {
		const struct source_coverage *s = &f->c.sources.v[known];

		if (i >= s->counts.n || s->counts.v[i] == COVERAGE_NO_CODE)
			buf_z(&text, i ? " -" : "-");
		else
			buf_fmt(&text, i ? " %d" : "%d", s->counts.v[i]);
	}
	buf_add(&text, "", 0);
	return buf_as_str(&text);
}

enum {
	GCOV = 'g',
	TRACE = 't',
	PHP = 'p',
	LCOV = 'l',
	COBERTURA = 'c',
	JACOCO = 'j',
	BLANKET = 'b',
	DELPHI = 'd',
	CLANG = 'C',
	GTM = 'm',
	CACHE = 'k'
};

#define PHP_OF(lines) "a:1:{s:29:\"@\";" lines "}"
#define CLASS(lines) "<c><class filename=\"@\">" lines "</class></c>"
#define LINE(number, hits) "<line number='" number "' hits='" hits "'/>"
#define SOURCEFILE(lines)                                                                \
	"<r><package name=''><sourcefile name='R.m'>" lines "</sourcefile></package></"  \
	"r>"
#define ZZ(arguments, value) "^ZZCOVERAGE(" arguments ")=" value "\n"
#define HEAD "Routine,Line,RtnLine,Code\n"

/* The source is "R ;", "EN ; x", " S X=1", " begin", " x;", " end;" and " ;". */
static const struct {
	char tool;
	const char *text, *counts, *error;
} rows[] = {
	{GCOV, "", "", ""},
	{GCOV, "        -:    0:Source:x\n        3:    1:a\n    #####:    3:b\n",
		"3 - 0", ""},
	{GCOV, "        3:    1:a\n        4:    1:a\n    =====:    2:b\n", "7 -", ""},
	{GCOV, "       1*:    1:a\r\n    %%%%%:    2:b\n", "1 -", ""},
	{GCOV, "        1:    x:a\nshort\n\n        1:   -2:a\n", "", ""},
	{GCOV, "        1:    9:a\n", "- - - - - - - - 1", ""},
	{GCOV, "        1:99999:a\n        1:   1", NULL, ""},
	{GCOV, "999999999:    1:a\n999999999:    1:a\n999999999:    1:a\n", "-1294967299",
		""},
	{TRACE, "   12: x = 1\n", "1", ""},
	{TRACE, "   12: x = 1\nshort\n  125: x = 1\n", "1 - 12", ""},
	{TRACE, "       x = 1....\n>>>>>> x = 1\n", "0 0", ""},
	{TRACE, "999999999: x = 1\n", "0",
		"Currently the limit is maximum coverage of 999999\n"},
	{TRACE, "1234567: x = 1\n", "123456", ""},
	{PHP, PHP_OF("a:2:{i:1;i:2;i:3;i:-1;}"), "2 - 0", ""},
	{PHP, PHP_OF("a:2:{i:1;i:2;i:1;i:3;}"), "5", ""},
	{PHP, PHP_OF("a:1:{i:99999;i:2;}"), NULL, ""},
	{PHP, PHP_OF("a:2:{i:1;i:2147483647;i:1;i:1;}"), "-2147483648", ""},
	{PHP, PHP_OF("a:999999999:{i:1;i:2;}"), "2", "failed to read close array\n"},
	{PHP, "b:1", "", "failed to read open array\n"},
	{PHP, "a:1:{x", "",
		"failed to read start of file info found: [x]\nFailed to read file #0\n"},
	{PHP, "a:1:{s:2:\"@", "",
		"failed to read close quote\nread [m]\nFailed to read file #0\n"},
	{PHP, PHP_OF("b:1"), "",
		"failed to read start of coverage array, found : ;b:\n"
		"failed to read coverage array for file: @\nFailed to read file #0\n"},
	{LCOV,
		"123456789012345678@\n                5      1:a\n            #####      "
		"2:b\n",
		"5 0", ""},
	{LCOV, "short\n", "",
		"Error while parsing lcov file '%/R.LCOV': No source file name found!\n"},
	{COBERTURA, CLASS(LINE("1", "2") LINE("3", "0")), "2 - 0 - - - -", ""},
	{COBERTURA, CLASS(LINE("8", "2") LINE("0", "1") LINE("1", "x") LINE("-1", "1")),
		"0 - - - - - -", ""},
	{COBERTURA, CLASS("<line hits='3'/><line number='2'/>"), "- - - - - - -", ""},
	{COBERTURA, CLASS(LINE("1", "-2")), "- - - - - - -", ""},
	{COBERTURA, CLASS(LINE("1", "1")) "<", "1 - - - - - -",
		"Error parsing XML in stream at line 1: unclosed token\n"},
	{COBERTURA,
		"<c><class filename='&#82;.&#x6d;'>" LINE("1", "&#53;") "</class></c>",
		"5 - - - - - -", ""},
	{COBERTURA, "<c><class filename='R.m\n'>" LINE("1", "5") "</class></c>", "", ""},
	{COBERTURA, "<c><class name='x'>" LINE("1", "1") "</class></c>", "", ""},
	{JACOCO, SOURCEFILE("<line nr='1' ci='2'/><line ci='0' nr='2' mi='1'/>"),
		"2 0 - - - - - -", ""},
	{JACOCO, SOURCEFILE("<line nr='9' ci='2'/><line nr='8' ci='2'/>"),
		"- - - - - - - 2", ""},
	{JACOCO, "<r><package name='no'><sourcefile name='R.m'/></package></r>", "",
		"Cannot find file: no/R.m\n"},
	{BLANKET,
		"{\nnode-jscoverage\n\"filename\": \"@\",\n\"source\"\n\"coverage\": "
		"3\n\"coverage\": "
		"\"\"",
		"3 -", ""},
	{BLANKET, "{\nnode-jscoverage\n\"filename\": \"@\",\n\"coverage\": 3\n", "", ""},
	{DELPHI, "<tr class=\"covered\"><td>5</td> inline\n", "- - - - 1 - -", ""},
	{DELPHI, "<tr class='covered'><td>5</td> inline\n", "- - - - 1 - -", ""},
	{DELPHI, "<tr class=\"nocodegen\"><td>5</td> inline\n", "- - - - 0 - -", ""},
	{DELPHI, "<tr class=\"covered\"><td>99</td> inline\nclass= inline\n",
		"- - - - 0 - -", ""},
	{CLANG,
		"SF:@\nDA:1,5\nDA:3,0\nDA:99,1\nBRDA:1,0,0,-\nBRDA:99,0,0,1\nend_of_"
		"record\n",
		"5 - 0 - - - -", ""},
	{CLANG, "DA:1,5\nSF:@\nDA:1,5\nSF:@\nDA:1,7\nSF:/none\nDA:2,1\nDA:\nBRDA\n",
		"5 - - - - - -", ""},
	{GTM, ZZ("\"R\",\"EN\",1", "\"2:0\""), "- - 2 0 0 0 -", ""},
	{GTM, ZZ("\"R\",\"EN\",0", "3") ZZ("\"R\",\"EN\",5", "3"), "- 3 0 0 0 0 2", ""},
	{GTM, ZZ("\"R\",\"EN\",99", "3") ZZ("\"R\",\"EN\",-9", "3"), "- - 0 0 0 0 -", ""},
	{GTM, ZZ("\"R\",\"NO\",1", "3"), "- - 0 0 0 0 -",
		"Could not find entry point : NO in @\n"},
	{GTM, ZZ("\"R\"", "3"), "- - 0 0 0 0 -",
		"Error parsing mcov line: [^ZZCOVERAGE(\"R\")=3]\n"
		"Can not find mumps file :   referenced in this line of mcov data:\n"
		"[^ZZCOVERAGE(\"R\")=3]\n"},
	{GTM, "nothing\n", "- - 0 0 0 0 -", ""},
	{CACHE, HEAD "R,1,1,x\n,3,2,x\n,4,0,x\nTotals,x,2,x\n", "1 - 2 0 0 0 -", ""},
	{CACHE, HEAD "R,8,1,x\n,9,2,x\n,11,2,x\n", "- - 0 0 0 0 - 1 2",
		"Parse error line is greater than number of lines in file: 10 @\n"},
	{CACHE, "", "- - 0 0 0 0 -",
		"Empty file : %/d/R.cmcov  referenced in this line of cmcov data:\n[]\n"},
	{CACHE, HEAD "N,1,1,x\n,2,1,x\nTotals,x,1,x\nR,2,1,x\n", "- 1 0 0 0 0 -",
		"Could not find mumps file for routine: N\n"},
};

static void
test_readers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct coverage_tool *tool = coverage_tool_of(rows[i].tool);
		struct coverage_fixture f;
		struct str counts, error;

		coverage_fixture_open(&f, tool->source,
			STR("R ;\nEN ; x\n S X=1\n begin\n x;\n end;\n ;\n"));
		f.err.n = 0;
		coverage_fixture_read(&f, tool, coverage_fixture_text(&f, rows[i].text));
		counts = counts_of(&f);
		error = coverage_fixture_text(&f, rows[i].error);
		if (rows[i].counts)
			assert_string_equal(counts.p, rows[i].counts);
		assert_int_equal(f.err.n, error.n);
		if (error.n)
			assert_memory_equal(f.err.p, error.p, error.n);
		coverage_fixture_close(&f);
	}
}

/* Rows of covsrc, and blocks of covbr for the sources that they name. */
static void
test_bullseye(void **state)
{
	static const struct {
		const char *summary, *shown, *has, *log_has, *error;
	} cases[] = {
		{"\"R.m\",1,2,50%,3,4,75%\n", "R.m:\n x\n",
			"<PercentCoverage>62.5</PercentCoverage>",
			"Number=\"12\" Count=\"-1\"> x<", ""},
		{"\"R.m\",1,2,50%,0,0,\n", "no.m:\n x\n",
			"<PercentCoverage>50</PercentCoverage>", "<CoverageLog>", ""},
		{"\"Source\",x\n\"Total\",1,2,3,4,5,6\n", "", "<LOC>0</LOC>", "", ""},
		{"\"R.m\",1,3\n", "", "<LOCUnTested>200</LOCUnTested>", "", ""},
		{"x\n", "", "<LOC>0</LOC>", "", "Error parsing string : x\n"},
		{"\"R.m\",1,2,3,4,5,6,7\n", "", "<BranchesTested>4</BranchesTested>", "",
			"Error parsing input : \"R.m\",1,2,3,4,5,6,7 last pos not npos = "
			" 18\n"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct coverage_fixture f;
		struct str summary, log;
		const char *directory;

		coverage_fixture_open(&f, "R.m", STR("one\n"));
		directory = str_fmt(f.a, "%s/Testing/20200101-0000", f.directory).p;
		assert_true(coverage_fixture_bullseye(
			&f, str_of(cases[i].summary), str_of(cases[i].shown)));
		summary = coverage_read(&f.c, str_fmt(f.a, "%s/Coverage.xml", directory));
		log = coverage_read(
			&f.c, str_fmt(f.a, "%s/CoverageLog-0.xml", directory));
		assert_true(str_has(summary, str_of(cases[i].has)));
		assert_true(str_has(log, str_of(cases[i].log_has)));
		assert_int_equal(f.err.n, strlen(cases[i].error));
		if (f.err.n)
			assert_memory_equal(f.err.p, cases[i].error, f.err.n);
		coverage_fixture_close(&f);
	}
}

/* What a file says of lines that no source has costs no memory. */
static void
test_limit(void **state)
{
	struct coverage_fixture f;
	struct source_coverage *s;

	(void)state;
	coverage_fixture_open(&f, "R.m", STR("one\ntwo\n"));
	s = coverage_source(&f.c, f.source);
	assert_null(coverage_line(&f.c, s, 2000000000));
	assert_int_equal(s->lines, 2000000001);
	assert_int_equal(s->counts.n, 0);
	assert_non_null(coverage_line(&f.c, s, 2));
	assert_int_equal(s->counts.n, 3);
	coverage_fixture_close(&f);
}

static void
test_short_paths(void **state)
{
	static const struct {
		const char *source, *binary, *path, *below;
	} paths[] = {
		{"/s", "/b", "/s/a.c", "./a.c"},
		{"/s", "/b", "/b/x/a.c", "./x/a.c"},
		{"/s", "/s/b", "/s/b/a.c", "./a.c"},
		{"/s/b", "/s", "/s/b/a.c", "./a.c"},
		{"/s", "/s", "/s/a b:c", "./a_b_c"},
		{"/s", "/b", "/other/a.c", "/other/a.c"},
		{"/s", "/b", "/sa/a.c", "/sa/a.c"},
		{"/s", "/b", "/s/..a.c", "/s/..a.c"},
		{"/s", "/b", "/s/x/../a.c", "./a.c"},
		{"/s/", "", "/s//a.c", "./a.c"},
	};
	struct coverage_fixture f;

	(void)state;
	coverage_fixture_open(&f, "a", STR(""));
	for (size_t i = 0; i < ROWS(paths); i++) {
		f.c.source = str_of(paths[i].source);
		f.c.binary = str_of(paths[i].binary);
		assert_string_equal(coverage_short_path(&f.c, str_of(paths[i].path)).p,
			paths[i].below);
	}
	coverage_fixture_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_bullseye),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_short_paths),
	};

	return run_unit_tests("coverage", tests, NULL, NULL);
}
