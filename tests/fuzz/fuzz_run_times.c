/*
 * cctr-times.txt is foreign text: whatever it says, reading ends, and the file written
 * from it reads the same.
 */
#include "runner/run/run_times.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct suite suite = {.n = size};
	struct selection s = {.suite = &suite};
	struct tally none = {0};
	unsigned line;
	struct str once, twice;

	once = run_times_update(a, str_cut((const char *)data, size), &s, &none, &line);
	twice = run_times_update(a, once, &s, &none, &line);
	INVARIANT(!line && str_eq(once, twice));
	arena_close(a);
	return 0;
}
