/* gpu_parts: what nvidia-smi says of GPUs that are split. */
#include <stdlib.h>
#include <sys/stat.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/resources/driver_gpus.h"
#include "runner/resources/gpu_parts.h"
#include "tests/unit/unit.h"

/* "GPU-a: MIG 1g/MIG-1 MIG 2g/MIG-2; ..." */
static const char *
shown_parts(struct arena *a, const struct machine *m)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < m->gpus.n; i++) {
		const struct machine_gpu *g = &m->gpus.v[i];

		buf_fmt(&b, "%s%.*s:", i ? "; " : "", STR_ARG(g->uuid));
		for (size_t k = 0; k < g->parts.n; k++)
			buf_fmt(&b, " %.*s/%.*s", STR_ARG(g->parts.v[k].model),
				STR_ARG(g->parts.v[k].uuid));
	}
	return b.p;
}

/* An AMD GPU between two of NVIDIA. */
static struct machine
machine_with(struct arena *a, const char *first, const char *second)
{
	struct machine m = {.processors = 1};

	VEC_PUSH(a, &m.gpus,
		(struct machine_gpu){.vendor = STR("nvidia"), .uuid = str_of(first)});
	VEC_PUSH(a, &m.gpus,
		(struct machine_gpu){.vendor = STR("amd"), .uuid = STR("amd")});
	VEC_PUSH(a, &m.gpus,
		(struct machine_gpu){.vendor = STR("nvidia"), .uuid = str_of(second)});
	return m;
}

#define GPU_A "GPU 0: Green 200 (UUID: GPU-a)\n"
#define GPU_B "GPU 1: Blue 100 (UUID: GPU-b)\n"
#define MIG(model, uuid) "  MIG " model "     Device  0: (UUID: MIG-" uuid ")\n"

static const struct {
	const char *first, *second, *listing, *shown;
} listings[] = {
	{"GPU-a", "GPU-b", GPU_A GPU_B, "GPU-a:; amd:; GPU-b:"},
	{"GPU-a", "GPU-b",
		GPU_A MIG("3g.20gb", "1") MIG("1g.5gb+me", "2") GPU_B MIG("7g.80gb", "3"),
		"GPU-a: MIG 3g.20gb/MIG-1 MIG 1g.5gb+me/MIG-2; amd:; "
		"GPU-b: MIG 7g.80gb/MIG-3"},
	/* the name that the first drivers with parts gave */
	{"GPU-a", "GPU-b", GPU_A MIG("1g.5gb", "GPU-a/1/0"),
		"GPU-a: MIG 1g.5gb/MIG-GPU-a/1/0; amd:; GPU-b:"},
	/* by UUIDs, in whatever order */
	{"GPU-b", "GPU-a", GPU_A GPU_B MIG("1g", "1"),
		"GPU-b: MIG 1g/MIG-1; amd:; GPU-a:"},
	/* without UUIDs by their order */
	{"", "", GPU_A GPU_B MIG("1g", "1"), ":; amd:; : MIG 1g/MIG-1"},
	/* a GPU that the machine does not show */
	{"GPU-c", "GPU-d", GPU_A MIG("1g", "1") GPU_B MIG("1g", "2"),
		"GPU-c:; amd:; GPU-d:"},
	/* lines of other forms */
	{"GPU-a", "GPU-b",
		MIG("1g", "0") GPU_A
		"\n  MIG 1g Device 0: (UUID: \n  MIG 1g (UUID: GPU-1)\n"
		"  Profile 1 (UUID: MIG-1)\nMIG 1g Device 2: (UUID: MIG-2)",
		"GPU-a: MIG 1g/MIG-2; amd:; GPU-b:"},
	{"GPU-a", "GPU-b", "No devices were found\n", "GPU-a:; amd:; GPU-b:"},
};

static void
listings_name_parts(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(listings); i++) {
		struct machine m = machine_with(a, listings[i].first, listings[i].second);

		gpu_parts_read(a, str_of(listings[i].listing), &m);
		assert_string_equal(shown_parts(a, &m), listings[i].shown);
	}
	arena_close(a);
}

#define CAPABILITIES "proc/driver/nvidia/capabilities/"
#define SPLIT CAPABILITIES "gpu0/mig/gi1/ci0/access"
#define UNKNOWN                                                                          \
	"cctr: a GPU is split, but `nvidia-smi -L` does not list its parts; it counts "  \
	"as one"

static const struct {
	const char *capability,
		*program; /* the program's commands; NULL: there is none */
	const char *shown, *warning;
} machines[] = {
	{SPLIT,
		"test \"$*\" = -L && printf 'GPU 0: G (UUID: GPU-a)\\nMIG 1g Device 0: "
		"(UUID: "
		"MIG-1)\\n'",
		"GPU-a: MIG 1g/MIG-1; amd:; GPU-b:", NULL},
	/* no GPU is split: the program is not asked */
	{CAPABILITIES "gpu0/mig/access",
		"echo 'GPU 0: G (UUID: GPU-a)';"
		"echo 'MIG 1g Device 0: (UUID: MIG-1)'",
		"GPU-a:; amd:; GPU-b:", NULL},
	{CAPABILITIES "mig/config", "exit 1", "GPU-a:; amd:; GPU-b:", NULL},
	{"empty", "exit 1", "GPU-a:; amd:; GPU-b:", NULL},
	/* what cannot be known is said */
	{SPLIT, "exit 9", "GPU-a:; amd:; GPU-b:", UNKNOWN},
	{SPLIT, "echo 'GPU 0: G (UUID: GPU-a)'", "GPU-a:; amd:; GPU-b:", UNKNOWN},
	{SPLIT,
		"echo 'GPU 0: G (UUID: GPU-a)'; echo 'MIG 1g Device 0: (UUID: MIG-1)'; "
		"exit 1",
		"GPU-a:; amd:; GPU-b:", UNKNOWN},
	{SPLIT, NULL, "GPU-a:; amd:; GPU-b:", UNKNOWN},
};

static void
write_text(struct arena *a, const char *path, const char *text)
{
	assert_true(directory_make(a, str_z(a, path_parent(str_of(path)))));
	assert_true(file_write(a, path, "~", str_of(text)));
}

static void
split_gpus_are_asked_for(void **state)
{
	struct arena *a = arena_open();
	struct str path = str_dup(a, str_of(getenv("PATH")));

	(void)state;
	for (size_t i = 0; i < ROWS(machines); i++) {
		char root[] = "/tmp/cctr-parts-XXXXXX";
		struct machine m = machine_with(a, "GPU-a", "GPU-b");
		struct diag d = diag_in(a);
		const char *program;

		assert_non_null(mkdtemp(root));
		write_text(a, str_fmt(a, "%s/%s", root, machines[i].capability).p, "");
		program = str_fmt(a, "%s/bin/nvidia-smi", root).p;
		if (machines[i].program) {
			write_text(a, program,
				str_fmt(a, "#!/bin/sh\n%s\n", machines[i].program).p);
			assert_int_equal(chmod(program, 0755), 0);
		}
		setenv("PATH", str_fmt(a, "%s/bin:/bin:/usr/bin", root).p, 1);
		driver_gpus_split(a, str_of(root), &m, &d);
		assert_string_equal(shown_parts(a, &m), machines[i].shown);
		assert_int_equal(d.entries.n, machines[i].warning ? 1 : 0);
		if (machines[i].warning)
			assert_string_equal(d.entries.v[0].text.p, machines[i].warning);
		assert_int_equal(system(str_fmt(a, "rm -r '%s'", root).p), 0);
	}
	setenv("PATH", path.p, 1);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listings_name_parts),
		cmocka_unit_test(split_gpus_are_asked_for),
	};

	return run_unit_tests("gpu_parts", tests, NULL, NULL);
}
