/*
 * Notices that something in some folders has changed: a file was written and closed,
 * appeared, went away or got other permissions. What is below a folder does not count.
 */
#ifndef CCTR_RUNNER_BASE_CHANGE_WATCH_H
#define CCTR_RUNNER_BASE_CHANGE_WATCH_H

#include "runner/base/base.h"

struct change_watch;

/* NULL leaves errno: the system has no inotify, or gives no more of it. */
struct change_watch *change_watch_open(struct arena *a);
/* Watches the folder from now on; one that is watched already stays watched. false leaves
 * errno. */
CCTR_MUST_CHECK bool change_watch_add(struct change_watch *w, const char *folder);
/* Becomes readable when something has changed. */
int change_watch_descriptor(const struct change_watch *w);
/* Whether something has changed since the last call. Hidden files and those that end with
 * "~" do not count: editors write them. */
bool change_watch_take(struct change_watch *w);
void change_watch_close(struct change_watch *w);

#endif
