/*
 * The build watcher: a build tool that CMake generates for starts it first. It waits
 * until the tool has ended, records the build and runs the hook postBuild.
 */
#ifndef CCTR_COMPAT_INSTRUMENT_WATCHER_H
#define CCTR_COMPAT_INSTRUMENT_WATCHER_H

#include "compat/instrument/instrumentation.h"

/* --start-instrumentation: runs the hook preBuild, unless another build of the tree is
 * watched, and starts the watcher of our parent. false after a message. */
bool watcher_start(struct arena *a, const struct instrumentation *i);
/* --wait-and-collect-instrumentation: the watcher itself; pid is the build tool's. One
 * watcher is enough for a tree: a second one ends at once. */
bool watcher_wait(
	struct arena *a, const struct dialect *dialect, struct str build, long pid);

#endif
