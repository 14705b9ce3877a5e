/* See driver_gpus.h. */
#include "runner/resources/driver_gpus.h"

#include "runner/base/files.h"
#include "runner/base/sort.h"
#include "runner/process/command.h"
#include "runner/resources/gpu_parts.h"
#include "runner/resources/system_file.h"

/* The driver may need seconds to start. */
#define LISTING_NS UINT64_C(20000000000)
/* A line for each part of each GPU is far less. */
enum { LISTING_MOST = 1 << 20 };

/* Numbers, and so bus addresses, in their order. */
SORT_BY(sort_by_length, struct str, ASCENDING(n) TEXTUAL_ITSELF)

/* The names in a folder; none where it cannot be read to its end, since half of the GPUs
 * would be wrong. */
static str_vec
entries_of(struct arena *a, struct str directory)
{
	str_vec names = {0};

	if (!directory_read(a, directory.p, &names))
		names.n = 0;
	sort_by_length(names.v, names.n);
	return names;
}

/* In a container the driver lists every GPU, but /dev only those that may be used. */
static bool
is_given(struct arena *a, struct str root, struct str minor)
{
	return !minor.n || path_exists(str_fmt_z(a, "%.*s/dev/nvidia%.*s", STR_ARG(root),
				   STR_ARG(minor)));
}

static void
read_nvidia(struct arena *a, struct str root, struct machine *m)
{
	struct str gpus = str_fmt(a, "%.*s/proc/driver/nvidia/gpus", STR_ARG(root));
	str_vec names = entries_of(a, gpus);

	for (size_t i = 0; i < names.n; i++) {
		struct str text =
			system_file_text(a, str_fmt(a, "%.*s/%.*s/information",
						    STR_ARG(gpus), STR_ARG(names.v[i])));

		if (is_given(a, root, system_file_value(text, STR("Device Minor"))))
			VEC_PUSH(a, &m->gpus,
				(struct machine_gpu){.bus = names.v[i],
					.vendor = STR("nvidia"),
					.model = system_file_value(text, STR("Model")),
					.uuid = system_file_value(
						text, STR("GPU UUID"))});
	}
}

static struct str
bus_of_location(struct arena *a, struct str text)
{
	uint64_t domain = 0, place = 0;

	if (!str_unsigned(
		    system_file_value(text, STR("location_id")), UINT32_MAX, &place))
		return STR("");
	if (!str_unsigned(system_file_value(text, STR("domain")), UINT32_MAX, &domain))
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

	if (!path_exists(str_fmt_z(a, "%.*s/dev/kfd", STR_ARG(root))))
		return;
	names = entries_of(a, nodes);
	for (size_t i = 0; i < names.n; i++) {
		struct str node =
			str_fmt(a, "%.*s/%.*s", STR_ARG(nodes), STR_ARG(names.v[i]));
		struct str text =
			system_file_text(a, str_fmt(a, "%.*s/properties", STR_ARG(node)));
		uint64_t units;

		if (!str_unsigned(system_file_value(text, STR("simd_count")), UINT32_MAX,
			    &units) ||
			units == 0)
			continue;
		VEC_PUSH(a, &m->gpus,
			(struct machine_gpu){.bus = bus_of_location(a, text),
				.vendor = STR("amd"),
				.model = system_file_text(
					a, str_fmt(a, "%.*s/name", STR_ARG(node))),
				.uuid = STR("")});
	}
}

void
driver_gpus_read(struct arena *a, struct str root, struct machine *m)
{
	INVARIANT(m);
	read_nvidia(a, root, m);
	read_kfd(a, root, m);
}

/* ---- parts of GPUs --------------------------------------------------------------- */

static bool
has_name_with(struct arena *a, struct str folder, struct str head)
{
	str_vec names = {0};

	if (directory_read(a, str_z(a, folder), &names))
		for (size_t i = 0; i < names.n; i++)
			if (str_begins(names.v[i], head))
				return true;
	return false;
}

/* The driver has a folder for each part of each GPU. */
static bool
is_split(struct arena *a, struct str root)
{
	struct str folder =
		str_fmt(a, "%.*s/proc/driver/nvidia/capabilities", STR_ARG(root));
	str_vec names = {0};

	if (!directory_read(a, folder.p, &names))
		return false;
	for (size_t i = 0; i < names.n; i++)
		if (str_begins(names.v[i], STR("gpu")) &&
			has_name_with(a,
				str_fmt(a, "%.*s/%.*s/mig", STR_ARG(folder),
					STR_ARG(names.v[i])),
				STR("gi")))
			return true;
	return false;
}

static void
add_listing(void *context, bool is_error, struct str bytes)
{
	struct buf *b = context;

	if (!is_error && b->n + bytes.n <= LISTING_MOST)
		buf_add(b, bytes.p, bytes.n);
}

static bool
has_parts(const struct machine *m)
{
	for (size_t i = 0; i < m->gpus.n; i++)
		if (m->gpus.v[i].parts.n)
			return true;
	return false;
}

void
driver_gpus_split(struct arena *a, struct str root, struct machine *m, struct diag *d)
{
	struct str words[] = {STR("nvidia-smi"), STR("-L")};
	struct buf listing = {.arena = a};
	const struct command c = {.words = {words, 2},
		.timeout_ns = LISTING_NS,
		.streams = STREAMS_APART,
		.output = add_listing,
		.context = &listing};
	struct command_end end;

	INVARIANT(m && d);
	if (!is_split(a, root))
		return;
	end = command_run(&c);
	if (command_succeeded(&end))
		gpu_parts_read(a, buf_as_str(&listing), m);
	if (!has_parts(m))
		diag_warning(d, NO_PLACE,
			"cctr: a GPU is split, but `nvidia-smi -L` does not list its "
			"parts; it counts as one");
}
