/* Lists of visible devices. See gpu_session.h. */
#include "runner/resources/gpu_session.h"

/* No machine has more. */
enum { DEVICE_MOST = 1 << 16 };

bool
gpu_is_uuid(struct str device)
{
	return str_begins(device, STR("GPU-")) || str_begins(device, STR("MIG-"));
}

static bool
is_device(struct str s)
{
	uint64_t index;

	return gpu_is_uuid(s) || str_unsigned(s, DEVICE_MOST, &index);
}

struct str
gpu_device_in(const struct gpu_devices *d, struct str device)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_eq(d->v[i], device) ||
			(gpu_is_uuid(d->v[i]) && str_begins(device, d->v[i])))
			return d->v[i];
	return STR_NONE;
}

bool
gpu_devices_are_uuids(const struct gpu_devices *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (!gpu_is_uuid(d->v[i]))
			return false;
	return true;
}

static struct gpu_devices
read_devices(struct arena *a, const char *value)
{
	struct gpu_devices d = {.is_limited = value != NULL};
	struct str rest = value ? str_of(value) : STR("");
	VEC(struct str) found = {0};

	while (rest.n) {
		struct str one = str_trim(str_take(&rest, ','));

		if (!is_device(one))
			break;
		if (!gpu_device_in(&d, one).n) {
			VEC_PUSH(a, &found, str_dup(a, one));
			d.v = found.v;
			d.n = found.n;
		}
	}
	return d;
}

/* HIP counts the devices that ROCR leaves visible. */
static struct gpu_devices
choose_devices(
	struct arena *a, const struct gpu_devices *rocr, const struct gpu_devices *hip)
{
	struct gpu_devices d = {.is_limited = true};

	if (!hip->is_limited || !rocr->is_limited)
		return hip->is_limited ? *hip : *rocr;
	d.v = NEW_ARRAY(a, struct str, hip->n);
	for (size_t i = 0; i < hip->n; i++) {
		uint64_t at = 0;

		if (str_unsigned(hip->v[i], UINT32_MAX, &at) && at >= rocr->n)
			break;
		d.v[d.n++] = gpu_is_uuid(hip->v[i]) ? hip->v[i] : rocr->v[at];
	}
	return d;
}

struct gpu_session
gpu_session_of(struct arena *a, const struct gpu_variables *v)
{
	struct gpu_devices rocr = read_devices(a, v->rocr), hip = read_devices(a, v->hip);

	INVARIANT(v);
	return (struct gpu_session){
		.nvidia = read_devices(a, v->cuda),
		.amd = choose_devices(a, &rocr, &hip),
		.is_by_bus = v->cuda_order && str_is(str_of(v->cuda_order), "PCI_BUS_ID"),
	};
}
