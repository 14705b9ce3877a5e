/*
 * Reports the names that appear in a folder, each once. So a program that waits for the
 * files of many writers need not read the whole folder each time.
 */
#ifndef CCTR_RUNNER_BASE_FOLDER_WATCH_H
#define CCTR_RUNNER_BASE_FOLDER_WATCH_H

#include "runner/base/base.h"

struct folder_watch;

/* Watches from now on. NULL where the system has no inotify, or there is no such
 * folder. */
struct folder_watch *folder_watch_open(struct arena *a, const char *path);
/* Calls take for the names that appeared since the last call; take borrows them. false:
 * some may have been missed, now and from now on. */
CCTR_MUST_CHECK bool folder_watch_take(struct folder_watch *w,
	void (*take)(void *context, struct str name), void *context);
void folder_watch_close(struct folder_watch *w);

#endif
