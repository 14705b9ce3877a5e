/* machine: topologies written down, limits of control groups, GPUs of drivers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/resources/driver_gpus.h"
#include "runner/resources/machine.h"
#include "runner/resources/machine_limits.h"
#include "tests/unit/has_hwloc.h"
#include "tests/unit/pool_show.h"
#include "tests/unit/unit.h"

/* ---- topologies ------------------------------------------------------------------ */

#define CPUS2 "cpus 0=1{number=0} 1=1{number=1}; "
#define CPUS4 "cpus 0=1{number=0} 1=1{number=1} 2=1{number=2} 3=1{number=3}; "

static const struct {
	const char *synthetic, *xml, *pool;
} topologies[] = {
	{"pu:2(indexes=1,0)", NULL, CPUS2 "gpus; mem 0=1024"},
	{"numa:2(memory=1GB) core:2 pu:1", NULL, CPUS4 "gpus; mem 0=1907"},
	/* one GPU by several interfaces, in the order of the bus; card0 is none */
	{NULL, "nvidia",
		CPUS4 "gpus 0=1{bus=0000:01:00.0}{model=Green 200}{uuid=GPU-01}{vendor="
		      "nvidia} 1=1{bus=0000:41:00.0}{model=Blue "
		      "100}{uuid=GPU-41}{vendor=nvidia}; mem 0=8192"},
	{NULL, "amd",
		CPUS2
		"gpus 0=1{bus=0000:c1:00.0}{model=Red 300}{uuid=77}{vendor=amd}; mem "
		"0=8192"},
	/* parts of a device are no devices */
	{NULL, "level_zero",
		CPUS2 "gpus 0=1{bus=0000:3a:00.0}{model=Grey "
		      "400}{uuid=u0}{vendor=intel}; mem 0=8192"},
	/* OpenCL's processors are no GPUs */
	{NULL, "opencl", CPUS2 "gpus 0=1{model=Plain}; mem 0=8192"},
};

static void
topologies_are_pools(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(topologies); i++) {
		struct machine_source from = {.root = STR("/nonexistent")};
		struct diag d = diag_in(a);
		struct machine m;
		struct pool p;
		bool is_read;

		from.text.synthetic = topologies[i].synthetic;
		if (topologies[i].xml)
			from.text.xml = str_fmt(
				a, "tests/cases/topology/%s.xml", topologies[i].xml)
						.p;
		is_read = machine_probe(a, &from, &m, &d);
		assert_int_equal(is_read, has_hwloc(a));
		if (!is_read)
			continue;
		p = machine_pool(a, &m);
		assert_string_equal(pool_line(a, &p), topologies[i].pool);
	}
	arena_close(a);
}

static void
large_topologies_are_counted(void **state)
{
	struct arena *a = arena_open();
	struct topology_text text = {.synthetic = "pack:2 core:4 pu:2"};
	struct machine m;

	(void)state;
	if (has_hwloc(a)) {
		assert_true(topology_read(a, &text, &m));
		assert_int_equal(m.processors, 16);
		assert_int_equal(m.cores, 8);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(m.core_numbers[i], 2 * i);
		assert_false(m.is_this_system);
	}
	text.synthetic = "nonsense:x";
	assert_false(topology_read(a, &text, &m));
	arena_close(a);
}

/* ---- a machine made of files ----------------------------------------------------- */

struct file {
	const char *path, *text;
};

static struct str
root_of(struct arena *a, const struct file *files, size_t n)
{
	char name[] = "/tmp/cctr-machine-XXXXXX";
	struct str root;

	assert_non_null(mkdtemp(name));
	root = str_dup(a, str_of(name));
	for (size_t i = 0; i < n && files[i].path; i++) {
		struct str path = str_fmt(a, "%s/%s", name, files[i].path);

		assert_true(directory_make(a, str_z(a, path_parent(path))));
		assert_true(file_write(a, path.p, "~", str_of(files[i].text)));
	}
	return root;
}

static void
remove_root(struct arena *a, struct str root)
{
	assert_int_equal(system(str_fmt(a, "rm -r '%.*s'", STR_ARG(root)).p), 0);
}

enum { FILES = 8 };
static const struct {
	double processors; /* 0: no limit */
	uint64_t memory;
	struct file files[FILES];
} groups[] = {
	{0, 0, {{"empty", ""}}},
	{2.5, 1 << 20,
		{{"proc/self/cgroup", "0::/a/b\n"},
			{"sys/fs/cgroup/a/b/cpu.max", "250000 100000\n"},
			{"sys/fs/cgroup/a/b/memory.max", "1048576\n"}}},
	/* the groups around it, and no limit */
	{1, 4096,
		{{"proc/self/cgroup", "0::/a/b\n"},
			{"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
			{"sys/fs/cgroup/a/cpu.max", "100000 100000\n"},
			{"sys/fs/cgroup/memory.max", "4096\n"},
			{"sys/fs/cgroup/a/memory.max", "max\n"}}},
	/* a namespace: the path is not there, its own root is */
	{0.5, 0,
		{{"proc/self/cgroup", "0::/docker/0123\n"},
			{"sys/fs/cgroup/cpu.max", "50000 100000"}}},
	{3, 8192,
		{{"proc/self/cgroup",
			 "5:memory:/m\n4:cpu,cpuacct:/c\n1:name=systemd:/\n"},
			{"sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "300000\n"},
			{"sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"},
			{"sys/fs/cgroup/memory/m/memory.limit_in_bytes", "8192\n"}}},
	{0, 0,
		{{"proc/self/cgroup", "4:cpu:/c\n:::\nnonsense\n"},
			{"sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n"},
			{"sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"}}},
};

static void
groups_limit(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(groups); i++) {
		struct str root = root_of(a, groups[i].files, FILES);
		struct machine_limits l = machine_limits_read(a, root);

		if (groups[i].processors > 0)
			assert_true(l.processors > groups[i].processors - 1e-9 &&
				    l.processors < groups[i].processors + 1e-9);
		else
			assert_true(l.processors > 1e9);
		assert_int_equal(
			l.memory_bytes, groups[i].memory ? groups[i].memory : UINT64_MAX);
		remove_root(a, root);
	}
	arena_close(a);
}

/* Part of a processor is one. */
static void
probes_obey_limits(void **state)
{
	const struct file files[] = {{"proc/self/cgroup", "0::/\n"},
		{"sys/fs/cgroup/cpu.max", "10000 100000"},
		{"sys/fs/cgroup/memory.max", "3145728"}};
	struct arena *a = arena_open();
	struct machine_source from = {.root = root_of(a, files, ROWS(files))};
	struct diag d = diag_in(a);
	struct machine m;

	(void)state;
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_HIDE_ERRORS");
	assert_true(machine_probe(a, &from, &m, &d));
	assert_int_equal(d.entries.n, 0);
	assert_int_equal(m.processors, 1);
	assert_int_equal(m.memory_bytes, 3145728);
	assert_null(getenv("HWLOC_HIDE_ERRORS"));
	remove_root(a, from.root);
	arena_close(a);
}

#define MEMORY "proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n"
#define NODES "sys/devices/system/node/has_memory"
#define ALLOWED "proc/self/status"

static const struct {
	uint64_t kibibytes; /* 0: what hwloc adds up */
	struct file files[4];
} memories[] = {
	{2048, {{MEMORY}}},
	{2048, {{MEMORY}, {NODES, "0-1\n"}, {ALLOWED, "Mems_allowed_list:\t0-63\n"}}},
	{2048, {{MEMORY}, {NODES, "0,2\n"}, {ALLOWED, "Mems_allowed_list:\t0,2\n"}}},
	/* a control group with some of the nodes */
	{0, {{MEMORY}, {NODES, "0-1\n"}, {ALLOWED, "Mems_allowed_list:\t1\n"}}},
	{0, {{"proc/meminfo", "MemTotal: much\n"}}},
};

static void
memory_is_what_the_system_has(void **state)
{
	struct arena *a = arena_open();
	struct machine read;

	(void)state;
	assert_true(topology_read(a, &(struct topology_text){NULL, NULL}, &read));
	for (size_t i = 0; i < ROWS(memories); i++) {
		struct machine_source from = {.root = root_of(a, memories[i].files, 4)};
		struct diag d = diag_in(a);
		struct machine m;

		assert_true(machine_probe(a, &from, &m, &d));
		assert_int_equal(m.memory_bytes, memories[i].kibibytes
							 ? memories[i].kibibytes << 10
							 : read.memory_bytes);
		remove_root(a, from.root);
	}
	arena_close(a);
}

#define NVIDIA "proc/driver/nvidia/gpus/0000:"
#define KFD "sys/class/kfd/kfd/topology/nodes/"

static const struct {
	const char *gpus; /* bus vendor model uuid, each with a ';' */
	struct file files[FILES];
} drivers[] = {
	{"", {{"empty", ""}}},
	{"0000:01:00.0 nvidia Green 200 GPU-01;0000:41:00.0 nvidia Blue 100 GPU-41;",
		{{NVIDIA "41:00.0/information",
			 "Model: \t\t Blue 100\nIRQ:   \t\t 57\nGPU UUID: \t GPU-41\n"
			 "Device Minor: \t 1\n"},
			{NVIDIA "01:00.0/information",
				"Model: \t\t Green 200\nGPU UUID: \t GPU-01\n"
				"Device Minor: \t 0\n"},
			{"dev/nvidia0", ""}, {"dev/nvidia1", ""}}},
	/* in a container that was given one of two */
	{"0000:41:00.0 nvidia Blue 100 GPU-41;",
		{{NVIDIA "41:00.0/information",
			 "Model: Blue 100\nGPU UUID: GPU-41\nDevice Minor: 1\n"},
			{NVIDIA "01:00.0/information",
				"Model: Green 200\nDevice Minor: 0\n"},
			{"dev/nvidia1", ""}}},
	/* node 0 is a processor; nodes are in the order of their numbers */
	{"0000:c1:00.0 amd red ;0001:83:00.2 amd  ;",
		{{"dev/kfd", ""},
			{KFD "0/properties", "cpu_cores_count 8\nsimd_count 0\n"},
			{KFD "2/properties",
				"cpu_cores_count 0\nsimd_count 64\nlocation_id 49408\n"
				"domain 0\n"},
			{KFD "2/name", "red\n"},
			{KFD "10/properties",
				"simd_count 64\nlocation_id 33538\ndomain 1\n"}}},
	/* drivers of two vendors */
	{"0000:01:00.0 nvidia Green 200 ;0000:c1:00.0 amd red ;",
		{{NVIDIA "01:00.0/information", "Model: Green 200\n"}, {"dev/kfd", ""},
			{KFD "2/properties", "simd_count 64\nlocation_id 49408\n"},
			{KFD "2/name", "red\n"}}},
	/* the driver is not given */
	{"", {{KFD "2/properties", "simd_count 64\nlocation_id 49408\n"}}},
};

static void
drivers_tell_gpus(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(drivers); i++) {
		struct str root = root_of(a, drivers[i].files, FILES);
		struct machine m = {.processors = 1};
		struct buf b = {.arena = a};

		buf_z(&b, "");
		driver_gpus_read(a, root, &m);
		for (size_t k = 0; k < m.gpus.n; k++) {
			const struct machine_gpu *g = &m.gpus.v[k];

			buf_fmt(&b, "%.*s %.*s %.*s %.*s;", STR_ARG(g->bus),
				STR_ARG(g->vendor), STR_ARG(g->model), STR_ARG(g->uuid));
		}
		assert_string_equal(b.p ? b.p : "", drivers[i].gpus);
		remove_root(a, root);
	}
	arena_close(a);
}

/* ---- which GPUs ------------------------------------------------------------------ */

static const struct {
	const char *vendors, *backend, *left; /* a letter each; '-': not known */
	const char *error;
} choices[] = {
	{"nan", "", "nan", NULL},
	{"nan", "none", "", NULL},
	{"nan", "nvidia", "nn", NULL},
	{"nan", "amd", "a", NULL},
	{"nan-", "intel", "", NULL},
	{"nan", "auto", "nan",
		"cctr: choice auto is ambiguous, there are GPUs of nvidia, amd"},
	{"i-", "auto", "i-",
		"cctr: choice auto is ambiguous, there are GPUs of intel, an "
		"unknown vendor"},
	{"aa", "auto", "aa", NULL},
	{"--", "auto", "--", NULL},
	{"", "auto", "", NULL},
	{"", "nvidia", "", NULL},
};

static struct str
vendor_of(char letter)
{
	return letter == 'n'   ? STR("nvidia")
	       : letter == 'a' ? STR("amd")
	       : letter == 'i' ? STR("intel")
			       : STR("");
}

static void
backends_choose_gpus(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(choices); i++) {
		struct machine m = {.processors = 1};
		struct diag d = diag_in(a);

		for (const char *v = choices[i].vendors; *v; v++)
			VEC_PUSH(a, &m.gpus,
				(struct machine_gpu){.vendor = vendor_of(*v)});
		assert_int_equal(machine_choose_gpus(
					 a, &m, str_of(choices[i].backend), "choice", &d),
			choices[i].error == NULL);
		if (choices[i].error)
			assert_string_equal(d.entries.v[0].text.p, choices[i].error);
		assert_int_equal(m.gpus.n, strlen(choices[i].left));
		for (size_t k = 0; k < m.gpus.n; k++)
			assert_true(str_eq(
				m.gpus.v[k].vendor, vendor_of(choices[i].left[k])));
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(topologies_are_pools),
		cmocka_unit_test(large_topologies_are_counted),
		cmocka_unit_test(groups_limit),
		cmocka_unit_test(probes_obey_limits),
		cmocka_unit_test(memory_is_what_the_system_has),
		cmocka_unit_test(drivers_tell_gpus),
		cmocka_unit_test(backends_choose_gpus),
	};

	return run_unit_tests("machine", tests, NULL, NULL);
}
