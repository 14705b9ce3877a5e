/*
 * Reports what appears or changes in some folders. So a program that waits for the files
 * of many writers need not read the whole folder each time. What is below a folder does
 * not count.
 */
#ifndef CCTR_RUNNER_BASE_FOLDER_WATCH_H
#define CCTR_RUNNER_BASE_FOLDER_WATCH_H

#include "runner/base/base.h"

struct folder_watch;
/* FOLDER_NAMES: a name appears. FOLDER_CHANGES: also, a file was written and closed, went
 * away or got other permissions. */
enum folder_news { FOLDER_NAMES, FOLDER_CHANGES };

/* NULL leaves errno: the system has no inotify, or gives no more of it. */
struct folder_watch *folder_watch_open(struct arena *a);
/* Watches the folder from now on; one that is watched already stays watched. false leaves
 * errno. */
CCTR_MUST_CHECK bool folder_watch_add(
	struct folder_watch *w, const char *folder, enum folder_news news);
/* Becomes readable when there is news. */
int folder_watch_descriptor(const struct folder_watch *w);
/* Calls take for the names of what is new since the last call, "" for a folder itself;
 * take borrows them. false: some may have been missed, now and from now on. */
CCTR_MUST_CHECK bool folder_watch_take(struct folder_watch *w,
	void (*take)(void *context, struct str name), void *context);
/* Whether something has changed since the last call. Hidden files and those that end with
 * "~" do not count: editors write them. */
bool folder_watch_has_changed(struct folder_watch *w);
void folder_watch_close(struct folder_watch *w);

#endif
