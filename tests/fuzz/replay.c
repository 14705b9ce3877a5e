/*
 * Runs a fuzz target on every file of the folders and files that are named, without
 * libFuzzer: what the fuzzer once found stays found with every compiler. Prints TAP.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/base.h"
#include "runner/base/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void
collect(struct arena *a, str_vec *files, const char *path)
{
	struct dirent **entries;
	int n;

	if (!path_is_directory(path)) {
		VEC_PUSH(a, files, str_dup(a, str_of(path)));
		return;
	}
	n = scandir(path, &entries, visible, alphasort);
	for (int i = 0; i < n; i++) {
		struct str name = str_of(entries[i]->d_name);

		VEC_PUSH(a, files, path_join(a, str_of(path), name));
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* The target gets a block of exactly the file's size, so that a read beyond is seen. */
static bool
replay(struct arena *a, const char *path)
{
	struct str text;
	uint8_t *data;

	if (!file_read(a, path, &text))
		return false;
	data = malloc(text.n ? text.n : 1);
	if (!data)
		return false;
	memcpy(data, text.p, text.n);
	LLVMFuzzerTestOneInput(data, text.n);
	free(data);
	return true;
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_open();
	str_vec files = {0};
	size_t unread = 0;

	for (int i = 1; i < argc; i++)
		collect(a, &files, argv[i]);
	printf("1..%zu\n", files.n);
	for (size_t i = 0; i < files.n; i++) {
		struct arena_mark m = arena_mark(a);
		bool done;

		printf("# %s\n", files.v[i].p);
		fflush(stdout);
		done = replay(a, files.v[i].p);
		printf("%s %zu - %s\n", done ? "ok" : "not ok", i + 1, files.v[i].p);
		unread += !done;
		arena_rewind(a, m);
	}
	if (files.n == 0)
		fputs("replay: no input\n", stderr);
	arena_close(a);
	return unread || files.n == 0;
}
