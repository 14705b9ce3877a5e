/*
 * LastTest.log has what tests wrote: whatever it says, reading ends, every place is in
 * the log, and a log that is read by pieces from a file gives the same entries.
 */
#include "compat/report/log_entries.h"

#include <stdio.h>
#include <unistd.h>

#include "runner/base/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same file for all inputs. */
static int
open_file(void)
{
	static int file = -1;

	if (file < 0)
		file = file_unnamed_in(P_tmpdir);
	INVARIANT(file >= 0 && ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0);
	return file;
}

static log_entries
read_file(struct arena *a, struct str text)
{
	log_entries v = {0};
	int file = open_file();
	bool ok = file_put(file, text) && lseek(file, 0, SEEK_SET) == 0 &&
		  log_entries_read(a, file, &v);

	INVARIANT(ok);
	return v;
}

static void
compare(const struct log_entry *one, const struct log_entry *two, size_t size)
{
	INVARIANT(one->begin < one->output && one->output + one->output_n < one->end &&
		  one->end <= size);
	INVARIANT(str_eq(one->name, two->name) && one->number == two->number &&
		  one->begin == two->begin && one->end == two->end &&
		  one->output == two->output && one->output_n == two->output_n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data, size);
	log_entries one = log_entries_of(a, text), two = read_file(a, text);

	INVARIANT(one.n == two.n);
	for (size_t i = 0; i < one.n; i++)
		compare(&one.v[i], &two.v[i], size);
	arena_close(a);
	return 0;
}
