/*
 * cctr-timings.txt is foreign text: whatever it says, reading ends, and the file written
 * from it reads the same.
 */
#include "runner/run/timings.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file after a run whose only test did not start. */
static struct str
saved(struct arena *a, const struct selection *s, struct diag *d)
{
	struct test test = {.name = STR("t")};
	struct result result = {.test = &test, .outcome.ending = END_NOT_STARTED};
	struct tally tally = {.results = {&result, 1, 1}};
	struct str text;

	timings_save(a, text_folder(), s, &tally, d);
	if (!file_read(a, path_join(a, text_folder(), STR("cctr-timings.txt")).p, &text))
		BUG("no record was written");
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct suite suite = {.n = size};
	struct selection s = {.suite = &suite};
	struct diag first = diag_in(a), second = diag_in(a);
	struct str once, twice;

	text_file(a, "cctr-timings.txt", str_cut((const char *)data, size));
	once = saved(a, &s, &first);
	twice = saved(a, &s, &second);
	INVARIANT(!second.entries.n && str_eq(once, twice));
	arena_close(a);
	return 0;
}
