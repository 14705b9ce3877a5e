/*
 * A file of times is foreign text: whatever it says, reading ends, and the file written
 * from it reads the same.
 */
#include "runner/run/timings.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file after a run whose only test did not start. */
static struct str
saved(struct arena *a, const struct timings_file *file, struct diag *d)
{
	struct test test = {.name = STR("t")};
	struct result result = {.test = &test, .outcome.ending = END_NOT_STARTED};
	struct tally tally = {.results = {&result, 1, 1}};
	struct str text;

	if (!timings_save(a, file, STR_NONE, NULL, &tally, d) ||
		!file_read(a, file->path.p, &text))
		BUG("the file was not written");
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct diag first = diag_in(a), second = diag_in(a);
	struct str once, twice;
	struct timings_file file = {
		.path = text_file(a, "timings", str_cut((const char *)data, size))};

	once = saved(a, &file, &first);
	twice = saved(a, &file, &second);
	INVARIANT(!second.entries.n && str_eq(once, twice));
	arena_close(a);
	return 0;
}
