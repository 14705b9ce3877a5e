/*
 * Locks of open file descriptions (fcntl(2), F_OFD_SETLK): they end with the last
 * descriptor, and programs that cctr starts do not have it. See host_file.h.
 */
#include "runner/host/host_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/host/host_book.h"

/* Far after the text. */
#define GATE_BYTE ((off_t)1 << 40)
#define FIRST_SLOT (GATE_BYTE + 1)

/* ---- which folder ---------------------------------------------------------------- */

static int
open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* No one but its owner can put anything there. */
static bool
is_closed_to_others(const struct stat *st)
{
	return (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
	       (st->st_uid == geteuid() || st->st_uid == 0);
}

static bool
is_own_alone(struct str path)
{
	struct stat st;

	return path.n && path.p[0] == '/' && stat(path.p, &st) == 0 &&
	       S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

static bool
is_of_all(void)
{
	struct stat st;

	return stat(HOST_FOLDER_OF_ALL, &st) == 0 && st.st_uid == 0 &&
	       is_closed_to_others(&st) &&
	       lstat(HOST_FOLDER_OF_ALL "/" HOST_FILE, &st) == 0;
}

static bool
choose_folder(struct arena *a, const struct host_place *place, struct str *folder,
	struct diag *d)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	*folder = place->folder;
	if (folder->n)
		return true;
	*folder = STR(HOST_FOLDER_OF_ALL);
	if (is_of_all())
		return true;
	*folder = str_of(runtime ? runtime : "");
	if (is_own_alone(*folder))
		return true;
	*folder = str_fmt(a, "/run/user/%lu", (unsigned long)geteuid());
	if (is_own_alone(*folder))
		return true;
	return diag_error(d, NO_PLACE,
		"cctr: %s: there is no %s, and neither XDG_RUNTIME_DIR nor "
		"%.*s is a folder of this user alone: name one, %s=FOLDER",
		place->option, HOST_FOLDER_OF_ALL "/" HOST_FILE, STR_ARG(*folder),
		place->option);
}

/* ---- open ------------------------------------------------------------------------ */

static bool
refuse_file(const struct host_file *f, const char *what, struct diag *d)
{
	return diag_error(
		d, (struct place){.file = f->path}, "cctr: %s: %s", f->option, what);
}

static bool
refuse_errno(struct arena *a, const struct host_file *f, int error, struct diag *d)
{
	return refuse_file(f,
		str_fmt(a, "cannot be opened: %.*s", STR_ARG(loop_error_text(a, error)))
			.p,
		d);
}

/* That of root must be there; that of this user is made. */
static int
open_in(int folder, const struct stat *st)
{
	bool is_own = st->st_uid == geteuid();
	int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

	return openat(folder, HOST_FILE, is_own ? flags | O_CREAT : flags, 0600);
}

static bool
open_file(struct arena *a, int folder, struct host_file *f, struct diag *d)
{
	struct stat of_folder, st;

	if (fstat(folder, &of_folder) != 0)
		return refuse_errno(a, f, errno, d);
	if (!is_closed_to_others(&of_folder))
		return refuse_file(f,
			"the folder must be of this user or of root, and no one else may "
			"write to it",
			d);
	f->fd = open_in(folder, &of_folder);
	if (f->fd < 0)
		return refuse_errno(a, f, errno, d);
	if (fstat(f->fd, &st) != 0)
		return refuse_errno(a, f, errno, d);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid != of_folder.st_uid)
		return refuse_file(f, "it is not a file of the owner of its folder", d);
	f->is_shared = st.st_uid != geteuid();
	return true;
}

/* By its descriptor, since the name may be another file's by now. */
static int
open_watch(const struct host_file *f)
{
#ifdef __linux__
	char path[32];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
	if (watch >= 0 &&
		inotify_add_watch(watch, path, IN_ATTRIB | IN_CLOSE_WRITE) < 0) {
		close(watch);
		watch = -1;
	}
	return watch;
#else
	(void)f;
	return -1;
#endif
}

bool
host_file_open(struct arena *a, const struct host_place *place, struct host_file *f,
	struct diag *d)
{
	int folder;
	bool is_open;

	INVARIANT(f && d);
	*f = (struct host_file){.option = place->option, .fd = -1, .watch = -1};
	if (!choose_folder(a, place, &f->folder, d))
		return false;
	f->path = path_join(a, path_join(a, path_here(a), f->folder), STR(HOST_FILE));
	folder = open_folder(str_z(a, f->folder));
	if (folder < 0)
		return refuse_errno(a, f, errno, d);
	is_open = open_file(a, folder, f, d);
	close(folder);
	if (is_open)
		f->watch = open_watch(f);
	else
		host_file_close(f);
	return is_open;
}

void
host_file_close(struct host_file *f)
{
	file_close(&f->watch);
	file_close(&f->fd);
}

/* ---- locks ----------------------------------------------------------------------- */

#ifdef F_OFD_SETLK

static int
ask_lock(const struct host_file *f, int command, short type, off_t start, off_t n,
	off_t *found)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = n};
	int result;

	RETRY_EINTR(result, fcntl(f->fd, command, &lock));
	*found = lock.l_type == F_UNLCK ? -1 : lock.l_start;
	return result;
}

#define TAKE F_OFD_SETLK
#define LOOK F_OFD_GETLK

#else

#define TAKE 0
#define LOOK 0

static int
ask_lock(const struct host_file *f, int command, short type, off_t start, off_t n,
	off_t *found)
{
	(void)f, (void)command, (void)type, (void)start, (void)n;
	*found = -1;
	errno = ENOTSUP;
	return -1;
}

#endif

enum host_gate
host_file_enter(const struct host_file *f)
{
	enum { TIMES = 32 };
	off_t found;

	for (int i = 0; i < TIMES; i++) {
		if (ask_lock(f, TAKE, F_WRLCK, GATE_BYTE, 1, &found) == 0)
			return HOST_GATE_OURS;
		if (errno != EAGAIN && errno != EACCES)
			return HOST_GATE_FAILED;
		sched_yield();
	}
	return HOST_GATE_TAKEN;
}

void
host_file_leave(const struct host_file *f)
{
	off_t found;

	(void)ask_lock(f, TAKE, F_UNLCK, GATE_BYTE, 1, &found);
}

bool
host_file_live(const struct host_file *f, unsigned slot)
{
	off_t found;

	return ask_lock(f, TAKE, F_WRLCK, FIRST_SLOT + (off_t)slot, 1, &found) == 0;
}

/* The system names any lock in a part, so that the parts beside it are asked for, too. */
static bool
find_alive(const struct host_file *f, bool *alive, unsigned from, unsigned to)
{
	off_t found;
	unsigned at;

	if (from >= to)
		return true;
	if (ask_lock(f, LOOK, F_WRLCK, FIRST_SLOT + (off_t)from, (off_t)(to - from),
		    &found) != 0)
		return false;
	if (found < 0)
		return true;
	at = found < FIRST_SLOT + (off_t)from ? from : (unsigned)(found - FIRST_SLOT);
	if (at >= to)
		return true;
	alive[at] = true;
	return find_alive(f, alive, from, at) && find_alive(f, alive, at + 1, to);
}

bool
host_file_alive(const struct host_file *f, bool *alive, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		alive[i] = false;
	return find_alive(f, alive, 0, n);
}

/* ---- text ------------------------------------------------------------------------ */

bool
host_file_read(const struct host_file *f, struct buf *text, bool *is_removed)
{
	struct stat st;
	size_t size;

	if (fstat(f->fd, &st) != 0)
		return false;
	*is_removed = st.st_nlink == 0;
	size = st.st_size < (off_t)HOST_BYTES_MOST ? (size_t)st.st_size : HOST_BYTES_MOST;
	text->n = 0;
	buf_room(text, size + 1);
	while (text->n < size) {
		ssize_t n = file_get_at(
			f->fd, text->p + text->n, size - text->n, (off_t)text->n);

		if (n < 0)
			return false;
		if (n == 0)
			break;
		text->n += (size_t)n;
	}
	return true;
}

bool
host_file_write(const struct host_file *f, struct str text)
{
	size_t done = 0;

	while (done < text.n) {
		ssize_t n;

		RETRY_EINTR(n, pwrite(f->fd, text.p + done, text.n - done, (off_t)done));
		if (n < 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* ---- the bell -------------------------------------------------------------------- */

/* Where it cannot be rung, those who wait look once a second. */
void
host_file_ring(const struct host_file *f)
{
	(void)futimens(f->fd, NULL);
}

void
host_file_listen(const struct host_file *f)
{
	char events[4096];

	while (file_get_now(f->watch, events, sizeof events) > 0)
		;
}
