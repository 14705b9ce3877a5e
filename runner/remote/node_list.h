/*
 * Names of nodes, as users and batch systems write them: "a,b", "n[1-3,7]", "n[08-10]".
 */
#ifndef CCTR_RUNNER_REMOTE_NODE_LIST_H
#define CCTR_RUNNER_REMOTE_NODE_LIST_H

#include "runner/base/base.h"

enum { NODES_MOST = 65536 };

/* false: the text is no such list, or a name occurs twice; *why is a phrase. */
bool node_list_read(
	struct arena *a, struct str text, struct str_list *names, const char **why);

/* A command as words: blanks separate them, quotes (' and ") and a backslash keep blanks.
 * No shell sees the command. false: a quote is not closed, or there is no word. */
bool launcher_read(struct arena *a, struct str text, struct str_list *words);
/* The words of the launcher, ended by NULL, with those of the agent in place of the word
 * "{agent}", and the node in place of each "{node}". */
const char *const *launcher_fill(struct arena *a, struct str_list launcher,
	struct str_list agent, const char *node);

#endif
