/*
 * A fresh temporary directory for each attempt of a test, removed with all that is in it
 * when the attempt has ended.
 *
 * Large trees are removed piece by piece between other things, so that no timeout is late
 * because of them. Nothing outside is touched: links are not followed, and what is
 * mounted inside is let be.
 */
#ifndef CCTR_RUNNER_PROCESS_PRIVATE_TMP_H
#define CCTR_RUNNER_PROCESS_PRIVATE_TMP_H

#include "runner/base/diag.h"

struct private_tmp;

/* $TMPDIR, else /tmp. */
struct str private_tmp_parent(struct arena *a);
/* parent: where the directories are made. keeps_failed: those of failed tests stay. */
struct private_tmp *private_tmp_open(
	struct arena *a, struct str parent, bool keeps_failed);
/* In the arena; NULL leaves errno. */
const char *private_tmp_make(struct private_tmp *t, struct arena *a);
/* Its attempt is over: removes what is quickly removed, the rest is work. test: whose it
 * was. */
void private_tmp_ended(
	struct private_tmp *t, const char *path, struct str test, bool failed);
/* For about as long as that, a little at least; true: there is more to do. */
bool private_tmp_work(struct private_tmp *t, uint64_t time_ns);
/* Does the rest, and notes what was kept, and as warnings what could not be removed. */
void private_tmp_close(struct private_tmp *t, struct diag *d);

#endif
