/* LastTestsFailed.log and LastTestsDisabled.log. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/records/last_failed.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

static void
test_read(void **state)
{
	static const struct {
		const char *text;
		unsigned numbers[6];
		size_t n;
	} rows[] = {
		{"", {0}, 0},
		{"2:b\n4:d\n", {2, 4}, 2},
		{"2:b", {2}, 1},
		{"x:a\n  2:b\n3\n\n4x:foo\n-1:a\n99:a:b\n", {0, 2, 4, 0, 99}, 5},
		{"0:a\n4294967297:b\n2147483648:c\n", {0, 1, 0}, 3},
	};
	struct arena *a = arena_open();
	struct diag d = diag_in(a);

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct last_failed list;

		text_file(a, "LastTestsFailed.log", str_of(rows[i].text));
		assert_true(last_failed_read(a, text_folder(), &list, &d));
		assert_int_equal(list.n, rows[i].n);
		for (size_t k = 0; k < list.n; k++)
			assert_int_equal(list.numbers[k], rows[i].numbers[k]);
	}
	arena_close(a);
}

struct place_to_write {
	struct fixture *f;
	char directory[40];
};

static struct place_to_write
open_place(void)
{
	struct place_to_write p = {.f = fixture_open(3025)};

	strcpy(p.directory, "/tmp/cctr-last-XXXXXX");
	assert_non_null(mkdtemp(p.directory));
	return p;
}

static const char *
path_of(struct place_to_write *p, const char *name)
{
	return str_fmt(p->f->a, "%s/%s", p->directory, name).p;
}

static void
assert_file(struct place_to_write *p, const char *name, const char *want)
{
	struct str text;

	if (!want) {
		assert_false(path_exists(path_of(p, name)));
		return;
	}
	assert_true(file_read(p->f->a, path_of(p, name), &text));
	assert_string_equal(text.p, want);
	unlink(path_of(p, name));
}

static void
close_place(struct place_to_write *p)
{
	assert_int_equal(rmdir(p->directory), 0);
	fixture_close(p->f);
}

static void
test_write(void **state)
{
	static const enum verdict_kind kinds[] = {VERDICT_BAD_COMMAND, VERDICT_PASSED,
		VERDICT_NOT_RUN, VERDICT_SKIPPED, VERDICT_TIMEOUT, VERDICT_DISABLED};
	static const char *const names[] = {"a", "b", "c d", "e", "f", "g"};
	struct place_to_write p = open_place();

	(void)state;
	for (size_t i = 0; i < 6; i++)
		fixture_add(p.f, names[i]);
	for (size_t i = 6; i-- > 0;) {
		struct attempt a = {.node = (node_id)i,
			.selected = &p.f->selected[i],
			.test = &p.f->tests[i],
			.number = (unsigned)i + 1};
		struct outcome o = {0};

		fixture_record(p.f, &a, &o, (struct verdict){.kind = kinds[i]});
	}
	assert_true(last_failed_write(
		p.f->a, str_of(p.directory), STR_NONE, &p.f->tally, &p.f->diag));
	assert_file(&p, "LastTestsFailed.log", "1:a\n3:c d\n5:f\n");
	assert_file(&p, "LastTestsDisabled.log", "4:e\n6:g\n");
	close_place(&p);
}

/* A green run leaves the list of the last red one; a run without any counted test both.
 */
static void
test_write_nothing(void **state)
{
	struct place_to_write p = open_place();
	struct attempt a = {.test = &p.f->tests[0], .number = 1};
	struct outcome o = {0};

	(void)state;
	fixture_add(p.f, "a");
	fixture_record(p.f, &a, &o, (struct verdict){.kind = VERDICT_DISABLED});
	assert_true(last_failed_write(
		p.f->a, str_of(p.directory), STR_NONE, &p.f->tally, &p.f->diag));
	assert_file(&p, "LastTestsFailed.log", NULL);
	assert_file(&p, "LastTestsDisabled.log", NULL);
	close_place(&p);
}

static void
write_dated(struct place_to_write *p, const char *name, const char *text, long seconds)
{
	struct timespec times[2] = {{seconds, 0}, {seconds, 0}};

	assert_true(file_write(p->f->a, path_of(p, name), ".new", str_of(text)));
	assert_int_equal(utimensat(AT_FDCWD, path_of(p, name), times, 0), 0);
}

static void
test_newest(void **state)
{
	struct place_to_write p = open_place();
	struct last_failed list;

	(void)state;
	assert_true(last_failed_read(p.f->a, str_of(p.directory), &list, &p.f->diag));
	assert_int_equal(list.n, 0);
	assert_int_equal(symlink("none", path_of(&p, "LastTestsFailed_1.log")), 0);
	assert_true(last_failed_read(p.f->a, str_of(p.directory), &list, &p.f->diag));
	assert_string_equal(list.missing.p, path_of(&p, "LastTestsFailed_1.log"));
	write_dated(&p, "LastTestsFailed.log", "1:a\n", 1000);
	write_dated(&p, "LastTestsFailed_20200101-0000.log", "2:a\n", 2000);
	write_dated(&p, "LastTestsFailed_20210101-0000.log", "3:a\n", 500);
	write_dated(&p, "LastTestsDisabled.log", "4:a\n", 3000);
	assert_true(last_failed_read(p.f->a, str_of(p.directory), &list, &p.f->diag));
	assert_int_equal(list.n, 1);
	assert_int_equal(list.numbers[0], 2);
	assert_int_equal(list.missing.n, 0);
	assert_int_equal(p.f->diag.entries.n, 0);
	unlink(path_of(&p, "LastTestsFailed_1.log"));
	unlink(path_of(&p, "LastTestsFailed.log"));
	unlink(path_of(&p, "LastTestsFailed_20200101-0000.log"));
	unlink(path_of(&p, "LastTestsFailed_20210101-0000.log"));
	unlink(path_of(&p, "LastTestsDisabled.log"));
	close_place(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_nothing),
		cmocka_unit_test(test_newest),
	};

	return run_unit_tests("last_failed", tests, NULL, NULL);
}
