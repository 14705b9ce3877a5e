/* probe: a machine through a pipe, and readers that fail, break or hang. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/resources/machine.h"
#include "runner/resources/probe.h"
#include "tests/unit/has_hwloc.h"
#include "tests/unit/pool_show.h"
#include "tests/unit/unit.h"

enum { LONG_MS = 60000, SHORT_MS = 50 };

static bool
reads(struct arena *a, const struct topology_text *from, struct machine *m)
{
	static const unsigned numbers[] = {4, 6}, cores[] = {4};

	(void)from;
	setenv("CCTR_TEST_PROBE", "left behind", 1);
	*m = (struct machine){.processors = 2,
		.numbers = numbers,
		.cores = 1,
		.core_numbers = cores,
		.memory_bytes = (uint64_t)5 << 20};
	VEC_PUSH(a, &m->gpus,
		(struct machine_gpu){.bus = STR("01"),
			.vendor = STR(""),
			.model = STR("tab\tand\nline"),
			.uuid = STR("u")});
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
	assert_int_equal(probe_machine(a, reads, LONG_MS, &m), PROBE_READ);
	assert_int_equal(m.cores, 1);
	assert_int_equal(m.core_numbers[0], 4);
	assert_false(m.is_this_system);
	assert_int_equal(m.gpus.v[0].device.n, 0);
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
	enum probe_end talked, read;
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
	assert_int_equal(talked, PROBE_READ);
	assert_int_equal(read, PROBE_READ);
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
		bool waits = readers[i] == hangs;

		assert_int_equal(
			probe_machine(a, readers[i], waits ? SHORT_MS : LONG_MS, &m),
			waits ? PROBE_TOO_LONG : PROBE_FAILED);
		assert_int_equal(m.processors, processors_count());
		assert_int_equal(m.memory_bytes, 0);
		assert_int_equal(m.gpus.n, 0);
		assert_true(m.is_this_system);
		assert_int_equal(waitpid(-1, NULL, 0), -1);
	}
	arena_close(a);
}

/* hwloc reads the file that HWLOC_XMLFILE names, and this one never ends. Nobody but the
 * separate process waits for it. */
static void
a_topology_that_hangs_is_asked_once(void **state)
{
	char name[] = "/tmp/cctr-probe-XXXXXX", fifo[64];
	struct arena *a = arena_open();
	struct machine m;
	struct layout l;

	(void)state;
	if (!has_hwloc(a)) { /* nothing reads the file */
		arena_close(a);
		return;
	}
	assert_non_null(mkdtemp(name));
	snprintf(fifo, sizeof fifo, "%s/xml", name);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	setenv("HWLOC_XMLFILE", fifo, 1);
	assert_int_equal(probe_machine(a, topology_read, SHORT_MS, &m), PROBE_TOO_LONG);
	assert_int_equal(
		probe_layout(a, topology_layout, true, SHORT_MS, &l), PROBE_TOO_LONG);
	unsetenv("HWLOC_XMLFILE");
	unlink(fifo);
	rmdir(name);
	assert_int_equal(m.processors, processors_count());
	assert_int_equal(l.n, processors_count());
	assert_string_equal(probe_complaint(a, PROBE_TOO_LONG, 20000).p,
		"the topology of the machine could not be read within 20 s");
	arena_close(a);
}

static bool
reads_layout(struct arena *a, const struct topology_text *from, bool with_devices,
	struct layout *l)
{
	(void)from;
	*l = (struct layout){.n = with_devices ? 3 : 2};
	l->v = NEW_ARRAY(a, struct layout_place, 3);
	for (unsigned i = 0; i < 3; i++)
		l->v[i] = (struct layout_place){.number = 10 + i, .part = {i, 0, 7}};
	if (with_devices) {
		bool *is_near = NEW_ARRAY(a, bool, 3);

		is_near[1] = true;
		VEC_PUSH(a, &l->devices,
			(struct layout_device){STR("0000:01:00.0"), is_near});
	}
	return true;
}

static void
layouts_come_through(void **state)
{
	struct arena *a = arena_open();
	struct layout l;

	(void)state;
	assert_int_equal(probe_layout(a, reads_layout, false, LONG_MS, &l), PROBE_READ);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.devices.n, 0);
	assert_int_equal(probe_layout(a, reads_layout, true, LONG_MS, &l), PROBE_READ);
	assert_int_equal(l.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(l.v[i].number, 10 + i);
		assert_int_equal(l.v[i].part[LAYOUT_CORE], i);
		assert_int_equal(l.v[i].part[LAYOUT_NODE], 7);
		assert_int_equal(l.devices.v[0].is_near[i], i == 1);
	}
	assert_true(str_is(l.devices.v[0].bus, "0000:01:00.0"));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_come_through),
		cmocka_unit_test(nothing_is_heard),
		cmocka_unit_test(failures_leave_the_processors),
		cmocka_unit_test(a_topology_that_hangs_is_asked_once),
		cmocka_unit_test(layouts_come_through),
	};

	return run_unit_tests("probe", tests, NULL, NULL);
}
