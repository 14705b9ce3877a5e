/*
 * Reads processes from /proc. The folder and one spare descriptor are kept open, so that
 * reading works when no descriptor is free any more. Only the first call allocates
 * memory.
 */
#ifndef CCTR_RUNNER_PROCESS_PROC_FOLDER_H
#define CCTR_RUNNER_PROCESS_PROC_FOLDER_H

#include <dirent.h>

#include "runner/base/base.h"

struct proc_folder {
	DIR *all; /* NULL: the system has no /proc */
	int spare; /* -1: in use */
	bool has_self; /* this process was in the list so far */
	/* the list ended without all processes: even this one is missing, or an error
	 * ended it */
	bool is_cut;
};

/* false: there is no /proc; the folder is then empty. */
bool proc_folder_open(struct proc_folder *f);
void proc_folder_close(struct proc_folder *f);
/* Starts again with the first process; the list is read afresh. */
void proc_folder_rewind(struct proc_folder *f);
/* The next process id; 0: there are no more. */
int proc_folder_next(struct proc_folder *f);
/* The beginning of /proc/PID/NAME, with a NUL at its end. false: the process is gone, or
 * the file cannot be read. */
bool proc_folder_read(
	struct proc_folder *f, int pid, const char *name, char *text, size_t size);
/* Whether the process has ended, or is gone. */
bool proc_folder_is_zombie(struct proc_folder *f, int pid);
/* The folder /proc/PID/NAME. The caller closes it and then calls proc_folder_left. NULL:
 * errno says why. */
DIR *proc_folder_enter(struct proc_folder *f, int pid, const char *name);
void proc_folder_left(struct proc_folder *f);

#endif
