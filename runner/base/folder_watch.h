/*
 * Which names appear in a folder, told once each: who waits for files of many writers
 * need not read the whole folder each time.
 */
#ifndef CCTR_RUNNER_BASE_FOLDER_WATCH_H
#define CCTR_RUNNER_BASE_FOLDER_WATCH_H

#include "runner/base/base.h"

struct folder_watch;

/* From now on. NULL where the system cannot tell, or there is no such folder. */
struct folder_watch *folder_watch_open(struct arena *a, const char *path);
/* The names that came since the last call, which are borrowed. false: some may have been
 * missed, now and from now on. */
CCTR_MUST_CHECK bool folder_watch_take(struct folder_watch *w,
	void (*take)(void *context, struct str name), void *context);
void folder_watch_close(struct folder_watch *w);

#endif
