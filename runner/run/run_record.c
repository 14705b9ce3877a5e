/*
 * The record of a run. See run_record.h.
 *
 * A lock tells whether the run that wrote the record is alive: the system releases the
 * lock when cctr dies, however it dies.
 */
#include "runner/run/run_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"

enum { RECORD_BYTES = 32 };

/* -1: there is no record; errno is 0 where another run has one, and where there is
 * something else: a test may have put anything in the file's place. */
static int
open_locked(const char *path)
{
	int file = open(path,
		O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
	struct stat st;

	if (file < 0) {
		errno = errno == ELOOP ? 0 : errno;
		return -1;
	}
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
		flock(file, LOCK_EX | LOCK_NB) == 0)
		return file;
	close(file);
	errno = 0;
	return -1;
}

static void
warn_unread(const char *path, int error, struct diag *d)
{
	if (error)
		diag_warning(d, (struct place){.file = str_of(path)},
			"cannot be read: %s: whether processes of an earlier run, which "
			"was killed, still run is not known",
			strerror(error));
}

/* The mark in the record; 0: there is none. */
static uint64_t
read_mark(const struct run_record *r, struct diag *d)
{
	char text[RECORD_BYTES];
	ssize_t n = file_get_at(r->file, text, sizeof text, 0);
	uint64_t mark;

	if (n < 0)
		warn_unread(r->path, errno, d);
	if (n <= 0 ||
		!str_unsigned(str_trim(str_cut(text, (size_t)n)), UINT64_MAX, &mark))
		return 0;
	return mark;
}

static bool
write_mark(int file, uint64_t mark)
{
	char text[RECORD_BYTES];
	int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)mark);

	return ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)n, 0) == n;
}

static void
warn_of_left(struct proc_folder *f, uint64_t mark, struct diag *d)
{
	int pid;

	proc_folder_rewind(f);
	while ((pid = proc_folder_next(f))) {
		char name[64];

		if (!brand_is_same_run(brand_of_process(f, pid), mark) ||
			proc_folder_is_zombie(f, pid))
			continue;
		if (!proc_folder_read(f, pid, "comm", name, sizeof name))
			name[0] = '\0';
		diag_warning(d, NO_PLACE,
			"process %d (%.*s) of an earlier run, which was killed, still "
			"runs",
			pid, STR_ARG(str_trim(str_of(name))));
	}
	if (f->is_cut)
		diag_warning(d, NO_PLACE,
			"whether processes of an earlier run, which was killed, still "
			"run is not known: /proc cannot be read");
}

struct run_record
run_record_open(
	struct arena *a, struct str directory, struct proc_folder *f, struct diag *d)
{
	struct run_record r = {path_join(a, directory, STR("cctr-run.txt")).p, -1};
	uint64_t earlier, own = brand_of_run();

	INVARIANT(f && d);
	if (!own)
		return r;
	r.file = open_locked(r.path);
	if (r.file < 0) {
		warn_unread(r.path, errno, d);
		return r;
	}
	earlier = read_mark(&r, d);
	if (earlier && !brand_is_same_run(earlier, own))
		warn_of_left(f, earlier, d);
	if (!write_mark(r.file, own))
		run_record_close(&r);
	return r;
}

void
run_record_close(struct run_record *r)
{
	INVARIANT(r);
	if (r->file < 0)
		return;
	(void)unlink(r->path);
	file_close(&r->file);
}
