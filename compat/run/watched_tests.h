/*
 * What a test depends on as far as --watch knows: its declaration, its program, and other
 * files that its command names or that REQUIRED_FILES has, each as a sum that changes
 * when they change.
 */
#ifndef CCTR_COMPAT_RUN_WATCHED_TESTS_H
#define CCTR_COMPAT_RUN_WATCHED_TESTS_H

#include "compat/run/run_settings.h"
#include "runner/base/folder_watch.h"

struct watched_test {
	struct str name, program; /* program: its path */
	struct str_list files; /* paths of the others */
	uint64_t declaration_sum, program_sum, files_sum;
};
struct watched_tests {
	struct arena *arena;
	VEC(struct watched_test) v;
	struct map names; /* name -> index of the first test of that name */
};

/* Reads which tests the options select, watches the folders of their files, and makes the
 * sums. EXIT_OK; EXIT_TESTS_FAILED: the tests cannot be read, which is not said, and the
 * folder of the build tree is watched; EXIT_USAGE: a folder cannot be watched, which was
 * said. */
enum exit_code watched_tests_read(struct watched_tests *w, struct run_context *c,
	const struct run_settings *s, struct folder_watch *watch);
/* Makes files_sum again, of the tests that `names` has. */
void watched_tests_look_again(struct watched_tests *w, const struct map *names);
/* The names of the tests that were not in `before`, or have another sum there. */
void watched_tests_changed(const struct watched_tests *w,
	const struct watched_tests *before, str_vec *names);

#endif
