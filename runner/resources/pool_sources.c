/* Making and changing pools before anything runs. See pool_sources.h. */
#include "runner/resources/pool_sources.h"

#include <string.h>

#include "runner/base/sort.h"

static bool
is_word(struct str s, bool digit_first)
{
	for (size_t i = 0; i < s.n; i++) {
		bool is_digit = s.p[i] >= '0' && s.p[i] <= '9';

		if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && s.p[i] != '_' &&
			!(is_digit && (i > 0 || digit_first)))
			return false;
	}
	return s.n > 0;
}

bool
pool_is_type_name(struct str s)
{
	return is_word(s, false);
}

bool
pool_is_id(struct str s)
{
	return is_word(s, true);
}

/* Letters of amounts, by powers of 1024. */
static const char units[] = "KMGT";

bool
pool_is_amount(struct str s)
{
	return s.n > 1 && strchr(units, s.p[s.n - 1]) && s.p[s.n - 1] != '\0';
}

bool
pool_read_slots(struct str s, uint64_t most, uint64_t *slots)
{
	unsigned shift;

	INVARIANT(slots);
	if (!pool_is_amount(s))
		return str_unsigned(s, most, slots);
	shift = 10 * (unsigned)(strchr(units, s.p[s.n - 1]) - units);
	if (!str_unsigned(str_cut(s.p, s.n - 1), UINT64_MAX >> 31, slots))
		return false;
	*slots = ((*slots << shift) + 1023) >> 10;
	return *slots <= most;
}

struct resource_type *
pool_add_type(struct arena *a, struct pool *p, struct str name)
{
	uint32_t known = pool_type(p, name);
	struct resource_type *types;
	size_t at = 0;

	if (known != MAP_NONE)
		return &p->types[known];
	types = NEW_ARRAY(a, struct resource_type, p->n + 1);
	while (at < p->n && str_order(p->types[at].name, name) < 0)
		at++;
	if (p->n) {
		memcpy(types, p->types, at * sizeof *types);
		memcpy(types + at + 1, p->types + at, (p->n - at) * sizeof *types);
	}
	types[at].name = str_dup(a, name);
	p->types = types;
	p->n++;
	return &types[at];
}

SORT_BY(sort_instances, struct resource_instance, ASCENDING(node) TEXTUAL(id))

void
pool_order_instances(struct resource_type *t)
{
	sort_instances(t->v, t->n);
}

SORT_BY(sort_types, struct resource_type, TEXTUAL(name))

void
pool_order_types(struct pool *p)
{
	sort_types(p->types, p->n);
}

static void
make_instances(struct arena *a, struct resource_type *t, uint64_t first, size_t n,
	uint64_t slots)
{
	t->v = NEW_ARRAY(a, struct resource_instance, n);
	t->n = n;
	for (size_t i = 0; i < n; i++)
		t->v[i] = (struct resource_instance){
			.id = str_fmt(a, "%llu", (unsigned long long)first + i),
			.slots = slots};
	pool_order_instances(t);
}

void
pool_number_instances(struct arena *a, struct resource_type *t, size_t n, uint64_t slots)
{
	make_instances(a, t, 0, n, slots);
	t->is_listed = false;
}

void
pool_list_instances(struct arena *a, struct resource_type *t, uint64_t first, size_t n)
{
	make_instances(a, t, first, n, 1);
	t->is_listed = true;
}

void
pool_add_one_missing(
	struct arena *a, struct pool *p, const struct pool *more, struct str name)
{
	uint32_t at = pool_type(more, name);
	struct resource_type *t;

	if (at == MAP_NONE || pool_type(p, name) != MAP_NONE)
		return;
	t = pool_add_type(a, p, name);
	t->v = more->types[at].v;
	t->n = more->types[at].n;
	t->is_listed = more->types[at].is_listed;
}

void
pool_add_missing(struct arena *a, struct pool *p, const struct pool *more)
{
	INVARIANT(p != more);
	for (size_t i = 0; i < more->n; i++)
		pool_add_one_missing(a, p, more, more->types[i].name);
}

/* The types of all parts without instances, and room for the instances. */
static struct pool
join_types(struct arena *a, struct map *names, const struct pool *parts, size_t n)
{
	VEC(struct resource_type) types = {0};

	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < parts[i].n; t++) {
			const struct resource_type *from = &parts[i].types[t];
			uint32_t at = map_number(names, from->name);

			if (at == types.n)
				VEC_PUSH(a, &types,
					(struct resource_type){.name = from->name,
						.is_listed = from->is_listed});
			types.v[at].n += from->n;
		}
	for (size_t t = 0; t < types.n; t++) {
		types.v[t].v = NEW_ARRAY(a, struct resource_instance, types.v[t].n);
		types.v[t].n = 0;
	}
	return (struct pool){.types = types.v, .n = types.n};
}

struct pool
pool_join(struct arena *a, struct str *nodes, const struct pool *parts, size_t n)
{
	struct map names = map_in(a);
	struct pool p = join_types(a, &names, parts, n);

	INVARIANT(parts || !n);
	p.nodes = nodes;
	p.nodes_n = n;
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < parts[i].n; t++) {
			const struct resource_type *from = &parts[i].types[t];
			struct resource_type *to = &p.types[map_get(&names, from->name)];

			for (size_t k = 0; k < from->n; k++) {
				to->v[to->n] = from->v[k];
				to->v[to->n++].node = (uint32_t)i;
			}
		}
	pool_order_types(&p);
	return p;
}

struct pool
pool_of_one(struct arena *a, const struct pool *p, uint32_t node)
{
	struct pool one = *p;

	one.types = NEW_ARRAY(a, struct resource_type, p->n);
	for (size_t t = 0; t < p->n; t++) {
		const struct resource_type *from = &p->types[t];

		one.types[t] = *from;
		one.types[t].v = NEW_ARRAY(a, struct resource_instance, from->n);
		if (from->n)
			memcpy(one.types[t].v, from->v, from->n * sizeof *from->v);
	}
	pool_keep_node(&one, node);
	return one;
}

void
pool_keep_node(struct pool *p, uint32_t node)
{
	INVARIANT(node < p->nodes_n || (!node && !p->nodes_n));
	for (size_t t = 0; t < p->n; t++) {
		struct resource_type *type = &p->types[t];
		size_t n = 0;

		for (size_t k = 0; k < type->n; k++)
			if (type->v[k].node == node) {
				type->v[n] = type->v[k];
				type->v[n++].node = 0;
			}
		type->n = n;
		type->free_nodes = NULL;
	}
	if (p->nodes_n) {
		p->nodes += node;
		p->nodes_n = 1;
	}
}

bool
pool_oversubscribe(struct resource_type *t, uint64_t factor)
{
	for (size_t i = 0; i < t->n; i++)
		if (factor && t->v[i].slots > POOL_SLOTS_MOST / factor)
			return false;
	for (size_t i = 0; i < t->n; i++)
		t->v[i].slots *= factor;
	return true;
}

struct pool
pool_awaited(struct arena *a, const struct resource_groups *const *asked, size_t n)
{
	struct map names = map_in(a);
	VEC(struct resource_type) types = {0};
	struct pool p = {.is_awaited = true};

	INVARIANT(asked || !n);
	for (size_t i = 0; i < n; i++)
		for (size_t g = 0; g < asked[i]->n; g++)
			for (size_t k = 0; k < asked[i]->v[g].n; k++) {
				struct str name = asked[i]->v[g].v[k].type;

				if (map_add(&names, name))
					VEC_PUSH(a, &types,
						(struct resource_type){.name = name});
			}
	p.types = types.v;
	p.n = types.n;
	pool_order_types(&p);
	return p;
}

void
pool_fill(struct pool *awaited, const struct pool *from)
{
	INVARIANT(from != awaited);
	for (size_t i = 0; i < awaited->n; i++) {
		struct str name = awaited->types[i].name;
		uint32_t at = pool_type(from, name);

		awaited->types[i] = (struct resource_type){.name = name};
		if (at != MAP_NONE)
			awaited->types[i] = from->types[at];
		awaited->types[i].is_absent = at == MAP_NONE;
	}
	awaited->is_awaited = false;
	awaited->is_made = true;
}
