/* What follows a process in the engine of this machine (struct post_run). */
#include <errno.h>

#include "runner/base/atomic_file.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/unit.h"

struct following {
	struct post_run post_run;
	struct fixture *f;
	const char *words; /* NULL: nothing follows */
	const char *path; /* instead of the helper's, or NULL */
	unsigned begun, ended;
	int error, signal;
	struct str heard;
};

static bool
begin_following(struct post_run *p, struct launch *l)
{
	struct following *g = (struct following *)p;

	g->begun++;
	if (!g->words)
		return false;
	*l = launch_of(g->f, g->words);
	if (g->path)
		l->path = g->path;
	return true;
}

static void
hear(struct post_run *p, struct str bytes)
{
	struct following *g = (struct following *)p;

	g->heard = str_fmt(g->f->arena, "%.*s%.*s", STR_ARG(g->heard), STR_ARG(bytes));
}

/* The outcome is reported after that. */
static void
end_following(struct post_run *p, int error, int signal)
{
	struct following *g = (struct following *)p;

	assert_int_equal(g->f->ended[0].count, 0);
	g->ended++;
	g->error = error;
	g->signal = signal;
}

static struct following
following_of(struct fixture *f, const char *words)
{
	return (struct following){.post_run = {.begin = begin_following,
					  .hear = hear,
					  .end = end_following},
		.f = f,
		.words = words,
		.heard = STR("")};
}

/* Node 0, with what follows. */
static void
begin_with(struct fixture *f, const char *words, struct following *g)
{
	struct launch l = launch_of(f, words);

	l.post_run = &g->post_run;
	f->ended[0].count = 0;
	begin(f, 0, &l);
}

static void
write_file(struct fixture *f, const char *name)
{
	assert_true(file_write(f->arena, str_fmt(f->arena, "%s/%s", f->directory, name).p,
		".tmp", STR("x")));
}

static void
outcome_is_the_tests(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, "print second\\n complain . raise 15");
	const struct outcome *o;

	begin_with(f, "print first\\n exit 3", &g);
	o = await(f, 0);
	assert_int_equal(o->ending, END_EXITED);
	assert_int_equal(o->exit_code, 3);
	assert_string_equal(o->output.p, "first\n");
	assert_string_equal(g.heard.p, "second\n.");
	assert_int_equal(g.begun, 1);
	assert_int_equal(g.ended, 1);
	assert_int_equal(g.error, 0);
	assert_int_equal(g.signal, 15);
}

/* Also when it is kept in a file. */
static void
long_output_stays(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, "fill 100000");
	struct str alone = execute(f, "fill 5000000")->output;

	begin_with(f, "fill 5000000", &g);
	assert_true(str_eq(await(f, 0)->output, alone));
	assert_int_equal(g.heard.n, 100000);
}

static void
nothing_follows(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, NULL);

	begin_with(f, "exit 4", &g);
	assert_int_equal(await(f, 0)->exit_code, 4);
	assert_int_equal(g.begun, 1);
	assert_int_equal(g.ended, 0);
}

static void
cannot_be_started(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, "");

	g.path = "/nonexistent/program";
	begin_with(f, "exit 5", &g);
	assert_int_equal(await(f, 0)->exit_code, 5);
	assert_int_equal(g.ended, 1);
	assert_int_equal(g.error, ENOENT);
}

/* The test's limit is over, and no concern of what follows it. */
static void
follows_a_late_test(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, "await @/go print late\\n");
	struct launch l = launch_of(f, "pause");

	l.post_run = &g.post_run;
	l.timeout_ns = 20u * MS;
	begin(f, 0, &l);
	while (!g.begun)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	assert_int_equal(f->ended[0].count, 0);
	write_file(f, "go");
	assert_int_equal(await(f, 0)->ending, END_TIMED_OUT);
	assert_string_equal(g.heard.p, "late\n");
}

/* Limits of others are not late for it. */
static void
others_go_on(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, "await @/go");
	struct launch other = launch_of(f, "pause");

	begin_with(f, "", &g);
	while (!g.begun)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	other.timeout_ns = 20u * MS;
	begin(f, 1, &other);
	assert_int_equal(await(f, 1)->ending, END_TIMED_OUT);
	assert_int_equal(f->ended[0].count, 0);
	write_file(f, "go");
	assert_int_equal(await(f, 0)->exit_code, 0);
}

static void
interruption_ends_it(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, "ignore 15 pid @/deaf pause");
	int deaf;

	begin_with(f, "", &g);
	deaf = pid_in(f, "deaf");
	raise(SIGTERM);
	await(f, 0);
	assert_int_equal(g.signal, SIGKILL);
	assert_true(is_gone(deaf));
}

static void
nothing_follows_an_interruption(void **state)
{
	struct fixture *f = *state;
	struct following g = following_of(f, "");

	begin_with(f, "pid @/there pause", &g);
	pid_in(f, "there");
	raise(SIGTERM);
	await(f, 0);
	assert_int_equal(g.begun, 0);
	assert_int_equal(g.ended, 0);
}

/* A task that had one is used again by a launch without. */
static void
one_after_the_other(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 20; i++) {
		struct following g = following_of(f, "print x");

		begin_with(f, "print a\\n", &g);
		assert_string_equal(await(f, 0)->output.p, "a\n");
		assert_string_equal(g.heard.p, "x");
		assert_string_equal(execute(f, "print b\\n")->output.p, "b\n");
		assert_int_equal(g.ended, 1);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(outcome_is_the_tests, setup, teardown),
		cmocka_unit_test_setup_teardown(long_output_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_follows, setup, teardown),
		cmocka_unit_test_setup_teardown(cannot_be_started, setup, teardown),
		cmocka_unit_test_setup_teardown(follows_a_late_test, setup, teardown),
		cmocka_unit_test_setup_teardown(others_go_on, setup, teardown),
		cmocka_unit_test_setup_teardown(interruption_ends_it, setup, teardown),
		cmocka_unit_test_setup_teardown(
			nothing_follows_an_interruption, setup, teardown),
		cmocka_unit_test_setup_teardown(one_after_the_other, setup, teardown),
	};

	if (helper_is_wanted())
		return helper_main(argc, argv);
	return run_unit_tests("engine_post_run", tests, NULL, NULL);
}
