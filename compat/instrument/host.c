/* uname, /proc/cpuinfo and /proc/meminfo. See host.h. */
#include "compat/instrument/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/host_name.h"

/* The value after "name : " in /proc/cpuinfo, from the first processor. */
static struct str
proc_field(struct str text, const char *name)
{
	struct str line;

	while (str_take_line(&text, &line)) {
		size_t colon = str_find(line, ':');

		if (colon < line.n && str_is(str_trim(str_cut(line.p, colon)), name))
			return str_trim(str_from(line, colon + 1));
	}
	return STR("");
}

static const struct {
	const char *vendor, *maker;
} makers[] = {
	{"GenuineIntel", "Intel Corporation"},
	{"AuthenticAMD", "Advanced Micro Devices"},
	{"HygonGenuine", "Hygon Information Technology"},
	{"CentaurHauls", "Centaur Technology"},
	{"", "Unknown Manufacturer"},
};

static struct str
maker_of(struct str vendor)
{
	size_t i = 0;

	while (*makers[i].vendor && !str_is(vendor, makers[i].vendor))
		i++;
	return str_of(makers[i].maker);
}

/* The number of different sockets. */
static long
count_sockets(struct arena *a, struct str cpuinfo)
{
	struct map seen = map_in(a);
	struct str line;

	while (str_take_line(&cpuinfo, &line)) {
		size_t colon = str_find(line, ':');

		if (str_begins(line, STR("physical id")) && colon < line.n)
			map_add(&seen, str_trim(str_from(line, colon + 1)));
	}
	return seen.n ? (long)seen.n : 1;
}

static struct str
proc_text(struct arena *a, const char *path)
{
	struct str text;

	return file_read(a, path, &text) ? text : STR("");
}

static void
examine_processor(struct arena *a, struct host *h)
{
	struct str cpu = proc_text(a, "/proc/cpuinfo");
	long cores = str_int(proc_field(cpu, "cpu cores"));

	h->vendor = proc_field(cpu, "vendor_id");
	h->maker = maker_of(h->vendor);
	h->family = str_int(proc_field(cpu, "cpu family"));
	h->model = str_int(proc_field(cpu, "model"));
	h->model_name = proc_field(cpu, "model name");
	h->cache_kib = str_int(proc_field(cpu, "cache size"));
	h->logical = sysconf(_SC_NPROCESSORS_ONLN);
	h->physical = (cores > 0 ? cores : 1) * count_sockets(a, cpu);
	h->clock_mhz = (double)(float)str_double(proc_field(cpu, "cpu MHz"));
}

static long
memory_mib(struct str meminfo, const char *name)
{
	return (long)(str_double(proc_field(meminfo, name)) / 1024);
}

struct host
host_examine(struct arena *a)
{
	struct host h = {.name = STR("")};
	struct str memory = proc_text(a, "/proc/meminfo");
	struct utsname u;

	if (uname(&u) == 0) {
		h.name = host_name(a, STR(""));
		h.os_name = str_dup(a, str_of(u.sysname));
		h.os_release = str_dup(a, str_of(u.release));
		h.os_version = str_dup(a, str_of(u.version));
		h.os_platform = str_dup(a, str_of(u.machine));
	}
	examine_processor(a, &h);
	h.memory_mib = memory_mib(memory, "MemTotal");
	h.swap_mib = memory_mib(memory, "SwapTotal");
	return h;
}
