/*
 * CTestCostData.txt is foreign text: whatever it says, reading ends, and the file written
 * from it reads the same. The first byte chooses the dialect and whether the run is
 * parallel.
 */
#include "compat/records/cost_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct buf
written(struct arena *a, const struct dialect *dialect, struct str text, size_t parallel)
{
	struct suite suite = {0};
	struct selection none = {.suite = &suite};
	struct tally tally = {0};
	struct buf out = {.arena = a};
	struct cost_data *c = cost_data_parse(a, dialect, text, parallel);

	cost_data_recorded(a, c, &none);
	cost_data_format(&out, c, &none, &tally);
	return out;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct dialect dialect = dialect_of(size && data[0] & 1 ? 4004 : 3025);
	size_t parallel = size && data[0] & 2 ? 2 : 1;
	struct buf once, twice;

	if (size) {
		once = written(
			a, &dialect, str_cut((const char *)data + 1, size - 1), parallel);
		twice = written(a, &dialect, buf_as_str(&once), parallel);
		INVARIANT(str_eq(buf_as_str(&once), buf_as_str(&twice)));
	}
	arena_close(a);
	return 0;
}
