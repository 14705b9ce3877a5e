/* See machine_limits.h. */
#include "runner/resources/machine_limits.h"

#include <float.h>

#include "runner/resources/system_file.h"

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
		system_file_text(a, str_fmt(a, "%.*s/proc/self/status", STR_ARG(root)));
	struct str allowed = system_file_value(status, STR("Mems_allowed_list"));
	struct str nodes = system_file_text(
		a, str_fmt(a, "%.*s/sys/devices/system/node/has_memory", STR_ARG(root)));

	for (unsigned i = 0; allowed.n && i < NODES_MOST; i++)
		if (is_listed(nodes, i) && !is_listed(allowed, i))
			return false;
	return true;
}

static uint64_t
system_bytes(struct arena *a, struct str root)
{
	struct str text =
		system_file_text(a, str_fmt(a, "%.*s/proc/meminfo", STR_ARG(root)));
	struct str total = system_file_value(text, STR("MemTotal"));
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
		quota = system_file_text(
			a, str_fmt(a, "%.*s/%s", STR_ARG(group), h->quota));
		if (h->period) {
			period = system_file_text(
				a, str_fmt(a, "%.*s/%s", STR_ARG(group), h->period));
		} else {
			size_t n = str_find(quota, ' ');

			period = str_trim(str_from(quota, n));
			quota = str_cut(quota.p, n);
		}
		limit_processors(l, quota, period);
	}
	if (h->memory)
		limit_memory(l, system_file_text(a, str_fmt(a, "%.*s/%s", STR_ARG(group),
							    h->memory)));
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
machine_limits_read(struct arena *a, struct str root)
{
	struct machine_limits l = {DBL_MAX, UINT64_MAX, system_bytes(a, root)};
	struct str rest =
		system_file_text(a, str_fmt(a, "%.*s/proc/self/cgroup", STR_ARG(root)));
	struct str line;

	while (str_take_line(&rest, &line))
		read_membership(a, root, line, &l);
	return l;
}
