/* See host_claims.h. */
#include "runner/host/host_claims.h"

struct host_claims {
	struct arena *a;
	struct pool *pool;
	const struct pool *whole; /* that before it is divided */
	bool is_known; /* the pool has its instances, and these have names: */
	struct map at; /* by name: the number of the instance, over all types */
	uint32_t *first; /* by type: the number of its first instance */
	/* To work with: */
	uint64_t *own, *others, *waiting, *staying, *idle, *room; /* by instance */
	bool *took, *go_on; /* by type */
};

struct host_claims *
host_claims_new(struct arena *a, struct pool *p, const struct pool *whole)
{
	struct host_claims *c = NEW(a, struct host_claims);

	INVARIANT(p && p->nodes_n <= 1 && !p->partitions_n == !whole);
	*c = (struct host_claims){.a = a, .pool = p, .whole = whole ? whole : p};
	return c;
}

/* ---- names ----------------------------------------------------------------------- */

static struct str
property_of(const struct resource_instance *in, const char *name)
{
	for (size_t i = 0; i < in->properties_n; i++)
		if (str_is(in->properties[i].name, name) &&
			host_is_word(in->properties[i].value))
			return in->properties[i].value;
	return STR_NONE;
}

static struct str
shared_name(const struct resource_instance *in)
{
	static const char *const known[] = {"uuid", "bus", "number"};
	struct str name = STR_NONE;

	for (size_t i = 0; i < sizeof known / sizeof *known && !name.n; i++)
		name = property_of(in, known[i]);
	return name.n ? name : in->id;
}

/* Where two instances would have the same name, the second has its id, marked. */
static void
name_instance(struct host_claims *c, struct str type, const struct resource_instance *in)
{
	struct str name =
		str_fmt(c->a, "%.*s %.*s", STR_ARG(type), STR_ARG(shared_name(in)));

	if (map_has(&c->at, name))
		name = str_fmt(c->a, "%.*s #%.*s", STR_ARG(type), STR_ARG(in->id));
	(void)map_number(&c->at, name);
}

static bool
know_names(struct host_claims *c)
{
	const struct pool *p = c->whole;

	if (c->is_known || p->is_awaited)
		return c->is_known;
	c->is_known = true;
	c->at = map_in(c->a);
	c->first = NEW_ARRAY(c->a, uint32_t, p->n);
	for (size_t t = 0; t < p->n; t++) {
		c->first[t] = (uint32_t)c->at.n;
		for (size_t i = 0; i < p->types[t].n; i++)
			name_instance(c, p->types[t].name, &p->types[t].v[i]);
	}
	c->own = NEW_ARRAY(c->a, uint64_t, c->at.n);
	c->others = NEW_ARRAY(c->a, uint64_t, c->at.n);
	c->waiting = NEW_ARRAY(c->a, uint64_t, c->at.n);
	c->staying = NEW_ARRAY(c->a, uint64_t, c->at.n);
	c->idle = NEW_ARRAY(c->a, uint64_t, c->at.n);
	c->room = NEW_ARRAY(c->a, uint64_t, c->at.n);
	c->took = NEW_ARRAY(c->a, bool, p->n);
	c->go_on = NEW_ARRAY(c->a, bool, p->n);
	return true;
}

static uint64_t
sum_of_instances(const struct host_claims *c, const struct pool *p, uint32_t type)
{
	uint64_t sum = STR_SUM_EMPTY;

	for (uint32_t i = 0; i < p->types[type].n; i++) {
		uint64_t slots = p->types[type].v[i].slots;
		uint32_t at = c->first[type % c->whole->n] + pool_number_of(p, type, i);

		sum = str_sum(sum, c->at.entries[at].key);
		sum = str_sum(sum, str_cut((const char *)&slots, sizeof slots));
	}
	return sum;
}

/* What tests of this run hold. */
static void
count_own(struct host_claims *c)
{
	const struct pool *p = c->pool;

	for (size_t i = 0; i < c->at.n; i++)
		c->own[i] = 0;
	for (uint32_t t = 0; t < p->n; t++)
		for (uint32_t i = 0; i < p->types[t].n; i++) {
			const struct resource_instance *in = &p->types[t].v[i];

			c->own[c->first[t % c->whole->n] + pool_number_of(p, t, i)] +=
				in->held - in->others;
		}
}

/* ---- what others hold ------------------------------------------------------------ */

static bool
is_due(const struct host_owner *o, uint64_t now_s)
{
	return o->ticket && o->overtaken >= HOST_PATIENCE &&
	       now_s <= o->seen_s + HOST_SILENT_S;
}

static uint64_t
free_of(const struct host_claims *c, uint32_t type, size_t i)
{
	uint64_t slots = c->whole->types[type].v[i].slots;
	uint64_t used = c->own[c->first[type] + i] + c->others[c->first[type] + i];

	return used < slots ? slots - used : 0;
}

static void
keep_all(struct host_claims *c, uint32_t type)
{
	for (size_t i = 0; i < c->whole->types[type].n; i++)
		c->others[c->first[type] + i] += free_of(c, type, i);
}

/* On the instance with most room. */
static bool
keep_piece(struct host_claims *c, uint32_t type, uint64_t slots)
{
	size_t n = c->whole->types[type].n, best = 0;

	for (size_t i = 1; i < n; i++)
		if (free_of(c, type, i) > free_of(c, type, best))
			best = i;
	if (!n || free_of(c, type, best) < slots)
		return false;
	c->others[c->first[type] + best] += slots;
	return true;
}

static bool
wants_type(const struct host_owner *o, struct str type)
{
	for (size_t i = 0; i < o->wishes.n; i++)
		if (str_eq(o->wishes.v[i].type, type))
			return true;
	return false;
}

/* The i-th wish of the run, where its type is kept for it; MAP_NONE: the pool does not
 * have it, or this run goes before. */
static uint32_t
kept_type(const struct host_claims *c, const struct host_owner *o, size_t i,
	const struct host_owner *first)
{
	struct str type = o->wishes.v[i].type;

	return first && wants_type(first, type) ? MAP_NONE : pool_type(c->whole, type);
}

/* first: this run, if it has an earlier turn; else NULL. */
static void
keep_for(
	struct host_claims *c, const struct host_owner *o, const struct host_owner *first)
{
	bool has_place = o->overtaken < 2 * HOST_PATIENCE;

	for (size_t i = 0; i < o->wishes.n; i++) {
		uint32_t type = kept_type(c, o, i, first);

		if (type != MAP_NONE)
			has_place =
				has_place && keep_piece(c, type, o->wishes.v[i].slots);
	}
	for (size_t i = 0; i < o->wishes.n && !has_place; i++) {
		uint32_t type = kept_type(c, o, i, first);

		if (type != MAP_NONE)
			keep_all(c, type);
	}
}

/* In c->room, on the instance that has most. */
static bool
place_piece(struct host_claims *c, uint32_t type, uint64_t slots)
{
	size_t n = c->whole->types[type].n, best = 0;
	uint64_t *room = &c->room[c->first[type]];

	for (size_t i = 1; i < n; i++)
		if (room[i] > room[best])
			best = i;
	if (!n || room[best] < slots)
		return false;
	room[best] -= slots;
	return true;
}

static bool
is_any_idle(const struct host_claims *c, uint32_t type)
{
	for (size_t i = 0; i < c->whole->types[type].n; i++)
		if (c->idle[c->first[type] + i])
			return true;
	return false;
}

/* Of what is left beside idle tests. */
static bool
has_piece(struct host_claims *c, const struct host_wish *w)
{
	uint32_t type = pool_type(c->whole, w->type);

	if (type == MAP_NONE || !is_any_idle(c, type))
		return true;
	return w->among == sum_of_instances(c, c->whole, type) &&
	       place_piece(c, type, w->slots);
}

/* Whether it will have a place before idle tests go on. */
static bool
fits_beside_idle(struct host_claims *c, const struct host_owner *o)
{
	bool fits = true;

	for (size_t t = 0; t < c->whole->n; t++)
		for (size_t i = 0; i < c->whole->types[t].n; i++) {
			size_t at = c->first[t] + i;
			uint64_t slots = c->whole->types[t].v[i].slots;

			c->room[at] = c->idle[at] < slots ? slots - c->idle[at] : 0;
		}
	for (size_t i = 0; i < o->wishes.n && fits; i++)
		fits = has_piece(c, &o->wishes.v[i]);
	return fits;
}

/* The other run that is due with the lowest ticket above `after`. */
static const struct host_owner *
next_due(const struct host_book *b, const struct host_owner *own, uint64_t now_s,
	uint64_t after)
{
	const struct host_owner *next = NULL;

	for (size_t i = 0; i < b->owners.n; i++) {
		const struct host_owner *o = &b->owners.v[i];

		if (o != own && is_due(o, now_s) && o->ticket > after &&
			(!next || o->ticket < next->ticket))
			next = o;
	}
	return next;
}

static void
tell_scheduler(struct host_claims *c, struct scheduler *s)
{
	for (uint32_t t = 0; t < c->whole->n; t++)
		scheduler_set_others(s, t, &c->others[c->first[t]]);
}

static void
tell_leases(struct host_claims *c, struct leases *l)
{
	for (uint32_t t = 0; l && t < c->whole->n; t++)
		leases_set_others(l, t, c->go_on[t], &c->staying[c->first[t]]);
}

static uint32_t
type_at(const struct host_claims *c, uint32_t at)
{
	uint32_t t = 0;

	while (at >= c->first[t] + c->whole->types[t].n)
		t++;
	return t;
}

static void
add_claims(struct host_claims *c, const struct host_owner *o)
{
	for (size_t i = 0; i < o->claims.n; i++) {
		const struct host_claim *claim = &o->claims.v[i];
		uint32_t at = map_get(&c->at, claim->name);

		if (at == MAP_NONE)
			continue;
		c->others[at] += claim->slots;
		c->staying[at] += claim->staying;
		c->idle[at] += claim->waiting;
		if (claim->slots > claim->waiting)
			c->go_on[type_at(c, at)] = true;
	}
}

/* For those who have their turn. What is kept will come back. */
static void
keep_turns(struct host_claims *c, const struct host_book *b, const struct host_owner *own,
	uint64_t now_s)
{
	const struct host_owner *due = NULL;

	while ((due = next_due(b, own, now_s, due ? due->ticket : 0))) {
		bool is_first = is_due(own, now_s) && own->ticket < due->ticket;

		if (!fits_beside_idle(c, due))
			continue;
		keep_for(c, due, is_first ? own : NULL);
		for (uint32_t t = 0; t < c->whole->n; t++)
			c->go_on[t] =
				c->go_on[t] || wants_type(due, c->whole->types[t].name);
	}
}

void
host_claims_feed(struct host_claims *c, const struct host_book *b,
	const struct host_owner *own, uint64_t now_s, struct scheduler *s)
{
	struct leases *l = scheduler_all_leases(s);

	if (!know_names(c))
		return;
	count_own(c);
	for (size_t i = 0; i < c->at.n; i++)
		c->others[i] = c->staying[i] = c->idle[i] = c->room[i] = 0;
	for (size_t t = 0; t < c->whole->n; t++)
		c->go_on[t] = false;
	for (size_t i = 0; i < b->owners.n; i++)
		if (&b->owners.v[i] != own)
			add_claims(c, &b->owners.v[i]);
	if (l)
		leases_count_idle(l, c->first, c->idle, c->room);
	keep_turns(c, b, own, now_s);
	tell_leases(c, l);
	tell_scheduler(c, s);
}

static void
feed_same(struct host_claims *c, struct scheduler *s, uint64_t slots)
{
	if (!know_names(c))
		return;
	for (size_t i = 0; i < c->at.n; i++) {
		c->others[i] = slots;
		c->staying[i] = 0;
	}
	for (size_t t = 0; t < c->whole->n; t++)
		c->go_on[t] = slots > 0;
	tell_leases(c, scheduler_all_leases(s));
	tell_scheduler(c, s);
}

void
host_claims_feed_nothing(struct host_claims *c, struct scheduler *s)
{
	feed_same(c, s, UINT64_MAX);
}

void
host_claims_feed_all(struct host_claims *c, struct scheduler *s)
{
	feed_same(c, s, 0);
}

/* ---- what is held here ----------------------------------------------------------- */

/* What a test or its leases have taken: by type. */
static bool
wants_some(const struct host_claims *c, const struct host_owner *o)
{
	for (size_t i = 0; o->ticket && i < c->whole->n; i++)
		if (c->took[i] && wants_type(o, c->whole->types[i].name))
			return true;
	return false;
}

/* true: of some instance it is less than the book says. */
static bool
write_claims(struct host_claims *c, struct arena *a, struct host_owner *own,
	const struct leases *l)
{
	const struct pool *p = c->whole;
	bool is_less = false;

	count_own(c);
	for (size_t i = 0; i < c->at.n; i++)
		c->others[i] = c->waiting[i] = c->staying[i] = 0;
	if (l)
		leases_count_idle(l, c->first, c->waiting, c->staying);
	for (size_t i = 0; i < own->claims.n; i++) {
		uint32_t at = map_get(&c->at, own->claims.v[i].name);

		if (at != MAP_NONE)
			c->others[at] = own->claims.v[i].slots;
	}
	own->claims.n = 0;
	for (size_t t = 0; t < p->n; t++)
		for (size_t i = 0; i < p->types[t].n; i++) {
			size_t at = c->first[t] + i;
			uint64_t held = c->own[at];

			is_less = is_less || held < c->others[at];
			if (held)
				VEC_PUSH(a, &own->claims,
					(struct host_claim){c->at.entries[at].key, held,
						c->waiting[at], c->staying[at]});
		}
	return is_less;
}

/* true: something was taken. */
static bool
find_taken(struct host_claims *c, struct scheduler *s, const struct action *done)
{
	struct leases *l = scheduler_all_leases(s);
	const struct request_class *class = done && done->kind == ACT_START && done->grant
						    ? scheduler_request(s, done->node)
						    : NULL;
	bool any = class != NULL;

	for (uint32_t t = 0; t < c->whole->n; t++) {
		c->took[t] = l && leases_took(l, t);
		any = any || c->took[t];
	}
	for (size_t i = 0; class && i < class->needs_n; i++)
		c->took[class->needs[i].type % c->whole->n] = true;
	return any;
}

static void
note_taken(struct host_claims *c, struct host_book *b, struct host_owner *own)
{
	bool had_turn = wants_some(c, own);

	for (size_t i = 0; i < b->owners.n; i++) {
		struct host_owner *o = &b->owners.v[i];

		if (o != own && wants_some(c, o) && o->overtaken < UINT32_MAX)
			o->overtaken++;
	}
	if (!had_turn)
		return;
	own->overtaken = 0;
	own->ticket = host_book_next_ticket(b);
}

static void
add_wish(const struct host_claims *c, struct arena *a, struct host_owner *own,
	uint32_t type, uint64_t slots)
{
	VEC_PUSH(a, &own->wishes,
		(struct host_wish){c->pool->types[type].name, slots,
			sum_of_instances(c, c->pool, type)});
}

/* Of the best test that waits for other runs, else of the oldest request of a test. */
static void
gather_wishes(const struct host_claims *c, struct arena *a, struct host_owner *own,
	struct scheduler *s, bool do_tests_wait)
{
	const struct request_class *class = do_tests_wait ? scheduler_wanted(s) : NULL;
	const struct resource_groups *g = class ? class->groups : NULL;
	struct leases *l = scheduler_all_leases(s);
	const struct lease *e = !class && l ? leases_hindered(l) : NULL;

	for (size_t i = 0; g && i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			add_wish(c, a, own,
				pool_type_in(c->pool, g->partition, g->v[i].v[k].type),
				g->v[i].v[k].slots);
	for (size_t i = 0; e && i < e->wanted.n; i++)
		add_wish(c, a, own, e->wanted.v[i].type, e->wanted.v[i].slots);
}

static void
write_wishes(struct host_claims *c, struct arena *a, struct host_book *b,
	struct host_owner *own, uint64_t now_s, struct scheduler *s, bool do_tests_wait)
{
	own->wishes.n = 0;
	gather_wishes(c, a, own, s, do_tests_wait);
	if (!own->wishes.n) {
		own->ticket = own->overtaken = own->seen_s = 0;
		return;
	}
	if (!own->ticket)
		own->ticket = host_book_next_ticket(b);
	own->seen_s = now_s;
}

static bool
has_others_waiting(const struct host_book *b, const struct host_owner *own)
{
	for (size_t i = 0; i < b->owners.n; i++)
		if (&b->owners.v[i] != own && b->owners.v[i].ticket)
			return true;
	return false;
}

bool
host_claims_note(struct host_claims *c, struct arena *a, struct host_book *b,
	struct host_owner *own, uint64_t now_s, struct scheduler *s,
	const struct action *done)
{
	uint64_t ticket = own->ticket;
	bool was_due = is_due(own, now_s), is_less;

	if (!know_names(c))
		return false;
	is_less = write_claims(c, a, own, scheduler_all_leases(s));
	if (find_taken(c, s, done))
		note_taken(c, b, own);
	if (!done || done->kind != ACT_START)
		write_wishes(c, a, b, own, now_s, s, done && done->kind == ACT_WAIT);
	return (is_less || (was_due && own->ticket != ticket)) &&
	       has_others_waiting(b, own);
}
