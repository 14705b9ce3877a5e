/*
 * A fresh temporary directory for each attempt of a test, removed with all that is in it
 * when the attempt has ended.
 *
 * Large trees are removed piece by piece between other work, so that they delay no
 * timeout. Nothing outside is touched: links are not followed, and mounted directories
 * inside stay.
 */
#ifndef CCTR_RUNNER_PROCESS_PRIVATE_TMP_H
#define CCTR_RUNNER_PROCESS_PRIVATE_TMP_H

#include "runner/base/diag.h"

struct private_tmp;

/* $TMPDIR, which may be relative to the directory, else /tmp. */
struct str private_tmp_parent(struct arena *a, struct str directory);
/* parent: where the directories are made. keeps_failed: the directories of failed tests
 * stay. */
struct private_tmp *private_tmp_open(
	struct arena *a, struct str parent, bool keeps_failed);
/* The path of a new directory, in the arena; NULL leaves errno. */
const char *private_tmp_make(struct private_tmp *t, struct arena *a);
/* The attempt of the test has ended. Removes what is quickly removed; private_tmp_work
 * does the rest. */
void private_tmp_ended(
	struct private_tmp *t, const char *path, struct str test, bool failed);
/* Works for about time_ns, at least a little; true: there is more to do. */
bool private_tmp_work(struct private_tmp *t, uint64_t time_ns);
/* Finishes the removal, and adds a note for each directory that is kept and a warning for
 * each that could not be removed. */
void private_tmp_close(struct private_tmp *t, struct diag *d);

#endif
