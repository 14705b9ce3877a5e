/* Directories by the names of the caller, and the caller's PWD for what is started. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/caller.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

extern char **environ;

struct fixture {
	struct arena *a;
	const char *top; /* holds real/below and a link named "alias" to real */
	char *before;
};

static int
setup(void **state)
{
	static struct fixture f;
	char folder[] = "/tmp/cctr-caller-XXXXXX";
	char *top;

	f.a = arena_open();
	f.before = getcwd(NULL, 0);
	assert_non_null(mkdtemp(folder));
	assert_non_null(top = realpath(folder, NULL));
	f.top = str_dup(f.a, str_of(top)).p;
	free(top);
	assert_true(directory_make(f.a, str_fmt(f.a, "%s/real/below", f.top).p));
	assert_int_equal(symlink("real", str_fmt(f.a, "%s/alias", f.top).p), 0);
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(chdir(f->before), 0);
	free(f->before);
	unlink(str_fmt(f->a, "%s/alias", f->top).p);
	rmdir(str_fmt(f->a, "%s/real/below", f->top).p);
	rmdir(str_fmt(f->a, "%s/real", f->top).p);
	rmdir(f->top);
	unsetenv("CCTR_CALLER_PWD");
	arena_close(f->a);
	return 0;
}

static void
be_in(struct fixture *f, const char *directory, const char *pwd)
{
	assert_int_equal(chdir(str_fmt(f->a, "%s/%s", f->top, directory).p), 0);
	if (!pwd)
		unsetenv("PWD");
	else if (*pwd == '!')
		setenv("PWD", pwd + 1, 1);
	else
		setenv("PWD", str_fmt(f->a, "%s/%s", f->top, pwd).p, 1);
}

static void
test_names(void **state)
{
	static const struct {
		const char *in, *pwd; /* "!": as it stands; NULL: there is none */
		const char *is, *said; /* the pair; "" for none */
		const char *path, *called;
	} rows[] = {
		{"real", "real", "", "", "real/below", "real/below"},
		{"real", "alias", "real/", "alias/", "real/below", "alias/below"},
		{"real/below", "alias/below", "real/", "alias/", "real", "alias"},
		{"real/below", "alias/below", "real/", "alias/", "other", "other"},
		{"real/below", "alias/below", "real/", "alias/", "realm", "realm"},
		{"real/below", "alias", "", "", "real/below", "real/below"},
		{"real", "!alias", "", "", "real/below", "real/below"},
		{"real", "!/nowhere", "", "", "real/below", "real/below"},
		{"real", "!", "", "", "real/below", "real/below"},
		{"real", NULL, "", "", "real/below", "real/below"},
	};
	struct fixture *f = *state;
	struct arena *a = f->a;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct caller_names n;
		struct str path = str_fmt(a, "%s/%s", f->top, rows[i].path);

		be_in(f, rows[i].in, rows[i].pwd);
		n = caller_names(a);
		assert_int_equal(n.is.n > 0, rows[i].is[0] != 0);
		if (n.is.n) {
			assert_string_equal(
				n.is.p, str_fmt(a, "%s/%s", f->top, rows[i].is).p);
			assert_string_equal(
				n.said.p, str_fmt(a, "%s/%s", f->top, rows[i].said).p);
		}
		assert_true(str_eq(caller_name_of(a, &n, path),
			str_fmt(a, "%s/%s", f->top, rows[i].called)));
	}
}

static void
test_here(void **state)
{
	struct fixture *f = *state;
	struct caller_names n;

	be_in(f, "real/below", "alias/below");
	n = caller_names(f->a);
	assert_true(str_eq(
		caller_name_at(f->a, &n, "."), str_fmt(f->a, "%s/alias/below", f->top)));
	assert_true(str_eq(
		caller_name_at(f->a, &n, ".."), str_fmt(f->a, "%s/alias", f->top)));
	assert_true(str_eq(caller_name_of(f->a, &n, STR("/")), STR("/")));
	be_in(f, "", "");
	assert_true(str_eq(caller_name_at(f->a, &n, "."), str_of(f->top)));
}

/* The PWD of the environment; "" for none. Two fail. */
static const char *
pwd_of(const char *const *environment)
{
	const char *found = "";

	for (size_t i = 0; environment[i]; i++) {
		assert_int_not_equal(strncmp(environment[i], "CCTR_CALLER", 11), 0);
		if (strncmp(environment[i], "PWD=", 4) != 0)
			continue;
		assert_string_equal(found, "");
		found = environment[i] + 4;
	}
	return found;
}

static void
leave_for(struct arena *a, struct str name)
{
	struct str_list l = caller_variables(a, name);

	for (size_t i = 0; i < l.n; i++) {
		struct str value = l.v[i], variable = str_take(&value, '=');

		setenv(str_z(a, variable), str_z(a, value), 1);
	}
}

static void
test_environment(void **state)
{
	struct fixture *f = *state;
	struct arena *a = f->a;

	be_in(f, "real", "!/what/it/was");
	assert_ptr_equal(caller_environment(a), environ);
	leave_for(a, str_fmt(a, "%s/alias", f->top));
	assert_true(str_eq(path_here(a), str_fmt(a, "%s/alias", f->top)));
	assert_string_equal(pwd_of(caller_environment(a)), "/what/it/was");
	leave_for(a, str_fmt(a, "%s/real", f->top));
	assert_true(str_eq(path_here(a), str_fmt(a, "%s/real", f->top)));
	assert_string_equal(pwd_of(caller_environment(a)), "/what/it/was");
	unsetenv("CCTR_CALLER_PWD");
	unsetenv("PWD");
	leave_for(a, str_fmt(a, "%s/real", f->top));
	assert_string_equal(pwd_of(caller_environment(a)), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_here, setup, teardown),
		cmocka_unit_test_setup_teardown(test_environment, setup, teardown),
	};

	return run_unit_tests("caller", tests, NULL, NULL);
}
