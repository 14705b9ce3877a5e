/* diag: entries stay in order, errors are counted, an error always fails. */
#include "runner/base/diag.h"
#include "tests/unit/unit.h"

static void
errors_are_counted_by_kind(void **state)
{
	static const struct {
		enum diag_kind kind;
		bool is_error;
	} rows[] = {
		{DIAG_ERROR, true},
		{DIAG_WARNING, false},
		{DIAG_NOTE, false},
		{DIAG_RAISED, false},
		{DIAG_OUTPUT, false},
		{DIAG_STATUS, false},
		{DIAG_DETAIL, false},
		{DIAG_CMAKE_FATAL, true},
		{DIAG_CMAKE_ERROR, true},
		{DIAG_CMAKE_WARNING, false},
		{DIAG_CMAKE_AUTHOR, false},
		{DIAG_CMAKE_POLICY, false},
		{DIAG_CMAKE_DEPRECATION, false},
		{DIAG_CMAKE_MESSAGE, false},
	};
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	size_t errors = 0;

	(void)state;
	assert_int_equal(ROWS(rows), DIAG_KINDS);
	for (size_t i = 0; i < DIAG_KINDS; i++) {
		assert_int_equal(rows[i].kind, i);
		assert_int_equal(diag_is_error(rows[i].kind), rows[i].is_error);
		diag_add(&d, rows[i].kind, NO_PLACE, STR("text"));
		errors += rows[i].is_error;
		assert_int_equal(d.errors, errors);
		assert_int_equal(d.entries.n, i + 1);
		assert_int_equal(d.entries.v[i].kind, rows[i].kind);
	}
	arena_close(a);
}

static void
an_error_fails_and_says_where(void **state)
{
	const struct place caller = {.file = STR("outer"), .line = 1};
	const struct place at = {.file = STR("inner"),
		.line = 7,
		.command = STR("set"),
		.caller = &caller};
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	const struct diag_entry *e;

	(void)state;
	assert_false(diag_error(&d, at, "cannot open %s: %d", "f", 2));
	diag_warning(&d, NO_PLACE, "%s", "but goes on");
	assert_int_equal(d.errors, 1);
	assert_int_equal(d.entries.n, 2);
	e = &d.entries.v[0];
	assert_true(str_is(e->text, "cannot open f: 2"));
	assert_int_equal(e->kind, DIAG_ERROR);
	assert_true(str_is(e->at.file, "inner") && str_is(e->at.command, "set"));
	assert_int_equal(e->at.line, 7);
	assert_ptr_equal(e->at.caller, &caller);
	e = &d.entries.v[1];
	assert_true(str_is(e->text, "but goes on"));
	assert_int_equal(e->kind, DIAG_WARNING);
	assert_int_equal(e->at.line, 0);
	assert_null(e->at.file.p);
	arena_close(a);
}

/* The list is what the reader sees: nothing is lost, nothing overtakes. */
static void
entries_stay_in_order(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);

	(void)state;
	for (int i = 0; i < 1000; i++)
		diag_error(&d, NO_PLACE, "%d", i);
	assert_int_equal(d.errors, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(str_int(d.entries.v[i].text), i);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_counted_by_kind),
		cmocka_unit_test(an_error_fails_and_says_where),
		cmocka_unit_test(entries_stay_in_order),
	};

	return run_unit_tests("diag", tests, NULL, NULL);
}
