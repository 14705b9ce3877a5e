/*
 * The machine as hwloc sees it: the only file that includes hwloc. See topology.h.
 *
 * One GPU has as many OS devices as there are interfaces to it (cuda0, nvml0, opencl0d0),
 * all below one PCI device: the PCI device is counted. Where a topology has no PCI
 * devices, the devices of the first interface that has any are counted. Display
 * controllers that no computing interface knows (card0) are no GPUs.
 */
#include "runner/resources/topology.h"

#include <hwloc.h>
#include <string.h>

#include "runner/base/library.h"
#include "runner/base/sort.h"

/* hwloc's own inline functions that call these would need the library at the start. */
#define FUNCTIONS(X)                                                                     \
	X(hwloc_bitmap_alloc)                                                            \
	X(hwloc_bitmap_copy)                                                             \
	X(hwloc_bitmap_first)                                                            \
	X(hwloc_bitmap_free)                                                             \
	X(hwloc_bitmap_isset)                                                            \
	X(hwloc_bitmap_next)                                                             \
	X(hwloc_bitmap_weight)                                                           \
	X(hwloc_get_cpubind)                                                             \
	X(hwloc_get_obj_by_depth)                                                        \
	X(hwloc_get_type_depth)                                                          \
	X(hwloc_topology_destroy)                                                        \
	X(hwloc_topology_get_allowed_cpuset)                                             \
	X(hwloc_topology_init)                                                           \
	X(hwloc_topology_is_thissystem)                                                  \
	X(hwloc_topology_load)                                                           \
	X(hwloc_topology_set_all_types_filter)                                           \
	X(hwloc_topology_set_synthetic)                                                  \
	X(hwloc_topology_set_type_filter)                                                \
	X(hwloc_topology_set_xml)
CCTR_LIBRARY(CCTR_HWLOC_LIBRARY, "recommended", "topology of the machine", FUNCTIONS)

/* ---- objects --------------------------------------------------------------------- */

/* The first object of a kind; its next_cousin is the next one. */
static hwloc_obj_t
first_at(const struct library *l, hwloc_topology_t topology, int depth)
{
	return l->hwloc_get_obj_by_depth(topology, depth, 0);
}

static hwloc_obj_t
first_processor(const struct library *l, hwloc_topology_t topology)
{
	return first_at(l, topology, l->hwloc_get_type_depth(topology, HWLOC_OBJ_PU));
}

static hwloc_obj_t
processor_of(const struct library *l, hwloc_topology_t topology, unsigned number)
{
	hwloc_obj_t pu = first_processor(l, topology);

	while (pu && pu->os_index != number)
		pu = pu->next_cousin;
	return pu;
}

/* ---- processors ------------------------------------------------------------------ */

/* The processors that the process is bound to (taskset), which lie within those that it
 * is allowed (cpuset). The caller frees the result. */
static hwloc_bitmap_t
usable_of(const struct library *l, hwloc_topology_t topology)
{
	hwloc_bitmap_t usable = l->hwloc_bitmap_alloc();

	if (!usable)
		return NULL;
	if (!l->hwloc_topology_is_thissystem(topology) ||
		l->hwloc_get_cpubind(topology, usable, HWLOC_CPUBIND_PROCESS) != 0 ||
		l->hwloc_bitmap_weight(usable) <= 0)
		l->hwloc_bitmap_copy(
			usable, l->hwloc_topology_get_allowed_cpuset(topology));
	return usable;
}

static void
read_processors(struct arena *a, const struct library *l, hwloc_topology_t topology,
	struct machine *m)
{
	hwloc_bitmap_t usable = usable_of(l, topology);
	int n = usable ? l->hwloc_bitmap_weight(usable) : 0, number = -1;
	unsigned *numbers;

	m->processors = 1;
	if (n > 0) {
		numbers = NEW_ARRAY(a, unsigned, (size_t)n);
		for (int i = 0; i < n; i++) {
			number = l->hwloc_bitmap_next(usable, number);
			numbers[i] = (unsigned)number;
		}
		m->processors = (size_t)n;
		m->numbers = numbers;
	}
	l->hwloc_bitmap_free(usable);
}

static bool
is_among(const struct machine *m, unsigned number)
{
	size_t i;

	BISECT(i, m->processors, m->numbers[i] >= number);
	return i < m->processors && m->numbers[i] == number;
}

/* A processor without a core of hwloc's is a core. */
static void
read_cores(struct arena *a, const struct library *l, hwloc_topology_t topology,
	struct machine *m)
{
	hwloc_obj_t last = NULL;
	unsigned *numbers = NEW_ARRAY(a, unsigned, m->numbers ? m->processors : 0);

	for (hwloc_obj_t pu = m->numbers ? first_processor(l, topology) : NULL; pu;
		pu = pu->next_cousin) {
		hwloc_obj_t core =
			hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);

		if (!is_among(m, pu->os_index) || (core && core == last))
			continue;
		numbers[m->cores++] = pu->os_index;
		last = core;
	}
	m->core_numbers = numbers;
}

/* ---- GPUs ------------------------------------------------------------------------ */

/* Interfaces, best first: the names of their devices, and hwloc's names of their
 * properties. */
static const struct {
	const char *prefix, *vendor, *model, *uuid;
} interfaces[] = {
	{"nvml", "nvidia", "GPUModel", "NVIDIAUUID"},
	{"cuda", "nvidia", "GPUModel", NULL},
	{"rsmi", "amd", "GPUModel", "AMDUUID"},
	{"ze", "", "LevelZeroDeviceName", "LevelZeroUUID"},
	{"opencl", "", "GPUModel", NULL},
};
enum { INTERFACES = sizeof interfaces / sizeof *interfaces };

static struct str
info_of(struct arena *a, hwloc_obj_t device, const char *name)
{
	const char *value = name ? hwloc_obj_get_info_by_name(device, name) : NULL;

	return value ? str_dup(a, str_of(value)) : STR("");
}

/* OpenCL has processors among its devices; parts of a Level Zero device have names like
 * "ze0.1". */
static bool
is_of_interface(hwloc_obj_t device, int i)
{
	size_t n = strlen(interfaces[i].prefix);
	const char *kind;

	if (!device->name || strncmp(device->name, interfaces[i].prefix, n) != 0 ||
		device->name[n] < '0' || device->name[n] > '9' ||
		strchr(device->name, '.'))
		return false;
	kind = hwloc_obj_get_info_by_name(device, "OpenCLDeviceType");
	return !kind || strcmp(kind, "GPU") == 0;
}

static hwloc_obj_t
bus_of(hwloc_obj_t device)
{
	while (device && device->type != HWLOC_OBJ_PCI_DEVICE)
		device = device->parent;
	return device;
}

static struct str
vendor_of(unsigned number)
{
	switch (number) {
	case 0x10de:
		return STR("nvidia");
	case 0x1002:
		return STR("amd");
	case 0x8086:
		return STR("intel");
	default:
		return STR("");
	}
}

static struct str
bus_name(struct arena *a, hwloc_obj_t pci)
{
	return str_fmt(a, "%04x:%02x:%02x.%x", pci->attr->pcidev.domain,
		pci->attr->pcidev.bus, pci->attr->pcidev.dev, pci->attr->pcidev.func);
}

static struct machine_gpu
gpu_of(struct arena *a, hwloc_obj_t device, int i)
{
	hwloc_obj_t bus = bus_of(device);
	struct machine_gpu gpu = {
		.bus = STR(""),
		.vendor = str_of(interfaces[i].vendor),
		.model = info_of(a, device, interfaces[i].model),
		.uuid = info_of(a, device, interfaces[i].uuid),
	};

	if (!bus)
		return gpu;
	gpu.bus = bus_name(a, bus);
	if (vendor_of(bus->attr->pcidev.vendor_id).n)
		gpu.vendor = vendor_of(bus->attr->pcidev.vendor_id);
	return gpu;
}

SORT_BY(sort_gpus, struct machine_gpu, TEXTUAL(bus))

static void
read_gpus(struct arena *a, const struct library *l, hwloc_topology_t topology,
	struct machine *m)
{
	struct map seen = map_in(a);
	/* the interface whose devices without a bus are counted */
	int busless = INTERFACES;

	for (int i = 0; i < INTERFACES; i++)
		for (hwloc_obj_t d = first_at(l, topology, HWLOC_TYPE_DEPTH_OS_DEVICE); d;
			d = d->next_cousin) {
			struct machine_gpu gpu;

			if (!is_of_interface(d, i))
				continue;
			gpu = gpu_of(a, d, i);
			if (gpu.bus.n && !map_add(&seen, gpu.bus))
				continue;
			if (!gpu.bus.n && busless == INTERFACES)
				busless = i;
			if (gpu.bus.n || busless == i)
				VEC_PUSH(a, &m->gpus, gpu);
		}
	/* GPUs without a bus are in the order of their interface. */
	if (m->gpus.n && busless == INTERFACES)
		sort_gpus(m->gpus.v, m->gpus.n);
}

/* ---- reading --------------------------------------------------------------------- */

static bool
set_source(const struct library *l, hwloc_topology_t topology,
	const struct topology_text *from)
{
	if (from->synthetic &&
		l->hwloc_topology_set_synthetic(topology, from->synthetic) != 0)
		return false;
	return !from->xml || l->hwloc_topology_set_xml(topology, from->xml) == 0;
}

static bool
load_topology(const struct library *l, hwloc_topology_t topology,
	const struct topology_text *from)
{
	if (!set_source(l, topology, from))
		return false;
	l->hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	l->hwloc_topology_set_type_filter(
		topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
	l->hwloc_topology_set_type_filter(
		topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
	l->hwloc_topology_set_type_filter(
		topology, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
	return l->hwloc_topology_load(topology) == 0;
}

bool
topology_read(struct arena *a, const struct topology_text *from, struct machine *machine)
{
	struct library library, *l = &library;
	hwloc_topology_t topology;
	bool is_loaded;

	INVARIANT(from && machine);
	*machine = (struct machine){.processors = 1};
	if (!load_library(l) || l->hwloc_topology_init(&topology) != 0)
		return false;
	is_loaded = load_topology(l, topology, from);
	if (is_loaded) {
		machine->is_this_system = l->hwloc_topology_is_thissystem(topology);
		machine->memory_bytes = first_at(l, topology, 0)->total_memory;
		read_processors(a, l, topology, machine);
		read_cores(a, l, topology, machine);
		read_gpus(a, l, topology, machine);
	}
	l->hwloc_topology_destroy(topology);
	return is_loaded;
}

/* ---- layout ---------------------------------------------------------------------- */

/* The parts that contain a place, by hwloc's numbers; 0 where no such part contains
 * it. */
static struct layout_place
place_of(const struct library *l, hwloc_topology_t topology, unsigned number)
{
	static const struct {
		enum layout_level level;
		hwloc_obj_type_t type;
	} levels[] = {
		{LAYOUT_CORE, HWLOC_OBJ_CORE},
		{LAYOUT_CACHE, HWLOC_OBJ_L3CACHE},
		{LAYOUT_PACKAGE, HWLOC_OBJ_PACKAGE},
	};
	hwloc_obj_t pu = processor_of(l, topology, number);
	struct layout_place place = {.number = number};
	int node = pu ? l->hwloc_bitmap_first(pu->nodeset) : -1;

	place.part[LAYOUT_NODE] = node > 0 ? (uint32_t)node : 0;
	for (size_t i = 0; pu && i < sizeof levels / sizeof *levels; i++) {
		hwloc_obj_t above =
			hwloc_get_ancestor_obj_by_type(topology, levels[i].type, pu);

		if (above)
			place.part[levels[i].level] = above->logical_index;
		else if (levels[i].level == LAYOUT_CORE)
			place.part[LAYOUT_CORE] = pu->logical_index;
	}
	return place;
}

/* By place: whether the set has its processor. */
static const bool *
places_in(struct arena *a, const struct library *l, const struct layout *layout,
	hwloc_const_bitmap_t set)
{
	bool *in = NEW_ARRAY(a, bool, layout->n);

	for (size_t i = 0; i < layout->n; i++)
		in[i] = l->hwloc_bitmap_isset(set, layout->v[i].number);
	return in;
}

static void
read_devices(struct arena *a, const struct library *l, hwloc_topology_t topology,
	struct layout *layout)
{
	for (hwloc_obj_t d = first_at(l, topology, HWLOC_TYPE_DEPTH_PCI_DEVICE); d;
		d = d->next_cousin) {
		hwloc_obj_t around = hwloc_get_non_io_ancestor_obj(topology, d);
		struct layout_device device = {.bus = bus_name(a, d)};

		if (!around || !around->cpuset)
			continue;
		device.is_near = places_in(a, l, layout, around->cpuset);
		VEC_PUSH(a, &layout->devices, device);
	}
}

static void
read_places(struct arena *a, const struct library *l, hwloc_topology_t topology,
	struct layout *layout)
{
	struct machine m;

	read_processors(a, l, topology, &m);
	layout->v = NEW_ARRAY(a, struct layout_place, m.processors);
	layout->n = m.processors;
	for (size_t i = 0; i < layout->n; i++)
		layout->v[i] = place_of(l, topology, m.numbers ? m.numbers[i] : 0);
	layout_nest(a, layout);
}

static bool
load_layout(const struct library *l, hwloc_topology_t topology,
	const struct topology_text *from, bool with_devices)
{
	static const hwloc_obj_type_t types[] = {
		HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE};

	if (!set_source(l, topology, from))
		return false;
	/* Without OS devices hwloc asks no driver. */
	l->hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		l->hwloc_topology_set_type_filter(
			topology, types[i], HWLOC_TYPE_FILTER_KEEP_ALL);
	if (with_devices)
		l->hwloc_topology_set_type_filter(
			topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
	return l->hwloc_topology_load(topology) == 0;
}

bool
topology_layout(struct arena *a, const struct topology_text *from, bool with_devices,
	struct layout *layout)
{
	struct library library, *l = &library;
	hwloc_topology_t topology;
	bool is_loaded;

	INVARIANT(from && layout);
	*layout = (struct layout){.n = 0};
	if (!load_library(l) || l->hwloc_topology_init(&topology) != 0)
		return false;
	is_loaded = load_layout(l, topology, from, with_devices);
	if (is_loaded) {
		read_places(a, l, topology, layout);
		if (with_devices)
			read_devices(a, l, topology, layout);
	}
	l->hwloc_topology_destroy(topology);
	return is_loaded;
}
