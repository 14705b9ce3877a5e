/* Leases: every verb in every state, who goes first, and random requests beside a model
 * that counts each slot. */
#include <stdlib.h>

#include "runner/lease/lease.h"
#include "runner/lease/lease_terms.h"
#include "runner/resources/pool_sources.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

enum { HOLDERS = 5, PATIENCE = 3, NO_HOLDER = HOLDERS };

struct play {
	struct arena *a;
	struct pool pool;
	struct leases *leases;
	struct grant grants[HOLDERS];
	bool tests_wait;
	bool runs[HOLDERS];
	/* The test that cleans up f, NO_HOLDER: none; what other tests need of g. */
	uint32_t cleanup;
	uint64_t others_need;
	double now_s;
};

static bool
tests_wait(const void *context, uint32_t type)
{
	const struct play *p = context;

	(void)type;
	return p->tests_wait;
}

static bool
does_run(const void *context, uint32_t holder)
{
	const struct play *p = context;

	return p->runs[holder];
}

static uint32_t
find_heir(const void *context, uint32_t holder, struct str *fixture)
{
	const struct play *p = context;

	if (!str_is(*fixture, "f") || holder == p->cleanup || p->cleanup == NO_HOLDER)
		return MAP_NONE;
	*fixture = STR("f");
	return p->cleanup;
}

static bool
do_others_fit(const void *context, struct arena *scratch, struct pool *copy)
{
	const struct play *p = context;
	uint64_t is_free = 0;

	(void)scratch;
	for (size_t i = 0; i < copy->types[0].n; i++)
		is_free += copy->types[0].v[i].slots - copy->types[0].v[i].held;
	return is_free >= p->others_need;
}

static void
open_play(struct play *p, struct arena *a, const char *pool)
{
	*p = (struct play){.a = a, .pool = pool_of(a, pool), .cleanup = NO_HOLDER};
	p->leases = leases_new(a, &p->pool, HOLDERS, PATIENCE,
		(struct lease_tests){p, tests_wait, does_run, find_heir, do_others_fit});
}

static struct resource_groups
terms(struct arena *a, const char *text)
{
	struct resource_groups g;
	const char *why;

	assert_true(lease_terms_read(a, str_of(text), &g, &why));
	return g;
}

/* The test starts with that; "": with nothing. */
static bool
begin(struct play *p, uint32_t holder, const char *groups)
{
	struct resource_groups g = terms(p->a, groups);
	uint32_t blocking;

	p->grants[holder] = (struct grant){.v = NULL};
	if (g.n && !pool_take(&p->pool, p->a, &g, &p->grants[holder], &blocking)) {
		p->grants[holder].n = 0;
		return false;
	}
	p->runs[holder] = true;
	leases_begin(
		p->leases, holder, g.n ? &p->grants[holder] : NULL, (uint32_t)g.n, 0);
	return true;
}

static bool
end(struct play *p, uint32_t holder, bool is_last)
{
	bool is_whole = leases_end(p->leases, holder, is_last);

	p->runs[holder] = false;
	pool_return(&p->pool, &p->grants[holder]);
	p->grants[holder].n = 0;
	leases_settle(p->leases);
	return is_whole;
}

static uint64_t
held(const struct play *p, size_t type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->pool.types[type].n; i++)
		sum += p->pool.types[type].v[i].held;
	return sum;
}

/* NULL: the holder has none of that id. */
static const struct lease *
find(const struct leases *l, uint32_t holder, struct str id)
{
	const struct lease *e;
	size_t at = 0;

	while ((e = leases_next(l, holder, &at)))
		if (str_is(id, e->id))
			return e;
	return NULL;
}

/* ---- scenarios ------------------------------------------------------------------- */

static const char *const verbs[LEASE_VERBS] = {
	"new", "extend", "release", "lend", "reacquire", "cancel", "query"};
static const char *const statuses[] = {
	"granted", "partial", "pending", "denied", "canceled"};

static enum lease_verb
verb_named(struct str s)
{
	for (unsigned i = 0; i < LEASE_VERBS; i++)
		if (str_is(s, verbs[i]))
			return (enum lease_verb)i;
	fail_msg("'%.*s' is no verb", STR_ARG(s));
	return LEASE_VERBS;
}

/* "<id> <wanted> +<wished> =<seconds> @<fixture> ! ?": any of them; "!" is immediate, "?"
 * blocks. */
static struct lease_request
request_of(struct play *p, struct str text)
{
	struct lease_request q = {.now_s = p->now_s, .id = STR_NONE};

	while (text.n) {
		struct str word = text_piece(&text, ' ');
		const char *z = str_z(p->a, word);

		if (str_is(word, "!"))
			q.is_immediate = true;
		else if (str_is(word, "?"))
			q.blocks = true;
		else if (*z == '+')
			q.wished = terms(p->a, z + 1);
		else if (*z == '@')
			q.fixture = str_from(word, 1);
		else if (*z == '=')
			q.seconds = str_double(str_from(word, 1));
		else if (str_has(word, STR(":")))
			q.wanted = terms(p->a, z);
		else
			q.id = word;
	}
	return q;
}

/* One step: "<holder> <verb> ...", "<holder> begin <resources>", "<holder> end",
 * "<holder> again": its attempt ends, "<holder> cleans": f, "<n> need": slots of g, by
 * other tests, "wait", "go": whether tests wait, "start": a test of g starts, or "at
 * <time>". What it says. */
static const char *
take_step(struct play *p, struct str text)
{
	struct str first = text_piece(&text, ' '), verb;
	uint32_t holder = (uint32_t)str_int(first), type = 0;
	struct lease_request q;
	struct lease_answer answer;

	if (str_is(first, "wait") || str_is(first, "go")) {
		p->tests_wait = str_is(first, "wait");
		return "";
	}
	if (str_is(first, "start")) {
		leases_overtake(p->leases, &type, 1);
		return leases_keeper(p->leases, 0) != MAP_NONE ? "kept" : "free";
	}
	if (str_is(first, "at")) {
		p->now_s = str_double(text);
		leases_expire(p->leases, p->now_s);
		return "";
	}
	verb = text_piece(&text, ' ');
	if (str_is(verb, "begin"))
		return begin(p, holder, str_z(p->a, text)) ? "" : "no room";
	if (str_is(verb, "end"))
		return end(p, holder, true) ? "whole" : "reduced";
	if (str_is(verb, "again"))
		return end(p, holder, false) ? "whole" : "reduced";
	if (str_is(verb, "cleans")) {
		p->cleanup = holder;
		return "";
	}
	if (str_is(verb, "need")) {
		p->others_need = holder;
		return "";
	}
	q = request_of(p, text);
	answer = leases_ask(p->leases, holder, verb_named(verb), &q);
	return answer.reason ? answer.reason : statuses[answer.status];
}

static void
play_scenario(struct arena *a, const char *pool, const char *text)
{
	struct play p;
	struct str rest = str_of(text);

	open_play(&p, a, pool);
	while (rest.n) {
		struct str line = text_piece(&rest, ';'), step;
		size_t colon = str_search(line, STR(" -> "));
		const char *said;

		step = str_trim(str_cut(line.p, colon));
		said = take_step(&p, step);
		if (colon == line.n)
			continue;
		line = str_trim(str_from(line, colon + 4));
		if (!str_is(line, said))
			fail_msg("%s\n%.*s: it says %s", text, STR_ARG(step), said);
	}
}

#define BUSY "a request for the lease is pending"
#define NONE "the test has no lease of that id"
#define OVER "the lease has ended"

/* The states: a lease that is not there, that waits for its first slots, that is held,
 * held with a pending request, held with slots lent, lent with a pending reacquisition,
 * that has ended, that was denied, that was canceled; held without some of its wish,
 * after a request that was denied or canceled, with all slots lent; ended by its time,
 * with its test. The test's own: as the test began, with a pending request, with slots
 * lent, with nothing. */
static const struct {
	const char *state;
	const char *expected[LEASE_VERBS];
} table[] =
	{
		{"", {"granted", NONE, NONE, NONE, NONE, NONE, NONE}},
		{"1 new x g:4 -> pending;", {"a lease has that id", BUSY, BUSY, BUSY,
						    BUSY, "canceled", "pending"}},
		{"1 new x g:1 -> granted;",
			{"a lease has that id", "granted", "granted", "granted",
				"nothing is lent", "no request is pending", "granted"}},
		{"1 new x g:1 -> granted; 1 extend x g:3 -> pending;",
			{"a lease has that id", BUSY, BUSY, BUSY, BUSY, "canceled",
				"pending"}},
		{"1 new x g:1,g:1 -> granted; 1 lend x g:1 -> granted;",
			{"a lease has that id", "granted", "granted", "granted",
				"granted", "no request is pending", "granted"}},
		{"1 new x g:2,g:1 -> granted; 1 lend x g:2 -> granted; 2 begin g:2; "
		 "1 reacquire x -> pending;",
			{"a lease has that id", BUSY, BUSY, BUSY, BUSY, "canceled",
				"pending"}},
		{"1 new x g:1 -> granted; 1 release x -> granted;",
			{"granted", OVER, OVER, OVER, OVER, OVER, "granted"}},
		{"1 new x g:9 -> the pool has no room for it;",
			{"granted", OVER, OVER, OVER, OVER, OVER,
				"the pool has no room for it"}},
		{"1 new x g:4 -> pending; 1 cancel x -> canceled;",
			{"granted", OVER, OVER, OVER, OVER, OVER, "canceled"}},
		{"1 new x g:1 +g:4 -> partial;",
			{"a lease has that id", "granted", "granted", "granted",
				"nothing is lent", "no request is pending", "partial"}},
		{"1 new x g:1 -> granted; 1 extend x g:9 -> the pool has no room for it;",
			{"a lease has that id", "granted", "granted", "granted",
				"nothing is lent", "no request is pending",
				"the pool has no room for it"}},
		{"1 new x g:1 -> granted; 1 extend x g:3 -> pending; 1 cancel x -> "
		 "canceled;",
			{"a lease has that id", "granted", "granted", "granted",
				"nothing is lent", "no request is pending", "canceled"}},
		{"1 new x g:1 -> granted; 1 lend x -> granted;",
			{"a lease has that id", "granted", "the lease has less",
				"the lease has less", "granted", "no request is pending",
				"granted"}},
		{"1 new x g:1 =5 -> granted; at 5;",
			{"granted", OVER, OVER, OVER, OVER, OVER, "granted"}},
		{"1 new x g:4 =5 -> pending; 1 end; 1 begin ;",
			{"granted", NONE, NONE, NONE, NONE, NONE, NONE}},
},
  own[] = {
	  {"1 begin g:1;",
		  {"a lease has that id", "granted", "granted", "granted",
			  "nothing is lent", "no request is pending", "granted"}},
	  {"1 begin g:1; 1 extend g:3 -> pending;",
		  {"a lease has that id", BUSY, BUSY, BUSY, BUSY, "canceled", "pending"}},
	  {"1 begin g:1; 1 lend -> granted;",
		  {"a lease has that id", "granted", "the lease has less",
			  "the lease has less", "granted", "no request is pending",
			  "granted"}},
	  {"1 begin g:1; 1 release -> granted;",
		  {"a lease has that id", "granted", "the lease has less",
			  "the lease has less", "nothing is lent",
			  "no request is pending", "granted"}},
};

static void
play_verb(struct arena *a, const char *begun, enum lease_verb verb, const char *id,
	const char *expected)
{
	static const char *const words[LEASE_VERBS] = {[LEASE_NEW] = "g:1",
		[LEASE_EXTEND] = "h:1",
		[LEASE_RELEASE] = "g:1",
		[LEASE_LEND] = "g:1",
		[LEASE_REACQUIRE] = "",
		[LEASE_CANCEL] = "",
		[LEASE_QUERY] = ""};

	play_scenario(a, "g a=4 b=1; h c=2",
		str_fmt(a, "0 begin g:1; %s 1 %s %s %s -> %s", begun, verbs[verb], id,
			words[verb], expected)
			.p);
}

static void
every_verb_in_every_state(void **state)
{
	struct arena *a = *state;

	for (unsigned v = 0; v < LEASE_VERBS; v++) {
		for (size_t i = 0; i < ROWS(table); i++)
			play_verb(a, str_fmt(a, "1 begin ; %s", table[i].state).p,
				(enum lease_verb)v, "x", table[i].expected[v]);
		for (size_t i = 0; i < ROWS(own); i++)
			play_verb(a, own[i].state, (enum lease_verb)v, LEASE_OWN,
				own[i].expected[v]);
	}
}

static const char *const scenarios[] = {
	/* a test's own lease */
	"1 begin g:2; 2 begin ; 2 new x g:2 -> pending; 1 release g:3 -> the lease has "
	"less;"
	"1 release g:1 -> granted; 2 query x -> pending; 1 release -> granted; 2 query x "
	"-> granted; 1 end -> "
	"reduced;"
	"2 new own g:1 -> a lease has that id; 2 release x g:1 -> granted;"
	"2 cancel own -> no request is pending",
	"1 begin g:1; 1 extend g:1 -> granted; 1 release g:2 -> granted; 1 end -> "
	"reduced",
	"1 begin g:1; 1 extend g:1 -> granted; 1 release g:1 -> granted; 1 end -> whole",
	/* an end that is moved to before the clock began is over */
	"at 5; 1 begin ; 1 new x g:1 =9 -> granted; 1 extend x =-20 -> granted; at 6; 1 "
	"extend x =1 -> the lease has ended",
	/* what can never be is denied at once */
	"1 begin g:2; 1 new x g:2 -> the test itself holds what is missing",
	"1 begin ; 1 new x k:1 -> the pool has no such type; 1 extend k:1 -> the pool "
	"has no such type",
	"1 begin ; 1 new g:1,g:1,g:1,g:1 -> the pool has no room for it",
	"1 begin ; 1 new x -> nothing is asked for",
	"1 begin ; 1 new x/y g:1 -> an id is up to 64 letters, digits, '_', '.' and '-'",
	"1 begin g:2; 2 begin ; 2 new x g:2 ! -> not now; 2 new x g:1 ! -> granted",
	/* one instance */
	"1 begin ; 1 new x g@b:1 -> granted; 1 new y g@b:1 -> the test itself holds what "
	"is missing; 1 new z g@a:2 -> granted",
	"1 begin ; 1 new x g@b:1,g:2 -> granted; 1 release x g:3 -> granted",
	"1 begin ; 1 new x g@a:3 -> the pool has no room for it; 1 new y g@a:1,g:3 -> "
	"the pool has no room for it",
	"1 begin ; 1 new x g@z:1 -> the pool has no such instance; 1 extend k@c:1 -> the "
	"pool has no such type",
	"1 begin ; 2 begin ; 1 new x g@b:1 -> granted; 2 new y g@a:1,g@b:1 -> pending; "
	"1 new z g@a:2 -> granted; 1 release z -> granted; 2 query y -> pending; "
	"1 release x -> granted; 2 query y -> granted",
	"1 begin ; 1 new x g@b:1 -> granted; 1 lend x g:1 -> granted; 1 reacquire x -> "
	"granted",
	/* wishes */
	"1 begin ; 1 new x g:1 +g:1,g:1,h:1 -> granted; 1 release x g:3,h:1 -> granted",
	"1 begin ; 1 new x g:1 +g:1,g:1,g:1,h:1 -> partial; 1 release x g:4 -> the lease "
	"has less",
	"1 begin g:2; 2 begin ; 2 new x g:2 +h:1 -> pending; 1 end; 2 query x -> granted",
	/* ends */
	"1 begin ; 1 new x g:3 -> the pool has no room for it; 2 begin ; 2 new a g:1,g:2 "
	"-> granted;"
	"1 new b g:2 =5 -> pending; at 3; 2 end; 1 query b -> granted; at 5; 1 release b "
	"-> the lease has ended",
	/* the oldest first */
	"1 begin g:2,g:1; 2 begin ; 3 begin ; 2 new x g:1 -> pending; 3 new y g:1 -> "
	"pending;"
	"1 release g:1 -> granted; 2 query x -> granted; 3 query y -> pending; 1 end; 3 "
	"query y -> granted",
	/* who fits goes first, until who waits is due */
	"1 begin g:2; 2 begin ; 3 begin ; 2 new w g:2 -> pending;"
	"3 new a g:1 -> granted; 3 release a -> granted; 3 new a g:1 -> granted; 3 "
	"release a -> granted;"
	"3 new a g:1 -> granted; 3 release a -> granted; 3 new b g:1 -> pending; start "
	"-> kept;"
	"3 new c h:1 -> granted; 1 end; 2 query w -> granted; 3 query b -> granted; "
	"start -> free",
	"1 begin g:2; 2 begin ; 2 new w g:2 -> pending; start; start; start -> kept; 2 "
	"cancel -> canceled; start -> free",
	/* tests that wait are overtaken as often */
	"wait; 1 begin g:1; 3 begin ; 3 new a g:1 -> granted; 3 release a -> granted; 3 "
	"new a g:1 -> granted;"
	"3 release a -> granted; 3 new a g:1 -> granted; 3 release a -> granted; 3 new a "
	"g:1 -> pending;"
	"3 new b h:1 -> granted; 3 query a -> pending; start; 3 query a -> granted",
	/* all wait for each other: no turn, and then the youngest is denied */
	"1 begin g:2; 2 begin g:1; 1 new x g:1 ? -> pending; 2 new y g:1 ? -> all tests "
	"that hold what is missing wait for more;"
	"1 query x -> pending; 2 end; 1 query x -> granted",
	"1 begin g:2; 2 begin g:1; 1 new x g:1 -> pending; 2 new y g:1 ? -> pending; 1 "
	"end; 2 query y -> granted",
	/* lent and back */
	"1 begin g:2; 2 begin ; 1 lend g:2 =60 -> granted; 2 new x g:2 -> granted; 1 "
	"reacquire -> pending;"
	"2 release x g:1 -> granted; 1 query -> pending; 2 end; 1 query -> granted; 1 "
	"reacquire -> nothing is lent; 1 end -> reduced",
	"1 begin ; 1 lend g:1 -> the lease has less; 1 lend -> the lease has nothing",
	/* a lease of a fixture goes to its cleanup, and ends with that */
	"2 cleans; 1 begin ; 1 new x g:2 @f -> granted; 1 new y g:1 -> granted; 1 end;"
	"3 begin ; 3 new a g:1 -> granted; 3 new b g:1 -> pending; 3 end;"
	"2 begin ; 2 query x -> granted; 2 query y -> the test has no lease of that id;"
	"2 release x g:1 -> granted; 3 begin ; 3 new a g:1,g:1 -> granted; 3 end; 2 end;"
	"3 begin ; 3 new a g:2,g:1 -> granted",
	/* ... with its last attempt */
	"2 cleans; 1 begin ; 1 new x g:2 @f -> granted; 1 end; 2 begin ; 2 new y g:1 -> "
	"granted; 2 again; 2 begin ; 2 query x -> granted;"
	"2 query y -> the test has no lease of that id; 2 again; 2 end; 3 begin ; 3 new "
	"a g:2,g:1 -> granted",
	"2 cleans; 1 begin ; 1 new x g:2 @f -> granted; 1 again; 1 begin ; 1 new x "
	"g:2,g:1 @f -> granted; 1 end; 2 end; 3 begin ; 3 new a g:2,g:1 -> granted",
	/* ... beside what that has, under another id where its own is in use */
	"2 cleans; 1 begin ; 1 new x g:1 @f -> granted; 2 begin g:1; 2 new x h:1 -> "
	"granted; 1 end; 2 query x -> granted; 2 release x g:1 -> the lease has less;"
	"2 release lease-1 g:1 -> granted; 2 end -> whole",
	"1 begin ; 1 new x g:1 @f -> the test does not set that up, or no test cleans it "
	"up; 2 cleans; 1 new x g:1 @e -> the test does not set that up, or no test "
	"cleans it up",
	/* other tests must have room until then */
	"2 cleans; 2 need; 1 begin ; 1 new x g:2 @f -> a test would have no room before "
	"the cleanup; 1 new x g:1 +g:1 @f -> partial; 1 extend x g:1 -> a test would "
	"have no room before the cleanup; 1 release x g:1 -> granted; 1 new y g:2 -> "
	"granted",
	/* who waits for what such a lease has does not wait for ever */
	"2 cleans; 1 begin ; 1 new x g:2 @f -> granted; 1 end; 3 begin g:1; 3 new a g:1 "
	"? "
	"-> all tests that hold what is missing wait for more;"
	"2 begin ; 3 new a g:1 -> pending; 2 end; 3 query a -> granted",
};

static void
scenes(void **state)
{
	for (size_t i = 0; i < ROWS(scenarios); i++)
		play_scenario(*state, "g a=2 b=1; h c=1", scenarios[i]);
}

/* Each of them takes the lowest number that is free. */
static void
groups_are_numbered(void **state)
{
	struct play p;

	open_play(&p, *state, "g a=9");
	assert_true(begin(&p, 1, "g:1"));
	assert_int_equal(leases_groups(p.leases, 1), 1);
	take_step(&p, STR("1 new x g:1"));
	take_step(&p, STR("1 new y g:1"));
	take_step(&p, STR("1 release x"));
	assert_int_equal(find(p.leases, 1, STR("y"))->group, 2);
	take_step(&p, STR("1 new z g:1"));
	assert_int_equal(find(p.leases, 1, STR("z"))->group, 1);
	assert_int_equal(leases_groups(p.leases, 1), 3);
	take_step(&p, STR("1 release y"));
	take_step(&p, STR("1 release z"));
	assert_int_equal(leases_groups(p.leases, 1), 1);
	take_step(&p, STR("1 extend g:1"));
	assert_int_equal(leases_groups(p.leases, 1), 2);
	assert_true(begin(&p, 2, ""));
	take_step(&p, STR("2 new x g:1"));
	assert_int_equal(leases_groups(p.leases, 2), 1);
}

/* The last that ended are remembered; an id is free when its lease has ended. */
static void
few_ended_leases_stay(void **state)
{
	struct play p;
	size_t n = 0, at = 0;

	open_play(&p, *state, "g a=9");
	assert_true(begin(&p, 1, ""));
	for (int i = 0; i < 100; i++) {
		take_step(&p, STR("1 new g:1"));
		take_step(&p, str_fmt(*state, "1 release lease-%d", i + 1));
	}
	while (leases_next(p.leases, 1, &at))
		n++;
	assert_int_equal(n, 1 + LEASES_ENDED_MOST);
	assert_int_equal(held(&p, 0), 0);
	assert_null(find(p.leases, 1, STR("lease-1")));
	assert_non_null(find(p.leases, 1, STR("lease-100")));
}

/* ---- random requests beside a model ---------------------------------------------- */

enum { IDS = 3, TYPES = 2 };

/* What each lease has to have: of the own lease with the grant. */
struct model {
	bool runs[HOLDERS];
	uint64_t has[HOLDERS][IDS + 1][TYPES], lent[HOLDERS][IDS + 1][TYPES];
};

static uint64_t seed;

static unsigned
below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((seed >> 33) % n);
}

static struct str
id_of(unsigned i)
{
	static const char *const names[IDS + 1] = {LEASE_OWN, "x", "y", "z"};

	return str_of(names[i]);
}

static void
add_units(uint64_t *sum, const struct grant_unit *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[v[i].type] += v[i].slots;
}

static void
count_lease(const struct play *p, uint32_t h, unsigned i, uint64_t *has, uint64_t *lent)
{
	const struct lease *e = find(p->leases, h, id_of(i));

	memset(has, 0, TYPES * sizeof *has);
	memset(lent, 0, TYPES * sizeof *lent);
	if (!e)
		return;
	add_units(has, e->units.v, e->units.n);
	for (size_t k = 0; k < e->lent.n; k++)
		lent[e->lent.v[k].type] += e->lent.v[k].slots;
	for (size_t g = 0; i == 0 && g < p->grants[h].n; g++)
		add_units(has, p->grants[h].v[g].v, p->grants[h].v[g].n);
}

/* Each slot is held by as many as the pool says. */
static void
check_pool(const struct play *p)
{
	uint64_t sum[TYPES][8] = {{0}};

	for (uint32_t h = 0; h < HOLDERS; h++) {
		const struct lease *e;
		size_t at = 0;

		for (size_t g = 0; g < p->grants[h].n; g++)
			for (size_t i = 0; i < p->grants[h].v[g].n; i++) {
				const struct grant_unit *u = &p->grants[h].v[g].v[i];

				sum[u->type][u->instance] += u->slots;
			}
		while ((e = leases_next(p->leases, h, &at)))
			for (size_t i = 0; i < e->units.n; i++)
				sum[e->units.v[i].type][e->units.v[i].instance] +=
					e->units.v[i].slots;
	}
	for (size_t t = 0; t < TYPES; t++)
		for (size_t i = 0; i < p->pool.types[t].n; i++) {
			const struct resource_instance *in = &p->pool.types[t].v[i];

			assert_int_equal(in->held, sum[t][i]);
			assert_true(in->held <= in->slots);
		}
}

/* A request that waits does so for a reason: it does not fit, or others are due. And not
 * all wait for each other. */
static void
check_pending(struct play *p)
{
	struct arena *a = arena_open();
	bool has_due = p->tests_wait;
	size_t running = 0, waiting = 0;

	for (uint32_t h = 0; h < HOLDERS; h++) {
		const struct lease *e;
		bool waits = false;

		size_t first = 0;

		running += p->runs[h] && leases_next(p->leases, h, &first);
		for (size_t at = 0; (e = leases_next(p->leases, h, &at));) {
			has_due = has_due || e->overtaken >= PATIENCE;
			waits = waits || (e->status == LEASE_PENDING && e->blocks);
		}
		waiting += waits;
	}
	for (uint32_t h = 0; h < HOLDERS && !has_due; h++) {
		const struct lease *e;

		for (size_t at = 0; (e = leases_next(p->leases, h, &at));) {
			struct requirement v[16];
			struct resource_group group = {v, e->wanted.n};
			struct resource_groups g = {.v = &group, .n = 1};
			struct grant grant = {.v = NULL};
			uint32_t blocking;

			if (e->status != LEASE_PENDING)
				continue;
			for (size_t i = 0; i < e->wanted.n; i++)
				v[i] = (struct requirement){
					.type = p->pool.types[e->wanted.v[i].type].name,
					.slots = e->wanted.v[i].slots};
			assert_false(pool_take(&p->pool, a, &g, &grant, &blocking));
		}
	}
	arena_close(a);
	assert_true(!running || waiting < running);
}

/* Other tests have room beside leases of fixtures. */
static void
check_fixtures(const struct play *p)
{
	uint64_t slots = 0, all = 0;

	for (uint32_t h = 0; h < HOLDERS; h++) {
		const struct lease *e;

		for (size_t at = 0; (e = leases_next(p->leases, h, &at));)
			for (size_t i = 0; e->fixture.p && i < e->units.n; i++)
				slots += e->units.v[i].type ? 0 : e->units.v[i].slots;
	}
	for (size_t i = 0; i < p->pool.types[0].n; i++)
		all += p->pool.types[0].v[i].slots;
	assert_true(slots + p->others_need <= all);
}

/* What a lease has changes only as it was asked; others may get what they wait for. */
static void
check_model(const struct play *p, struct model *m, uint32_t asker, unsigned asked,
	const uint64_t *less)
{
	for (uint32_t h = 0; h < HOLDERS; h++)
		for (unsigned i = 0; i <= IDS; i++) {
			uint64_t has[TYPES], lent[TYPES];
			bool is_asked = h == asker && i == asked;

			count_lease(p, h, i, has, lent);
			for (size_t t = 0; t < TYPES; t++) {
				if (is_asked && less)
					assert_int_equal(
						has[t] + less[t], m->has[h][i][t]);
				else
					assert_true(
						has[t] >= m->has[h][i][t] || !m->runs[h]);
				/* What was lent is lent, or back. */
				if (!is_asked && m->runs[h] &&
					m->lent[h][i][t] != lent[t])
					assert_true(lent[t] == 0 &&
						    (has[t] >= m->has[h][i][t] +
								       m->lent[h][i][t]));
				m->has[h][i][t] = has[t];
				m->lent[h][i][t] = lent[t];
			}
		}
}

static struct resource_groups
random_terms(struct arena *a)
{
	static const char *const some[] = {
		"g:1", "g:2", "g:1,g:1", "h:1", "g:1,h:2", "g:4", "h:1,h:1,g:3"};

	return terms(a, some[below(ROWS(some))]);
}

static void
add_terms(uint64_t *sum, const struct resource_groups *g)
{
	for (size_t i = 0; g->n && i < g->v[0].n; i++)
		sum[str_is(g->v[0].v[i].type, "h")] += g->v[0].v[i].slots;
}

static void
ask_at_random(struct play *p, struct model *m, struct arena *a, uint32_t h)
{
	enum lease_verb verb = (enum lease_verb)below(LEASE_VERBS);
	unsigned i = below(IDS + 1);
	struct lease_request q = {.id = id_of(i),
		.wanted = random_terms(a),
		.is_immediate = below(4) == 0,
		.blocks = below(2) == 0};
	uint64_t less[TYPES] = {0}, more[TYPES] = {0};
	uint64_t before[TYPES], lent[TYPES];
	bool gives = verb == LEASE_RELEASE || verb == LEASE_LEND, is_all;
	struct lease_answer answer;

	if (below(3) == 0)
		q.wished = random_terms(a);
	if (below(3) == 0 && verb == LEASE_NEW && p->cleanup != h)
		q.fixture = STR("f");
	is_all = gives && below(3) == 0;
	if (is_all)
		q.wanted.n = 0;
	count_lease(p, h, i, before, lent);
	answer = leases_ask(p->leases, h, verb, &q);
	if (gives && answer.status == LEASE_GRANTED) {
		add_terms(less, &q.wanted);
		memcpy(less, is_all ? before : less, sizeof less);
	}
	if (verb == LEASE_NEW || verb == LEASE_EXTEND)
		add_terms(more, &q.wanted);
	if (answer.status == LEASE_GRANTED && (verb == LEASE_NEW || verb == LEASE_EXTEND))
		add_terms(more, &q.wished);
	if (answer.status == LEASE_GRANTED && verb == LEASE_REACQUIRE)
		memcpy(more, lent, sizeof more);
	if (answer.status == LEASE_GRANTED && !gives && verb != LEASE_QUERY) {
		uint64_t has[TYPES];

		count_lease(p, h, i, has, lent);
		for (size_t t = 0; t < TYPES; t++)
			assert_int_equal(has[t], before[t] + more[t]);
	}
	check_model(p, m, h, i, gives ? less : NULL);
}

static void
step_at_random(struct play *p, struct model *m)
{
	static const char *const starts[] = {"", "g:1", "g:2,h:1", "h:2"};
	uint32_t h = below(HOLDERS), types[] = {0, 1};
	struct arena *a = arena_open();

	p->tests_wait = below(4) == 0;
	leases_settle(p->leases);
	check_model(p, m, HOLDERS, 0, NULL);
	if (!m->runs[h]) {
		bool keeps = leases_keeper(p->leases, 0) != MAP_NONE ||
			     leases_keeper(p->leases, 1) != MAP_NONE;

		m->runs[h] = !keeps && begin(p, h, starts[below(ROWS(starts))]);
		if (m->runs[h])
			leases_overtake(p->leases, types, below(3));
	} else if (below(12) == 0) {
		(void)end(p, h, below(2));
		m->runs[h] = false;
	} else {
		ask_at_random(p, m, a, h);
		leases_settle(p->leases);
	}
	check_model(p, m, HOLDERS, 0, NULL);
	check_pool(p);
	check_pending(p);
	check_fixtures(p);
	arena_close(a);
}

/* LEASE_STEPS: how many, by hand. */
static void
random_requests(void **state)
{
	const char *more = getenv("LEASE_STEPS");
	unsigned steps = more ? (unsigned)atoi(more) : 50000;

	(void)state;
	for (seed = 1; steps; seed = steps) {
		struct arena *a = arena_open();
		struct play p;
		struct model m = {.runs = {false}};
		unsigned n = steps < 1000 ? steps : 1000;

		open_play(&p, a, "g a=4 b=2 c=1; h d=2 e=1");
		p.cleanup = below(2) ? 0 : NO_HOLDER;
		p.others_need = below(5);
		for (unsigned i = 0; i < n; i++)
			step_at_random(&p, &m);
		/* The cleanup ends last, also if it has not run. */
		for (uint32_t h = HOLDERS; h-- > 0;)
			if (m.runs[h] || h == p.cleanup)
				(void)end(&p, h, true);
		assert_int_equal(held(&p, 0) + held(&p, 1), 0);
		assert_int_equal(p.pool.types[0].holders + p.pool.types[1].holders, 0);
		arena_close(a);
		steps -= n;
	}
}

/* ---- resources as text ----------------------------------------------------------- */

/* ---- several nodes --------------------------------------------------------------- */

static unsigned
check_nodes(const struct play *p)
{
	unsigned units = 0;

	for (uint32_t h = 0; h < HOLDERS; h++) {
		const struct lease *e;

		for (size_t at = 0; p->runs[h] && (e = leases_next(p->leases, h, &at));)
			for (size_t i = 0; i < e->units.n; i++, units++) {
				const struct grant_unit *u = &e->units.v[i];

				assert_int_equal(
					p->pool.types[u->type].v[u->instance].node,
					pool_node_of(&p->pool, &p->grants[h]));
			}
	}
	return units;
}

static void
leases_stay_on_their_nodes(void **state)
{
	static const char *const some[] = {"g:1", "g:2", "g:1,g:1", "h:1", "g:1,h:1"};
	struct str *names = NEW_ARRAY(*state, struct str, 2);
	struct pool parts[] = {
		pool_of(*state, "g x=2 y=1; h z=1"), pool_of(*state, "g x=3; h z=2")};
	unsigned units = 0, pending = 0;
	struct play p;

	seed = 11;
	names[0] = STR("n0");
	names[1] = STR("n1");
	open_play(&p, *state, "g x=1; h z=1");
	p.pool = pool_join(*state, names, parts, 2);
	for (int i = 0; i < 5000; i++) {
		uint32_t h = below(HOLDERS);
		struct lease_request q = {.id = below(2) ? STR("a") : STR_NONE,
			.wanted = terms(*state, some[below(ROWS(some))]),
			.blocks = below(2)};

		if (!p.runs[h])
			(void)begin(&p, h, "g:1");
		else if (below(10) == 0)
			(void)end(&p, h, true);
		else
			pending += leases_ask(p.leases, h,
					   (enum lease_verb)below(LEASE_QUERY), &q)
					   .status == LEASE_PENDING;
		units += check_nodes(&p);
		check_pool(&p);
	}
	assert_true(units > 1000 && pending > 100);
}

/* ---- beside other runs ----------------------------------------------------------- */

static enum lease_status
ask_new(struct play *p, const char *id, const char *wanted, bool is_immediate)
{
	struct lease_request q = {.id = str_of(id),
		.wanted = terms(p->a, wanted),
		.is_immediate = is_immediate};

	return leases_ask(p->leases, 0, LEASE_NEW, &q).status;
}

static void
assert_lease(const struct play *p, const char *id, enum lease_status status,
	const char *reason)
{
	const struct lease *e = find(p->leases, 0, str_of(id));

	assert_int_equal(e->status, status);
	if (reason)
		assert_string_equal(e->reason, reason);
}

static void
a_closed_pool_gives_nothing(void **state)
{
	struct play p;

	open_play(&p, *state, "g x=3");
	assert_true(begin(&p, 0, ""));
	leases_close_pool(p.leases);
	assert_int_equal(ask_new(&p, "a", "g:1", false), LEASE_PENDING);
	assert_int_equal(ask_new(&p, "b", "g:3", true), LEASE_PENDING);
	assert_int_equal(ask_new(&p, "c", "g:9", false), LEASE_DENIED);
	assert_int_equal(held(&p, 0), 0);
	assert_false(leases_settled(p.leases));
	leases_open_pool(p.leases);
	assert_true(leases_settled(p.leases));
	assert_lease(&p, "a", LEASE_GRANTED, NULL);
	assert_lease(&p, "b", LEASE_DENIED, "not now");
	assert_true(leases_took(p.leases, 0));
	assert_false(leases_took(p.leases, 0));
	assert_null(leases_hindered(p.leases));
	leases_close_pool(p.leases);
	/* Another run takes what is free. */
	assert_int_equal(ask_new(&p, "d", "g:1", false), LEASE_PENDING);
	pool_set_others(&p.pool, 0, 0, 2);
	leases_open_pool(p.leases);
	assert_lease(&p, "d", LEASE_PENDING, NULL);
	assert_ptr_equal(leases_hindered(p.leases), find(p.leases, 0, STR("d")));
	leases_close_pool(p.leases);
	/* ... and gives it back, which is then not written. */
	pool_set_others(&p.pool, 0, 0, 0);
	leases_open_pool(p.leases);
	assert_lease(&p, "d", LEASE_GRANTED, NULL);
	leases_lose_pool(p.leases, "lost");
	assert_lease(&p, "d", LEASE_DENIED, "lost");
	assert_int_equal(held(&p, 0), 1);
	assert_int_equal(ask_new(&p, "e", "g:1", false), LEASE_DENIED);
	assert_lease(&p, "e", LEASE_DENIED, "lost");
}

/* Who holds something is denied, who holds nothing is in no one's way. */
static void
who_waits_in_a_circle_of_runs(void **state)
{
	static const uint32_t first[] = {0};
	uint64_t waiting[] = {0}, staying[] = {0};
	struct play p;

	open_play(&p, *state, "g x=3");
	assert_true(begin(&p, 0, "g:1"));
	pool_set_others(&p.pool, 0, 0, 1);
	leases_set_others(p.leases, 0, true, staying);
	assert_string_equal(take_step(&p, STR("0 new a g:2 ?")), "pending");
	leases_count_idle(p.leases, first, waiting, staying);
	assert_true(waiting[0] == 1 && staying[0] == 0);
	leases_settle(p.leases);
	assert_lease(&p, "a", LEASE_PENDING, NULL);
	leases_set_others(p.leases, 0, false, staying);
	leases_settle(p.leases);
	assert_lease(&p, "a", LEASE_DENIED,
		"all tests that hold what is missing wait for more");
	assert_false(leases_wait(p.leases));
	assert_string_equal(take_step(&p, STR("0 release")), "granted");
	pool_set_others(&p.pool, 0, 0, 3);
	assert_string_equal(take_step(&p, STR("0 new b g:1 ?")), "pending");
	leases_settle(p.leases);
	assert_lease(&p, "b", LEASE_PENDING, NULL);
}

/* The tests of all runs have room beside what is leased for fixtures, or will have. */
static void
fixtures_of_other_runs_leave_room(void **state)
{
	static const uint32_t first[] = {0};
	uint64_t theirs[] = {1}, waiting[] = {0}, staying[] = {0};
	struct play p;

	open_play(&p, *state, "g x=3");
	p.cleanup = 2;
	p.others_need = 2;
	assert_true(begin(&p, 0, ""));
	pool_set_others(&p.pool, 0, 0, 1);
	leases_set_others(p.leases, 0, false, theirs);
	assert_string_equal(take_step(&p, STR("0 new a g:1 @f")), "pending");
	/* It does not need its turn for that. */
	assert_null(leases_hindered(p.leases));
	theirs[0] = 0;
	leases_settle(p.leases);
	assert_lease(&p, "a", LEASE_GRANTED, NULL);
	leases_count_idle(p.leases, first, waiting, staying);
	assert_true(waiting[0] == 1 && staying[0] == 1);
}

static void
resources_are_read(void **state)
{
	static const struct {
		const char *text;
		int n; /* -1: refused */
	} rows[] = {{"", 0}, {"gpus", 1}, {"gpus:2", 1}, {"gpus:2,ports:1,gpus:1", 3},
		{"mem:2G", 1}, {"gpus:", -1}, {"gpus:0", -1}, {"Gpus:1", -1},
		{"gpus:1;gpus:1", -1}, {"gpus:-1", -1}, {"gpus:99999999999", -1},
		{",", -1}, {"2", -1}, {"gpus@0:1,gpus@a_1", 2}, {"gpus@:1", -1},
		{"@1:1", -1}};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct resource_groups g;
		const char *why = NULL;
		bool is_read = lease_terms_read(*state, str_of(rows[i].text), &g, &why);

		assert_int_equal(is_read, rows[i].n >= 0);
		if (is_read)
			assert_int_equal(g.n ? g.v[0].n : 0, rows[i].n);
		else
			assert_non_null(why);
	}
}

/* The pool has more types while leases are there: what is kept by type has room for them.
 */
static void
more_types_have_room(void **state)
{
	enum { TYPES = 200 };
	struct arena *a = *state, *of_pool = arena_open();
	struct buf text = {.arena = of_pool};
	struct play p;
	struct lease_request q;
	struct lease_answer answer;
	char *after;

	open_play(&p, a, "t000 x=1");
	after = NEW_ARRAY(a, char, TYPES);
	memset(after, 'x', TYPES);
	buf_z(&text, "t000 x=1");
	for (int i = 1; i < TYPES; i++)
		buf_fmt(&text, "; t%03d x=1", i);
	p.pool = pool_of(of_pool, str_z(of_pool, buf_as_str(&text)));
	leases_grow(p.leases, 1);
	assert_true(begin(&p, 0, ""));
	q = (struct lease_request){.id = STR_NONE, .wanted = terms(a, "t100:1")};
	answer = leases_ask(p.leases, 0, LEASE_NEW, &q);
	assert_string_equal(answer.reason ? answer.reason : "", "");
	assert_int_equal(answer.status, LEASE_GRANTED);
	for (int i = 0; i < TYPES; i++)
		assert_int_equal(after[i], 'x');
	for (uint32_t i = 0; i < TYPES; i++)
		assert_int_equal(leases_took(p.leases, i), i == 100);
	arena_close(of_pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_verb_in_every_state, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(scenes, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			groups_are_numbered, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			few_ended_leases_stay, open_arena, close_arena),
		cmocka_unit_test(random_requests),
		cmocka_unit_test_setup_teardown(
			more_types_have_room, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			leases_stay_on_their_nodes, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			a_closed_pool_gives_nothing, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			who_waits_in_a_circle_of_runs, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			fixtures_of_other_runs_leave_room, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			resources_are_read, open_arena, close_arena),
	};

	return run_unit_tests("lease", tests, NULL, NULL);
}
