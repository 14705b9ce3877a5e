/*
 * Leases: what running tests hold of the pool beside their RESOURCE_GROUPS, and what they
 * change of those. A state machine without clock, process and output. The words are those
 * of PMIx RFC 0005.
 *
 * Order: a request that fits is granted at once, and a test that fits starts. A pending
 * request is overtaken when another request or a test takes of a type that it wants;
 * tests that wait for a type are overtaken when a request takes of it. What was overtaken
 * `patience` times is due: it goes before all others that want the type, and due requests
 * go before due tests. Requests do not wait for their turn if all that is held of what
 * they want is held by tests that wait themselves, also of other runs; if it does not fit
 * then either, the youngest of those requests is denied. So each request ends, at the
 * latest with its holder.
 */
#ifndef CCTR_RUNNER_LEASE_LEASE_H
#define CCTR_RUNNER_LEASE_LEASE_H

#include "runner/resources/pool.h"

enum { LEASE_ID_MOST = 64, LEASES_MOST = 1024, LEASES_ENDED_MOST = 16 };

/* The lease that a test has from its start: its RESOURCE_GROUPS. */
#define LEASE_OWN "own"

enum lease_verb {
	LEASE_NEW, /* resources apart from those that the test has */
	LEASE_EXTEND, /* more resources, or a later end */
	LEASE_RELEASE, /* of some, or of all */
	LEASE_LEND, /* as LEASE_RELEASE, to be reacquired */
	LEASE_REACQUIRE, /* all that was lent */
	LEASE_CANCEL, /* the pending request of one lease, or of all */
	LEASE_QUERY, /* changes nothing */
	LEASE_VERBS
};
/* Of a request. */
enum lease_status {
	LEASE_GRANTED,
	LEASE_PARTIAL, /* all that is required, but not all that is wished for */
	LEASE_PENDING,
	LEASE_DENIED,
	LEASE_CANCELED,
};
enum lease_state {
	LEASE_WAITS, /* its first request is pending */
	LEASE_HELD, /* it has what was granted, less what was released and lent */
	LEASE_ENDED, /* it has nothing, and will not */
};

struct lease_units {
	struct grant_unit *v;
	size_t n, cap;
};
/* A piece that one instance has to have. */
struct lease_demand {
	uint32_t type, instance; /* MAP_NONE: any instance */
	uint64_t slots;
	uint32_t node; /* of the pool, from 1, where it must be; 0: it has one */
};
typedef VEC(struct lease_demand) lease_demands;

struct lease {
	char id[LEASE_ID_MOST + 1];
	uint32_t holder;
	enum lease_state state;
	enum lease_status status; /* of the last request; also of one that is pending */
	const char *reason; /* of LEASE_DENIED */
	bool is_own;
	/* The lease goes on until the cleanups of this fixture have ended; STR_NONE: it
	 * ends with its test. It may have been inherited from a test that has ended. */
	struct str fixture;
	bool is_inherited;
	struct lease_units units; /* of the own lease: beside the grant of the test */
	/* The number of `units` among the test's groups, of which the first are its
	 * RESOURCE_GROUPS.
	 */
	uint32_t group;
	lease_demands lent;
	double back_s; /* when what is lent is needed again, about; 0: not known */
	double end_s; /* when it ends; 0: with its holder */
	/* The pending request. */
	lease_demands wanted, wished;
	bool reacquires, blocks;
	bool lacks_room; /* it fits, but what other runs hold for fixtures is in the way
			  */
	/* It has not been tried, as the pool was closed; is_immediate: it must not be
	 * pending then. */
	bool is_untried, is_immediate;
	double until_s; /* of the lease, if it is granted */
	unsigned overtaken;
};

/* Parts of a request that are not given are zero. */
struct lease_request {
	struct str id; /* STR_NONE: a new one; for other verbs the own lease, for
			  LEASE_CANCEL all */
	struct resource_groups wanted; /* must be granted together */
	struct resource_groups wished; /* each where it fits */
	struct str fixture; /* of LEASE_NEW: as of struct lease */
	bool is_immediate; /* denied where it would be pending */
	bool blocks; /* someone does nothing else until the request has ended */
	double seconds; /* until the end, so much later, or until lent slots are back */
	double now_s;
};
struct lease_answer {
	enum lease_status status;
	const char *reason; /* of LEASE_DENIED */
	const struct lease *lease; /* NULL: none. Valid until the next request */
};

struct leases;
/* What leases ask about tests. */
struct lease_tests {
	const void *context;
	/* Whether a test waits for some of the type. */
	bool (*wait_for)(const void *context, uint32_t type);
	bool (*runs)(const void *context, uint32_t holder);
	/* A cleanup, which has not ended, of the fixture that the holder sets up or
	 * cleans up; *fixture is then a text that stays. MAP_NONE: there is none. */
	uint32_t (*heir)(const void *context, uint32_t holder, struct str *fixture);
	/* Whether each test that fits in the whole pool fits in this copy, too. */
	bool (*fit)(const void *context, struct arena *scratch, struct pool *copy);
};
/* holders: how many tests there are. */
struct leases *leases_new(struct arena *a, struct pool *p, size_t holders,
	unsigned patience, struct lease_tests tests);
/* The running test may ask from now on, until leases_end. grant: what it has from its
 * start, NULL: nothing; release and lend make its slots fewer. groups: how many it has.
 * It gets slots of that partition of the pool alone, and of the node of the grant, which
 * it has where the pool has several. */
void leases_begin(struct leases *l, uint32_t holder, struct grant *grant, uint32_t groups,
	uint32_t partition);
/* The pool has more types than before. */
void leases_grow(struct leases *l, size_t types_before);
struct lease_answer leases_ask(struct leases *l, uint32_t holder, enum lease_verb verb,
	const struct lease_request *q);
/* Everything beside the grant comes back, but for leases of fixtures: the cleanup gets
 * those of a test whose last attempt that was, and keeps them until its own last one.
 * false: of the grant slots have been released or lent. */
bool leases_end(struct leases *l, uint32_t holder, bool is_last);
/* Whether someone does nothing but wait for the pending request. */
void leases_block(struct leases *l, uint32_t holder, struct str id, bool blocks);
/* Leases whose time is over end. The time of the next end; 0: none. */
double leases_expire(struct leases *l, double now_s);
/* Slots have come back otherwise: grants pending requests. */
void leases_settle(struct leases *l);
/* Whether a request that was pending is so no more, or has been tried, since the last
 * call. */
bool leases_settled(struct leases *l);

/* ---- beside other runs ----------------------------------------------------------- */

/* While the pool is closed it is not known what other runs hold: nothing is granted, and
 * a request that could be is pending. When it is opened, all that is pending is tried. */
void leases_close_pool(struct leases *l);
void leases_open_pool(struct leases *l);
/* It will not be known any more. All requests are denied; a lease that got something
 * since the pool was opened ends. */
void leases_lose_pool(struct leases *l, const char *reason);
/* The oldest pending request that would fit if other runs held nothing; NULL: none. */
const struct lease *leases_hindered(struct leases *l);
/* Whether a request got some of the type, in any partition, since the last call. */
bool leases_took(struct leases *l, uint32_t type);
/* Whether other runs hold some of the type for tests that do not wait for leases; what
 * they hold of each instance for fixtures, which is borrowed. type: of the whole pool,
 * and so are the instances, if it is divided. */
void leases_set_others(
	struct leases *l, uint32_t type, bool do_go_on, const uint64_t *staying);
/* Adds what idle tests hold: those that wait for leases, and fixtures before their
 * cleanups; and what of it is leased for fixtures. Of the instance i of type t to the
 * number first[t] + i, of the whole pool. */
void leases_count_idle(
	const struct leases *l, const uint32_t *first, uint64_t *idle, uint64_t *staying);
/* Whether a request is pending. */
bool leases_wait(const struct leases *l);

/* ---- for the scheduler ----------------------------------------------------------- */

/* The holder whose due request tests must leave the type to; MAP_NONE: none. */
uint32_t leases_keeper(const struct leases *l, uint32_t type);
/* A test has started, and took of the types; others may be granted then. */
void leases_overtake(struct leases *l, const uint32_t *types, size_t n);
/* Whether slots of the type came back, or are no longer kept, since the last call. */
bool leases_news(struct leases *l, uint32_t type);
/* Gives back to another pool, a copy, what the holder has beside its grant. */
void leases_return(const struct leases *l, uint32_t holder, struct pool *p);

/* The fixture for which the partition's slots are leased, or asked for. STR_NONE: there
 * is none. */
struct str leases_fixture_in(const struct leases *l, uint32_t partition);
/* The i-th lease of which some is lent and the time is known when it is needed again;
 * NULL: there are fewer. */
const struct lease *leases_lent(const struct leases *l, size_t i);

/* ---- looking --------------------------------------------------------------------- */

/* The next lease of the holder, also one that has ended; *at is 0 at first. NULL: that
 * was the last. */
const struct lease *leases_next(const struct leases *l, uint32_t holder, size_t *at);
/* How many groups the test has, with those of its leases. */
uint32_t leases_groups(const struct leases *l, uint32_t holder);
/* ... and how many it had at its start. */
uint32_t leases_own_groups(const struct leases *l, uint32_t holder);
const struct pool *leases_pool(const struct leases *l);
const struct grant *leases_grant(const struct leases *l, uint32_t holder);

#endif
