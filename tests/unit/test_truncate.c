/* What result files keep of an output, and how they spell it. Expected texts are those of
 * ctest 3.25's JUnit files. */
#include <stdio.h>
#include <string.h>

#include "compat/format/truncate.h"
#include "compat/format/xml.h"
#include "runner/base/utf8.h"
#include "tests/unit/unit.h"

#define CUT(n)                                                                           \
	"\n[This part of the test output was removed since it exceeds the threshold "    \
	"of " n " bytes.]\n"

static void
test_truncate(void **state)
{
	static const struct {
		const char *output;
		long limit;
		enum truncation mode;
		const char *kept;
	} rows[] = {
		{"0123456789", 10, TRUNCATE_TAIL, "0123456789"},
		{"0123456789", 0, TRUNCATE_TAIL, "0123456789"},
		{"0123456789", -1, TRUNCATE_TAIL, "0123456789"},
		{"0123456789", 4, TRUNCATE_TAIL, "0123..." CUT("4")},
		{"0123456789", 4, TRUNCATE_HEAD, CUT("4") "...6789"},
		{"0123456789", 4, TRUNCATE_MIDDLE, "01..." CUT("4") "...89"},
		{"0123456789", 5, TRUNCATE_MIDDLE, "01..." CUT("5") "...789"},
		{"012\303\251456789", 4, TRUNCATE_TAIL, "012..." CUT("4")},
		{"0123\303\251456789", 7, TRUNCATE_HEAD, CUT("7") "...\303\251456789"},
		{"01\377\303456789", 3, TRUNCATE_TAIL, "01\377..." CUT("3")},
		{"0CTEST_FULL_OUTPUT9", 3, TRUNCATE_TAIL, "0CTEST_FULL_OUTPUT9"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct long_text output = long_text_of(str_of(rows[i].output));
		struct spool room = spool_in(a, "/tmp");
		struct long_text kept =
			truncate_output(&room, &output, rows[i].limit, rows[i].mode);

		assert_string_equal(str_z(a, kept.s), rows[i].kept);
	}
	arena_close(a);
}

static void
test_measurements(void **state)
{
	static const struct {
		const char *output, *kept;
	} rows[] = {
		{"plain < text", "plain < text"},
		{"a<CTestMeasurement type=\"t\" name=\"n\">5</CTestMeasurement>b\n",
			"ab\n"},
		{"<DartMeasurement>1</DartMeasurement><CTestMeasurement>2</"
		 "CTestMeasurement>",
			""},
		{"<CTestMeasurementFile name=\"n\">f</CTestMeasurementFile>\n", "\n"},
		{"<DartMeasurementA>7</CTestMeasurementB>y", "y"},
		{"<CTestMeasurement>two\nlines</DartMeasurement>", ""},
		{"<CTestMeasurement>a<b</CTestMeasurement>",
			"<CTestMeasurement>a<b</CTestMeasurement>"},
		{"<CTestMeasurement/>", "<CTestMeasurement/>"},
		{"1<DartMeasurement>a<CTestMeasurement>b</CTestMeasurement>c</"
		 "DartMeasurement>2",
			"12"},
		{"<DartMeasurement>a</b><CTestMeasurement>c</CTestMeasurement></"
		 "DartMeasurement>",
			"<DartMeasurement>a</b></DartMeasurement>"},
		{"</DartMeasurement><DartMeasurement></DartMeasurement>",
			"</DartMeasurement>"},
		{"<CTestMeasurement>8</CTestMeasurement >",
			"<CTestMeasurement>8</CTestMeasurement >"},
		{"<CTestMeasurement>8</CTestOther>", "<CTestMeasurement>8</CTestOther>"},
		{"<CTestMeasurement>9", "<CTestMeasurement>9"},
		{"<CTestMeasurement", "<CTestMeasurement"},
		{"<<CTestMeasurement></CTestMeasurement>>", "<>"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct long_text output = long_text_of(str_of(rows[i].output));
		struct spool room = spool_in(a, "/tmp");

		assert_string_equal(
			str_z(a, truncate_measurements(&room, &output).s), rows[i].kept);
	}
	arena_close(a);
}

static void
test_escape(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		bool quotes;
		const char *escaped;
	} rows[] = {
		{"copyright \302\251", 12, false, "copyright \302\251"},
		{"form-feed \f", 11, false, "form-feed [NON-XML-CHAR-0xC]"},
		{"<a & \"b\">", 9, false, "&lt;a &amp; \"b\"&gt;"},
		{"<a & \"b'>", 9, true, "&lt;a &amp; &quot;b&apos;&gt;"},
		{"a\r\n\tb", 5, false, "a\n\tb"},
		{"\200", 1, false, "[NON-UTF-8-BYTE-0x80]"},
		{"\0", 1, false, "[NON-XML-CHAR-0x0]"},
		{"\300\200", 2, false, "[NON-UTF-8-BYTE-0xC0][NON-UTF-8-BYTE-0x80]"},
		{"\355\240\200", 3, false,
			"[NON-UTF-8-BYTE-0xED][NON-UTF-8-BYTE-0xA0][NON-UTF-8-BYTE-"
			"0x80]"},
		{"\357\277\276", 3, false, "[NON-XML-CHAR-0xFFFE]"},
		{"\360\237\230\200", 4, false, "\360\237\230\200"},
		{"\364\220\200\200", 4, false,
			"[NON-UTF-8-BYTE-0xF4][NON-UTF-8-BYTE-0x90][NON-UTF-8-BYTE-0x80]"
			"[NON-UTF-8-BYTE-0x80]"},
		{"\342\202x", 3, false, "[NON-UTF-8-BYTE-0xE2][NON-UTF-8-BYTE-0x82]x"},
		{"\360\217\277\277", 4, false,
			"[NON-UTF-8-BYTE-0xF0][NON-UTF-8-BYTE-0x8F][NON-UTF-8-BYTE-0xBF]"
			"[NON-UTF-8-BYTE-0xBF]"},
		{"\177\302\200", 3, false, "\177\302\200"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct buf out = {.arena = a};

		xml_escape(&out, str_cut(rows[i].text, rows[i].n), rows[i].quotes);
		assert_string_equal(out.p, rows[i].escaped);
	}
	arena_close(a);
}

static void
test_elements(void **state)
{
	struct arena *a = arena_open();
	struct buf out = {.arena = a};
	struct xml x;

	(void)state;
	xml_begin(&x, &out, 0);
	xml_declaration(&x);
	xml_open(&x, "suite");
	xml_break_attributes(&x);
	xml_attribute(&x, "name", STR("n"));
	xml_attribute_fmt(&x, "tests", "%d", 4);
	xml_open(&x, "case");
	xml_attribute(&x, "a", STR("<"));
	xml_open(&x, "empty");
	xml_close(&x);
	xml_open(&x, "text");
	xml_text(&x, STR("a\nb\n"));
	xml_close(&x);
	xml_open(&x, "text");
	xml_text(&x, STR(""));
	xml_close(&x);
	xml_close(&x);
	xml_close(&x);
	assert_string_equal(out.p,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<suite name=\"n\"\n\ttests=\"4\"\n\t>\n"
		"\t<case a=\"&lt;\">\n\t\t<empty/>\n\t\t<text>a\nb\n</text>\n"
		"\t\t<text></text>\n\t</case>\n</suite>");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncate),
		cmocka_unit_test(test_measurements),
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_elements),
	};

	return run_unit_tests("truncate", tests, NULL, NULL);
}
