/* Devices of the pool's GPUs. See gpu_visibility.h. */
#include "compat/resources/gpu_visibility.h"

/* The instances of one vendor, and the list of the session. */
struct naming {
	const struct resource_type *gpus;
	const char *vendor;
	const struct gpu_devices *visible;
	bool ids_count; /* ids are numbers of the vendor's devices */
};

static struct str
find_property(const struct resource_instance *r, const char *name)
{
	for (size_t i = 0; i < r->properties_n; i++)
		if (str_is(r->properties[i].name, name))
			return r->properties[i].value;
	return STR_NONE;
}

/* A GPU of an unknown vendor may be of any. */
static bool
may_be_of(const struct resource_instance *r, const char *vendor)
{
	struct str v = find_property(r, "vendor");

	return v.n == 0 || str_is(v, vendor);
}

/* ---- ways to name a device ------------------------------------------------------- */

/* STR_NONE: the device is not in the session. */
static struct str
device_here(const struct naming *n, struct str device)
{
	return n->visible->is_limited ? gpu_device_in(n->visible, device) : device;
}

/* ROCm's UUIDs are not what its variables take. */
static struct str
name_by_uuid(const struct naming *n, const struct resource_instance *r)
{
	struct str uuid = find_property(r, "uuid");

	return gpu_is_uuid(uuid) && str_is(str_of(n->vendor), "nvidia") &&
			       device_here(n, uuid).n
		       ? uuid
		       : STR_NONE;
}

static struct str
name_by_device(const struct naming *n, const struct resource_instance *r)
{
	return device_here(n, find_property(r, "device"));
}

/* The id as a number of a device. false: it is none, or the session names GPUs by UUID
 * and the instance has another one. */
static bool
read_id(const struct naming *n, const struct resource_instance *r, uint64_t *number)
{
	bool has_uuid = gpu_is_uuid(find_property(r, "uuid"));
	bool wants_uuid = n->visible->is_limited && gpu_devices_are_uuids(n->visible);

	return n->ids_count && !(has_uuid && wants_uuid) &&
	       str_unsigned(r->id, UINT32_MAX, number);
}

static struct str
name_by_id(const struct naming *n, const struct resource_instance *r)
{
	uint64_t index;

	return read_id(n, r, &index) ? device_here(n, r->id) : STR_NONE;
}

static struct str
name_by_place(const struct naming *n, const struct resource_instance *r)
{
	uint64_t at;

	return n->visible->is_limited && read_id(n, r, &at) && at < n->visible->n
		       ? n->visible->v[at]
		       : STR_NONE;
}

typedef struct str naming_way(const struct naming *n, const struct resource_instance *r);

static bool
name_all(const struct naming *n, naming_way *way, struct str *names)
{
	for (size_t i = 0; i < n->gpus->n; i++) {
		const struct resource_instance *r = &n->gpus->v[i];

		names[i] = may_be_of(r, n->vendor) ? way(n, r) : STR_NONE;
		if (may_be_of(r, n->vendor) && !names[i].n)
			return false;
	}
	return true;
}

static bool
name_vendor(const struct naming *n, struct str *names)
{
	static naming_way *const ways[] = {
		name_by_uuid, name_by_device, name_by_id, name_by_place};

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (name_all(n, ways[i], names))
			return true;
	return false;
}

/* ---- both vendors ---------------------------------------------------------------- */

static bool
has_vendor(const struct resource_type *gpus, const char *vendor)
{
	for (size_t i = 0; i < gpus->n; i++)
		if (may_be_of(&gpus->v[i], vendor))
			return true;
	return false;
}

/* GPUs of two vendors that are known: each vendor has numbers of its own. */
static bool
is_mixed(const struct resource_type *gpus)
{
	struct str first = STR_NONE;

	for (size_t i = 0; i < gpus->n; i++) {
		struct str vendor = find_property(&gpus->v[i], "vendor");

		if (vendor.n && first.n && !str_eq(vendor, first))
			return true;
		if (vendor.n)
			first = vendor;
	}
	return false;
}

static struct str
complaint_of(struct arena *a, const struct naming *n, const char *variable)
{
	if (n->visible->is_limited)
		return str_fmt(a,
			"the " GPU_TYPE " of the pool are not among the %zu device%s "
			"of %s",
			n->visible->n, n->visible->n == 1 ? "" : "s", variable);
	return str_fmt(a,
		"which devices of %s the " GPU_TYPE
		" of the pool are is not known: ids %s; a property 'device' can say "
		"it",
		variable,
		n->ids_count ? "must be numbers" : "do not say it with several vendors");
}

bool
gpu_names_find(struct arena *a, const struct resource_type *gpus,
	const struct gpu_session *s, struct gpu_names *names, struct str *why)
{
	bool ids_count = !is_mixed(gpus);
	const struct naming nvidia = {gpus, "nvidia", &s->nvidia, ids_count};
	const struct naming amd = {gpus, "amd", &s->amd, ids_count};

	INVARIANT(s && names && why);
	*names = (struct gpu_names){.nvidia = NEW_ARRAY(a, struct str, gpus->n),
		.amd = NEW_ARRAY(a, struct str, gpus->n),
		.has_nvidia = has_vendor(gpus, "nvidia"),
		.has_amd = has_vendor(gpus, "amd")};
	if (!name_vendor(&nvidia, names->nvidia)) {
		*why = complaint_of(a, &nvidia, "CUDA_VISIBLE_DEVICES");
		return false;
	}
	if (!name_vendor(&amd, names->amd)) {
		*why = complaint_of(a, &amd, "ROCR_VISIBLE_DEVICES");
		return false;
	}
	return true;
}
