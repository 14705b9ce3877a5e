/* See allocated_pool.h. */
#include "compat/resources/allocated_pool.h"

#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"

struct making {
	struct arena *a;
	const struct allocated_sources *from;
	struct diag *d;
	struct str node;
	struct pool have; /* on the node */
};

static bool
has_id(const struct resource_type *t, struct str id)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->v[i].id, id))
			return true;
	return false;
}

static void
warn_missing(const struct making *m, struct str type, size_t has, size_t asked)
{
	diag_warning(m->d, (struct place){.file = m->from->file_name},
		"node %.*s has %zu of %zu instances of '%.*s' in this job",
		STR_ARG(m->node), has, asked, STR_ARG(type));
}

/* Memory and temporary space are amounts; all else has ids. */
static void
restrict_slots(
	const struct making *m, struct resource_type *t, const struct resource_type *have)
{
	bool is_amount = str_is(t->name, POOL_MEMORY) || str_is(t->name, "tmp");

	if (!is_amount || !t->n || !have->n || t->v[0].slots <= have->v[0].slots)
		return;
	diag_warning(m->d, (struct place){.file = m->from->file_name},
		"node %.*s has %llu of %llu slots of '%.*s' in this job",
		STR_ARG(m->node), (unsigned long long)have->v[0].slots,
		(unsigned long long)t->v[0].slots, STR_ARG(t->name));
	t->v[0].slots = have->v[0].slots;
}

/* Keeps the instances that the job has on the node. false: none of the file's is one. */
static bool
restrict_type(const struct making *m, struct resource_type *t)
{
	uint32_t at = pool_type(&m->have, t->name);
	const struct resource_type *have;
	size_t asked = t->n, n = 0;

	if (at == MAP_NONE)
		return true;
	have = &m->have.types[at];
	for (size_t i = 0; i < t->n; i++)
		if (has_id(have, t->v[i].id))
			t->v[n++] = t->v[i];
	t->n = n;
	restrict_slots(m, t, have);
	if (!n && asked && have->n)
		return diag_error(m->d, (struct place){.file = m->from->file_name},
			"none of its instances of '%.*s' is one that this job has on "
			"node %.*s",
			STR_ARG(t->name), STR_ARG(m->node));
	if (n < asked)
		warn_missing(m, t->name, n, asked);
	return true;
}

static void
obey_number(const struct making *m, struct pool *part, const struct resource_number *r)
{
	struct resource_type *t = pool_add_type(m->a, part, r->type);
	uint32_t at = pool_type(&m->have, r->type);
	const struct resource_type *have = at == MAP_NONE ? NULL : &m->have.types[at];
	size_t n = r->n;

	if (r->is_listed)
		pool_list_instances(m->a, t, r->first, n);
	else
		pool_number_instances(m->a, t, n, r->slots);
	if (!have)
		return;
	if (n > have->n) {
		warn_missing(m, r->type, have->n, n);
		t->n = n = have->n;
	}
	for (size_t i = 0; i < n; i++)
		t->v[i].id = have->v[i].id;
	restrict_slots(m, t, have);
}

static bool
make_part(const struct making *m, struct pool *part)
{
	for (size_t i = 0; i < part->n; i++)
		if (!restrict_type(m, &part->types[i]))
			return false;
	if (m->from->adds_types)
		pool_add_missing(m->a, part, &m->have);
	else
		pool_add_one_missing(m->a, part, &m->have, STR(POOL_PROCESSORS));
	for (size_t i = 0; i < m->from->numbers->n; i++)
		obey_number(m, part, &m->from->numbers->v[i]);
	return true;
}

/* The node of the file; MAP_NONE: the file does not have the node. */
static uint32_t
node_in_file(const struct pool *file, struct str name)
{
	if (file->nodes_n <= 1)
		return 0;
	for (uint32_t i = 0; i < file->nodes_n; i++)
		if (str_eq(file->nodes[i], name))
			return i;
	return MAP_NONE;
}

bool
allocated_pool_make(struct arena *a, const struct allocated_sources *from, struct pool *p,
	struct diag *d)
{
	const struct pool *job = from->job;
	struct making m = {.a = a, .from = from, .d = d};
	struct str *names = NEW_ARRAY(a, struct str, job->nodes_n);
	struct pool *parts = NEW_ARRAY(a, struct pool, job->nodes_n);
	size_t n = 0;

	for (uint32_t i = 0; i < job->nodes_n; i++) {
		uint32_t at = node_in_file(from->file, job->nodes[i]);

		if (at == MAP_NONE)
			continue;
		m.node = names[n] = job->nodes[i];
		m.have = pool_of_one(a, job, i);
		parts[n] = pool_of_one(a, from->file, at);
		if (!make_part(&m, &parts[n++]))
			return false;
	}
	if (!n)
		return diag_error(d, (struct place){.file = from->file_name},
			"none of its %zu nodes is in this job", from->file->nodes_n);
	*p = pool_join(a, names, parts, n);
	return true;
}
