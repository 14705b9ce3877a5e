/* The connection to an agent that has ended before it was heard: what it said counts. */
#include "runner/remote/connection.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "tests/unit/unit.h"

enum { SAID = 3 };

struct fixture {
	struct arena *a;
	struct connection_host host;
	struct connection connection;
	size_t heard, losses;
};

static const struct message nudge = {.kind = MESSAGE_NUDGE};

static void
on_message(void *context, struct connection *c, const struct message *m)
{
	struct fixture *f = context;

	assert_ptr_equal(c, &f->connection);
	assert_int_equal(m->kind, MESSAGE_WARNING);
	f->heard++;
	connection_put(c, &nudge);
}

static void
on_lost(void *context, struct connection *c)
{
	struct fixture *f = context;

	assert_string_equal(c->why, "the connection ended");
	f->losses++;
}

static void
on_signal(void *context, int number, bool by_terminal)
{
	(void)context;
	(void)by_terminal;
	fail_msg("signal %d", number);
}

static int
setup(void **state)
{
	struct arena *a = arena_open();
	struct fixture *f = NEW(a, struct fixture);
	struct diag d = {0};

	*f = (struct fixture){.a = a,
		.host = {.directory = P_tmpdir,
			.listener = {f, on_message, on_lost},
			.arena = a,
			.scratch = arena_open(),
			.out = {.arena = a}}};
	f->host.loop = loop_open(a, &(struct loop_listener){.signal = on_signal}, &d);
	connection_init(&f->connection, &f->host);
	*state = f;
	return f->host.loop ? 0 : -1;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	connection_free(&f->connection);
	loop_close(f->host.loop);
	arena_close(f->host.scratch);
	arena_close(f->a);
	return 0;
}

/* A launcher that says some messages, reads nothing, and is gone when this returns. */
static void
open_short(struct fixture *f, const struct message *unread)
{
	char path[] = "/tmp/cctr-connection.XXXXXX";
	const char *words[] = {"cat", "--", path, NULL};
	struct buf out = {.arena = f->a};
	int file = mkstemp(path);

	assert_true(file >= 0);
	for (int i = 0; i < SAID; i++)
		message_write(&out,
			&(struct message){.kind = MESSAGE_WARNING, .text = STR("odd")});
	assert_true(file_put(file, buf_as_str(&out)));
	close(file);
	assert_int_equal(connection_open(&f->connection, words), 0);
	if (unread)
		connection_put(&f->connection, unread);
	assert_int_equal(waitpid(f->connection.pid, NULL, 0), (pid_t)f->connection.pid);
	f->connection.pid = 0;
	unlink(path);
}

static void
hear_all(struct fixture *f)
{
	while (connection_is_open(&f->connection))
		loop_turn(f->host.loop, LOOP_FOREVER);
	assert_int_equal(f->heard, SAID);
	assert_int_equal(f->losses, 1);
}

/* The first answer finds nobody; the messages that came before it are read. */
static void
written_after_the_end(void **state)
{
	struct fixture *f = *state;

	open_short(f, NULL);
	connection_put(&f->connection, &nudge);
	assert_int_equal(f->losses, 0);
	hear_all(f);
}

/* What an agent has not read when it ends is an error of our next call. */
static void
ended_before_reading(void **state)
{
	struct fixture *f = *state;

	open_short(f, &nudge);
	hear_all(f);
}

/* An agent that lives although it cannot be written to finds the end of its input, and
 * ends. */
static void
cannot_be_written(void **state)
{
	struct fixture *f = *state;
	const char *words[] = {"cat", NULL};

	assert_int_equal(connection_open(&f->connection, words), 0);
	f->connection.outlet.is_left = true;
	connection_put(&f->connection, &nudge);
	while (connection_is_open(&f->connection))
		loop_turn(f->host.loop, LOOP_FOREVER);
	assert_int_equal(f->losses, 1);
	assert_int_equal(waitpid(f->connection.pid, NULL, 0), (pid_t)f->connection.pid);
	f->connection.pid = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_after_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(ended_before_reading, setup, teardown),
		cmocka_unit_test_setup_teardown(cannot_be_written, setup, teardown),
	};

	return run_unit_tests("connection", tests, NULL, NULL);
}
