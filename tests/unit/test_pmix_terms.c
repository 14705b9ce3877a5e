/* What PMIx's attributes ask for, and what answers say in them. */
#include "tests/unit/attribute_text.h"
#include "tests/unit/unit.h"

static const char *const results[PMIX_RESULTS] = {
	[PMIX_RESULT_GRANTED] = "granted",
	[PMIX_RESULT_PARTIAL] = "partial",
	[PMIX_RESULT_NO_ROOM] = "no room",
	[PMIX_RESULT_NO_LEASE] = "no lease",
	[PMIX_RESULT_WRONG] = "wrong",
	[PMIX_RESULT_UNKNOWN] = "unknown",
	[PMIX_RESULT_CANCELED] = "canceled",
	[PMIX_RESULT_NO_RUN] = "no run",
};

/* Directive and attributes; the request in JSON, or why there is none. */
static const struct {
	unsigned directive;
	const char *text, *expected;
} requests[] = {
#define ASKS "{\"version\":1,\"verb\":\"alloc-"
#define AWAITS ",\"await\":true}\n"
	{1, "pmix.alloc.ncpus=2", ASKS "new\",\"resources\":\"cpus:1,cpus:1\"" AWAITS},
	{1, "pmix.alloc.ncpus=1! pmix.alloc.msize=1.5",
		ASKS "new\",\"resources\":\"cpus:1\",\"wish\":\"mem:2\"" AWAITS},
	{1, "pmix.alloc.net[ pmix.alloc.netid=eth0 pmix.alloc.bw=1.386 ]",
		ASKS "new\",\"resources\":\"network@eth0:2\"" AWAITS},
	{1, "pmix.alloc.net[ pmix.alloc.netid=eth0 ]",
		ASKS "new\",\"resources\":\"network@eth0:1\"" AWAITS},
	{1, "pmix.alloc.net[ pmix.alloc.nettype=tcp pmix.alloc.endpts=2 ]",
		ASKS "new\",\"resources\":\"ports:1,ports:1\"" AWAITS},
	{1,
		"pmix.alloc.net[ pmix.alloc.netid=a pmix.alloc.endpts=1 pmix.alloc.bw=3 "
		"]",
		ASKS "new\",\"resources\":\"ports:1,network@a:3\"" AWAITS},
	{1, "x[ pmix.alloc.nlist=n1,n2 pmix.alloc.ncpulist=5,3 ]",
		/* "5,3" begins as a number does */
		"wrong"},
	{1, "pmix.alloc.nlist=n1,n2",
		ASKS "new\",\"resources\":\"nodes@n1:1,nodes@n2:1\"" AWAITS},
	{1, "cctr.alloc.gpus=1 cctr.alloc.now=true",
		ASKS "new\",\"resources\":\"gpus:1\",\"now\":true}\n"},
	{1, "cctr.alloc.resources=gpus:2 cctr.alloc.waits=true cctr.alloc.cleanup=f",
		ASKS
		"new\",\"resources\":\"gpus:2\",\"cleanup\":\"f\",\"block\":true" AWAITS},
	{2, "pmix.alloc.time=60", ASKS "extend\",\"await\":true,\"seconds\":60.000}\n"},
	{2, "pmix.alloc.time=m", "wrong"},
	{3, "pmix.alloc.nnodes=2",
		ASKS "release\",\"resources\":\"nodes:1,nodes:1\"" AWAITS},
	{3, "pmix.alloc.time=5", ASKS "lend\",\"await\":true,\"seconds\":5.000}\n"},
	{3, "pmix.alloc.lend=0", ASKS "lend\"" AWAITS},
	{4, "", ASKS "reacquire\"" AWAITS},
	{5, "pmix.alloc.id=x", ASKS "cancel\"" AWAITS},
	{0, "", "unknown"},
	{6, "", "unknown"},
	{200, "", "unknown"},
	{1, "pmix.alloc.queue=q", ASKS "new\"" AWAITS},
	{1, "pmix.alloc.queue=q!", "unknown"},
	{1, "pmix.alloc.ncpus=0", "wrong"},
	{1, "pmix.alloc.ncpus=1.5", "wrong"},
	{1, "pmix.alloc.ncpus=-1", "wrong"},
	{1, "pmix.alloc.ncpus=x", "wrong"},
	{1, "pmix.alloc.ncpus=1025", "no room"},
	{1, "pmix.alloc.ncpus=1e300", "no room"},
	{1, "pmix.alloc.ncpus=1000 pmix.alloc.nnodes=1000", "no room"},
	{1, "pmix.alloc.msize=0", "wrong"},
	{1, "pmix.alloc.bw=-1", "wrong"},
	{1, "pmix.alloc.net=1", "wrong"},
	{1, "pmix.alloc.nlist=a:b", "wrong"},
	{1, "pmix.alloc.net[ pmix.alloc.netid=a@b pmix.alloc.bw=1 ]", "wrong"},
	{1, "pmix.alloc.id=", "wrong"},
	{1, "cctr.alloc.now=1", "wrong"},
};

static void
requests_are_read(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(requests); i++) {
		struct str text = str_of(requests[i].text);
		struct attribute_vec v = attributes_of(a, &text, 3);
		struct buf got = {.arena = a};
		struct pmix_request r;
		enum pmix_result result =
			pmix_request_read(a, requests[i].directive, v.v, v.n, &r);

		if (result == PMIX_RESULT_GRANTED)
			control_write(&got, &r.q);
		else
			buf_z(&got, results[result]);
		if (!str_is(buf_as_str(&got), requests[i].expected))
			fail_msg("%s: %.*s", requests[i].text, STR_ARG(buf_as_str(&got)));
	}
}

static void
processors_are_listed(void **state)
{
	static const struct {
		const char *list, *expected; /* NULL: refused */
	} rows[] = {{"2-3,7", "cpus@2:1,cpus@3:1,cpus@7:1"}, {"0", "cpus@0:1"},
		{"3-2", NULL}, {"x", NULL}, {"1,,2", NULL}, {"0-1024", NULL},
		{"0-", NULL}, {"-", NULL}, {"-3", NULL}, {"1-2-3", NULL},
		{"4294967295-4294967295", "cpus@4294967295:1"}};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct attribute e = {.key = STR("pmix.alloc.cpulist"),
			.kind = ATTRIBUTE_TEXT,
			.text = str_of(rows[i].list)};
		struct pmix_request r;
		enum pmix_result result = pmix_request_read(*state, 1, &e, 1, &r);

		assert_int_equal(result == PMIX_RESULT_GRANTED, rows[i].expected != NULL);
		if (rows[i].expected)
			assert_true(str_is(r.q.resources, rows[i].expected));
	}
}

static void
add_attributes(struct buf *b, const struct attribute *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_fmt(b, " %.*s=", STR_ARG(v[i].key));
		if (v[i].kind == ATTRIBUTE_TEXT)
			buf_str(b, v[i].text);
		else if (v[i].kind == ATTRIBUTE_LIST)
			add_attributes(b, v[i].v, v[i].n);
		else
			buf_fmt(b, "%g", v[i].number);
	}
}

#define OK "{\"version\":1,\"status\":\"ok\",\"request\":"
#define LEASE ",\"lease\":{\"id\":\"x\",\"state\":\"held\",\"request\":"
#define HOLDS(type, id)                                                                  \
	"{\"type\":\"" type "\",\"units\":[{\"id\":\"" id "\",\"slots\":2}]}"
static const struct {
	enum control_verb verb;
	const char *line, *expected;
} answers[] = {
	{CONTROL_ALLOC_NEW,
		OK "\"granted\"" LEASE "\"granted\",\"left\":9.5,\"holds\":[" HOLDS(
			"cpus", "1") "," HOLDS("gpus", "0") "," HOLDS("cpus", "2") "]}}",
		"granted x granted cctr.alloc.status=granted pmix.alloc.time=9 "
		"pmix.alloc.ncpus=4 pmix.alloc.cpulist=1,2 "
		"cctr.alloc.cpus=id:1,slots:2;id:2,slots:2 cctr.alloc.gpus=id:0,slots:2"},
	{CONTROL_ALLOC_NEW,
		OK "\"partial\"" LEASE "\"partial\",\"holds\":[" HOLDS(
			"ports", "80") "," HOLDS("network", "e") "]}}",
		"partial x partial cctr.alloc.status=partial "
		"pmix.alloc.net= pmix.alloc.netid=80 cctr.alloc.ports=id:80,slots:2 "
		"pmix.alloc.net= pmix.alloc.netid=e pmix.alloc.bw=2 "
		"cctr.alloc.network=id:e,slots:2"},
	{CONTROL_ALLOC_EXTEND,
		OK "\"denied\",\"reason\":\"no\"" LEASE "\"denied\",\"holds\":[]}}",
		"no room x denied cctr.alloc.status=denied cctr.alloc.reason=no"},
	{CONTROL_ALLOC_RELEASE, OK "\"denied\"" LEASE "\"granted\",\"holds\":[]}}",
		"wrong x granted cctr.alloc.status=denied"},
	{CONTROL_ALLOC_RELEASE, OK "\"denied\",\"leases\":[]}",
		"no lease - unknown cctr.alloc.status=denied"},
	{CONTROL_ALLOC_NEW, OK "\"denied\",\"leases\":[]}",
		"wrong - unknown cctr.alloc.status=denied"},
	{CONTROL_ALLOC_NEW, OK "\"canceled\"}",
		"canceled - unknown cctr.alloc.status=canceled"},
	{CONTROL_ALLOC_CANCEL, OK "\"canceled\"}",
		"granted - unknown cctr.alloc.status=canceled"},
	{CONTROL_ALLOC_QUERY,
		OK "\"granted\",\"lease\":{\"id\":\"x\",\"state\":\"ended\",\"request\":"
		   "\"granted\"}}",
		"granted x ended cctr.alloc.status=granted"},
	{CONTROL_ALLOC_NEW, "{\"version\":1,\"status\":\"error\",\"reason\":\"no pool\"}",
		"no run - unknown cctr.alloc.status=denied cctr.alloc.reason=no pool"},
	{CONTROL_ALLOC_NEW, "rubbish", "no run - unknown"},
	{CONTROL_ALLOC_NEW, "[]", "no run - unknown cctr.alloc.status=denied"},
};

static void
answers_are_read(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(answers); i++) {
		struct pmix_request r = {.q = {.verb = answers[i].verb}};
		struct pmix_answer answer;
		struct buf got = {.arena = a};

		pmix_answer_read(a, str_of(answers[i].line), &r, &answer);
		buf_fmt(&got, "%s %.*s %.*s", results[answer.result],
			STR_ARG(answer.id.p ? answer.id : STR("-")),
			STR_ARG(answer.status));
		add_attributes(&got, answer.attributes.v, answer.attributes.n);
		if (!str_is(buf_as_str(&got), answers[i].expected))
			fail_msg("%s: %.*s", answers[i].line, STR_ARG(buf_as_str(&got)));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			requests_are_read, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			processors_are_listed, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			answers_are_read, open_arena, close_arena),
	};

	return run_unit_tests("pmix_terms", tests, NULL, NULL);
}
