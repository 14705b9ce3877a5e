/*
 * The files of the system that say what the machine has: the group, its limits, its
 * memory and what the drivers say of a GPU, with a NUL between. Whatever they say, a pool
 * comes of it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/resources/machine.h"
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data, size);
	struct machine m = {.processors = 1};
	struct machine_limits limits;
	struct pool pool;

	make_folders(a);
	for (size_t i = 0; i < FILES; i++) {
		size_t n = str_find(text, '\0');
		bool ok = file_write(a, str_fmt(a, "%s/%s", folder, files[i]).p, ".tmp",
			str_cut(text.p, n));

		INVARIANT(ok);
		text = str_from(text, n < text.n ? n + 1 : n);
	}
	limits = machine_limits(a, str_of(folder));
	INVARIANT(limits.processors > 0 && limits.memory_bytes > 0);
	machine_driver_gpus(a, str_of(folder), &m);
	for (size_t i = 0; i < m.gpus.n; i++)
		INVARIANT(m.gpus.v[i].bus.p != NULL);
	pool = machine_pool(a, &m);
	for (size_t i = 0; i < pool.n; i++)
		INVARIANT(pool_is_type_name(pool.types[i].name));
	arena_close(a);
	return 0;
}
