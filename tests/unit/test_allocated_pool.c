/* The pool of a job, and what files and --resource leave of it. */
#include "compat/resources/allocated_pool.h"
#include "runner/cluster/cluster_pool.h"
#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

#define MIB ((uint64_t)1 << 20)

/* Two nodes; the second has neither GPUs nor memory. */
static struct pool
job_pool(struct arena *a)
{
	struct str *gpus = NEW_ARRAY(a, struct str, 2);
	struct cluster_node *nodes = NEW_ARRAY(a, struct cluster_node, 2);
	struct cluster_job job = {.nodes = nodes, .nodes_n = 2};

	gpus[0] = STR("3");
	gpus[1] = STR("2");
	nodes[0] = (struct cluster_node){STR("n1"), 2, 300 * MIB, {gpus, 2}, 50 * MIB};
	nodes[1] = (struct cluster_node){STR("n2"), 1, 0, {NULL, 0}, 0};
	return cluster_pool(a, &job);
}

/* "n1: cpus 0=1 1=1; gpus 2=1 | n2: ..." */
static const char *
shown(struct arena *a, const struct pool *p)
{
	struct buf b = {.arena = a};

	for (uint32_t node = 0; node < p->nodes_n; node++) {
		buf_fmt(&b, "%s%.*s:", node ? " | " : "", STR_ARG(p->nodes[node]));
		for (size_t t = 0; t < p->n; t++) {
			const struct resource_type *type = &p->types[t];

			buf_fmt(&b, " %.*s", STR_ARG(type->name));
			for (size_t i = 0; i < type->n; i++)
				if (type->v[i].node == node)
					buf_fmt(&b, " %.*s=%llu", STR_ARG(type->v[i].id),
						(unsigned long long)type->v[i].slots);
		}
	}
	return b.p;
}

static const char *
made(struct arena *a, const char *file, const char *type, uint64_t n, bool adds,
	struct diag *d)
{
	struct pool job = job_pool(a), from_file = pool_of(a, file), p;
	resource_numbers numbers = {0};
	struct allocated_sources from = {.job = &job,
		.file = &from_file,
		.file_name = STR("f"),
		.numbers = &numbers,
		.adds_types = adds};

	*d = diag_in(a);
	if (type)
		VEC_PUSH(a, &numbers,
			(struct resource_number){
				.type = str_of(type), .n = n, .slots = 1});
	return allocated_pool_make(a, &from, &p, d) ? shown(a, &p) : NULL;
}

static void
rows_of_sources(void **state)
{
	static const struct {
		const char *file, *type;
		uint64_t n;
		bool adds;
		const char *pool; /* NULL: an error */
		size_t said;
	} rows[] = {
		{"", NULL, 0, true,
			"n1: cpus 0=1 1=1 gpus 2=1 3=1 mem 0=300 tmp 0=50 | n2: cpus 0=1 "
			"gpus mem tmp",
			0},
		{"", NULL, 0, false, "n1: cpus 0=1 1=1 | n2: cpus 0=1", 0},
		/* only what both have */
		{"gpus 0=4 2=4", NULL, 0, false,
			"n1: cpus 0=1 1=1 gpus 2=4 | n2: cpus 0=1 gpus", 2},
		{"gpus 0=4 1=4", NULL, 0, false, NULL, 1},
		{"mem 0=200", NULL, 0, false,
			"n1: cpus 0=1 1=1 mem 0=200 | n2: cpus 0=1 mem", 1},
		{"mem 0=900", NULL, 0, false,
			"n1: cpus 0=1 1=1 mem 0=300 | n2: cpus 0=1 mem", 2},
		{"tmp 0=60", NULL, 0, false,
			"n1: cpus 0=1 1=1 tmp 0=50 | n2: cpus 0=1 tmp", 2},
		{"tmp 0=40", NULL, 0, false,
			"n1: cpus 0=1 1=1 tmp 0=40 | n2: cpus 0=1 tmp", 1},
		{"cpus 0=1", NULL, 0, false, "n1: cpus 0=1 | n2: cpus 0=1", 0},
		/* what the batch system does not know */
		{"lic a=2", NULL, 0, false,
			"n1: cpus 0=1 1=1 lic a=2 | n2: cpus 0=1 lic a=2", 0},
		{"", "lic", 2, false,
			"n1: cpus 0=1 1=1 lic 0=1 1=1 | n2: cpus 0=1 lic 0=1 1=1", 0},
		/* numbers are of each node, and no more than the job has there */
		{"", "gpus", 1, false, "n1: cpus 0=1 1=1 gpus 2=1 | n2: cpus 0=1 gpus",
			1},
		{"", "cpus", 2, false, "n1: cpus 0=1 1=1 | n2: cpus 0=1", 1},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct diag d;
		const char *pool = made(
			*state, rows[i].file, rows[i].type, rows[i].n, rows[i].adds, &d);

		if (!pool != !rows[i].pool || (pool && strcmp(pool, rows[i].pool) != 0))
			fail_msg("row %zu: %s", i, pool ? pool : "an error");
		if (d.entries.n != rows[i].said)
			fail_msg("row %zu: %zu messages", i, d.entries.n);
	}
}

static void
files_with_nodes(void **state)
{
	struct arena *a = *state;
	struct pool job = job_pool(a), file, p;
	struct str *names = NEW_ARRAY(a, struct str, 2);
	struct pool parts[] = {pool_of(a, "cpus 0=1"), pool_of(a, "cpus 0=1 1=1 2=1")};
	resource_numbers numbers = {0};
	struct allocated_sources from = {
		.job = &job, .file = &file, .numbers = &numbers, .adds_types = false};
	struct diag d = diag_in(a);

	names[0] = STR("other");
	names[1] = STR("n1");
	file = pool_join(a, names, parts, 2);
	assert_true(allocated_pool_make(a, &from, &p, &d));
	assert_string_equal(shown(a, &p), "n1: cpus 0=1 1=1");
	assert_int_equal(d.entries.n, 1);
	names[1] = STR("n3");
	assert_false(allocated_pool_make(a, &from, &p, &d));
}

/* A test gets no more processors than one node has. */
static void
processors_of_one_node(void **state)
{
	struct pool p = job_pool(*state);
	struct properties t = {.processors = 9};

	p.counts_processors = true;
	assert_int_equal(pool_processors_besides(&p, 0, &t), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_of_sources, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			files_with_nodes, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			processors_of_one_node, open_arena, close_arena),
	};

	return run_unit_tests("allocated_pool", tests, NULL, NULL);
}
