/* The reports of frameworks are foreign text: whatever they say, only what passed by them
 * is proven, and no output is outside of what the process wrote. The report and the
 * output are before and after the first NUL. */
#include "runner/batch/batch_groups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_cases(const struct batch_report *r)
{
	for (size_t i = 0; i < r->v.n; i++) {
		const struct case_report *c = &r->v.v[i];

		INVARIANT(c->duration_ns < UINT64_C(1000000000000000000));
		INVARIANT(!c->output.n || c->output.p);
	}
}

static void
check_proof(struct arena *a, const struct batch_report *r, bool is_good)
{
	struct batch_group g = {.n = 3, .most = 200, .most_ever = 200};
	struct batch_test *v[3];
	struct case_report cases[3] = {{.passed = false}};
	struct batch_end end = {.report = r, .is_good = is_good};

	g.v = NEW_ARRAY(a, struct batch_test, g.n);
	for (size_t i = 0; i < g.n; i++) {
		g.v[i].state = BATCH_RUNS;
		g.v[i].choice.name = i < r->v.n ? r->v.v[i].name : STR("A.a");
		v[i] = &g.v[i];
	}
	batch_group_settle(&g, v, g.n, &end, cases);
	for (size_t i = 0; i < g.n; i++)
		INVARIANT((g.v[i].state == BATCH_PROVEN) == cases[i].passed);
	INVARIANT(is_good || !cases[0].passed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct framework *const all[] = {&googletest, &catch2};
	struct str output = str_cut((const char *)data, size);
	struct str report = str_take(&output, '\0');

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct arena *a = arena_open();
		struct batch_report r = {.v = {0}};
		bool is_whole = all[i]->read(a, report, output, &r);

		check_cases(&r);
		check_proof(a, &r, is_whole);
		(void)all[i]->last_begun(output);
		arena_close(a);
	}
	return 0;
}
