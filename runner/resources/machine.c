/* The machine as a pool. See machine.h. */
#include "runner/resources/machine.h"

#include <float.h>
#include <stdlib.h>

#include "runner/base/files.h"
#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"
#include "runner/resources/probe.h"

/* ---- files ----------------------------------------------------------------------- */

static struct str
text_of(struct arena *a, struct str path)
{
	struct str text;

	return file_read(a, path.p, &text) ? str_trim(text) : STR("");
}

/* "Name: value" or "name value", as the files of drivers have them. */
static struct str
value_of(struct str text, struct str name)
{
	struct str line;

	while (str_take_line(&text, &line)) {
		struct str rest;

		if (!str_begins(line, name))
			continue;
		rest = str_from(line, name.n);
		if (rest.n && (rest.p[0] == ':' || rest.p[0] == ' '))
			return str_trim(str_from(rest, 1));
	}
	return STR("");
}

/* ---- memory ---------------------------------------------------------------------- */

/* Whether the number is in a list such as "0-3,8". */
static bool
is_listed(struct str list, uint64_t number)
{
	while (list.n) {
		size_t comma = str_find(list, ','), dash;
		struct str range = str_cut(list.p, comma);
		uint64_t first, last;

		dash = str_find(range, '-');
		if (str_unsigned(str_cut(range.p, dash), UINT32_MAX, &first) &&
			str_unsigned(dash < range.n ? str_from(range, dash + 1) : range,
				UINT32_MAX, &last) &&
			first <= number && number <= last)
			return true;
		list = str_from(list, comma < list.n ? comma + 1 : comma);
	}
	return false;
}

/* true: the process may use all memory nodes that have memory, as far as is known. */
static bool
has_all_nodes(struct arena *a, struct str root)
{
	enum { NODES_MOST = 1024 };
	struct str status =
		text_of(a, str_fmt(a, "%.*s/proc/self/status", STR_ARG(root)));
	struct str allowed = value_of(status, STR("Mems_allowed_list"));
	struct str nodes = text_of(
		a, str_fmt(a, "%.*s/sys/devices/system/node/has_memory", STR_ARG(root)));

	for (unsigned i = 0; allowed.n && i < NODES_MOST; i++)
		if (is_listed(nodes, i) && !is_listed(allowed, i))
			return false;
	return true;
}

static uint64_t
system_bytes(struct arena *a, struct str root)
{
	struct str text = text_of(a, str_fmt(a, "%.*s/proc/meminfo", STR_ARG(root)));
	struct str total = value_of(text, STR("MemTotal"));
	uint64_t kibibytes;

	if (str_unsigned(str_cut(total.p, str_find(total, ' ')), UINT64_MAX >> 10,
		    &kibibytes) &&
		has_all_nodes(a, root))
		return kibibytes << 10;
	return 0;
}

/* ---- control groups -------------------------------------------------------------- */

/* For both versions of control groups: where a group's files are, and the names of its
 * limits. */
struct hierarchy {
	struct str mount; /* of the hierarchy, below the root */
	/* period NULL: the period is in the file of the quota */
	const char *quota, *period, *memory;
};

static void
limit_processors(struct machine_limits *l, struct str quota, struct str period)
{
	uint64_t most, every;

	if (str_unsigned(quota, UINT64_MAX, &most) &&
		str_unsigned(period, UINT64_MAX, &every) && most && every &&
		(double)most / (double)every < l->processors)
		l->processors = (double)most / (double)every;
}

static void
limit_memory(struct machine_limits *l, struct str text)
{
	uint64_t bytes;

	if (str_unsigned(text, UINT64_MAX, &bytes) && bytes && bytes < l->memory_bytes)
		l->memory_bytes = bytes;
}

static void
read_group(struct arena *a, struct str group, const struct hierarchy *h,
	struct machine_limits *l)
{
	struct str quota, period;

	if (h->quota) {
		quota = text_of(a, str_fmt(a, "%.*s/%s", STR_ARG(group), h->quota));
		if (h->period) {
			period = text_of(
				a, str_fmt(a, "%.*s/%s", STR_ARG(group), h->period));
		} else {
			size_t n = str_find(quota, ' ');

			period = str_trim(str_from(quota, n));
			quota = str_cut(quota.p, n);
		}
		limit_processors(l, quota, period);
	}
	if (h->memory)
		limit_memory(
			l, text_of(a, str_fmt(a, "%.*s/%s", STR_ARG(group), h->memory)));
}

/* A group is subject to the limits of all groups that contain it. */
static void
read_groups(struct arena *a, struct str path, const struct hierarchy *h,
	struct machine_limits *l)
{
	for (;;) {
		read_group(a, str_fmt(a, "%.*s%.*s", STR_ARG(h->mount), STR_ARG(path)), h,
			l);
		if (path.n <= 1 || !str_has(path, STR("/")))
			return;
		path = str_cut(path.p, str_rfind(path, '/'));
	}
}

static bool
has_controller(struct str controllers, const char *name)
{
	while (controllers.n)
		if (str_is(str_take(&controllers, ','), name))
			return true;
	return false;
}

/* "4:cpu,cpuacct:/path", or "0::/path" of version 2. */
static void
read_membership(
	struct arena *a, struct str root, struct str line, struct machine_limits *l)
{
	struct str rest = str_from(line, str_find(line, ':')), controllers, path;

	if (!rest.n)
		return;
	rest = str_from(rest, 1);
	controllers = str_cut(rest.p, str_find(rest, ':'));
	if (controllers.n == rest.n)
		return;
	path = str_from(rest, controllers.n + 1);
	if (!controllers.n)
		read_groups(a, path,
			&(struct hierarchy){
				str_fmt(a, "%.*s/sys/fs/cgroup", STR_ARG(root)),
				"cpu.max", NULL, "memory.max"},
			l);
	if (has_controller(controllers, "cpu"))
		read_groups(a, path,
			&(struct hierarchy){
				str_fmt(a, "%.*s/sys/fs/cgroup/cpu", STR_ARG(root)),
				"cpu.cfs_quota_us", "cpu.cfs_period_us", NULL},
			l);
	if (has_controller(controllers, "memory"))
		read_groups(a, path,
			&(struct hierarchy){
				str_fmt(a, "%.*s/sys/fs/cgroup/memory", STR_ARG(root)),
				NULL, NULL, "memory.limit_in_bytes"},
			l);
}

struct machine_limits
machine_limits(struct arena *a, struct str root)
{
	struct machine_limits l = {DBL_MAX, UINT64_MAX, system_bytes(a, root)};
	struct str rest = text_of(a, str_fmt(a, "%.*s/proc/self/cgroup", STR_ARG(root)));
	struct str line;

	while (str_take_line(&rest, &line))
		read_membership(a, root, line, &l);
	return l;
}

/* ---- GPUs of drivers ------------------------------------------------------------- */

/* Numbers, and so bus addresses, in their order. */
static int
by_length(const void *a, const void *b)
{
	const struct str *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? -1 : 1) : str_order(*x, *y);
}

/* The names in a folder; none where it cannot be read to its end, since half of the GPUs
 * would be wrong. */
static str_vec
entries_of(struct arena *a, struct str directory)
{
	str_vec names = {0};

	if (!directory_read(a, directory.p, &names))
		names.n = 0;
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, by_length);
	return names;
}

/* In a container the driver lists every GPU, but /dev only those that may be used. */
static bool
is_given(struct arena *a, struct str root, struct str minor)
{
	return !minor.n || path_exists(str_fmt(a, "%.*s/dev/nvidia%.*s", STR_ARG(root),
				   STR_ARG(minor))
					       .p);
}

static void
read_nvidia(struct arena *a, struct str root, struct machine *m)
{
	struct str gpus = str_fmt(a, "%.*s/proc/driver/nvidia/gpus", STR_ARG(root));
	str_vec names = entries_of(a, gpus);

	for (size_t i = 0; i < names.n; i++) {
		struct str text = text_of(a, str_fmt(a, "%.*s/%.*s/information",
						     STR_ARG(gpus), STR_ARG(names.v[i])));

		if (is_given(a, root, value_of(text, STR("Device Minor"))))
			VEC_PUSH(a, &m->gpus,
				(struct machine_gpu){.bus = names.v[i],
					.vendor = STR("nvidia"),
					.model = value_of(text, STR("Model")),
					.uuid = value_of(text, STR("GPU UUID"))});
	}
}

static struct str
bus_of_location(struct arena *a, struct str text)
{
	uint64_t domain = 0, place = 0;

	if (!str_unsigned(value_of(text, STR("location_id")), UINT32_MAX, &place))
		return STR("");
	if (!str_unsigned(value_of(text, STR("domain")), UINT32_MAX, &domain))
		domain = 0;
	return str_fmt(a, "%04x:%02x:%02x.%x", (unsigned)domain,
		(unsigned)(place >> 8 & 0xff), (unsigned)(place >> 3 & 0x1f),
		(unsigned)(place & 7));
}

/* The topology of /dev/kfd has processors as nodes, too; those have no SIMD units. */
static void
read_kfd(struct arena *a, struct str root, struct machine *m)
{
	struct str nodes =
		str_fmt(a, "%.*s/sys/class/kfd/kfd/topology/nodes", STR_ARG(root));
	str_vec names;

	if (!path_exists(str_fmt(a, "%.*s/dev/kfd", STR_ARG(root)).p))
		return;
	names = entries_of(a, nodes);
	for (size_t i = 0; i < names.n; i++) {
		struct str node =
			str_fmt(a, "%.*s/%.*s", STR_ARG(nodes), STR_ARG(names.v[i]));
		struct str text =
			text_of(a, str_fmt(a, "%.*s/properties", STR_ARG(node)));
		uint64_t units;

		if (!str_unsigned(
			    value_of(text, STR("simd_count")), UINT32_MAX, &units) ||
			units == 0)
			continue;
		VEC_PUSH(a, &m->gpus,
			(struct machine_gpu){.bus = bus_of_location(a, text),
				.vendor = STR("amd"),
				.model = text_of(
					a, str_fmt(a, "%.*s/name", STR_ARG(node))),
				.uuid = STR("")});
	}
}

void
machine_driver_gpus(struct arena *a, struct str root, struct machine *m)
{
	INVARIANT(m);
	read_nvidia(a, root, m);
	read_kfd(a, root, m);
}

/* ---- the machine ----------------------------------------------------------------- */

static void
obey_limits(struct machine *m, struct machine_limits l)
{
	/* A part of a processor counts as one, since a test needs at least one. */
	size_t most = l.processors < 1 ? 1 : (size_t)l.processors;

	if (l.processors < (double)m->processors)
		m->processors = most;
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
	obey_limits(machine, machine_limits(a, from->root));
	if (machine->gpus.n == 0)
		machine_driver_gpus(a, from->root, machine);
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

static const struct machine_gpu *
gpu_with_uuid(const gpu_vec *v, struct str device)
{
	for (size_t i = 0; i < v->n; i++)
		if (str_begins(v->v[i].uuid, device))
			return &v->v[i];
	return NULL;
}

/* The GPU that the session calls so. Without members but its name if it is not known
 * which one it is. false: the vendor has no such GPU. */
static bool
find_device(
	const gpu_vec *v, struct str device, bool is_by_bus, struct machine_gpu *found)
{
	const struct machine_gpu *gpu = NULL;
	uint64_t index = 0;

	*found = (struct machine_gpu){.uuid = STR("")};
	if (gpu_is_uuid(device)) {
		found->uuid = device;
		gpu = gpu_with_uuid(v, device);
	} else if (!str_unsigned(device, UINT32_MAX, &index) || index >= v->n) {
		return false;
	} else if (is_order_known(v, is_by_bus)) {
		gpu = &v->v[index];
	}
	if (gpu)
		*found = *gpu;
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

static void
keep_devices(struct arena *a, struct machine *m, struct str vendor,
	const struct gpu_devices *visible, bool is_by_bus)
{
	gpu_vec all;

	if (!visible->is_limited) {
		for (size_t i = 0, k = 0; i < m->gpus.n; i++)
			if (str_eq(m->gpus.v[i].vendor, vendor))
				m->gpus.v[i].device = str_fmt(a, "%zu", k++);
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
is_ambiguous(struct arena *a, const struct machine *m, struct diag *d)
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
	diag_error(d, NO_PLACE,
		"cctr: --gpu-backend auto is ambiguous, there are GPUs of %.*s",
		STR_ARG(buf_as_str(&all)));
	return true;
}

bool
machine_choose_gpus(
	struct arena *a, struct machine *m, struct str backend, struct diag *d)
{
	size_t n = 0;

	INVARIANT(d);
	if (str_is(backend, "auto"))
		return !is_ambiguous(a, m, d);
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
	struct resource_type *t = pool_add_type(a, p, STR("gpus"));
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
		pool_number_instances(a, pool_add_type(a, &p, STR("mem")), 1,
			mebibytes < POOL_SLOTS_MOST ? mebibytes : POOL_SLOTS_MOST);
	return p;
}
