/* library: all functions, or none that may be called. */
#include "runner/base/library.h"
#include "tests/unit/unit.h"

#define C_FUNCTIONS(X) X(strlen) X(strchr)
CCTR_LIBRARY("libc.so.6", "required", "everything", C_FUNCTIONS)

static void
functions_are_found(void **state)
{
	struct library l;

	(void)state;
	assert_true(load_library(&l));
	assert_int_equal(l.strlen("four"), 4);
	assert_string_equal(l.strchr("four", 'u'), "ur");
}

static void
what_lacks_is_said(void **state)
{
	void *function = NULL;
	const struct library_function lacking[] = {
		{"strlen", &function}, {"cctr_has_no_such_function", &function}};

	(void)state;
	assert_true(library_load("libc.so.6", lacking, 1));
	assert_false(library_load("libc.so.6", lacking, 2));
	assert_false(library_load("libnowhere.so.6", lacking, 1));
	assert_false(library_load("/dev/null", lacking, 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(what_lacks_is_said),
	};

	return run_unit_tests("library", tests, NULL, NULL);
}
