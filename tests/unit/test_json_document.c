/* A manifest's JSON, parsed value by value: the same as what cJSON says of the whole. */
#include "tests/helpers/json_whole.h"
#include "tests/unit/unit.h"

static const char document[] =
	"{\n"
	" \"kind\" : \"ctestInfo\", \"x\": [1, -2.5e3, true, null, {\"tests\": [ ]}],\n"
	" \"backtraceGraph\" : {\"commands\":[\"a\\u00e4\"],\"files\":[],\r\n"
	"\t\"nodes\":[ {\"file\":0} , {\"file\":0,\"line\":3} ], \"more\": { } },\n"
	" \"tests\" : [{\"name\":\"t\",\"command\":[\"c\\\\\\\"\",\"\"]},\t{}, 1 , [] "
	"],\n"
	" \"version\":{\"major\":1,\"minor\":0}, \"tests\":[], \"nodes\":[3]\n"
	"}\n";

static void
assert_same(struct str text)
{
	struct arena *a = arena_open();
	struct str head = STR("cannot read manifest : ");
	struct str ours = json_fault_of_parts(a, text);
	struct str whole = json_fault_of_whole(a, text);

	if (ours.n) {
		assert_true(str_begins(ours, head));
		ours = str_from(ours, head.n);
	}
	if (!str_eq(ours, whole))
		fail_msg("\"%.*s\", of the whole \"%.*s\", for %.*s", STR_ARG(ours),
			STR_ARG(whole), STR_ARG(text));
	arena_close(a);
}

/* Copies of their own size, so that a reader behind the end is found. */
static void
compare(const char *p, size_t n)
{
	struct arena *a = arena_open();

	assert_same(str_dup(a, str_cut(p, n)));
	arena_close(a);
}

static void
short_texts(void **state)
{
	static const char *const texts[] = {"", " ", "\n", "{", "[", "{}", "[]", "{ ",
		"[ ", "{ }", "{,}", "{]", "[}", "{1", "{\"", "{\"a", "{\"a\"", "{\"a\" ",
		"{\"a\":", "{\"a\": ", "{\"a\":1", "{\"a\":1,", "{\"a\":1, ",
		"{\"a\":1,}", "{\"a\":1 2}", "{\"a\" 1}", "{\"tests\":[", "{\"tests\":[ ",
		"{\"tests\":[1", "{\"tests\":[1 ", "{\"tests\":[1,", "{\"tests\":[1, ",
		"{\"tests\":[1,]", "{\"tests\":[1]", "{\"tests\":[1]}}",
		"{\"tests\":[,]}", "{\"tests\":[\xef\xbb\xbf{}]}",
		"{\"tests\":\xef\xbb\xbf[]}", "{\"\xef\xbb\xbf\":\xef\xbb\xbf[]}",
		"\xef\xbb\xbf", "\xef\xbb\xbf{", "\xef\xbb\xbf{}", "\xef\xbb\xbf {} ",
		"{} 1", "1 2", "1", "{\"tests\":[]} {}", "{a:1}", "{\"a\":1,b:1}",
		"{\"a\":x}", "{\"backtraceGraph\":{\"nodes\":[}}"};

	(void)state;
	for (size_t i = 0; i < ROWS(texts); i++)
		compare(texts[i], strlen(texts[i]));
}

static void
every_beginning(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof document; n++)
		compare(document, n);
}

/* Each byte left out, doubled, and replaced. */
static void
every_byte(void **state)
{
	static const char others[] = "{}[]:,\"\\ x0\xef\n";
	size_t n = sizeof document - 1;
	char text[sizeof document + 1];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		memcpy(text, document, i);
		memcpy(text + i, document + i + 1, n - i);
		compare(text, n - 1);
		memcpy(text + i + 1, document + i, n - i);
		text[i] = document[i];
		compare(text, n + 1);
		memcpy(text, document, n);
		for (const char *c = others; *c; c++) {
			text[i] = *c;
			compare(text, n);
		}
	}
}

static void
parts_are_found(void **state)
{
	struct arena *a = arena_open();
	struct place place = {0};
	struct diag d = diag_in(a);
	struct json_reader r = {.a = a, .brief = a, .place = &place, .d = &d};
	struct json_document doc;

	(void)state;
	assert_true(json_document_open(&doc, &r, str_of(document)));
	assert_int_equal(doc.nodes.n, 2);
	assert_int_equal(doc.tests.n, 4);
	json_document_close(&doc);
	assert_true(json_document_open(&doc, &r, STR("{\"x\":[1]}")));
	assert_true(doc.nodes.at == SIZE_MAX && doc.tests.at == SIZE_MAX);
	json_document_close(&doc);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_texts),
		cmocka_unit_test(every_beginning),
		cmocka_unit_test(every_byte),
		cmocka_unit_test(parts_are_found),
	};

	return run_unit_tests("json_document", tests, NULL, NULL);
}
