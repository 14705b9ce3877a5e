/*
 * Removing a directory with all that is in it, piece by piece: never through a link,
 * never across a mount, and with few descriptors however deep it is.
 */
#ifndef CCTR_RUNNER_BASE_TREE_REMOVAL_H
#define CCTR_RUNNER_BASE_TREE_REMOVAL_H

#include "runner/base/base.h"

enum removal { REMOVAL_GOES_ON, REMOVAL_DONE, REMOVAL_FAILED };

struct tree_removal;
/* Removes one tree at a time; can be used again. */
struct tree_removal *tree_removal_open(struct arena *a);
void tree_removal_close(struct tree_removal *r);
/* name: one component in the directory of the descriptor, which is borrowed.
 * REMOVAL_GOES_ON: the directory was not empty; go on with tree_removal_work. */
enum removal tree_removal_start(struct tree_removal *r, int parent, const char *name);
/* Removes at most so many entries. After REMOVAL_FAILED errno is that of one of them. */
enum removal tree_removal_work(struct tree_removal *r, size_t entries);
/* Removes the whole tree at once; succeeds when there is none. false leaves errno. */
CCTR_MUST_CHECK bool tree_remove(struct arena *a, const char *path);

#endif
