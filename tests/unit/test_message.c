/* Messages as bytes, and bytes that are none. */
#include "runner/remote/message.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct message
launch_message(void)
{
	static const char *const argv[] = {"/bin/x", "a b", "", NULL};
	static const char *const environment[] = {"A=1\n2", NULL};
	static unsigned processors[] = {0, 4};

	return (struct message){.kind = MESSAGE_LAUNCH,
		.task = 3,
		.processors = {processors, 2},
		.launch = {.path = "/bin/x",
			.argv = argv,
			.environment = environment,
			.directory = "/d",
			.timeout_ns = NO_TIMEOUT,
			.timeout_signal = 15,
			.timeout_grace_ns = 5,
			.temporary_mark = "{x}",
			.keeps_failed_temporary = true,
			.reports_hang = true,
			.pmix_ranks = 7}};
}

static void
launch_and_back(void **state)
{
	struct buf b = {.arena = *state};
	struct message m = launch_message(), back;
	struct str bytes;
	const char *why;

	message_write(&b, &m);
	bytes = buf_as_str(&b);
	assert_int_equal(message_read(*state, &bytes, &back, &why), MESSAGE_WHOLE);
	assert_int_equal(bytes.n, 0);
	assert_int_equal(back.task, 3);
	assert_string_equal(back.launch.argv[1], "a b");
	assert_string_equal(back.launch.argv[2], "");
	assert_null(back.launch.argv[3]);
	assert_string_equal(back.launch.environment[0], "A=1\n2");
	assert_true(back.launch.timeout_ns == NO_TIMEOUT);
	assert_int_equal(back.processors.n, 2);
	assert_int_equal(back.processors.v[1], 4);
	assert_string_equal(back.launch.temporary_mark, "{x}");
	assert_true(back.launch.keeps_failed_temporary);
	assert_true(back.launch.reports_hang);
	assert_int_equal(back.launch.pmix_ranks, 7);
}

static void
outcome_and_back(void **state)
{
	struct buf b = {.arena = *state};
	struct message m = {.kind = MESSAGE_OUTCOME,
			       .task = 1,
			       .age_us = 12,
			       .outcome = {.ending = END_TIMED_OUT,
				       .exit_code = -1,
				       .signal = 9,
				       .duration_ns = 1ull << 40,
				       .signal_sufficed = true,
				       .lost_output = 28}},
		       back;
	struct str bytes;
	const char *why;

	message_write(&b, &m);
	bytes = buf_as_str(&b);
	assert_int_equal(message_read(*state, &bytes, &back, &why), MESSAGE_WHOLE);
	assert_int_equal(back.outcome.ending, END_TIMED_OUT);
	assert_int_equal(back.outcome.exit_code, -1);
	assert_true(back.outcome.duration_ns == 1ull << 40);
	assert_true(back.outcome.signal_sufficed);
	assert_false(back.outcome.is_cut);
	assert_int_equal(back.outcome.lost_output, 28);
	assert_int_equal(back.age_us, 12);
}

/* Every shorter text is incomplete, and nothing of it is taken. */
static void
cut_anywhere(void **state)
{
	struct buf b = {.arena = *state};
	struct message m = launch_message(), back;
	const char *why;

	message_write(&b, &m);
	for (size_t n = 0; n < b.n; n++) {
		struct str bytes = str_cut(b.p, n);

		assert_int_equal(
			message_read(*state, &bytes, &back, &why), MESSAGE_INCOMPLETE);
		assert_int_equal(bytes.n, n);
	}
}

/* What a pilot says after an outcome that was cut off does not complete it. */
static void
cut_before_fate(void **state)
{
	struct arena *a = *state;
	struct buf whole = {.arena = a}, text = {.arena = a}, fate = {.arena = a};
	struct message m = {.kind = MESSAGE_OUTCOME,
			       .task = '\n',
			       .outcome = {.ending = END_EXITED, .exit_code = '\n'}},
		       back;
	const char *why;

	message_write(&whole, &m);
	while (text.n < MESSAGE_FATE_LEAST)
		buf_char(&text, ' ');
	message_write(&fate,
		&(struct message){.kind = MESSAGE_FATE, .text = buf_as_str(&text)});
	for (size_t n = 1; n < whole.n; n++) {
		struct buf both = {.arena = a};
		struct str bytes;

		buf_str(&both, str_cut(whole.p, n));
		buf_str(&both, buf_as_str(&fate));
		bytes = buf_as_str(&both);
		assert_int_not_equal(message_read(a, &bytes, &back, &why), MESSAGE_WHOLE);
	}
}

/* Whatever one byte is changed to, reading ends well. */
static void
changed_anywhere(void **state)
{
	struct arena *a = *state;
	struct buf b = {.arena = a};
	struct message m = launch_message(), back;
	const char *why;

	message_write(&b, &m);
	for (size_t i = 0; i < b.n; i++)
		for (int to = 0; to < 256; to += 5) {
			struct str bytes = str_dup(a, buf_as_str(&b));
			char *p = str_own(bytes);

			p[i] = (char)to;
			if (message_read(a, &bytes, &back, &why) == MESSAGE_BAD)
				assert_non_null(why);
		}
}

static void
no_messages(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} rows[] = {
		{"\0\0\0\0\0", 5}, /* no kind */
		{"\0\0\0\0\x7f", 5}, {"Welcome", 7},
		{"\0\0\0\1\x0b\0\n", 7}, /* a heartbeat with a field */
		{"\0\0\0\2\x05\0\0\n", 8}, /* an interrupt with half a field */
		{"\xff\xff\xff\xff\x07", 5}, /* too long */
		{"\0\0\0\x8\7\0\0\0\1\xff\xff\xff\xff\n",
			14}, /* a text beyond its frame */
		{"\0\0\0\0\x0b?", 6}, /* no newline */
	};
	struct message m;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str bytes = str_cut(rows[i].bytes, rows[i].n);
		const char *why = NULL;

		assert_int_equal(message_read(*state, &bytes, &m, &why), MESSAGE_BAD);
		assert_non_null(why);
	}
}

/* Of another protocol only the number and the program are read. */
static void
other_protocol(void **state)
{
	static const char text[] = "\0\0\0\x0b\1\0\0\0\7\0\0\0\1"
				   "9??\n";
	struct str bytes = str_cut(text, sizeof text - 1);
	struct message m;
	const char *why;

	assert_int_equal(message_read(*state, &bytes, &m, &why), MESSAGE_WHOLE);
	assert_int_equal(m.greeting.protocol, 7);
	assert_string_equal(m.greeting.program, "9");
	assert_null(m.greeting.witness);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_arena, close_arena)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(launch_and_back),
		TEST(outcome_and_back),
		TEST(cut_anywhere),
		TEST(cut_before_fate),
		TEST(changed_anywhere),
		TEST(no_messages),
		TEST(other_protocol),
	};

	return run_unit_tests("message", tests, NULL, NULL);
}
