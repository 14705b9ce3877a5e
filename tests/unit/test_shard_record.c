/* shard_record, shard_set: what is written is read; each byte and each length counts. */
#include "runner/shards/shard_set.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

static struct shard_head
head(uint32_t shard, uint32_t shards, uint64_t own, uint64_t tests)
{
	return (struct shard_head){.shard = shard,
		.shards = shards,
		.key = 7,
		.own = own,
		.tests = tests,
		.suite_n = tests,
		.commit = STR("abc"),
		.host = STR("here"),
		.started_us = 5};
}

static struct shard_attempt
attempt_of(unsigned number, const char *name, bool is_own)
{
	static struct str words[] = {{"/bin/x", 6}, {"\377", 1}, {"", 0}};
	static const char *const argv[] = {"/bin/x", "y", NULL};

	return (struct shard_attempt){.is_own = is_own,
		.number = number,
		.run = 1,
		.is_last = true,
		.test.name = str_of(name),
		.test.command = {words, ROWS(words)},
		.properties = properties_default,
		.has_launch = true,
		.launch = {.path = argv[0], .argv = argv},
		.outcome = {.ending = END_EXITED, .exit_code = -3, .host = "there"},
		.verdict.kind = VERDICT_FAILED};
}

static void
add_attempt(struct buf *b, unsigned number, const char *name, bool is_own)
{
	struct shard_attempt one = attempt_of(number, name, is_own);

	shard_write_attempt(b, &one);
}

static void
add_end(struct buf *b, uint64_t attempts, int code, int signal)
{
	shard_write_end(b, &(struct shard_end){.code = code,
				   .signal = signal,
				   .attempts = attempts,
				   .sum = str_sum(STR_SUM_EMPTY, buf_as_str(b))});
}

static struct str
one_record(struct arena *a)
{
	struct shard_head h = head(1, 1, 2, 2);
	struct buf b = {.arena = a};

	shard_write_head(&b, &h);
	shard_write_output(&b, STR("one "));
	shard_write_output(&b, str_cut("a\0b", 3));
	add_attempt(&b, 1, "a", true);
	add_attempt(&b, 2, "b", true);
	shard_write_output(&b, STR("contents"));
	shard_write_file(&b, STR("/a/file"));
	add_end(&b, 2, 8, 0);
	return buf_as_str(&b);
}

static void
comes_back(void **state)
{
	struct shard_record r;
	const struct shard_attempt *x = NULL;

	assert_null(shard_read(*state, one_record(*state), &r));
	assert_true(r.has_end);
	assert_int_equal(r.head.key, 7);
	assert_true(str_is(r.head.commit, "abc"));
	assert_int_equal(r.attempts.n, 2);
	x = &r.attempts.v[0];
	assert_true(str_is(x->test.name, "a"));
	assert_int_equal(x->test.command.n, 3);
	assert_true(str_is(x->test.command.v[1], "\377"));
	assert_true(str_eq(x->outcome.output, str_cut("one a\0b", 7)));
	assert_int_equal(x->outcome.exit_code, -3);
	assert_null(x->outcome.node);
	assert_string_equal(x->outcome.host, "there");
	assert_string_equal(x->launch.argv[1], "y");
	assert_int_equal(r.attempts.v[1].outcome.output.n, 0);
	assert_int_equal(r.files.n, 1);
	assert_true(str_is(r.files.v[0].path, "/a/file"));
	assert_true(str_is(r.files.v[0].contents, "contents"));
	assert_int_equal(r.end.code, 8);
}

static void
has_its_partition(void **state)
{
	struct shard_head h = head(1, 1, 2, 2);
	struct shard_attempt one = attempt_of(1, "a", true);
	struct buf b = {.arena = *state}, twice = {.arena = *state};
	struct shard_record r;

	one.partition = STR("gpu");
	shard_write_head(&b, &h);
	buf_str(&twice, buf_as_str(&b));
	shard_write_attempt(&b, &one);
	add_attempt(&b, 2, "b", true);
	add_end(&b, 2, 0, 0);
	assert_null(shard_read(*state, buf_as_str(&b), &r));
	assert_true(r.has_end);
	assert_true(str_is(r.attempts.v[0].partition, "gpu"));
	assert_null(r.attempts.v[1].partition.p);
	one.partition = STR("");
	shard_write_attempt(&twice, &one);
	assert_string_equal(
		shard_read(*state, buf_as_str(&twice), &r), "a partition has no name");
}

static bool
is_whole(struct arena *a, struct str bytes)
{
	struct shard_record r;

	return !shard_read(a, bytes, &r) && r.has_end;
}

static void
every_bit_counts(void **state)
{
	struct str whole = one_record(*state);
	struct arena *a = arena_open();

	for (size_t i = 0; i < whole.n * 8; i++) {
		struct arena_mark mark = arena_mark(a);
		struct str changed = str_dup(a, whole);

		str_own(changed)[i / 8] ^= (char)(1 << i % 8);
		assert_false(is_whole(a, changed));
		arena_rewind(a, mark);
	}
	for (size_t n = 0; n < whole.n; n++)
		assert_false(is_whole(a, str_cut(whole.p, n)));
	assert_true(is_whole(a, whole));
	assert_false(is_whole(a, str_fmt(a, "%.*s\n", STR_ARG(whole))));
	arena_close(a);
}

/* ---- sets ------------------------------------------------------------------------ */

/* A record: its shard, and which tests it has results of. Small letters are its own. */
struct given {
	uint32_t shard, shards;
	uint64_t own, key;
	const char *tests, *commit;
	int code, signal;
};
static const struct {
	struct given given[3];
	const char *message; /* NULL: it is a whole run */
} sets[] = {
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 2, 2, 7, "bc", "", 0, 0}}, NULL},
	{{{2, 2, 2, 7, "bc", "", 0, 0}, {1, 2, 1, 7, "a", "", 8, 0}}, NULL},
	{{{1, 2, 1, 7, "aS", "x", 0, 0}, {2, 2, 2, 7, "bcS", "", 0, 0}}, NULL},
	{{{1, 2, 1, 7, "aB", "", 0, 0}, {2, 2, 2, 7, "bc", "", 0, 0}}, NULL},
	{{{1, 2, 1, 7, "a", "", 0, 0}}, "shard 2 of 2 is missing"},
	{{{2, 3, 1, 7, "a", "", 0, 0}}, "shards 1, 3 of 3 are missing"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {1, 2, 1, 7, "a", "", 0, 0}},
		"has shard 1 of 2, as 0 has"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 2, 2, 8, "bc", "", 0, 0}},
		"belongs to another run than 0: its key is 0000000000000008, not "
		"0000000000000007"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 3, 2, 7, "bc", "", 0, 0}},
		"belongs to another run than 0: it is one of 3 shards, not of 2"},
	{{{1, 2, 1, 7, "a", "x", 0, 0}, {2, 2, 2, 7, "bc", "y", 0, 0}},
		"belongs to another run than 0: its commit is y, not x"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 2, 2, 7, "bc", "", 8, 15}},
		"shard 2 of 2 was interrupted by signal 15"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 2, 2, 7, "b", "", 0, 0}},
		"shard 2 of 2 has results of 1 tests, not of 2"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 2, 2, 7, "bcd", "", 8, 0}},
		"shard 2 of 2 has results of 3 tests, not of 2"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 2, 2, 7, "ac", "", 0, 0}},
		"has a second result of test 1, a; the first is in 0"},
	{{{1, 2, 1, 7, "a", "", 0, 0}, {2, 2, 3, 7, "bcd", "", 0, 0}},
		"all shards together have 4 tests, not 3"},
};

static struct shard_file
file_of(struct arena *a, size_t i, const struct given *g)
{
	struct shard_head h = head(g->shard, g->shards, g->own, 3);
	struct buf b = {.arena = a};
	struct shard_file f = {.path = str_fmt(a, "%zu", i)};
	size_t n = strlen(g->tests);

	h.key = g->key;
	h.commit = str_of(g->commit);
	shard_write_head(&b, &h);
	for (size_t k = 0; k < n; k++) {
		char c = g->tests[k], name[] = {(char)(c | 32), '\0'};

		add_attempt(&b, (unsigned)(name[0] - 'a') + 1, name, c == name[0]);
	}
	add_end(&b, n, g->code, g->signal);
	assert_null(shard_read(a, buf_as_str(&b), &f.record));
	return f;
}

static void
whole_runs(void **state)
{
	for (size_t i = 0; i < ROWS(sets); i++) {
		struct shard_file v[3];
		struct diag d = diag_in(*state);
		size_t n = 0;

		for (; n < 3 && sets[i].given[n].shard; n++)
			v[n] = file_of(*state, n, &sets[i].given[n]);
		assert_int_equal(
			shard_set_check(*state, v, n, &d), sets[i].message == NULL);
		if (!sets[i].message)
			continue;
		assert_int_equal(d.errors, 1);
		assert_string_equal(str_z(*state, d.entries.v[0].text), sets[i].message);
	}
}

static void
too_many_shards(void **state)
{
	static const uint32_t counts[] = {0, SHARD_RECORDS_MOST + 1, UINT32_MAX};
	struct shard_record r;

	for (size_t i = 0; i < ROWS(counts); i++) {
		struct shard_head h = head(1, counts[i], 0, 0);
		struct buf b = {.arena = *state};

		shard_write_head(&b, &h);
		assert_string_equal(shard_read(*state, buf_as_str(&b), &r),
			"it has an impossible number");
	}
}

static void
worst_code(void **state)
{
	static const struct {
		int codes[3], worst;
	} rows[] = {{{0, 0, 0}, 0}, {{0, 8, 0}, 8}, {{8, 12, 0}, 8}, {{1, 12, 0}, 12}};
	struct shard_file v[3] = {0};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		for (size_t k = 0; k < 3; k++)
			v[k].record.end.code = rows[i].codes[k];
		assert_int_equal(shard_set_code(v, 3), rows[i].worst);
	}
}

static void
files(void **state)
{
	struct diag d = diag_in(*state);
	struct str whole = text_file(*state, "whole", one_record(*state));
	struct str cut = text_file(*state, "cut", str_cut(one_record(*state).p, 300));
	struct str other = text_file(*state, "other", STR("x"));

	assert_true(shard_file_read(*state, &(struct shard_file){.path = whole}, &d));
	assert_false(shard_file_read(*state, &(struct shard_file){.path = cut}, &d));
	assert_string_equal(str_z(*state, d.entries.v[0].text),
		"has no end: shard 1 of 1 was killed, or still runs");
	assert_false(shard_file_read(*state, &(struct shard_file){.path = other}, &d));
	assert_false(shard_file_read(
		*state, &(struct shard_file){.path = STR("/none/there")}, &d));
	assert_int_equal(d.errors, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(comes_back, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			has_its_partition, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			every_bit_counts, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(whole_runs, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(too_many_shards, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(worst_code, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(files, open_arena, close_arena),
	};

	return run_unit_tests("shard_record", tests, NULL, NULL);
}
