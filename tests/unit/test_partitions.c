/* partitions: changes while a run goes on. What is refused changes nothing. */
#include "runner/model/select.h"
#include "runner/resources/node_limits.h"
#include "runner/resources/pool_sources.h"
#include "runner/schedule/partitions.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

enum { NODES = 62, MOST = 8 };

struct course {
	struct arena *a;
	struct partitions *p;
	unsigned char *life;
	double now_s;
};

/* "a gpus=1; b fill; cpus=1": names may be missing. */
static size_t
requests_of(struct arena *a, const char *text, struct partition_request *q)
{
	struct str rest = str_of(text);
	size_t n = 0;

	while (rest.n) {
		struct str one = text_piece(&rest, ';');
		const char *why = "";

		q[n] = (struct partition_request){.name = STR("")};
		if (str_find(one, ' ') < one.n)
			q[n].name = text_piece(&one, ' ');
		if (!partition_sizes_read(a, one, &q[n++].sizes, &why))
			fail_msg("%s", why);
	}
	return n;
}

static struct course
begin(struct arena *a, const char *tests, struct pool pool, const char *partitions)
{
	struct course c = {.a = a};
	struct selection *s = NEW(a, struct selection);
	struct pool *whole = NEW(a, struct pool);
	struct filter everything = {.use_union = false};
	struct partition_request q[MOST];
	struct diag d = diag_in(a);
	size_t n = requests_of(a, partitions, q);

	*s = select_tests(a, suite_of(a, tests), &everything);
	*whole = pool;
	c.p = partitions_new(a, whole, s, 4);
	c.life = NEW_ARRAY(a, unsigned char, s->n);
	if (!partitions_begin(c.p, q, n, NO_PLACE, &d))
		fail_msg("%.*s", STR_ARG(d.entries.v[0].text));
	return c;
}

/* What has been said; "" for nothing. stop: names, with commas. */
static const char *
change(struct course *c, const char *stop, const char *start)
{
	struct partition_request q[MOST];
	struct partition_change new = {.stop = text_list(c->a, str_of(stop)),
		.start = q,
		.start_n = requests_of(c->a, start, q)};
	struct diag d = diag_in(c->a);
	bool is_good = partitions_change(c->p, &new, c->life, c->now_s++, &d);

	assert_int_equal(is_good, d.errors == 0);
	return d.entries.n ? str_z(c->a, d.entries.v[0].text) : "";
}

static void
commit(struct course *c)
{
	partitions_commit(c->p, c->life, c->now_s++);
}

/* "a ACTIVE, b CANCELED" */
static const char *
states(const struct course *c)
{
	struct buf b = {.arena = c->a};

	buf_z(&b, "");
	for (size_t i = 0; i < c->p->v.n; i++)
		buf_fmt(&b, "%s%.*s %s%s", b.n ? ", " : "",
			STR_ARG(c->p->v.v[i].request.name),
			partition_state_name(c->p->v.v[i].state),
			c->p->v.v[i].is_stopping ? " stopping" : "");
	return str_z(c->a, buf_as_str(&b));
}

static const char *
name_of(const struct course *c, node_id node)
{
	for (size_t i = 0; i < c->p->v.n; i++)
		if (c->p->v.v[i].part == c->p->parts.of[node])
			return str_z(c->a, c->p->v.v[i].request.name);
	return "none";
}

/* The example of the RFC: partitions of 16 cores and 4 GPUs, and of 8 and 2. */
static void
example_of_the_rfc(void **state)
{
#define SMALL "cpus=8,gpus=2"
	static const struct {
		const char *stop, *start, *said;
	} rows[] = {
		{"large", "", "no partition has the rest: cpus 16 of 24, gpus 4 of 6"},
		{"", "c " SMALL "; d " SMALL, ""},
		{"c", "e 50%",
			"cpus: 8 (small) + 8 (d) + 12 (e) = 28, but the pool has 24"},
		{"c,d", "e 50%", "no partition has the rest: cpus 4 of 24, gpus 1 of 6"},
		{"", "f fill", ""},
		{"all", SMALL ";" SMALL,
			"no partition has the rest: cpus 8 of 24, gpus 2 of 6"},
		{"all", SMALL ";" SMALL ";" SMALL, ""},
		{"all", SMALL ";" SMALL ";" SMALL ";" SMALL,
			"cpus: 8 (p13) + 8 (p14) + 8 (p15) + 8 (p16) = 32, but the pool "
			"has 24"},
	};
	struct course c = begin(*state, "t groups=cpus:1,gpus:1",
		pool_of(*state, "cpus 0=24; gpus 0=6"),
		"large cpus=16,gpus=4; small " SMALL);

	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_string_equal(
			change(&c, rows[i].stop, rows[i].start), rows[i].said);
		if (c.p->is_changing)
			commit(&c);
	}
	assert_int_equal(c.p->v.n, 16);
	assert_string_equal(states(&c),
		"large CANCELED, small CANCELED, c CANCELED, d CANCELED, e FAILED, "
		"e CANCELED, f CANCELED, p8 CANCELED, p9 CANCELED, p10 ACTIVE, "
		"p11 ACTIVE, p12 ACTIVE, p13 FAILED, p14 FAILED, p15 FAILED, p16 FAILED");
#undef SMALL
}

static struct pool
pool_of_62(struct arena *a)
{
	struct pool *parts = NEW_ARRAY(a, struct pool, NODES);
	struct str *names = NEW_ARRAY(a, struct str, NODES);

	for (size_t i = 0; i < NODES; i++) {
		names[i] = str_fmt(a, "n%02zu", i);
		parts[i] = pool_of(a, "cpus 0=2");
	}
	return pool_join(a, names, parts, NODES);
}

/* Two partitions of 30 nodes and one more each are 62; three of 20 and one more are 63.
 */
static void
nodes_of_the_rfc(void **state)
{
	struct course c = begin(
		*state, "t groups=cpus:1", pool_of_62(*state), "a nodes=31; b nodes=31");

	assert_string_equal(change(&c, "all", "c nodes=21; d nodes=21; e nodes=21"),
		"nodes: 21 (c) + 21 (d) + 21 (e) = 63, but the pool has 62");
	assert_string_equal(
		states(&c), "a ACTIVE, b ACTIVE, c FAILED, d FAILED, e FAILED");
	assert_string_equal(change(&c, "all", "c nodes=20; d nodes=20; e nodes=20"),
		"no partition has the rest: cpus 4 of 124");
	partitions_call_off(c.p, c.now_s++);
	assert_string_equal(
		change(&c, "all", "c nodes=21; d nodes=21; e nodes=fill"), "");
	commit(&c);
	assert_string_equal(name_of(&c, 0), "c");
}

/* Nodes that will not come are in no new partition. */
static void
lost_nodes(void **state)
{
	struct course c = begin(
		*state, "t groups=cpus:1", pool_of_62(*state), "a nodes=31; b nodes=31");

	for (uint32_t i = 0; i < 31; i++)
		pool_set_presence(c.a, &c.p->pool, i, POOL_NODE_GONE);
	assert_string_equal(change(&c, "all", "c nodes=32"),
		"nodes: 31 (lost nodes) + 32 (c) = 63, but the pool has 62");
	assert_string_equal(change(&c, "all", "d nodes=31"), "");
}

/* What a node lacks, new partitions lack, too. */
static void
nodes_with_less(void **state)
{
	struct arena *a = *state;
	struct str *names = NEW_ARRAY(a, struct str, 2);
	struct pool parts[] = {pool_of(a, "cpus 0=1 1=1"), pool_of(a, "cpus 0=1 1=1")};
	struct course c;

	names[0] = STR("n0");
	names[1] = STR("n1");
	c = begin(a, "t groups=cpus:1", pool_join(a, names, parts, 2),
		"a nodes=1; b nodes=1");
	node_limits_set(a, &c.p->pool, 0, &(struct node_limits){.processors = 1});
	assert_true(str_is(node_limits_text(a, &c.p->pool, 0), "1 of 2 slots of 'cpus'"));
	assert_string_equal(change(&c, "all", "c nodes=2"), "");
	commit(&c);
	assert_true(str_is(node_limits_text(a, &c.p->pool, 0), "1 of 2 slots of 'cpus'"));
	assert_true(str_is(node_limits_text(a, &c.p->pool, 1), ""));
}

/* A test with whole nodes has none of which another partition has a part. */
static void
whole_nodes(void **state)
{
	struct course c = begin(*state, "one groups=cpus:1", pool_of_62(*state),
		"a nodes=31,cpus=1; b nodes=31,cpus=1");
	struct course wide = begin(*state, "one groups=cpus:1 nodes=31",
		pool_of_62(*state), "a nodes=31; b nodes=31");

	assert_string_equal(change(&c, "b", "c nodes=2"),
		"no partition has the rest: cpus 89 of 124");
	assert_string_equal(change(&wide, "b", "c nodes=31,cpus=1"),
		"no partition has the rest: cpus 31 of 124");
	commit(&wide);
	assert_string_equal(name_of(&wide, 0), "a");
	assert_string_equal(change(&wide, "a", "d nodes=31,cpus=1"),
		"test one does not fit in any partition: it asks for cpus:1, on 31 whole "
		"nodes; c has cpus 31 of 124; d has cpus 31 of 124");
	assert_string_equal(change(&wide, "all", "e nodes=31"),
		"no partition has the rest: cpus 62 of 124");
	commit(&wide);
	assert_string_equal(name_of(&wide, 0), "e");
}

static void
drained_partitions(void **state)
{
	struct course c =
		begin(*state, "one groups=g:1; two groups=g:1; three groups=g:1",
			pool_of(*state, "g 0=1 1=1 2=1 3=1"), "a g=2");

	c.life[0] = LIFE_RUNS;
	assert_string_equal(change(&c, "a", "b g=1; c g=3"), "");
	assert_string_equal(states(&c), "a ACTIVE stopping, b PENDING, c PENDING");
	assert_true(c.p->parts.v[0].is_closed);
	assert_string_equal(name_of(&c, 1), "a");
	c.life[0] = LIFE_ENDED;
	commit(&c);
	assert_string_equal(states(&c), "a CANCELED, b ACTIVE, c ACTIVE");
	assert_string_equal(name_of(&c, 0), "a");
	/* Tests are shared; there was a place for the one that runs, too. */
	assert_string_equal(name_of(&c, 1), "c");
	assert_string_equal(name_of(&c, 2), "b");
	assert_true(c.p->v.v[1].since_s[PARTITION_PENDING] <
		    c.p->v.v[1].since_s[PARTITION_STARTING]);
	assert_true(c.p->v.v[0].since_s[PARTITION_FAILED] < 0);
	partitions_end(c.p, c.now_s);
	assert_string_equal(states(&c), "a CANCELED, b DONE, c DONE");
}

static void
changes_that_are_called_off(void **state)
{
	struct course c =
		begin(*state, "one groups=g:1", pool_of(*state, "g 0=2"), "a g=1");

	assert_string_equal(change(&c, "a", "b g=2"), "");
	partitions_call_off(c.p, c.now_s++);
	assert_string_equal(states(&c), "a ACTIVE, b CANCELED");
	assert_false(c.p->parts.v[0].is_closed);
	assert_string_equal(change(&c, "a", "b g=2"), "");
	commit(&c);
	assert_string_equal(states(&c), "a CANCELED, b CANCELED, b ACTIVE");
}

static void
refused_changes(void **state)
{
	static const struct {
		const char *stop, *start, *said;
	} rows[] = {
		{"x", "", "the run has no partition x"},
		{"p1", "a g=3",
			"test two does not fit in any partition: it asks for g:4; "
			"a has g 3 of 4"},
		{"a", "",
			"test one (and 1 more) does not fit in any partition: it asks "
			"for g:1; no partition without filters is left"},
		{"", "a g=1", "partition a is there twice"},
		{"a", "x h=1", "partition x: the pool has no type h"},
		{"a", "b fill; c fill", "g: both b and c want what is left"},
	};
	struct course c = begin(*state, "one groups=g:1; two groups=g:4",
		pool_of(*state, "g 0=4"), "a all");

	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_string_equal(
			change(&c, rows[i].stop, rows[i].start), rows[i].said);
		assert_false(c.p->is_changing || c.p->v.v[0].is_stopping);
	}
	assert_string_equal(change(&c, "a", "b all"), "");
	commit(&c);
	assert_string_equal(change(&c, "p1", ""), "partition p1 is CANCELED");
}

/* Tests that wait go where their filters name them, also from other partitions; what runs
 * stays. */
static void
tests_that_are_named(void **state)
{
	struct course c =
		begin(*state, "one groups=g:1; two groups=g:1; three groups=g:1",
			pool_of(*state, "g 0=4"), "a g=2");
	struct partition_request q;
	struct partition_change new = {.start = &q, .start_n = 1};
	struct diag d = diag_in(*state);
	bool *accepts = NEW_ARRAY(*state, bool, 3);

	accepts[0] = accepts[1] = true;
	c.life[0] = LIFE_RUNS;
	(void)requests_of(*state, "named g=2", &q);
	q.accepts = accepts;
	assert_true(partitions_change(c.p, &new, c.life, 1, &d));
	commit(&c);
	assert_string_equal(name_of(&c, 0), "a");
	assert_string_equal(name_of(&c, 1), "named");
	assert_string_equal(name_of(&c, 2), "a");
}

/* A test that not even the whole pool has room for does not hinder anything. */
static void
tests_that_never_fit(void **state)
{
	struct course c =
		begin(*state, "one groups=g:9", pool_of(*state, "g 0=4"), "a g=2");

	assert_string_equal(change(&c, "all", "b g=4"), "");
	commit(&c);
	assert_string_equal(name_of(&c, 0), "b");
}

static void
too_many_partitions(void **state)
{
	struct course c =
		begin(*state, "one groups=g:1", pool_of(*state, "g 0=4"), "a g=1");

	for (int i = 1; i < PARTITIONS_MOST; i++) {
		assert_string_equal(change(&c, "all", "g=4"), "");
		commit(&c);
	}
	assert_string_equal(change(&c, "all", "g=4"), "a run has at most 256 partitions");
	assert_string_equal(name_of(&c, 0), "p256");
}

static void
names_of_states(void **state)
{
	(void)state;
	for (int i = 0; i < PARTITION_STATES; i++)
		assert_int_equal(partition_state_named(str_of(
					 partition_state_name((enum partition_state)i))),
			i);
	assert_int_equal(partition_state_named(STR("active")), PARTITION_STATES);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_of_the_rfc),
		cmocka_unit_test(nodes_of_the_rfc),
		cmocka_unit_test(lost_nodes),
		cmocka_unit_test(nodes_with_less),
		cmocka_unit_test(whole_nodes),
		cmocka_unit_test(drained_partitions),
		cmocka_unit_test(changes_that_are_called_off),
		cmocka_unit_test(refused_changes),
		cmocka_unit_test(tests_that_are_named),
		cmocka_unit_test(tests_that_never_fit),
		cmocka_unit_test(too_many_partitions),
		cmocka_unit_test(names_of_states),
	};

	return run_unit_tests("partitions", tests, open_arena, close_arena);
}
