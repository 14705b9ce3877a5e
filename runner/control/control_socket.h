/*
 * The sockets by which others talk to a run: unix(7), of this user alone.
 *
 * A run of a build tree has the socket "cctr.sock" in the tree's folder of temporary
 * files. Where that path is too long for a socket, or another run lives there, the socket
 * is in a private folder in TMPDIR; for a path that is too long "cctr.sock" is a link to
 * it.
 */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_SOCKET_H
#define CCTR_RUNNER_CONTROL_CONTROL_SOCKET_H

#include <sys/types.h>

#include "runner/base/diag.h"
#include "runner/base/scratch_folder.h"

#define CONTROL_SOCKET "cctr.sock"

struct control_socket {
	int fd; /* it listens */
	const char *path; /* for those who connect */
	const char *link; /* or NULL */
	ino_t inode; /* of path */
	bool has_folder;
	struct scratch_folder folder;
};

/* false leaves errno. */
CCTR_MUST_CHECK bool control_socket_open(
	struct arena *a, struct str directory, struct control_socket *s);
/* As control_socket_open, in a private folder in TMPDIR. */
CCTR_MUST_CHECK bool control_socket_open_apart(struct arena *a, struct control_socket *s);
/* A socket or link that cannot be removed is a warning. */
void control_socket_close(
	struct arena *a, const struct control_socket *s, struct diag *d);
/* The next process that wants to talk; -1 leaves errno. Of other users: EPERM. */
int control_socket_accept(const struct control_socket *s);
/* The process that has connected; 0: not known. */
int control_socket_peer(int fd);

/* ---- for those who ask ----------------------------------------------------------- */

/* A connection to the run that listens there, and its process. -1 leaves errno. */
int control_connect(const char *path, int *pid);
/* The paths of the sockets of all runs that may be asked on this machine. false leaves
 * errno. */
CCTR_MUST_CHECK bool control_sockets(struct arena *a, struct str_list *paths);

#endif
