/*
 * The files of the system that say what the machine has: the group, its limits, what the
 * drivers say of a GPU, and the memory; then the session's lists of visible GPUs, and
 * what nvidia-smi lists; with a NUL between. Whatever they say, a pool comes of it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/resources/driver_gpus.h"
#include "runner/resources/gpu_parts.h"
#include "runner/resources/machine.h"
#include "runner/resources/machine_limits.h"
#include "runner/resources/pool_sources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/cctr-fuzz-XXXXXX";
static const char *const files[] = {
	"proc/self/cgroup",
	"sys/fs/cgroup/g/cpu.max",
	"sys/fs/cgroup/g/memory.max",
	"sys/fs/cgroup/cpu/g/cpu.cfs_quota_us",
	"sys/fs/cgroup/cpu/g/cpu.cfs_period_us",
	"proc/driver/nvidia/gpus/0000:01:00.0/information",
	"sys/class/kfd/kfd/topology/nodes/1/properties",
	"dev/kfd",
	"proc/meminfo",
	"proc/self/status",
	"sys/devices/system/node/has_memory",
};
enum { FILES = sizeof files / sizeof *files };

/* Folders go from below, as far as they are empty. */
static void
remove_files(void)
{
	struct arena *a = arena_open();

	for (size_t i = 0; i < FILES; i++) {
		struct str path = str_fmt(a, "%s/%s", folder, files[i]);

		unlink(path.p);
		while (path.n > sizeof folder - 1) {
			path = path_parent(path);
			rmdir(str_z(a, path));
		}
	}
	arena_close(a);
}

static void
make_folders(struct arena *a)
{
	static bool is_made;

	if (is_made)
		return;
	is_made = mkdtemp(folder) != NULL;
	INVARIANT(is_made);
	for (size_t i = 0; i < FILES; i++) {
		struct str path = str_fmt(a, "%s/%s", folder, files[i]);
		bool ok = directory_make(a, str_z(a, path_parent(path)));

		INVARIANT(ok);
	}
	atexit(remove_files);
}

/* "": not set. */
static const char *
cut_variable(struct arena *a, struct str *text)
{
	struct str value = str_take(text, '\0');

	return value.n ? str_z(a, value) : NULL;
}

static void
check_devices(const struct gpu_devices *d)
{
	for (size_t i = 0; i < d->n; i++)
		INVARIANT(str_eq(gpu_device_in(d, d->v[i]), d->v[i]));
}

static struct gpu_session
read_session(struct arena *a, struct str *text)
{
	struct gpu_variables v = {0};
	struct gpu_session session;

	v.cuda = cut_variable(a, text);
	v.cuda_order = cut_variable(a, text);
	v.rocr = cut_variable(a, text);
	v.hip = cut_variable(a, text);
	session = gpu_session_of(a, &v);
	check_devices(&session.nvidia);
	check_devices(&session.amd);
	return session;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data, size);
	struct machine m = {.processors = 1};
	struct machine_limits limits;
	struct gpu_session session;
	struct pool pool;

	make_folders(a);
	for (size_t i = 0; i < FILES; i++) {
		struct str path = str_fmt(a, "%s/%s", folder, files[i]);
		bool ok = file_write(a, path.p, ".tmp", str_take(&text, '\0'));

		INVARIANT(ok);
	}
	limits = machine_limits_read(a, str_of(folder));
	INVARIANT(limits.processors > 0 && limits.memory_bytes > 0);
	driver_gpus_read(a, str_of(folder), &m);
	for (size_t i = 0; i < m.gpus.n; i++)
		INVARIANT(m.gpus.v[i].bus.p != NULL);
	session = read_session(a, &text);
	gpu_parts_read(a, str_take(&text, '\0'), &m);
	machine_keep_visible(a, &m, &session);
	pool = machine_pool(a, &m);
	for (size_t i = 0; i < pool.n; i++)
		INVARIANT(pool_is_type_name(pool.types[i].name));
	arena_close(a);
	return 0;
}
