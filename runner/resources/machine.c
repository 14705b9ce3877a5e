/* The machine as a pool. See machine.h. */
#include "runner/resources/machine.h"

#include "runner/resources/driver_gpus.h"
#include "runner/resources/machine_limits.h"
#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"
#include "runner/resources/probe.h"

/* ---- the machine ----------------------------------------------------------------- */

static void
obey_limits(struct machine *m, struct machine_limits l)
{
	/* A part of a processor counts as one, since a test needs at least one. */
	if (l.processors < (double)m->processors)
		m->processors = l.processors < 1 ? 1 : (size_t)l.processors;
	if (m->cores > m->processors)
		m->cores = m->processors;
	/* hwloc adds up the memory nodes that it finds, which need not be all. */
	if (l.system_bytes)
		m->memory_bytes = l.system_bytes;
	if (l.memory_bytes < m->memory_bytes)
		m->memory_bytes = l.memory_bytes;
}

bool
machine_probe(struct arena *a, const struct machine_source *from, struct machine *machine,
	struct diag *d)
{
	enum probe_end end = PROBE_READ;

	INVARIANT(from && machine && d);
	if (!from->text.synthetic && !from->text.xml)
		end = probe_machine(a, topology_read, PROBE_MS, machine);
	else if (!topology_read(a, &from->text, machine))
		return false;
	if (end != PROBE_READ)
		diag_warning(d, NO_PLACE,
			"cctr: %.*s; its processors are counted without it",
			STR_ARG(probe_complaint(a, end, PROBE_MS)));
	if (!machine->is_this_system)
		return true;
	obey_limits(machine, machine_limits_read(a, from->root));
	if (machine->gpus.n == 0)
		driver_gpus_read(a, from->root, machine);
	driver_gpus_split(a, from->root, machine, d);
	return true;
}

/* ---- which GPUs of the session ---------------------------------------------------- */

/* The machine's GPUs of one vendor. */
typedef VEC(struct machine_gpu) gpu_vec;

/* Whether the vendor's library counts the GPUs in the order of the vector. CUDA begins
 * with the fastest. */
static bool
is_order_known(const gpu_vec *v, bool is_by_bus)
{
	for (size_t i = 0; i < v->n && !is_by_bus; i++)
		if (!v->v[i].model.n || !str_eq(v->v[i].model, v->v[0].model))
			return false;
	return true;
}

/* The k-th part of a GPU, as a GPU. */
static struct machine_gpu
part_of_gpu(const struct machine_gpu *g, size_t k)
{
	return (struct machine_gpu){.bus = g->bus,
		.vendor = g->vendor,
		.model = g->parts.v[k].model,
		.uuid = g->parts.v[k].uuid,
		.device = g->parts.v[k].uuid};
}

static bool
find_part(const struct machine_gpu *g, struct str uuid, struct machine_gpu *found)
{
	for (size_t k = 0; k < g->parts.n; k++)
		if (str_begins(g->parts.v[k].uuid, uuid)) {
			*found = part_of_gpu(g, k);
			return true;
		}
	return false;
}

/* *found stays as it is if there is none. */
static void
find_uuid(const gpu_vec *v, struct str uuid, struct machine_gpu *found)
{
	for (size_t i = 0; i < v->n; i++) {
		if (str_begins(v->v[i].uuid, uuid))
			*found = v->v[i];
		else if (!find_part(&v->v[i], uuid, found))
			continue;
		return;
	}
}

/* The GPU that the session calls so, of one that is split the first part, as CUDA does.
 * Without members but its name if it is not known which one it is. false: the vendor has
 * no such GPU. */
static bool
find_device(
	const gpu_vec *v, struct str device, bool is_by_bus, struct machine_gpu *found)
{
	uint64_t index = 0;

	*found = (struct machine_gpu){.uuid = STR("")};
	if (gpu_is_uuid(device)) {
		found->uuid = device;
		find_uuid(v, device, found);
	} else if (!str_unsigned(device, UINT32_MAX, &index) || index >= v->n) {
		return false;
	} else if (is_order_known(v, is_by_bus)) {
		*found = v->v[index];
	}
	if (found->parts.n)
		*found = part_of_gpu(found, 0);
	found->device = device;
	return v->n > 0;
}

static gpu_vec
take_vendor(struct arena *a, struct machine *m, struct str vendor)
{
	gpu_vec taken = {0};
	size_t n = 0;

	for (size_t i = 0; i < m->gpus.n; i++)
		if (str_eq(m->gpus.v[i].vendor, vendor))
			VEC_PUSH(a, &taken, m->gpus.v[i]);
		else
			m->gpus.v[n++] = m->gpus.v[i];
	m->gpus.n = n;
	return taken;
}

static bool
is_one_split(const struct machine *m, struct str vendor)
{
	for (size_t i = 0; i < m->gpus.n; i++)
		if (m->gpus.v[i].parts.n && str_eq(m->gpus.v[i].vendor, vendor))
			return true;
	return false;
}

/* All of a vendor's GPUs by their numbers; if one is split, all by UUIDs, and its parts
 * instead of it. */
static void
keep_all(struct arena *a, struct machine *m, struct str vendor)
{
	bool is_split = is_one_split(m, vendor);
	const struct machine all = *m;
	size_t number = 0;

	m->gpus.v = NULL;
	m->gpus.n = m->gpus.cap = 0;
	for (size_t i = 0; i < all.gpus.n; i++) {
		struct machine_gpu g = all.gpus.v[i];

		for (size_t k = 0; k < g.parts.n; k++)
			VEC_PUSH(a, &m->gpus, part_of_gpu(&g, k));
		if (g.parts.n)
			continue;
		if (str_eq(g.vendor, vendor))
			g.device = is_split && g.uuid.n ? g.uuid
							: str_fmt(a, "%zu", number++);
		VEC_PUSH(a, &m->gpus, g);
	}
}

static void
keep_devices(struct arena *a, struct machine *m, struct str vendor,
	const struct gpu_devices *visible, bool is_by_bus)
{
	gpu_vec all;

	if (!visible->is_limited) {
		keep_all(a, m, vendor);
		return;
	}
	all = take_vendor(a, m, vendor);
	for (size_t i = 0; i < visible->n; i++) {
		struct machine_gpu gpu;

		if (!find_device(&all, visible->v[i], is_by_bus, &gpu))
			return;
		gpu.vendor = vendor;
		VEC_PUSH(a, &m->gpus, gpu);
	}
}

void
machine_keep_visible(
	struct arena *a, struct machine *m, const struct gpu_session *session)
{
	INVARIANT(session);
	keep_devices(a, m, STR("nvidia"), &session->nvidia, session->is_by_bus);
	keep_devices(a, m, STR("amd"), &session->amd, true);
}

/* ---- which GPUs ------------------------------------------------------------------ */

static bool
is_ambiguous(struct arena *a, const struct machine *m, const char *option, struct diag *d)
{
	struct map seen = map_in(a);
	struct buf all = {.arena = a};

	for (size_t i = 0; i < m->gpus.n; i++) {
		struct str vendor = m->gpus.v[i].vendor;

		if (!vendor.n)
			vendor = STR("an unknown vendor");
		if (map_has(&seen, vendor))
			continue;
		map_add(&seen, vendor);
		buf_fmt(&all, "%s%.*s", all.n ? ", " : "", STR_ARG(vendor));
	}
	if (seen.n < 2)
		return false;
	diag_error(d, NO_PLACE, "cctr: %s auto is ambiguous, there are GPUs of %.*s",
		option, STR_ARG(buf_as_str(&all)));
	return true;
}

bool
machine_choose_gpus(struct arena *a, struct machine *m, struct str backend,
	const char *option, struct diag *d)
{
	size_t n = 0;

	INVARIANT(d);
	if (str_is(backend, "auto"))
		return !is_ambiguous(a, m, option, d);
	for (size_t i = 0; i < m->gpus.n; i++)
		if (!backend.n || str_eq(m->gpus.v[i].vendor, backend))
			m->gpus.v[n++] = m->gpus.v[i];
	m->gpus.n = n;
	return true;
}

/* ---- as a pool ------------------------------------------------------------------- */

static void
add_property(
	struct arena *a, struct resource_instance *r, const char *name, struct str value)
{
	struct resource_property *p;

	if (!value.n)
		return;
	p = NEW_ARRAY(a, struct resource_property, r->properties_n + 1);
	for (size_t i = 0; i < r->properties_n; i++)
		p[i] = r->properties[i];
	p[r->properties_n++] = (struct resource_property){str_of(name), value};
	r->properties = p;
}

/* numbers: the system's number of each; NULL: not known. */
static void
number_processors(
	struct arena *a, struct resource_type *t, const unsigned *numbers, size_t n)
{
	pool_number_instances(a, t, n, 1);
	for (size_t i = 0; numbers && i < t->n; i++) {
		uint64_t at = 0;

		INVARIANT(str_unsigned(t->v[i].id, n - 1, &at));
		add_property(a, &t->v[i], "number", str_fmt(a, "%u", numbers[at]));
	}
}

void
machine_number_cores(
	struct arena *a, struct resource_type *t, const struct machine *machine)
{
	INVARIANT(t && machine);
	number_processors(a, t, machine->core_numbers, machine->cores);
}

/* The session's names are numbers of one vendor, so that they can be ids. */
static bool
are_devices_ids(const struct machine *m)
{
	for (size_t i = 0; i < m->gpus.n; i++) {
		const struct machine_gpu *g = &m->gpus.v[i];
		uint64_t number;

		if (!str_eq(g->vendor, m->gpus.v[0].vendor) ||
			!str_unsigned(g->device, UINT32_MAX, &number))
			return false;
	}
	return true;
}

static struct resource_instance
instance_of(struct arena *a, const struct machine_gpu *g, struct str id)
{
	struct resource_instance r = {.id = id, .slots = 1};

	add_property(a, &r, "bus", g->bus);
	if (!str_eq(g->device, id))
		add_property(a, &r, "device", g->device);
	add_property(a, &r, "model", g->model);
	add_property(a, &r, "uuid", g->uuid);
	add_property(a, &r, "vendor", g->vendor);
	return r;
}

static void
add_gpus(struct arena *a, struct pool *p, const struct machine *m)
{
	struct resource_type *t = pool_add_type(a, p, STR(POOL_GPUS));
	bool has_ids = are_devices_ids(m);

	t->v = NEW_ARRAY(a, struct resource_instance, m->gpus.n);
	t->n = m->gpus.n;
	for (size_t i = 0; i < t->n; i++)
		t->v[i] = instance_of(a, &m->gpus.v[i],
			has_ids ? m->gpus.v[i].device : str_fmt(a, "%zu", i));
	pool_order_instances(t);
}

struct pool
machine_pool(struct arena *a, const struct machine *machine)
{
	struct pool p = {.n = 0};
	uint64_t mebibytes = machine->memory_bytes >> 20;

	INVARIANT(machine->processors > 0);
	number_processors(a, pool_add_type(a, &p, STR(POOL_PROCESSORS)), machine->numbers,
		machine->processors);
	add_gpus(a, &p, machine);
	if (mebibytes)
		pool_number_instances(a, pool_add_type(a, &p, STR(POOL_MEMORY)), 1,
			mebibytes < POOL_SLOTS_MOST ? mebibytes : POOL_SLOTS_MOST);
	return p;
}
