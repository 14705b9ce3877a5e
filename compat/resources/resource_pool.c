/* The pool of a run. See resource_pool.h. */
#include "compat/resources/resource_pool.h"

#include "compat/format/json_styled.h"
#include "compat/resources/allocated_pool.h"
#include "compat/resources/gpu_visibility.h"
#include "compat/resources/resource_spec.h"
#include "runner/base/files.h"
#include "runner/base/host_name.h"
#include "runner/resources/machine.h"
#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"

#define AUTO "auto"

/* ---- sources --------------------------------------------------------------------- */

struct loading {
	struct arena *a;
	const struct resource_sources *from;
	const struct resource_options *options;
	struct resource_pool *found;
	struct diag *d;
	struct str spec_file; /* "" for none */
	bool is_probed; /* the machine has the types that the file lacks */
	bool adds_processors; /* of the machine, to those of a specification */
	struct machine machine; /* processors 0: not asked */
};

/* false: two files are given. */
static bool
choose_sources(struct loading *l)
{
	struct str given = l->options->spec_file;
	bool has_pool_file = l->options->pool_file.n > 0;
	bool is_said = given.n || l->from->suite_file.n || has_pool_file ||
		       l->from->is_generated;
	bool is_auto =
		str_is(given, AUTO) || (!is_said && l->options->no_spec == NO_SPEC_AUTO);
	bool has_numbers = l->options->numbers.n || l->options->factors.n;

	if (given.n && !is_auto && has_pool_file)
		return diag_error(l->d, NO_PLACE,
			"cctr: --resource-spec-file and --resource-pool-file cannot both "
			"name a file");
	if (!is_auto && !has_pool_file)
		l->spec_file = given.n ? given : l->from->suite_file;
	l->is_probed =
		is_auto || has_pool_file ||
		(!l->spec_file.n &&
			(has_numbers || l->options->show || l->options->shares_host ||
				(l->from->job && !l->from->is_generated)));
	l->found->is_there = l->is_probed || l->spec_file.n;
	l->found->shown_as = l->spec_file.n  ? l->spec_file
			     : has_pool_file ? l->options->pool_file
			     : is_auto       ? STR(AUTO)
			     : l->from->job  ? STR("--engine")
					     : STR("--resource");
	l->found->telling.is_implied = l->from->job && l->is_probed && !is_auto &&
				       !has_pool_file && !has_numbers;
	l->found->telling.style =
		(l->is_probed && !l->found->telling.is_implied) || has_numbers
			? RESOURCE_STYLE_CCTR
			: RESOURCE_STYLE_CTEST;
	return true;
}

/* ctest does not report ignored items, so only a user who asks for the pool sees
 * warnings; with --strict they are errors. */
static bool
read_spec(struct loading *l)
{
	struct diag said = diag_in(l->a);
	bool is_read = resource_spec_load(l->a, l->from->dialect, l->from->directory,
		l->spec_file, &l->found->pool, &said);

	for (size_t i = 0; i < said.entries.n; i++) {
		const struct diag_entry *e = &said.entries.v[i];

		if (l->from->is_strict && !diag_is_error(e->kind))
			is_read = diag_error(
				l->d, e->at, "--strict: %.*s", STR_ARG(e->text));
		else if (diag_is_error(e->kind) || l->options->show)
			diag_add(l->d, e->kind, e->at, e->text);
	}
	return is_read;
}

static bool
read_file(struct loading *l)
{
	if (l->spec_file.n)
		return read_spec(l);
	if (l->options->pool_file.n)
		return l->from->pool_file(l->a,
			str_of(path_in(l->a, l->from->directory, l->options->pool_file)),
			&l->found->pool, l->d);
	return true;
}

/* "n1" and "n1.cluster" are one machine. */
static bool
is_this_machine(struct str node, struct str host)
{
	size_t dot = str_find(host, '.');

	return str_is(node, "local") || str_is(node, "localhost") || str_eq(node, host) ||
	       (host.n &&
		       str_eq(str_cut(node.p, str_find(node, '.')),
			       str_cut(host.p, dot)) &&
		       (dot == host.n || str_find(node, '.') == node.n));
}

/* A run is on one node: the only one, whatever its name, or this machine. */
static bool
choose_node(struct loading *l)
{
	struct pool *p = &l->found->pool;
	struct str host = l->from->host.n ? l->from->host : host_name(l->a, STR(""));

	if (p->nodes_n <= 1)
		return true;
	for (uint32_t i = 0; i < p->nodes_n; i++)
		if (is_this_machine(p->nodes[i], host)) {
			pool_keep_node(p, i);
			return true;
		}
	return diag_error(l->d, (struct place){.file = l->options->pool_file},
		"none of its %zu nodes is this machine, '%.*s'", p->nodes_n,
		STR_ARG(host));
}

static bool
is_known_type(const struct loading *l, struct str name)
{
	return str_is(name, POOL_PROCESSORS) || str_is(name, GPU_TYPE) ||
	       str_is(name, POOL_MEMORY) || pool_type(&l->found->pool, name) != MAP_NONE;
}

/* The type that the name means: "gpu" means "gpus", if only that one is known. */
static struct str
type_meant(const struct loading *l, struct str name)
{
	struct str plural = str_fmt(l->a, "%.*ss", STR_ARG(name));

	return !is_known_type(l, name) && is_known_type(l, plural) ? plural : name;
}

static bool
is_numbered(const struct loading *l, const char *type)
{
	for (size_t i = 0; i < l->options->numbers.n; i++)
		if (str_is(type_meant(l, l->options->numbers.v[i].type), type))
			return true;
	return false;
}

/* true: a file or a number says which GPUs exist, so the machine is not asked. */
static bool
are_gpus_given(const struct loading *l)
{
	return is_numbered(l, GPU_TYPE) ||
	       pool_type(&l->found->pool, STR(GPU_TYPE)) != MAP_NONE;
}

static bool
asks_for_physical(const struct loading *l)
{
	for (size_t i = 0; i < l->options->numbers.n; i++)
		if (l->options->numbers.v[i].is_physical)
			return true;
	return false;
}

static bool
probe_types(struct loading *l)
{
	const struct machine_source here = {.root = STR("")};
	struct machine *machine = &l->machine;
	struct pool pool;

	if (l->from->has_backend && (!l->is_probed || are_gpus_given(l)))
		return diag_error(l->d, NO_PLACE,
			"cctr: --gpu-backend does nothing: the pool has its GPUs");
	l->adds_processors = l->options->shares_host && !l->is_probed &&
			     !is_numbered(l, POOL_PROCESSORS) &&
			     pool_type(&l->found->pool, STR(POOL_PROCESSORS)) == MAP_NONE;
	if (!l->is_probed && !l->adds_processors && !asks_for_physical(l))
		return true;
	if (!machine_probe(l->a, &here, machine, l->d))
		return diag_error(l->d, NO_PLACE,
			"cctr: the resources of the machine are not known");
	if (l->adds_processors) {
		pool = machine_pool(l->a, machine);
		pool_add_one_missing(l->a, &l->found->pool, &pool, STR(POOL_PROCESSORS));
	}
	if (!l->is_probed)
		return true;
	machine_keep_visible(l->a, machine, &l->from->gpus);
	if (!are_gpus_given(l) && !machine_choose_gpus(l->a, machine,
					  l->options->gpu_backend, "--gpu-backend", l->d))
		return false;
	pool = machine_pool(l->a, machine);
	pool_add_missing(l->a, &l->found->pool, &pool);
	return true;
}

/* The types of a resource specification file have no meaning, as in ctest. */
static bool
are_processors_counted(const struct loading *l)
{
	return is_numbered(l, POOL_PROCESSORS) || l->adds_processors ||
	       (!l->spec_file.n &&
		       pool_type(&l->found->pool, STR(POOL_PROCESSORS)) != MAP_NONE);
}

static bool
obey_numbers(struct loading *l)
{
	for (size_t i = 0; i < l->options->numbers.n; i++) {
		const struct resource_number *r = &l->options->numbers.v[i];
		struct str name = type_meant(l, r->type);
		struct resource_type *t;

		if (r->is_physical && !l->machine.cores)
			return diag_error(l->d, NO_PLACE,
				"cctr: --resource cpus=physical: the physical processors "
				"of this machine are not known");
		t = pool_add_type(l->a, &l->found->pool, name);
		if (r->is_physical)
			machine_number_cores(l->a, t, &l->machine);
		else if (r->is_listed)
			pool_list_instances(l->a, t, r->first, r->n);
		else
			pool_number_instances(l->a, t, r->n, r->slots);
	}
	return true;
}

/* The same for the nodes of a job, which has what a probe would find. */
static bool
restrict_job(struct loading *l)
{
	resource_numbers numbers = {0};
	const struct pool file = l->found->pool;
	struct allocated_sources from = {.job = l->from->job,
		.file = &file,
		.file_name = l->found->shown_as,
		.numbers = &numbers,
		.adds_types = l->is_probed};

	if (asks_for_physical(l))
		return diag_error(l->d, NO_PLACE,
			"cctr: --resource cpus=physical: the physical processors of the "
			"nodes are not known");
	for (size_t i = 0; i < l->options->numbers.n; i++) {
		struct resource_number r = l->options->numbers.v[i];

		r.type = type_meant(l, r.type);
		VEC_PUSH(l->a, &numbers, r);
	}
	return allocated_pool_make(l->a, &from, &l->found->pool, l->d);
}

static bool
choose_instances(struct loading *l)
{
	if (l->from->job)
		return restrict_job(l);
	return choose_node(l) && probe_types(l) && obey_numbers(l);
}

/* The processors of a job are counted also if a file does not have them. */
static bool
are_job_processors(const struct loading *l, const struct pool *file)
{
	return l->from->job && pool_type(file, STR(POOL_PROCESSORS)) == MAP_NONE;
}

static bool
obey_factors(struct loading *l)
{
	for (size_t i = 0; i < l->options->factors.n; i++) {
		const struct resource_number *r = &l->options->factors.v[i];
		uint32_t type = pool_type(&l->found->pool, type_meant(l, r->type));

		if (type == MAP_NONE)
			return diag_error(l->d, NO_PLACE,
				"cctr: --oversubscribe %.*s=%llu: the pool has no such "
				"type",
				STR_ARG(r->type), (unsigned long long)r->n);
		if (l->from->has_factors && !l->found->pool.types[type].n)
			return diag_error(l->d, NO_PLACE,
				"cctr: --oversubscribe %.*s=%llu: the pool has no "
				"instance of the type",
				STR_ARG(r->type), (unsigned long long)r->n);
		if (!pool_oversubscribe(&l->found->pool.types[type], r->n))
			return diag_error(l->d, NO_PLACE,
				"cctr: --oversubscribe %.*s=%llu: more than %llu slots",
				STR_ARG(r->type), (unsigned long long)r->n,
				(unsigned long long)POOL_SLOTS_MOST);
	}
	return true;
}

static bool
check_telling(const struct loading *l)
{
	const struct resource_teller t = {&l->found->pool, NULL, l->found->telling};
	struct str why;

	return resource_teller_can_tell(l->a, &t, &why) ||
	       diag_error(l->d, NO_PLACE, "cctr: --gpu-visible: %.*s", STR_ARG(why));
}

bool
resource_pool_load(struct arena *a, const struct resource_sources *from,
	struct resource_pool *found, struct diag *d)
{
	struct loading l = {.a = a,
		.from = from,
		.options = from->options,
		.found = found,
		.d = d,
		.spec_file = STR("")};
	bool lacks_processors;

	INVARIANT(from && found && d);
	*found = (struct resource_pool){.is_there = false};
	if (!choose_sources(&l))
		return false;
	if (l.options->style != RESOURCE_STYLE_DEFAULT)
		found->telling.style = l.options->style;
	found->telling.gpu_visible = l.options->gpu_visible;
	found->telling.gpus = from->gpus;
	if (!found->is_there)
		return true;
	if (!read_file(&l))
		return false;
	lacks_processors = are_job_processors(&l, &found->pool);
	if (!choose_instances(&l))
		return false;
	found->pool.counts_processors = lacks_processors || are_processors_counted(&l);
	found->pool.placement = l.options->placement;
	return obey_factors(&l) && check_telling(&l);
}

bool
resource_pool_declares(
	struct arena *a, const struct resource_sources *from, struct str type)
{
	struct resource_pool found = {.is_there = false};
	struct diag said = diag_in(a);
	struct loading l = {.a = a,
		.from = from,
		.options = from->options,
		.found = &found,
		.d = &said,
		.spec_file = STR("")};

	if (from->is_generated)
		return true;
	return choose_sources(&l) && read_file(&l) &&
	       (pool_type(&found.pool, type) != MAP_NONE ||
		       is_numbered(&l, str_z(a, type)));
}

/* ---- showing --------------------------------------------------------------------- */

/* from: as for resource_pool_show. */
static struct str
node_of(const struct pool *p, const struct resource_instance *r, struct str from)
{
	return from.n && p->nodes_n ? p->nodes[r->node] : STR_NONE;
}

static void
write_instance(struct json *j, const struct resource_instance *r, struct str node)
{
	json_open(j, '{');
	json_key(j, "id");
	json_string(j, r->id);
	json_key(j, "slots");
	json_int(j, (long long)r->slots);
	if (r->properties_n || node.n) {
		json_key(j, "properties");
		json_open(j, '{');
		if (node.n) {
			json_key(j, "node");
			json_string(j, node);
		}
		for (size_t i = 0; i < r->properties_n; i++) {
			json_key(j, str_z(j->out->arena, r->properties[i].name));
			json_string(j, r->properties[i].value);
		}
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void
show_json(struct buf *out, const struct pool *p, struct str from)
{
	struct json j = {.out = out};

	json_open(&j, '{');
	json_version(&j, 1, 0);
	json_key(&j, "local");
	json_open(&j, '[');
	json_open(&j, '{');
	for (size_t i = 0; i < p->n; i++) {
		json_key(&j, str_z(out->arena, p->types[i].name));
		json_open(&j, '[');
		for (size_t k = 0; k < p->types[i].n; k++)
			write_instance(&j, &p->types[i].v[k],
				node_of(p, &p->types[i].v[k], from));
		json_close(&j, ']');
	}
	json_close(&j, '}');
	json_close(&j, ']');
	json_close(&j, '}');
	buf_char(out, '\n');
}

/* "  n1: cpus 2, gpus 2 (0 1), mem 200" */
static void
show_node(struct buf *out, const struct pool *p, uint32_t node)
{
	const char *before = ": ";

	buf_fmt(out, "  %.*s", STR_ARG(p->nodes[node]));
	for (size_t i = 0; i < p->n; i++) {
		struct buf ids = {.arena = out->arena};
		uint64_t slots = 0;

		for (size_t k = pool_first_on(&p->types[i], node);
			k < p->types[i].n && p->types[i].v[k].node == node; k++) {
			slots += p->types[i].v[k].slots;
			buf_fmt(&ids, "%s%.*s", ids.n ? " " : "",
				STR_ARG(p->types[i].v[k].id));
		}
		if (!ids.n)
			continue;
		buf_fmt(out, "%s%.*s %llu", before, STR_ARG(p->types[i].name),
			(unsigned long long)slots);
		if (str_is(p->types[i].name, GPU_TYPE))
			buf_fmt(out, " (%.*s)", STR_ARG(buf_as_str(&ids)));
		before = ", ";
	}
	if (p->engines)
		buf_fmt(out, "%sengine %.*s", before, STR_ARG(p->engines[node]));
	buf_char(out, '\n');
}

static void
show_human(struct buf *out, const struct pool *p, struct str from)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct resource_type *t = &p->types[i];

		buf_fmt(out, "%.*s: %zu\n", STR_ARG(t->name), t->n);
		for (size_t k = 0; k < t->n; k++) {
			const struct resource_instance *r = &t->v[k];
			struct str node = node_of(p, r, from);

			buf_fmt(out, "  %.*s: %llu slot%s", STR_ARG(r->id),
				(unsigned long long)r->slots, r->slots == 1 ? "" : "s");
			if (node.n)
				buf_fmt(out, ", node %.*s", STR_ARG(node));
			for (size_t q = 0; q < r->properties_n; q++)
				buf_fmt(out, ", %.*s %.*s",
					STR_ARG(r->properties[q].name),
					STR_ARG(r->properties[q].value));
			buf_char(out, '\n');
		}
	}
	if (from.n)
		buf_fmt(out, "nodes: %zu, %.*s\n", p->nodes_n, STR_ARG(from));
	for (uint32_t node = 0; from.n && node < p->nodes_n; node++)
		show_node(out, p, node);
}

void
resource_pool_show(
	struct buf *out, const struct pool *p, enum show_resources form, struct str from)
{
	INVARIANT(p);
	if (form == SHOW_RESOURCES_JSON)
		show_json(out, p, from);
	else
		show_human(out, p, from);
}
