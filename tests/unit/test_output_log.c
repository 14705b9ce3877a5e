/* --output-log: marks by dialect, messages in parts, the name at the end. */
#include <stdlib.h>
#include <string.h>

#include "compat/console/output_log.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

static const char one[] = "ONE", two[] = "TWO";

static const struct {
	unsigned version;
	/* a letter: the channel; the parts of its message up to the next blank */
	const char *messages, *expected;
} rows[] = {
	{3025, "", ""},
	{3025, "1a", "[ONE] \na\n"},
	{3025, "1a 1b 1c", "[ONE] \na\nbc"},
	{3025, "1a 2b 2c 1d", "[ONE] \na\n[TWO] \nb\nc[ONE] \nd\n"},
	{3025, "1a,b,c 1d,e", "[ONE] \nabc\nde"},
	{3031, "1a 2b", "[ONE] \na\n[TWO] \nb\n"},
	{4000, "1a 2b 2c,d", "abcd"},
};

static void
add(struct arena *a, struct output_log *l, struct str message)
{
	const char *channel = message.p[0] == '1' ? one : two;
	VEC(struct long_text) parts = {0};

	message = str_from(message, 1);
	while (message.n) {
		size_t n = str_find(message, ',');

		VEC_PUSH(a, &parts, long_text_of(str_cut(message.p, n)));
		message = str_from(message, n < message.n ? n + 1 : n);
	}
	output_log_add(l, channel, parts.v, parts.n);
}

static void
marks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		char directory[] = "/tmp/cctr-log-XXXXXX";
		struct arena *a = arena_open();
		struct dialect dialect = dialect_of(rows[i].version);
		struct str path = str_fmt(a, "%s/deep/er/log", mkdtemp(directory)), text;
		struct str rest = str_of(rows[i].messages);
		struct output_log *l = output_log_open(a, path, &dialect);

		assert_non_null(l);
		while (rest.n) {
			size_t n = str_find(rest, ' ');

			add(a, l, str_cut(rest.p, n));
			rest = str_from(rest, n < rest.n ? n + 1 : n);
		}
		output_log_flush(l);
		assert_true(file_read(
			a, str_fmt(a, "%s/deep/er/log.tmp", directory).p, &text));
		assert_string_equal(str_z(a, text), rows[i].expected);
		assert_false(path_exists(path.p));
		assert_int_equal(output_log_close(l), 0);
		assert_true(file_read(a, path.p, &text));
		assert_string_equal(str_z(a, text), rows[i].expected);
		assert_true(tree_remove(a, directory));
		arena_close(a);
	}
}

static void
not_to_be_written(void **state)
{
	struct arena *a = arena_open();
	struct dialect dialect = dialect_of(3025);

	(void)state;
	assert_null(output_log_open(a, STR("/proc/no/such/log"), &dialect));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks),
		cmocka_unit_test(not_to_be_written),
	};

	return run_unit_tests("output_log", tests, NULL, NULL);
}
