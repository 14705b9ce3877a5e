/*
 * The file that the runs of one machine share, its locks and its bell.
 *
 * A run that looks into the file or changes it holds the gate, for as long as it decides
 * what starts. Each run has a lock of its own on another byte for as long as it lives:
 * the system releases it however the run ends, so that others see who is alive.
 *
 * The bell is a change of the file's times: everyone who watches the file is woken, also
 * when a run ends and its descriptor is closed.
 */
#ifndef CCTR_RUNNER_HOST_HOST_FILE_H
#define CCTR_RUNNER_HOST_HOST_FILE_H

#include "runner/base/diag.h"

/* The name of the file in its folder. */
#define HOST_FILE "cctr-host"
/* Where an administrator makes the file for all users. */
#define HOST_FOLDER_OF_ALL "/run/cctr"

/* Where the file is. */
struct host_place {
	struct str folder; /* "": one is chosen */
	const char *option; /* by which the user names it */
};
struct host_file {
	const char *option; /* of its place */
	struct str folder, path;
	bool is_shared; /* between users: the file is root's */
	int fd; /* -1: not open */
	int watch; /* a descriptor; -1: the system cannot tell who changes the file */
};

/* folder: "" is the folder of all users if an administrator made the file, else one of
 * this user alone. false after diag_error. */
bool host_file_open(struct arena *a, const struct host_place *place, struct host_file *f,
	struct diag *d);
void host_file_close(struct host_file *f);

enum host_gate { HOST_GATE_OURS, HOST_GATE_TAKEN, HOST_GATE_FAILED };
/* Waits at most for a moment. FAILED leaves errno. */
enum host_gate host_file_enter(const struct host_file *f);
void host_file_leave(const struct host_file *f);

/* false leaves errno. Removed: the file has no name any more, and is another one. */
bool host_file_read(const struct host_file *f, struct buf *text, bool *is_removed);
bool host_file_write(const struct host_file *f, struct str text);
void host_file_ring(const struct host_file *f);
/* Forgets what the watch has told. */
void host_file_listen(const struct host_file *f);

/* The lock of a living run. false leaves errno. */
bool host_file_live(const struct host_file *f, unsigned slot);
/* By slot below n: whether another run has its lock. false leaves errno. */
bool host_file_alive(const struct host_file *f, bool *alive, unsigned n);

#endif
