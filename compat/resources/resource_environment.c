/* Variables that tell a test its resources. See resource_environment.h. */
#include "compat/resources/resource_environment.h"

#include <ctype.h>

#include "compat/resources/gpu_visibility.h"
#include "runner/resources/pool_sources.h"

#define OPENING "%("
#define CLOSING ")s"
#define IDS "_ids"
#define SLOTS "_slots"
#define PROPERTY "_property_"

typedef VEC(struct resource_variable) variable_vec;
typedef VEC(const struct resource_instance *) held_vec;

/* ---- what is held ---------------------------------------------------------------- */

/* What the test holds of a type: each instance once, in the grant's order. slots: of all
 * of them, if it is not NULL. */
static held_vec
held_of(struct arena *a, const struct resource_teller *t, uint32_t type, uint64_t *slots)
{
	struct map seen = map_in(a);
	held_vec held = {0};
	uint64_t sum = 0;
	uint32_t first = t->grant ? pool_node_of(t->pool, t->grant) : MAP_NONE;

	for (size_t i = 0; t->grant && i < t->grant->n; i++)
		for (size_t k = 0; k < t->grant->v[i].n; k++) {
			const struct grant_unit *u = &t->grant->v[i].v[k];
			const struct resource_instance *r;

			if (u->type != type)
				continue;
			r = &t->pool->types[type].v[u->instance];
			if (first != MAP_NONE && r->node != first)
				continue;
			sum += u->slots;
			if (map_add(&seen, r->id))
				VEC_PUSH(a, &held, r);
		}
	if (slots)
		*slots = sum;
	return held;
}

/* The place of the property among those of the instance; their number if it has none. */
static size_t
property_at(const struct resource_instance *r, struct str name)
{
	size_t i = 0;

	while (i < r->properties_n && !str_eq(r->properties[i].name, name))
		i++;
	return i;
}

static bool
has_property(const struct resource_instance *r, struct str name)
{
	return property_at(r, name) < r->properties_n;
}

static struct str
find_property(const struct resource_instance *r, struct str name)
{
	return has_property(r, name) ? r->properties[property_at(r, name)].value
				     : STR("");
}

/* What the instances have of a property, one after the other; their ids if it is
 * STR_NONE. */
static struct str
list_held(struct arena *a, const held_vec *held, struct str property)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < held->n; i++)
		buf_fmt(&b, "%s%.*s", i ? "," : "",
			STR_ARG(property.p ? find_property(held->v[i], property)
					   : held->v[i]->id));
	return b.n ? buf_as_str(&b) : STR("");
}

/* ---- variables ------------------------------------------------------------------- */

static void
add_variable(struct arena *a, variable_vec *found, const char *name, struct str value)
{
	VEC_PUSH(a, found, (struct resource_variable){str_of(name), value, true});
}

/* In capitals, with '_' for what cannot be in the name of a variable. */
static struct str
variable_name(struct arena *a, const char *head, struct str type, struct str what)
{
	struct str name = str_fmt(a, "%s_%.*s%.*s", head, STR_ARG(type), STR_ARG(what));
	char *p = arena_alloc(a, name.n + 1);

	for (size_t i = 0; i < name.n; i++)
		p[i] = isalnum((unsigned char)name.p[i])
			       ? (char)toupper((unsigned char)name.p[i])
			       : '_';
	return str_cut(p, name.n);
}

bool
resource_is_own_variable(struct str name)
{
	bool is_ids = str_ends(name, STR("_IDS"));

	return (str_begins(name, STR("CANARY_")) && is_ids) ||
	       (str_begins(name, STR("CCTR_")) &&
		       (is_ids || str_ends(name, STR("_SLOTS")) ||
			       str_has(name, STR("_PROPERTY_"))));
}

/* A variable for each property that one of the instances has. */
static void
add_properties(
	struct arena *a, const held_vec *held, struct str type, variable_vec *found)
{
	struct map seen = map_in(a);

	for (size_t i = 0; i < held->n; i++)
		for (size_t k = 0; k < held->v[i]->properties_n; k++) {
			struct str property = held->v[i]->properties[k].name;
			struct str name = variable_name(a, "CCTR", type,
				str_fmt(a, PROPERTY "%.*s", STR_ARG(property)));

			if (map_add(&seen, name))
				VEC_PUSH(a, found,
					(struct resource_variable){name,
						list_held(a, held, property), false});
		}
}

static void
add_ids(struct arena *a, const struct resource_teller *t, uint32_t type,
	variable_vec *found)
{
	struct str name = t->pool->types[type].name, ids;
	uint64_t slots;
	held_vec held = held_of(a, t, type, &slots);

	if (held.n == 0)
		return;
	ids = list_held(a, &held, STR_NONE);
	VEC_PUSH(a, found,
		(struct resource_variable){
			variable_name(a, "CCTR", name, STR(IDS)), ids, false});
	VEC_PUSH(a, found,
		(struct resource_variable){variable_name(a, "CCTR", name, STR(SLOTS)),
			str_fmt(a, "%llu", (unsigned long long)slots), false});
	add_properties(a, &held, name, found);
	if (t->telling.style != RESOURCE_STYLE_CANARY)
		return;
	if (name.n > 1 && str_ends(name, STR("s")))
		name.n--;
	VEC_PUSH(a, found,
		(struct resource_variable){
			variable_name(a, "CANARY", name, STR(IDS)), ids, false});
}

/* ---- GPUs ------------------------------------------------------------------------ */

/* In the partition of the test. */
static uint32_t
find_type(const struct resource_teller *t, struct str name)
{
	return pool_type_in(
		t->pool, t->grant ? pool_partition_of(t->pool, t->grant) : 0, name);
}

/* true without names: there is nothing to tell. */
static bool
find_gpus(struct arena *a, const struct resource_teller *t, struct gpu_names *names,
	struct str *why)
{
	uint32_t type = find_type(t, STR(GPU_TYPE));

	*names = (struct gpu_names){.nvidia = NULL};
	return !t->telling.gpu_visible || type == MAP_NONE ||
	       gpu_names_find(a, &t->pool->types[type], &t->telling.gpus, names, why);
}

bool
resource_teller_can_tell(
	struct arena *a, const struct resource_teller *t, struct str *why)
{
	struct gpu_names names;

	INVARIANT(why);
	return find_gpus(a, t, &names, why);
}

/* A test of a partition has none of the GPUs of others. */
static void
add_vendors(struct arena *a, const struct resource_teller *t, struct gpu_names *names)
{
	uint32_t type = pool_type(t->pool, STR(GPU_TYPE));
	struct str why;

	for (; type < t->pool->n; type += (uint32_t)pool_types_n(t->pool)) {
		struct gpu_names more;

		if (!gpu_names_find(
			    a, &t->pool->types[type], &t->telling.gpus, &more, &why))
			continue;
		names->has_nvidia = names->has_nvidia || more.has_nvidia;
		names->has_amd = names->has_amd || more.has_amd;
	}
}

/* The names of the held GPUs of one vendor; "-1", which no device has, if it has none of
 * them. */
static struct str
devices_of(struct arena *a, const held_vec *held, const struct resource_type *gpus,
	const struct str *names, size_t *n)
{
	struct buf b = {.arena = a};

	*n = 0;
	for (size_t i = 0; i < held->n; i++) {
		struct str name = names[held->v[i] - gpus->v];

		if (name.n)
			buf_fmt(&b, "%s%.*s", (*n)++ ? "," : "", STR_ARG(name));
	}
	return *n ? buf_as_str(&b) : STR("-1");
}

/* HIP counts the devices that ROCR left visible. */
static struct str
hip_devices(struct arena *a, size_t n)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%s%zu", i ? "," : "", i);
	return n ? buf_as_str(&b) : STR("-1");
}

static void
add_gpus(struct arena *a, const struct resource_teller *t, variable_vec *found)
{
	uint32_t type = find_type(t, STR(GPU_TYPE));
	const struct resource_type *gpus;
	struct gpu_names names;
	struct str why;
	held_vec held;
	size_t n;

	if (!find_gpus(a, t, &names, &why) || !names.nvidia)
		return;
	if (t->pool->partitions_n)
		add_vendors(a, t, &names);
	gpus = &t->pool->types[type];
	held = held_of(a, t, type, NULL);
	if (held.n && names.has_nvidia)
		add_variable(a, found, "CUDA_VISIBLE_DEVICES",
			devices_of(a, &held, gpus, names.nvidia, &n));
	if (held.n && names.has_amd) {
		add_variable(a, found, "ROCR_VISIBLE_DEVICES",
			devices_of(a, &held, gpus, names.amd, &n));
		add_variable(a, found, "HIP_VISIBLE_DEVICES", hip_devices(a, n));
	}
}

struct resource_variables
resource_variables(struct arena *a, const struct resource_teller *t)
{
	variable_vec found = {0};

	if (!t->grant)
		return (struct resource_variables){NULL, 0};
	if (t->telling.style >= RESOURCE_STYLE_CCTR)
		for (uint32_t i = 0; i < t->pool->n; i++)
			add_ids(a, t, i, &found);
	add_gpus(a, t, &found);
	return (struct resource_variables){found.v, found.n};
}

/* ---- placeholders ---------------------------------------------------------------- */

/* "gpus" or "gpu" for the type gpus. */
static uint32_t
type_called(struct arena *a, const struct resource_teller *t, struct str name)
{
	uint32_t type = find_type(t, name);

	return type != MAP_NONE ? type : find_type(t, str_fmt(a, "%.*ss", STR_ARG(name)));
}

/* What a placeholder asks for: ids of a type, or a property of its instances. */
struct asked {
	struct str type; /* as it is written; STR_NONE: no placeholder */
	struct str property; /* STR_NONE: ids */
};

/* What the placeholder with which text begins asks for, and *rest after it. */
static struct asked
asked_at(struct str text, struct str *rest)
{
	struct str name = str_from(text, sizeof OPENING - 1);
	size_t n = str_search(name, STR(CLOSING)), at;
	struct asked asked = {STR_NONE, STR_NONE};

	*rest = str_from(name, n < name.n ? n + sizeof CLOSING - 1 : n);
	if (n == name.n)
		return asked;
	name = str_cut(name.p, n);
	at = str_search(name, STR(PROPERTY));
	if (at < name.n) {
		asked.property = str_from(name, at + sizeof PROPERTY - 1);
		asked.type = str_cut(name.p, at);
	} else if (str_ends(name, STR(IDS))) {
		asked.type = str_cut(name.p, name.n - (sizeof IDS - 1));
	}
	return pool_is_type_name(asked.type) ? asked : (struct asked){STR_NONE, STR_NONE};
}

/* One step through a value: the bytes up to the next placeholder, and the placeholder. */
struct piece {
	struct str plain;
	bool is_escaped; /* plain ends with "%(", written "%%(" */
	struct asked asked;
	struct str text; /* the placeholder as it is written */
};

static struct piece
take_piece(struct str *rest)
{
	struct piece p = {.plain = *rest};
	size_t n = 0;

	for (;; n++) {
		struct str after = str_from(*rest, n), next = STR("");

		n += str_search(after, STR(OPENING));
		if (n >= rest->n)
			break;
		after = str_from(*rest, n);
		p.is_escaped = n > 0 && after.p[-1] == '%';
		if (p.is_escaped)
			next = str_from(after, sizeof OPENING - 1);
		else
			p.asked = asked_at(after, &next);
		if (!p.is_escaped && !p.asked.type.n)
			continue;
		p.plain = str_cut(rest->p, p.is_escaped ? n - 1 : n);
		p.text = str_cut(after.p, (size_t)(next.p - after.p));
		*rest = next;
		return p;
	}
	*rest = STR("");
	return p;
}

static bool
has_placeholders(const struct resource_teller *t, struct str text)
{
	return t->telling.style >= RESOURCE_STYLE_CCTR &&
	       str_search(text, STR(OPENING)) < text.n;
}

/* The pool has the type, and an instance of it the property. */
static bool
is_known(struct arena *a, const struct resource_teller *t, const struct asked *asked)
{
	uint32_t type = asked->type.n ? type_called(a, t, asked->type) : MAP_NONE;
	const struct pool *p = t->pool;

	if (type == MAP_NONE || !asked->property.p)
		return type != MAP_NONE;
	for (size_t i = 0; i < p->types[type].n; i++)
		if (has_property(&p->types[type].v[i], asked->property))
			return true;
	return false;
}

struct str
resource_unknown_placeholder(
	struct arena *a, const struct resource_teller *t, struct str text)
{
	while (text.n && has_placeholders(t, text)) {
		struct piece p = take_piece(&text);

		if (p.asked.type.n && !is_known(a, t, &p.asked))
			return p.text;
	}
	return STR_NONE;
}

const char *
resource_placeholders(
	struct arena *a, const struct resource_teller *t, const char *variable)
{
	struct buf b = {.arena = a};
	struct str rest = str_of(variable);

	INVARIANT(variable);
	if (!has_placeholders(t, rest))
		return variable;
	while (rest.n) {
		struct piece p = take_piece(&rest);
		held_vec held;

		buf_str(&b, p.plain);
		if (!is_known(a, t, &p.asked)) {
			buf_str(&b, p.text);
			continue;
		}
		held = held_of(a, t, type_called(a, t, p.asked.type), NULL);
		buf_str(&b, list_held(a, &held, p.asked.property));
	}
	return b.p;
}
