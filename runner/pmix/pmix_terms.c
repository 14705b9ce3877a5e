/* See pmix_terms.h. */
#include "runner/pmix/pmix_terms.h"

#include <math.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "runner/base/json_members.h"
#include "runner/lease/lease_terms.h"

/* The types of resources that PMIx has attributes for. */
#define TYPE_PROCESSORS "cpus"
#define TYPE_MEMORY "mem"
#define TYPE_NODES "nodes"
#define TYPE_NETWORK "network"
#define TYPE_PORTS "ports"

/* PMIX_ALLOC_*, and those that later releases add. */
#define KEY_PROCESSORS "pmix.alloc.ncpus"
#define KEY_PROCESSOR_LIST "pmix.alloc.cpulist"
#define KEY_NODES "pmix.alloc.nnodes"
#define KEY_NODE_LIST "pmix.alloc.nlist"
#define KEY_MEMORY "pmix.alloc.msize"
#define KEY_NETWORK "pmix.alloc.net"
#define KEY_NETWORK_ID "pmix.alloc.netid"
#define KEY_BANDWIDTH "pmix.alloc.bw"
#define KEY_TIME "pmix.alloc.time"

/* PMIX_ALLOC_NEW and so on. */
enum directive {
	DIRECTIVE_NEW = 1,
	DIRECTIVE_EXTEND,
	DIRECTIVE_RELEASE,
	DIRECTIVE_REACQUIRE,
	DIRECTIVE_CANCEL,
};

/* ---- requests -------------------------------------------------------------------- */

/* Some of what is asked for, as of lease_terms. */
struct term {
	struct str text;
	bool is_required;
};
struct reading {
	struct arena *a;
	struct pmix_request *r;
	VEC(struct term) terms;
	size_t pieces; /* in them */
	bool is_required; /* the attribute that is read, or the list that it is in */
	bool lends;
	/* Of the list that is read, or of the whole request. */
	struct str nodes, counts, network;
	double bandwidth, ports;
	bool has_network;
};

static enum pmix_result
add_term(struct reading *r, struct str text, size_t pieces)
{
	r->pieces += pieces;
	if (r->pieces > LEASE_TERMS_MOST)
		return PMIX_RESULT_NO_ROOM;
	VEC_PUSH(r->a, &r->terms, (struct term){text, r->is_required});
	return PMIX_RESULT_GRANTED;
}

static bool
is_count(const struct attribute *e)
{
	return e->kind == ATTRIBUTE_NUMBER && e->number >= 1 &&
	       e->number == floor(e->number);
}

/* So many pieces of one slot each. */
static enum pmix_result
add_pieces(struct reading *r, struct str type, const struct attribute *e)
{
	struct buf b = {.arena = r->a};

	if (!is_count(e))
		return PMIX_RESULT_WRONG;
	if (e->number > LEASE_TERMS_MOST)
		return PMIX_RESULT_NO_ROOM;
	for (size_t i = 0; i < (size_t)e->number; i++)
		buf_fmt(&b, "%s%.*s:1", i ? "," : "", STR_ARG(type));
	return add_term(r, buf_as_str(&b), (size_t)e->number);
}

static enum pmix_result read_attributes(
	struct reading *r, const struct attribute *v, size_t n);

/* A list may have the attributes that belong together. */
static enum pmix_result
read_list(struct reading *r, const struct attribute *e)
{
	struct reading inner = *r;
	enum pmix_result result;

	inner.is_required = r->is_required || e->is_required;
	inner.nodes = inner.counts = inner.network = STR_NONE;
	inner.bandwidth = inner.ports = 0;
	inner.has_network = str_is(e->key, KEY_NETWORK);
	result = read_attributes(&inner, e->v, e->n);
	r->terms.v = inner.terms.v;
	r->terms.n = inner.terms.n;
	r->terms.cap = inner.terms.cap;
	r->pieces = inner.pieces;
	r->lends = inner.lends;
	return result;
}

static enum pmix_result
read_text(const struct attribute *e, struct str *to)
{
	if (e->kind != ATTRIBUTE_TEXT || !e->text.n)
		return PMIX_RESULT_WRONG;
	*to = e->text;
	return PMIX_RESULT_GRANTED;
}

/* "0-3,7" */
static enum pmix_result
read_processor_list(struct reading *r, const struct attribute *e)
{
	struct buf b = {.arena = r->a};
	struct str rest;
	size_t pieces = 0;

	if (read_text(e, &rest) != PMIX_RESULT_GRANTED)
		return PMIX_RESULT_WRONG;
	while (rest.n) {
		struct str last = str_take(&rest, ','), first;
		bool is_range = str_find(last, '-') < last.n;
		uint64_t from, to;

		first = str_take(&last, '-');
		if (!str_unsigned(str_trim(first), UINT32_MAX, &from))
			return PMIX_RESULT_WRONG;
		to = from;
		if (is_range &&
			(!str_unsigned(str_trim(last), UINT32_MAX, &to) || to < from))
			return PMIX_RESULT_WRONG;
		if (to - from >= LEASE_TERMS_MOST - pieces)
			return PMIX_RESULT_NO_ROOM;
		for (; from <= to; from++, pieces++)
			buf_fmt(&b, "%s" TYPE_PROCESSORS "@%llu:1", pieces ? "," : "",
				(unsigned long long)from);
	}
	return add_term(r, buf_as_str(&b), pieces);
}

/* Megabytes; a slot is one of them. */
static enum pmix_result
read_memory(struct reading *r, const struct attribute *e)
{
	if (e->kind != ATTRIBUTE_NUMBER || !(e->number > 0) || e->number > UINT32_MAX)
		return PMIX_RESULT_WRONG;
	return add_term(r, str_fmt(r->a, TYPE_MEMORY ":%.0f", ceil(e->number)), 1);
}

static enum pmix_result
read_network(struct reading *r, const struct attribute *e)
{
	return e->kind == ATTRIBUTE_LIST ? read_list(r, e) : PMIX_RESULT_WRONG;
}

static enum pmix_result
read_network_id(struct reading *r, const struct attribute *e)
{
	r->has_network = true;
	return read_text(e, &r->network);
}

static enum pmix_result
read_bandwidth(struct reading *r, const struct attribute *e)
{
	r->has_network = true;
	r->bandwidth = e->number;
	return e->kind == ATTRIBUTE_NUMBER && e->number > 0 && e->number <= UINT32_MAX
		       ? PMIX_RESULT_GRANTED
		       : PMIX_RESULT_WRONG;
}

static enum pmix_result
read_ports(struct reading *r, const struct attribute *e)
{
	r->has_network = true;
	r->ports = e->number;
	return is_count(e) ? PMIX_RESULT_GRANTED : PMIX_RESULT_WRONG;
}

/* Ports are numbers, whatever protocol uses them. */
static enum pmix_result
read_protocol(struct reading *r, const struct attribute *e)
{
	struct str text;

	r->has_network = true;
	return read_text(e, &text);
}

static enum pmix_result
read_time(struct reading *r, const struct attribute *e)
{
	bool is_read = true;

	r->r->q.seconds = e->number;
	if (e->kind == ATTRIBUTE_TEXT)
		is_read = str_seconds(str_dup(r->a, e->text), &r->r->q.seconds);
	else
		is_read = e->kind == ATTRIBUTE_NUMBER;
	return is_read && r->r->q.seconds >= 0 ? PMIX_RESULT_GRANTED : PMIX_RESULT_WRONG;
}

static enum pmix_result
read_lend(struct reading *r, const struct attribute *e)
{
	r->lends = true;
	return read_time(r, e);
}

static enum pmix_result
read_flag(const struct attribute *e, bool *to)
{
	*to = e->flag;
	return e->kind == ATTRIBUTE_FLAG ? PMIX_RESULT_GRANTED : PMIX_RESULT_WRONG;
}

static enum pmix_result
read_resources(struct reading *r, const struct attribute *e)
{
	struct str text;
	size_t pieces = 1;

	if (read_text(e, &text) != PMIX_RESULT_GRANTED)
		return PMIX_RESULT_WRONG;
	for (size_t i = 0; i < text.n; i++)
		pieces += text.p[i] == ',';
	return add_term(r, text, pieces);
}

/* A row has one of these: what reads it, the type of which it is a number, or where its
 * text or flag goes. */
static const struct {
	const char *key;
	enum pmix_result (*read)(struct reading *r, const struct attribute *e);
	const char *type;
	bool is_flag, is_of_list; /* offset: of struct reading, not of its request */
	size_t offset;
} rows[] = {
	{KEY_REQUEST_ID, .offset = offsetof(struct pmix_request, user_id)},
	{KEY_LEASE_ID, .offset = offsetof(struct pmix_request, lease_id)},
	{KEY_NODES, .type = TYPE_NODES},
	{KEY_NODE_LIST, .is_of_list = true, .offset = offsetof(struct reading, nodes)},
	{KEY_PROCESSORS, .type = TYPE_PROCESSORS},
	{"pmix.alloc.ncpulist", .is_of_list = true,
		.offset = offsetof(struct reading, counts)},
	{KEY_PROCESSOR_LIST, .read = read_processor_list},
	{KEY_MEMORY, .read = read_memory},
	{KEY_NETWORK, .read = read_network},
	{KEY_NETWORK_ID, .read = read_network_id},
	{KEY_BANDWIDTH, .read = read_bandwidth},
	{"pmix.alloc.endpts", .read = read_ports},
	{"pmix.alloc.nettype", .read = read_protocol},
	{KEY_TIME, .read = read_time},
	{"pmix.alloc.lend", .read = read_lend},
	{KEY_OWN "now", .is_flag = true,
		.offset = offsetof(struct pmix_request, q.is_immediate)},
	{KEY_OWN "waits", .is_flag = true,
		.offset = offsetof(struct pmix_request, q.blocks)},
	{KEY_OWN "cleanup", .offset = offsetof(struct pmix_request, q.fixture)},
	{KEY_OWN "resources", .read = read_resources},
};
enum { ROWS_N = sizeof rows / sizeof *rows };

static enum pmix_result
read_row(struct reading *r, size_t i, const struct attribute *e)
{
	void *to =
		(char *)(rows[i].is_of_list ? (void *)r : (void *)r->r) + rows[i].offset;

	if (rows[i].read)
		return rows[i].read(r, e);
	if (rows[i].type)
		return add_pieces(r, str_of(rows[i].type), e);
	return rows[i].is_flag ? read_flag(e, to) : read_text(e, to);
}

static enum pmix_result
read_attribute(struct reading *r, const struct attribute *e)
{
	size_t i = 0;

	while (i < ROWS_N && !str_is(e->key, rows[i].key))
		i++;
	if (e->kind == ATTRIBUTE_LIST)
		return read_list(r, e);
	if (i < ROWS_N)
		return read_row(r, i, e);
	if (str_begins(e->key, STR(KEY_OWN)))
		return add_pieces(r, str_from(e->key, sizeof KEY_OWN - 1), e);
	return r->is_required ? PMIX_RESULT_UNKNOWN : PMIX_RESULT_GRANTED;
}

/* Whether the name could be one of an instance in lease_terms. */
static bool
is_instance(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (strchr(",:@", name.p[i]))
			return false;
	return name.n > 0;
}

/* The n-th node has the n-th number of processors; without numbers it is wanted as a
 * whole. */
static enum pmix_result
end_nodes(struct reading *r)
{
	enum pmix_result result = PMIX_RESULT_GRANTED;
	struct str nodes = r->nodes, counts = r->counts;

	if (counts.n && !nodes.n)
		return PMIX_RESULT_WRONG;
	while (nodes.n && result == PMIX_RESULT_GRANTED) {
		struct str node = str_trim(str_take(&nodes, ','));
		struct str count = str_trim(str_take(&counts, ','));
		uint64_t n;

		if (!is_instance(node))
			return PMIX_RESULT_WRONG;
		if (!r->counts.n)
			result = add_term(
				r, str_fmt(r->a, TYPE_NODES "@%.*s:1", STR_ARG(node)), 1);
		else if (str_unsigned(count, UINT32_MAX, &n) && n)
			result = add_term(r,
				str_fmt(r->a, TYPE_PROCESSORS "@%.*s:%llu", STR_ARG(node),
					(unsigned long long)n),
				1);
		else
			result = PMIX_RESULT_WRONG;
	}
	return counts.n ? PMIX_RESULT_WRONG : result;
}

static enum pmix_result
end_network(struct reading *r)
{
	enum pmix_result result = PMIX_RESULT_GRANTED;
	struct buf b = {.arena = r->a};

	if (!r->has_network)
		return result;
	r->r->network = r->network;
	if (r->ports > 0)
		result = add_pieces(r, STR(TYPE_PORTS),
			&(struct attribute){
				.kind = ATTRIBUTE_NUMBER, .number = r->ports});
	if (r->bandwidth <= 0 && r->ports > 0)
		return result;
	if (r->network.n && !is_instance(r->network))
		return PMIX_RESULT_WRONG;
	buf_z(&b, TYPE_NETWORK);
	if (r->network.n)
		buf_fmt(&b, "@%.*s", STR_ARG(r->network));
	buf_fmt(&b, ":%.0f", r->bandwidth > 0 ? ceil(r->bandwidth) : 1);
	return result == PMIX_RESULT_GRANTED ? add_term(r, buf_as_str(&b), 1) : result;
}

static enum pmix_result
read_attributes(struct reading *r, const struct attribute *v, size_t n)
{
	enum pmix_result result = PMIX_RESULT_GRANTED;
	bool is_required = r->is_required, has_required = is_required;

	for (size_t i = 0; i < n && result == PMIX_RESULT_GRANTED; i++) {
		r->is_required = is_required || v[i].is_required;
		has_required = has_required || r->is_required;
		result = read_attribute(r, &v[i]);
	}
	r->is_required = has_required;
	if (result == PMIX_RESULT_GRANTED)
		result = end_nodes(r);
	if (result == PMIX_RESULT_GRANTED)
		result = end_network(r);
	r->is_required = is_required;
	return result;
}

/* Where nothing is marked as required, all is. */
static void
join_terms(struct reading *r)
{
	struct buf wanted = {.arena = r->a}, wished = {.arena = r->a};
	bool has_required = false;

	for (size_t i = 0; i < r->terms.n; i++)
		has_required = has_required || r->terms.v[i].is_required;
	for (size_t i = 0; i < r->terms.n; i++) {
		const struct term *t = &r->terms.v[i];
		struct buf *b = t->is_required || !has_required ? &wanted : &wished;

		if (b->n)
			buf_char(b, ',');
		buf_str(b, t->text);
	}
	if (wanted.n)
		r->r->q.resources = buf_as_str(&wanted);
	if (wished.n)
		r->r->q.wish = buf_as_str(&wished);
}

static bool
set_verb(struct reading *r, unsigned directive, bool has_time)
{
	struct control_request *q = &r->r->q;

	switch (directive) {
	case DIRECTIVE_NEW:
		q->verb = CONTROL_ALLOC_NEW;
		return true;
	case DIRECTIVE_EXTEND:
		q->verb = CONTROL_ALLOC_EXTEND;
		return true;
	case DIRECTIVE_RELEASE:
		q->verb =
			r->lends || has_time ? CONTROL_ALLOC_LEND : CONTROL_ALLOC_RELEASE;
		return true;
	case DIRECTIVE_REACQUIRE:
		q->verb = CONTROL_ALLOC_REACQUIRE;
		return true;
	case DIRECTIVE_CANCEL:
		q->verb = CONTROL_ALLOC_CANCEL;
		return true;
	default:
		return false;
	}
}

enum pmix_result
pmix_request_read(struct arena *a, unsigned directive, const struct attribute *v,
	size_t n, struct pmix_request *to)
{
	struct reading r = {.a = a, .r = to, .nodes = STR_NONE, .counts = STR_NONE};
	enum pmix_result result;

	*to = (struct pmix_request){
		.user_id = STR_NONE, .lease_id = STR_NONE, .network = STR_NONE};
	result = read_attributes(&r, v, n);
	if (result != PMIX_RESULT_GRANTED)
		return result;
	if (!set_verb(&r, directive, to->q.seconds > 0))
		return PMIX_RESULT_UNKNOWN;
	join_terms(&r);
	to->q.awaits = !to->q.is_immediate;
	return PMIX_RESULT_GRANTED;
}

/* ---- answers --------------------------------------------------------------------- */

static struct str
text_of(struct arena *a, const cJSON *o, const char *key)
{
	return str_dup(a, str_of(json_text_of(o, key)));
}

struct writing {
	struct arena *a;
	struct attribute_vec *to;
	const struct pmix_request *r;
	const cJSON *holds;
};

static void
put_attribute(struct writing *w, struct attribute e)
{
	VEC_PUSH(w->a, w->to, e);
}

static void
put_text(struct writing *w, const char *key, struct str text)
{
	put_attribute(
		w, (struct attribute){
			   .key = str_of(key), .kind = ATTRIBUTE_TEXT, .text = text});
}

static void
put_number(struct writing *w, const char *key, double number)
{
	put_attribute(w,
		(struct attribute){
			.key = str_of(key), .kind = ATTRIBUTE_NUMBER, .number = number});
}

static void
put_list(struct writing *w, const char *key, const struct attribute_vec *inner)
{
	put_attribute(w, (struct attribute){.key = str_of(key),
				 .kind = ATTRIBUTE_LIST,
				 .v = inner->v,
				 .n = inner->n});
}

/* Calls add for each unit of the type that the lease holds. */
static void
walk_units(const struct writing *w, const char *type,
	void (*add)(void *to, const cJSON *unit), void *to)
{
	const cJSON *t, *u;

	cJSON_ArrayForEach(t, w->holds)
	{
		if (!json_is_text(t, "type", type))
			continue;
		cJSON_ArrayForEach(u, json_value_of(t, "units")) add(to, u);
	}
}

static void
add_unit(void *to, const cJSON *unit)
{
	struct buf *b = to;

	buf_fmt(b, "%sid:%s,slots:%.0f", b->n ? ";" : "", json_text_of(unit, "id"),
		json_number_of(unit, "slots"));
}

static void
add_id(void *to, const cJSON *unit)
{
	struct buf *b = to;

	buf_fmt(b, "%s%s", b->n ? "," : "", json_text_of(unit, "id"));
}

static void
add_slots(void *to, const cJSON *unit)
{
	*(double *)to += json_number_of(unit, "slots");
}

static struct str
ids_of(struct writing *w, const char *type)
{
	struct buf b = {.arena = w->a};

	walk_units(w, type, add_id, &b);
	return buf_as_str(&b);
}

static double
slots_of(struct writing *w, const char *type)
{
	double sum = 0;

	walk_units(w, type, add_slots, &sum);
	return sum;
}

/* Each network that some bandwidth is held of is a list of its own. */
static void
put_network(void *to, const cJSON *unit)
{
	struct writing *w = to;
	struct attribute_vec inner = {NULL, 0, 0};
	struct writing one = {.a = w->a, .to = &inner};

	put_text(&one, KEY_NETWORK_ID, text_of(w->a, unit, "id"));
	put_attribute(&one, (struct attribute){.key = STR(KEY_BANDWIDTH),
				    .kind = ATTRIBUTE_REAL,
				    .number = json_number_of(unit, "slots")});
	put_list(w, KEY_NETWORK, &inner);
}

/* The name that the client gave is the key of the ports. */
static void
put_ports(struct writing *w)
{
	struct attribute_vec inner = {NULL, 0, 0};
	struct writing one = {.a = w->a, .to = &inner};
	const char *key = w->r->network.n ? str_z(w->a, w->r->network) : KEY_NETWORK_ID;

	put_text(&one, key, ids_of(w, TYPE_PORTS));
	put_list(w, KEY_NETWORK, &inner);
}

/* What PMIx has attributes for, in these, too. */
static void
put_known_type(struct writing *w, const char *type)
{
	if (strcmp(type, TYPE_PROCESSORS) == 0) {
		put_number(w, KEY_PROCESSORS, slots_of(w, type));
		put_text(w, KEY_PROCESSOR_LIST, ids_of(w, type));
	} else if (strcmp(type, TYPE_MEMORY) == 0) {
		put_attribute(w, (struct attribute){.key = STR(KEY_MEMORY),
					 .kind = ATTRIBUTE_REAL,
					 .number = slots_of(w, type)});
	} else if (strcmp(type, TYPE_NODES) == 0) {
		put_number(w, KEY_NODES, slots_of(w, type));
		put_text(w, KEY_NODE_LIST, ids_of(w, type));
	} else if (strcmp(type, TYPE_NETWORK) == 0) {
		walk_units(w, type, put_network, w);
	} else if (strcmp(type, TYPE_PORTS) == 0) {
		put_ports(w);
	}
}

/* Whether it is the first entry of its type. */
static bool
is_first(const struct writing *w, const cJSON *entry)
{
	const cJSON *t = w->holds->child;

	while (strcmp(json_text_of(t, "type"), json_text_of(entry, "type")) != 0)
		t = t->next;
	return t == entry;
}

static void
put_holds(struct writing *w)
{
	const cJSON *t;

	cJSON_ArrayForEach(t, w->holds)
	{
		const char *type = str_z(w->a, str_of(json_text_of(t, "type")));
		struct buf units = {.arena = w->a};

		walk_units(w, type, add_unit, &units);
		if (!is_first(w, t) || !units.n)
			continue;
		put_known_type(w, type);
		put_text(w, str_fmt(w->a, KEY_OWN "%s", type).p, buf_as_str(&units));
	}
}

static enum pmix_result
result_of(const cJSON *answer, const struct pmix_request *r, bool has_lease)
{
	const char *status = json_text_of(answer, "request");

	if (!json_is_text(answer, "status", "ok"))
		return PMIX_RESULT_NO_RUN;
	if (strcmp(status, "partial") == 0)
		return PMIX_RESULT_PARTIAL;
	if (strcmp(status, "canceled") == 0)
		return r->q.verb == CONTROL_ALLOC_CANCEL ? PMIX_RESULT_GRANTED
							 : PMIX_RESULT_CANCELED;
	if (strcmp(status, "denied") != 0)
		return PMIX_RESULT_GRANTED;
	if (has_lease &&
		(r->q.verb == CONTROL_ALLOC_NEW || r->q.verb == CONTROL_ALLOC_EXTEND ||
			r->q.verb == CONTROL_ALLOC_REACQUIRE))
		return PMIX_RESULT_NO_ROOM;
	return has_lease || r->q.verb == CONTROL_ALLOC_NEW ? PMIX_RESULT_WRONG
							   : PMIX_RESULT_NO_LEASE;
}

static struct str
status_of_lease(struct arena *a, const cJSON *lease)
{
	struct str status = text_of(a, lease, "request");

	if (json_is_text(lease, "state", "ended") && str_is(status, "granted"))
		return STR("ended");
	return status;
}

static void
read_all(struct arena *a, const cJSON *leases, struct attribute_vec *to)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, leases) VEC_PUSH(a, to,
		(struct attribute){.key = text_of(a, e, "id"),
			.kind = ATTRIBUTE_TEXT,
			.text = status_of_lease(a, e)});
}

static void
read_answer(struct arena *a, const cJSON *o, const struct pmix_request *r,
	struct pmix_answer *to)
{
	const cJSON *lease = json_value_of(o, "lease");
	struct writing w = {
		a, &to->attributes, r, lease ? json_value_of(lease, "holds") : NULL};
	struct str reason = text_of(a, o, "reason");

	to->result = result_of(o, r, lease != NULL);
	if (lease) {
		to->id = text_of(a, lease, "id");
		to->status = status_of_lease(a, lease);
	}
	read_all(a, json_value_of(o, "leases"), &to->all);
	put_text(&w, KEY_OWN_STATUS,
		*json_text_of(o, "request") ? text_of(a, o, "request") : STR("denied"));
	if (reason.n)
		put_text(&w, KEY_OWN_REASON, reason);
	if (lease && json_value_of(lease, "left"))
		put_number(&w, KEY_TIME, floor(json_number_of(lease, "left")));
	if (w.holds)
		put_holds(&w);
}

void
pmix_answer_read(struct arena *a, struct str line, const struct pmix_request *r,
	struct pmix_answer *answer)
{
	cJSON *o = cJSON_ParseWithLength(line.p, line.n);

	*answer = (struct pmix_answer){
		.result = PMIX_RESULT_NO_RUN, .id = STR_NONE, .status = STR("unknown")};
	if (o)
		read_answer(a, o, r, answer);
	cJSON_Delete(o);
}
