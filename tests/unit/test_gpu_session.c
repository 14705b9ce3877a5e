/* gpu_session: lists of visible devices, and the machine's GPUs of a session. */
#include "runner/resources/gpu_session.h"
#include "runner/resources/machine.h"
#include "tests/unit/pool_show.h"
#include "tests/unit/unit.h"

static const char *
shown_devices(struct arena *a, const struct gpu_devices *d)
{
	struct buf b = {.arena = a};

	buf_z(&b, d->is_limited ? "=" : "all");
	for (size_t i = 0; i < d->n; i++)
		buf_fmt(&b, "%s%.*s", i ? "," : "", STR_ARG(d->v[i]));
	return b.p;
}

static const struct {
	struct gpu_variables v;
	const char *nvidia, *amd;
} sessions[] = {
	{{NULL, NULL, NULL, NULL}, "all", "all"},
	{{"2,3", NULL, NULL, NULL}, "=2,3", "all"},
	{{"", NULL, "", NULL}, "=", "="},
	{{" 1 , 0", NULL, NULL, NULL}, "=1,0", "all"},
	/* up to the first that is no device; each once */
	{{"1,-1,2", NULL, NULL, NULL}, "=1", "all"},
	{{"NoDevFiles", NULL, NULL, NULL}, "=", "all"},
	{{"0,0,1", NULL, NULL, NULL}, "=0,1", "all"},
	{{"MIG-1/2,GPU-ab", NULL, NULL, NULL}, "=MIG-1/2,GPU-ab", "all"},
	/* HIP counts what ROCR leaves */
	{{NULL, NULL, "4,5,6", "2,0"}, "all", "=6,4"},
	{{NULL, NULL, "4,5", "1,7,0"}, "all", "=5"},
	{{NULL, NULL, NULL, "3"}, "all", "=3"},
	{{NULL, NULL, "GPU-0,GPU-1", "1"}, "all", "=GPU-1"},
	{{NULL, NULL, "1", "GPU-9"}, "all", "=GPU-9"},
};

static void
variables_are_lists(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(sessions); i++) {
		struct gpu_session s = gpu_session_of(a, &sessions[i].v);

		assert_string_equal(shown_devices(a, &s.nvidia), sessions[i].nvidia);
		assert_string_equal(shown_devices(a, &s.amd), sessions[i].amd);
	}
	arena_close(a);
}

#define N(m, u)                                                                          \
	{                                                                                \
		.vendor = STR("nvidia"), .model = STR(m), .uuid = STR(u)                 \
	}
#define A(m)                                                                             \
	{                                                                                \
		.vendor = STR("amd"), .model = STR(m), .uuid = STR("")                   \
	}
#define UUID(x) "{uuid=GPU-" #x "}{vendor=nvidia}"

static struct gpu_part two_parts[] = {
	{STR("MIG-1"), STR("1g")}, {STR("MIG-2"), STR("2g")}};
static const struct machine_gpu split_gpu = {.vendor = STR("nvidia"),
	.model = STR("m"),
	.uuid = STR("GPU-b1"),
	.parts = {two_parts, ROWS(two_parts), ROWS(two_parts)}};
#define PART_1 "{model=1g}{uuid=MIG-1}{vendor=nvidia}"
#define PART_2 "{model=2g}{uuid=MIG-2}{vendor=nvidia}"

static const struct {
	struct machine_gpu gpus[3];
	struct gpu_variables v;
	const char *pool;
} machines[] = {
	{{N("m", "GPU-a0"), N("m", "GPU-b1")}, {NULL, NULL, NULL, NULL},
		"gpus 0=1{model=m}" UUID(a0) " 1=1{model=m}" UUID(b1)},
	{{N("m", "GPU-a0"), N("m", "GPU-b1"), N("m", "GPU-c2")},
		{"2,1", NULL, NULL, NULL},
		"gpus 1=1{model=m}" UUID(b1) " 2=1{model=m}" UUID(c2)},
	/* as CUDA does, the rest after a device that is not there */
	{{N("m", "GPU-a0"), N("m", "GPU-b1")}, {"1,2,0", NULL, NULL, NULL},
		"gpus 1=1{model=m}" UUID(b1)},
	{{N("m", "GPU-a0"), N("m", "GPU-b1")}, {"", NULL, NULL, NULL}, "gpus"},
	{{N("m", "GPU-a0"), N("m", "GPU-b1")}, {"GPU-b", NULL, NULL, NULL},
		"gpus 0=1{device=GPU-b}{model=m}" UUID(b1)},
	/* parts of a GPU */
	{{N("m", "GPU-a0")}, {"MIG-1,MIG-2", NULL, NULL, NULL},
		"gpus 0=1{device=MIG-1}{uuid=MIG-1}{vendor=nvidia} "
		"1=1{device=MIG-2}{uuid=MIG-2}{vendor=nvidia}"},
	/* CUDA's number 1 need not be the second on the bus */
	{{N("m", "GPU-a0"), N("n", "GPU-b1")}, {"1", NULL, NULL, NULL},
		"gpus 1=1{vendor=nvidia}"},
	{{N("m", "GPU-a0"), N("n", "GPU-b1")}, {"1", "PCI_BUS_ID", NULL, NULL},
		"gpus 1=1{model=n}" UUID(b1)},
	/* each vendor counts from 0 */
	{{N("m", "GPU-a0"), A("r"), A("r")}, {NULL, NULL, NULL, NULL},
		"gpus 0=1{model=m}" UUID(a0) " 1=1{device=0}{model=r}{vendor=amd} "
					     "2=1{device=1}{model=r}{vendor=amd}"},
	{{A("r"), N("m", "GPU-a0"), A("s")}, {NULL, NULL, "1", NULL},
		"gpus 0=1{model=m}" UUID(a0) " 1=1{model=s}{vendor=amd}"},
	{{A("r")}, {"0", NULL, NULL, NULL}, "gpus 0=1{model=r}{vendor=amd}"},
};

static void
machines_have_what_the_session_shows(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(machines); i++) {
		struct gpu_session s = gpu_session_of(a, &machines[i].v);
		struct machine m = {.processors = 1};
		struct pool p;

		for (size_t k = 0; k < 3 && machines[i].gpus[k].vendor.n; k++)
			VEC_PUSH(a, &m.gpus, machines[i].gpus[k]);
		machine_keep_visible(a, &m, &s);
		p = machine_pool(a, &m);
		p.types++;
		p.n--;
		assert_string_equal(pool_line(a, &p), machines[i].pool);
	}
	arena_close(a);
}

/* With a GPU that is whole, or alone. */
static const struct {
	bool has_whole;
	const char *cuda, *pool;
} splits[] = {
	/* its parts are there instead of it, and all have names */
	{false, NULL, "gpus 0=1{device=MIG-1}" PART_1 " 1=1{device=MIG-2}" PART_2},
	{true, NULL,
		"gpus 0=1{device=GPU-a0}{model=m}{uuid=GPU-a0}{vendor=nvidia} "
		"1=1{device=MIG-1}" PART_1 " 2=1{device=MIG-2}" PART_2},
	/* the GPU itself is its first part, as in CUDA */
	{false, "0", "gpus 0=1" PART_1},
	{true, "1,0", "gpus 0=1{model=m}{uuid=GPU-a0}{vendor=nvidia} 1=1" PART_1},
	{false, "GPU-b", "gpus 0=1{device=GPU-b}" PART_1},
	{true, "MIG-2", "gpus 0=1{device=MIG-2}" PART_2},
};

static void
split_gpus_are_their_parts(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(splits); i++) {
		struct gpu_variables v = {.cuda = splits[i].cuda};
		struct gpu_session s = gpu_session_of(a, &v);
		struct machine m = {.processors = 1};
		struct pool p;

		if (splits[i].has_whole)
			VEC_PUSH(a, &m.gpus, (struct machine_gpu)N("m", "GPU-a0"));
		VEC_PUSH(a, &m.gpus, split_gpu);
		machine_keep_visible(a, &m, &s);
		p = machine_pool(a, &m);
		p.types++;
		p.n--;
		assert_string_equal(pool_line(a, &p), splits[i].pool);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_are_lists),
		cmocka_unit_test(machines_have_what_the_session_shows),
		cmocka_unit_test(split_gpus_are_their_parts),
	};

	return run_unit_tests("gpu_session", tests, NULL, NULL);
}
