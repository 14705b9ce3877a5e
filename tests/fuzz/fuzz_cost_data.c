/*
 * CTestCostData.txt is foreign text: whatever it says, reading ends, and the file written
 * from it reads the same. The first byte chooses the dialect and whether the run is
 * parallel.
 */
#include "compat/records/cost_data.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str
written(struct arena *a, const struct dialect *dialect, struct str text, size_t parallel)
{
	struct suite suite = {0};
	struct selection none = {.suite = &suite};
	struct tally tally = {0};
	struct diag d = diag_in(a);
	struct str path = text_file(a, "CTestCostData.txt", text);
	struct cost_data *c = cost_data_load(a, dialect, path, parallel);
	bool ok;

	cost_data_recorded(a, c, &none);
	ok = cost_data_save(a, c, &none, &tally, &d) && file_read(a, path.p, &text);
	INVARIANT(ok);
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct dialect dialect = dialect_of(size && data[0] & 1 ? 4004 : 3025);
	size_t parallel = size && data[0] & 2 ? 2 : 1;
	struct str once, twice;

	if (size) {
		once = written(
			a, &dialect, str_cut((const char *)data + 1, size - 1), parallel);
		twice = written(a, &dialect, once, parallel);
		INVARIANT(str_eq(once, twice));
	}
	arena_close(a);
	return 0;
}
