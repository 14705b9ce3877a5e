/* probe: a machine through a pipe, and readers that fail, break or hang. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/resources/machine.h"
#include "runner/resources/probe.h"
#include "tests/unit/pool_show.h"
#include "tests/unit/unit.h"

enum { LONG_MS = 60000, SHORT_MS = 50 };

static bool
reads(struct arena *a, const struct topology_text *from, struct machine *m)
{
	static const unsigned numbers[] = {4, 6};

	(void)from;
	setenv("CCTR_TEST_PROBE", "left behind", 1);
	*m = (struct machine){
		.processors = 2, .numbers = numbers, .memory_bytes = (uint64_t)5 << 20};
	VEC_PUSH(a, &m->gpus,
		(struct machine_gpu){
			STR("01"), STR(""), STR("tab\tand\nline"), STR("u")});
	return true;
}

static bool
fails(struct arena *a, const struct topology_text *from, struct machine *m)
{
	(void)a, (void)from, (void)m;
	return false;
}

static bool
breaks(struct arena *a, const struct topology_text *from, struct machine *m)
{
	(void)a, (void)from, (void)m;
	raise(SIGKILL);
	return true;
}

static bool
hangs(struct arena *a, const struct topology_text *from, struct machine *m)
{
	(void)a, (void)from, (void)m;
	while (pause() != 0)
		;
	return false;
}

static void
machines_come_through(void **state)
{
	struct arena *a = arena_open();
	struct machine m;
	struct pool p;

	(void)state;
	assert_true(probe_machine(a, reads, LONG_MS, &m));
	assert_false(m.is_this_system);
	p = machine_pool(a, &m);
	assert_string_equal(pool_line(a, &p),
		"cpus 0=1{number=4} 1=1{number=6}; gpus 0=1{bus=01}{model=tab and "
		"line}{uuid=u}; mem 0=5");
	assert_null(getenv("CCTR_TEST_PROBE"));
	arena_close(a);
}

static bool
talks(struct arena *a, const struct topology_text *from, struct machine *m)
{
	static const char noise[] = "noise";

	return write(STDERR_FILENO, noise, sizeof noise) > 0 && reads(a, from, m);
}

/* Neither a reader that talks nor the real one is heard. */
static void
nothing_is_heard(void **state)
{
	char name[] = "/tmp/cctr-probe-XXXXXX";
	struct arena *a = arena_open();
	int file = mkstemp(name), before = dup(STDERR_FILENO);
	struct machine m;
	bool talked, read;
	off_t heard;

	(void)state;
	assert_true(file >= 0 && dup2(file, STDERR_FILENO) >= 0);
	talked = probe_machine(a, talks, LONG_MS, &m);
	read = probe_machine(a, topology_read, LONG_MS, &m);
	heard = lseek(file, 0, SEEK_END);
	dup2(before, STDERR_FILENO);
	close(before);
	close(file);
	unlink(name);
	assert_true(talked && read);
	assert_int_equal(heard, 0);
	arena_close(a);
}

static void
failures_leave_the_processors(void **state)
{
	probe_reader *const readers[] = {fails, breaks, hangs};
	struct arena *a = arena_open();
	struct machine m;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_false(probe_machine(
			a, readers[i], readers[i] == hangs ? SHORT_MS : LONG_MS, &m));
		assert_int_equal(m.processors, topology_processors());
		assert_int_equal(m.memory_bytes, 0);
		assert_int_equal(m.gpus.n, 0);
		assert_true(m.is_this_system);
		assert_int_equal(waitpid(-1, NULL, 0), -1);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_come_through),
		cmocka_unit_test(nothing_is_heard),
		cmocka_unit_test(failures_leave_the_processors),
	};

	return run_unit_tests("probe", tests, NULL, NULL);
}
