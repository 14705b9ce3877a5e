/* /proc, with a descriptor in reserve. See proc_folder.h. */
#include "runner/process/proc_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/files.h"

static void
restore_spare(struct proc_folder *f)
{
	if (f->all && f->spare < 0)
		f->spare = fcntl(dirfd(f->all), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* Whether /proc is mounted: it may be an empty folder. */
static bool
has_processes(DIR *all)
{
	return faccessat(dirfd(all), "self/stat", R_OK, 0) == 0;
}

bool
proc_folder_open(struct proc_folder *f)
{
	*f = (struct proc_folder){.all = opendir("/proc"), .spare = -1};
	if (f->all && !has_processes(f->all))
		proc_folder_close(f);
	if (f->all)
		restore_spare(f);
	return f->all != NULL;
}

void
proc_folder_close(struct proc_folder *f)
{
	if (f->spare >= 0)
		close(f->spare);
	if (f->all)
		closedir(f->all);
	*f = (struct proc_folder){.spare = -1};
}

void
proc_folder_rewind(struct proc_folder *f)
{
	f->has_self = f->is_cut = false;
	if (f->all)
		rewinddir(f->all);
}

int
proc_folder_next(struct proc_folder *f)
{
	const struct dirent *e;

	INVARIANT(f);
	while (errno = 0, f->all && (e = readdir(f->all)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9') {
			int pid = atoi(e->d_name);

			f->has_self = f->has_self || pid == getpid();
			return pid;
		}
	f->is_cut = f->all && (errno != 0 || !f->has_self);
	return 0;
}

static int
open_below(const struct proc_folder *f, const char *path, int flags)
{
	return file_open_at(dirfd(f->all), path, flags | O_RDONLY | O_CLOEXEC, 0);
}

/* The spare descriptor is given up where no other one is free. */
static int
open_file(struct proc_folder *f, int pid, const char *name, int flags)
{
	char path[64];
	int fd;

	if (!f->all)
		return -1;
	snprintf(path, sizeof path, "%d/%s", pid, name);
	fd = open_below(f, path, flags);
	if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || f->spare < 0)
		return fd;
	close(f->spare);
	f->spare = -1;
	return open_below(f, path, flags);
}

bool
proc_folder_read(
	struct proc_folder *f, int pid, const char *name, char *text, size_t size)
{
	int fd = open_file(f, pid, name, 0);
	ssize_t n;

	INVARIANT(size > 0);
	if (fd < 0)
		return false;
	n = file_get_now(fd, text, size - 1);
	close(fd);
	restore_spare(f);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

bool
proc_folder_is_zombie(struct proc_folder *f, int pid)
{
	char text[512];
	const char *at = NULL;

	INVARIANT(pid > 0);
	if (!proc_folder_read(f, pid, "stat", text, sizeof text))
		return true;
	for (const char *p = text; *p; p++)
		if (*p == ')')
			at = p;
	return at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X');
}

DIR *
proc_folder_enter(struct proc_folder *f, int pid, const char *name)
{
	int fd = open_file(f, pid, name, O_DIRECTORY), error;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	INVARIANT(pid > 0);
	if (d)
		return d;
	error = errno;
	if (fd >= 0)
		close(fd);
	restore_spare(f);
	errno = error;
	return NULL;
}

void
proc_folder_left(struct proc_folder *f)
{
	restore_spare(f);
}
