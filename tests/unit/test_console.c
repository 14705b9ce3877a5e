/* Channels, colours and the layout of CMake's messages. Expected messages are what cmake
 * and ctest 3.25 and 4.4 print for the same message() calls. */
#include <stdio.h>
#include <string.h>

#include "compat/console/console.h"
#include "tests/unit/unit.h"

#define DIGITS70 "1234567890123456789012345678901234567890123456789012345678901234567890"
#define HEAD "CMake Warning at F:1 (message):\n"

static struct str
message(struct arena *a, unsigned version, enum diag_kind kind, const char *text)
{
	struct dialect dialect = dialect_of(version);
	struct diag_entry e = {.kind = kind,
		.at = {.file = STR("F"), .line = 1, .command = STR("message")},
		.text = str_of(text)};

	return console_cmake_message(a, &dialect, &e);
}

static void
test_layout(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"short", HEAD "  short\n\n\n"},
		{"", HEAD "\n\n"},
		{"ends in newline\n", HEAD "  ends in newline\n\n\n\n"},
		{"two\n\n", HEAD "  two\n\n  \n\n\n\n"},
		{"\n", HEAD "  \n\n\n\n"},
		{"\n\nx", HEAD "  \n\n  \n\n  x\n\n\n"},
		{"blanks   ", HEAD "  blanks\n\n\n"},
		{"a? b!  c. d.) e...  f", HEAD "  a? b! c.  d.) e...  f\n\n\n"},
		{" as it  stands ", HEAD "   as it  stands \n\n\n"},
		{"\ttab", HEAD "  \ttab\n\n\n"},
		{"x\n  y\n", HEAD "  x\n\n    y\n\n\n\n"},
		{"x\n  y\n  z\nw", HEAD "  x\n\n    y\n    z\n\n  w\n\n\n"},
		{"x\n  y\n\n  z", HEAD "  x\n\n    y\n\n  \n\n    z\n\n\n"},
		{" \n", HEAD "   \n\n\n\n"},
		{DIGITS70 "123 7", HEAD "  " DIGITS70 "123 7\n\n\n"},
		{DIGITS70 "1234 7", HEAD "  " DIGITS70 "1234\n  7\n\n\n"},
		{DIGITS70 "1. 7", HEAD "  " DIGITS70 "1.  7\n\n\n"},
		{DIGITS70 "12. 7", HEAD "  " DIGITS70 "12.\n  7\n\n\n"},
		{DIGITS70 "12345 7", HEAD "  \n  " DIGITS70 "12345\n  7\n\n\n"},
		{"a " DIGITS70 DIGITS70 " b",
			HEAD "  a\n  " DIGITS70 DIGITS70 "\n  b\n\n\n"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_string_equal(message(a, 3025, DIAG_CMAKE_WARNING, rows[i].text).p,
			rows[i].shown);
	arena_close(a);
}

/* Where a line has its margin only with what stands on it. */
static void
test_layout_since(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"short", HEAD "  short\n\n\n"},
		{"", HEAD "\n\n"},
		{"two\n\n", HEAD "  two\n\n\n\n\n\n"},
		{"\n", HEAD "\n\n\n\n"},
		{"\n\nx", HEAD "\n\n\n\n  x\n\n\n"},
		{"x\n  y\n  z\nw", HEAD "  x\n\n    y\n    z\n\n  w\n\n\n"},
		{"x\n  y\n\n  z", HEAD "  x\n\n    y\n\n\n\n    z\n\n\n"},
		{" \n", HEAD "   \n\n\n\n"},
		{DIGITS70 "123 7", HEAD "  " DIGITS70 "123 7\n\n\n"},
		{DIGITS70 "1234 7", HEAD "  " DIGITS70 "1234\n  7\n\n\n"},
		{DIGITS70 "1. 7", HEAD "  " DIGITS70 "1.  7\n\n\n"},
		{DIGITS70 "12. 7", HEAD "  " DIGITS70 "12.\n  7\n\n\n"},
		{DIGITS70 "12345 7", HEAD "  " DIGITS70 "12345\n  7\n\n\n"},
		{DIGITS70 "123456 7", HEAD "  \n  " DIGITS70 "123456\n  7\n\n\n"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_string_equal(message(a, 4000, DIAG_CMAKE_WARNING, rows[i].text).p,
			rows[i].shown);
	arena_close(a);
}

static void
test_kinds(void **state)
{
#define NOTE "This warning is for project developers.  Use "
	static const struct {
		unsigned version;
		enum diag_kind kind;
		const char *shown;
	} rows[] = {
		{3025, DIAG_CMAKE_FATAL, "CMake Error at F:1 (message):\n  t\n\n\n"},
		{3025, DIAG_CMAKE_ERROR, "CMake Error at F:1 (message):\n  t\n\n\n"},
		{3025, DIAG_CMAKE_WARNING, "CMake Warning at F:1 (message):\n  t\n\n\n"},
		{3025, DIAG_CMAKE_AUTHOR,
			"CMake Warning (dev) at F:1 (message):\n  t\n" NOTE
			"-Wno-dev to suppress it.\n\n"},
		{3025, DIAG_CMAKE_DEPRECATION,
			"CMake Deprecation Warning at F:1 (message):\n  t\n\n\n"},
		{3025, DIAG_CMAKE_MESSAGE, "t\n"},
		{4004, DIAG_CMAKE_FATAL, "CMake Error at F:1 (message):\n  t\n\n\n"},
		{4004, DIAG_CMAKE_WARNING, "CMake Warning at F:1 (message):\n  t\n\n\n"},
		{4004, DIAG_CMAKE_AUTHOR,
			"CMake Warning (author) at F:1 (message):\n  t\n" NOTE
			"-Wno-author to suppress it.\n\n"},
		{4004, DIAG_CMAKE_POLICY,
			"CMake Warning (policy) at F:1 (message):\n  t\n" NOTE
			"-Wno-author or -Wno-policy to\nsuppress it.\n\n"},
		{4004, DIAG_CMAKE_DEPRECATION,
			"CMake Warning (deprecated) at F:1 (message):\n  t\n" NOTE
			"-Wno-author or -Wno-deprecated\nto suppress it.\n\n"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_string_equal(
			message(a, rows[i].version, rows[i].kind, "t").p, rows[i].shown);
	arena_close(a);
}

static void
test_call_stack(void **state)
{
	struct place outer = {STR("T"), 20, STR("include"), NULL};
	struct place inner = {STR("inc"), 8, STR("f"), &outer};
	struct dialect dialect = dialect_of(3025);
	struct arena *a = arena_open();
	struct diag_entry e = {.kind = DIAG_CMAKE_ERROR,
		.at = {STR("inc"), 3, STR("message"), &inner},
		.text = STR("text")};

	(void)state;
	assert_string_equal(console_cmake_message(a, &dialect, &e).p,
		"CMake Error at inc:3 (message):\n  text\n"
		"Call Stack (most recent call first):\n  inc:8 (f)\n  T:20 "
		"(include)\n\n\n");
	e.at = (struct place){.file = STR("T")};
	assert_string_equal(console_cmake_message(a, &dialect, &e).p,
		"CMake Error in T:\n  text\n\n\n");
	e.at = NO_PLACE;
	assert_string_equal(
		console_cmake_message(a, &dialect, &e).p, "CMake Error:\n  text\n\n\n");
	arena_close(a);
}

struct said {
	struct arena *a;
	struct buf out, err;
	struct console *c;
};

static struct said *
open_said_in(bool verbose, bool quiet, bool has_colour)
{
	struct arena *a = arena_open();
	struct said *s = NEW(a, struct said);
	struct console_options o = {.verbose = verbose, .quiet = quiet};
	struct dialect *d = NEW(a, struct dialect);

	*d = dialect_of(3025);
	*s = (struct said){.a = a, .out = {.arena = a}, .err = {.arena = a}};
	buf_z(&s->out, "");
	buf_z(&s->err, "");
	s->c = console_open(
		a, &o, d, &(struct console_capture){&s->out, &s->err, has_colour, false});
	return s;
}

static struct said *
open_said(bool verbose, bool quiet)
{
	return open_said_in(verbose, quiet, false);
}

static void
close_said(struct said *s)
{
	console_close(s->c);
	arena_close(s->a);
}

static void
test_channels(void **state)
{
	static const struct {
		bool verbose, quiet;
		const char *out, *err;
	} rows[] = {
		{false, false, "o r", "w e "},
		{true, false, "o v r", "w e "},
		{true, true, "r", ""},
		{false, true, "r", ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct said *s = open_said(rows[i].verbose, rows[i].quiet);

		console_say(s->c, CHANNEL_OUTPUT, STR("o "));
		console_fmt(s->c, CHANNEL_VERBOSE, "%s", "v ");
		console_say(s->c, CHANNEL_WARNING, STR("w "));
		console_say(s->c, CHANNEL_ERROR, STR("e "));
		console_raw(s->c, STR("r"));
		assert_string_equal(s->out.p, rows[i].out);
		assert_string_equal(s->err.p, rows[i].err);
		close_said(s);
	}
}

static void
test_width(void **state)
{
	struct said *s = open_said(false, false);

	(void)state;
	console_widen_next_error(s->c, 6);
	console_say(s->c, CHANNEL_OUTPUT, STR("o"));
	console_say(s->c, CHANNEL_WARNING, STR("abc\n"));
	console_say(s->c, CHANNEL_WARNING, STR("abc\n"));
	console_widen_next_error(s->c, 6);
	console_raw_error(s->c, STR("abc\nde\n"));
	console_widen_next_error(s->c, 2);
	console_raw_error(s->c, STR("abc\n"));
	console_raw_error(s->c, STR("d\n"));
	assert_string_equal(s->out.p, "o");
	assert_string_equal(s->err.p, "  abc\nabc\n   abc\nde\nabc\nd\n");
	close_said(s);
}

/* Each entry once; what ctest says is silent under -Q, what CMake and cctr say is not. */
static void
test_diagnostics(void **state)
{
	static const struct {
		bool quiet;
		const char *out, *err;
	} rows[] = {
		{false, "pattern\n",
			"bare\nnote\ncctr: f:2: own\ncctr: g: own\nCMake Error:\n  "
			"x\n\n\n"},
		{true, "pattern\n",
			"note\ncctr: f:2: own\ncctr: g: own\nCMake Error:\n  x\n\n\n"},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct said *s = open_said(false, rows[i].quiet);
		struct diag d = diag_in(s->a);

		diag_error(&d, NO_PLACE, "bare");
		diag_add(&d, DIAG_NOTE, NO_PLACE, STR("note\n"));
		console_diag(s->c, &d);
		diag_add(&d, DIAG_OUTPUT, NO_PLACE, STR("pattern\n"));
		diag_error(&d, (struct place){.file = STR("f"), .line = 2}, "own");
		diag_warning(&d, (struct place){.file = STR("g")}, "own");
		diag_add(&d, DIAG_CMAKE_ERROR, NO_PLACE, STR("x"));
		console_diag(s->c, &d);
		console_diag(s->c, &d);
		assert_string_equal(s->out.p, rows[i].out);
		assert_string_equal(s->err.p, rows[i].err);
		close_said(s);
	}
}

static void
test_colour(void **state)
{
	struct said *s = open_said(false, false);

	(void)state;
	assert_string_equal(console_colour(s->c, COLOUR_RED), "");
	close_said(s);
	s = open_said_in(false, false, true);
	assert_string_equal(console_colour(s->c, COLOUR_RED), "\033[0;31m");
	assert_string_equal(console_colour(s->c, COLOUR_NORMAL), "\033[0;0m");
	close_said(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_layout_since),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_call_stack),
		cmocka_unit_test(test_channels),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_diagnostics),
		cmocka_unit_test(test_colour),
	};

	return run_unit_tests("console", tests, NULL, NULL);
}
