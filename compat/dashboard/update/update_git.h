/* The output of git's diff-tree and diff-index with -z: fields that end with NUL. */
#ifndef CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_GIT_H
#define CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_GIT_H

#include "compat/dashboard/update/update_run.h"

/* ":100644 100644 <old> <new> M", then one path, or two. */
struct git_diff {
	struct update *u;
	struct listener out;
	change_vec changes;
	struct change change; /* the change that is being read */
	enum { DIFF_NONE, DIFF_CHANGE, DIFF_SOURCE, DIFF_TARGET } field;
};
void git_diff_open(struct git_diff *d, struct update *u);

/* Commits in the format of --pretty=raw, each with its changes. */
struct git_commits {
	struct git_diff diff;
	struct listener out;
	enum { COMMIT_HEADER, COMMIT_BODY, COMMIT_DIFF } section;
	struct revision rev;
	struct buf log;
};
void git_commits_open(struct git_commits *c, struct update *u);
/* Ends the last commit. */
void git_commits_close(struct git_commits *c);

#endif
