/* What a test that has whole nodes (CCTR_NODES) gets: their names, in a variable and
 * in a file, and what the batch system's launcher needs to start processes on them. */
#ifndef CCTR_COMPAT_LAUNCH_WHOLE_NODES_H
#define CCTR_COMPAT_LAUNCH_WHOLE_NODES_H

#include "runner/cluster/cluster.h"

struct whole_nodes;
/* directory: for the files; all nodes see it. job: whose nodes they are. Both are
 * borrowed. */
struct whole_nodes *whole_nodes_open(
	struct arena *a, struct str directory, const struct cluster_job *job);
/* Writes the file for the test of that number. variables: "NAME=VALUE" each. false: the
 * file cannot be written, *why. */
bool whole_nodes_tell(struct whole_nodes *w, struct arena *a, unsigned number,
	struct str_list names, struct str_list *variables, struct str *why);
/* The variable is one of these: an outer cctr told it to the test that runs this one. */
bool whole_nodes_is_own_variable(struct str name);
/* Removes the files. */
void whole_nodes_close(struct whole_nodes *w);

#endif
