/* The text that the runs of a machine share. */
#include "runner/host/host_book.h"
#include "tests/unit/host_text.h"
#include "tests/unit/unit.h"

#define TWO                                                                              \
	"run 0 11 12 13 5 1 99\nhas 1 cpus 0\nhas 2 gpus GPU-a\nwaits 1\n"               \
	"stays 2\nwants 1 77 gpus\n"                                                     \
	"run 7 21 22 0 0 0 0\n"

static bool
read_body(struct arena *a, const char *body, struct host_book *b)
{
	struct buf text = host_text(a, str_of(body));

	return host_book_read(a, buf_as_str(&text), b);
}

static void
what_is_written_is_read(void **state)
{
	struct buf text = {.arena = *state}, sealed = host_text(*state, STR(TWO));
	struct host_book b;

	assert_true(read_body(*state, TWO, &b));
	assert_int_equal(b.owners.n, 2);
	assert_int_equal(b.owners.v[0].pid, 11);
	assert_int_equal(b.owners.v[0].start, 12);
	assert_int_equal(b.owners.v[0].brand, 13);
	assert_int_equal(b.owners.v[0].ticket, 5);
	assert_int_equal(b.owners.v[0].overtaken, 1);
	assert_int_equal(b.owners.v[0].seen_s, 99);
	assert_int_equal(b.owners.v[0].claims.n, 2);
	assert_true(str_is(b.owners.v[0].claims.v[1].name, "gpus GPU-a"));
	assert_int_equal(b.owners.v[0].claims.v[1].slots, 2);
	assert_int_equal(b.owners.v[0].claims.v[0].waiting, 0);
	assert_int_equal(b.owners.v[0].claims.v[1].waiting, 1);
	assert_int_equal(b.owners.v[0].claims.v[1].staying, 2);
	assert_true(str_is(b.owners.v[0].wishes.v[0].type, "gpus"));
	assert_int_equal(b.owners.v[0].wishes.v[0].among, 77);
	assert_ptr_equal(host_book_find(&b, 7), &b.owners.v[1]);
	assert_null(host_book_find(&b, 1));
	assert_int_equal(host_book_next_ticket(&b), 6);
	assert_true(host_book_write(&text, &b));
	assert_true(str_eq(buf_as_str(&text), buf_as_str(&sealed)));
	host_book_drop(&b, &b.owners.v[0]);
	assert_int_equal(b.owners.v[0].slot, 7);
}

/* Also after a run that has written the highest numbers. */
static void
what_counts_up_stays_readable(void **state)
{
	struct buf text = {.arena = *state};
	struct host_book b, again;

	assert_true(
		read_body(*state, "run 0 1 1 1 18446744073709551614 4294967295 0\n", &b));
	b.owners.v[0].ticket = host_book_next_ticket(&b);
	b.owners.v[0].overtaken++;
	assert_true(host_book_write(&text, &b));
	assert_true(host_book_read(*state, buf_as_str(&text), &again));
	assert_int_equal(again.owners.v[0].ticket, UINT64_MAX - 1);
	assert_int_equal(again.owners.v[0].overtaken, UINT32_MAX);
}

/* Also one whose lines are short enough, but not with the head. */
static void
what_is_too_long_is_not_written(void **state)
{
	struct buf text = {.arena = *state}, name = {.arena = *state};
	struct host_book b;

	assert_true(read_body(*state, "run 0 1 1 1 0 0 0\nhas 1 a 0\n", &b));
	assert_true(host_book_write(&text, &b));
	buf_fill(&name, 'a', HOST_BYTES_MOST - text.n + 3);
	b.owners.v[0].claims.v[0].name = buf_as_str(&name);
	text.n = 0;
	assert_true(host_book_write(&text, &b));
	assert_int_equal(text.n, HOST_BYTES_MOST);
	buf_char(&name, 'a');
	b.owners.v[0].claims.v[0].name = buf_as_str(&name);
	assert_false(host_book_write(&text, &b));
}

static void
an_empty_file_is_an_empty_book(void **state)
{
	struct host_book b;

	assert_true(host_book_read(*state, STR(""), &b));
	assert_int_equal(b.owners.n, 0);
	assert_int_equal(host_book_next_ticket(&b), 1);
}

/* A shorter text leaves the end of a longer one behind it. */
static void
what_follows_the_text_is_ignored(void **state)
{
	struct buf text = host_text(*state, STR(TWO));
	struct host_book b;

	buf_z(&text, "has 1 cpus 0\nnonsense");
	assert_true(host_book_read(*state, buf_as_str(&text), &b));
	assert_int_equal(b.owners.n, 2);
}

/* Each byte counts, and each that is missing. */
static void
damage_is_noticed(void **state)
{
	struct buf text = host_text(*state, STR(TWO));
	struct host_book b;

	for (size_t i = 0; i < text.n; i++) {
		text.p[i] ^= 1;
		assert_false(host_book_read(*state, buf_as_str(&text), &b));
		text.p[i] ^= 1;
		assert_false(host_book_read(*state, str_cut(text.p, i ? i : 1), &b));
	}
	assert_true(host_book_read(*state, buf_as_str(&text), &b));
}

static void
what_means_nothing_is_damage(void **state)
{
	static const char *const rows[] = {"run 0 1 1 1 0 0\n", "run 0 1 1 1 0 0 0 0\n",
		"run 256 1 1 1 0 0 0\n", "run x 1 1 1 0 0 0\n",
		"run 0 1 1 1 0 0 0\nrun 0 2 2 2 0 0 0\n", "has 1 cpus 0\n",
		"wants 1 5 cpus\n", "run 0 1 1 1 0 0 0\nhas 1 cpus\n",
		"run 0 1 1 1 0 0 0\nhas cpus 0\n", "run 0 1 1 1 0 0 0\nhas 1 cpus 0 1\n",
		"run 0 1 1 1 0 0 0\nwants 1\n", "run 0 1 1 1 0 0 0\nwants 1 cpus\n",
		"run 0 1 1 1 0 0 0\nlikes 1 cpus\n",
		"run 0 1 1 1 0 0 0\nhas 4294967296 cpus 0\n", "\n",
		"run 0 1 1 1 0 0 0\nwaits 1\n",
		"run 0 1 1 1 0 0 0\nhas 1 cpus 0\nwaits 2\n",
		"run 0 1 1 1 0 0 0\nhas 1 cpus 0\nstays 2\n",
		"run 0 1 1 1 0 0 0\nhas 1 cpus 0\nwaits 0\n",
		"run 0 1 1 1 0 0 0\nhas 1 cpus 0\nwaits 1\nwaits 1\n",
		"run 0 1 1 1 0 4294967296 0\n", "run 0 1 1 1 18446744073709551615 0 0\n"};
	struct host_book b;

	for (size_t i = 0; i < ROWS(rows); i++) {
		if (read_body(*state, rows[i], &b))
			fail_msg("%s", rows[i]);
		assert_int_equal(b.owners.n, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_written_is_read, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			what_counts_up_stays_readable, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			what_is_too_long_is_not_written, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			an_empty_file_is_an_empty_book, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			what_follows_the_text_is_ignored, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			damage_is_noticed, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			what_means_nothing_is_damage, open_arena, close_arena),
	};

	return run_unit_tests("host_book", tests, NULL, NULL);
}
