/* Files are read and written as a whole: the text that is read has a NUL at its end, and
 * a file is written completely or not at all. */
#include "runner/base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

enum { READING = O_RDONLY | O_CLOEXEC | O_NOCTTY };

void
file_close_all(unsigned first, unsigned last)
{
	unsigned end = (unsigned)sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0u) == 0)
		return;
#endif
	for (unsigned fd = first; fd <= last && fd < end; fd++)
		close((int)fd);
}

int
file_open_at(int at, const char *path, int flags, mode_t mode)
{
	int fd;

	INVARIANT(path);
	RETRY_EINTR(fd, openat(at, path, flags, mode));
	return fd;
}

int
file_open(const char *path, int flags, mode_t mode)
{
	return file_open_at(AT_FDCWD, path, flags, mode);
}

ssize_t
file_get_now(int fd, void *p, size_t n)
{
	ssize_t got;

	RETRY_EINTR(got, read(fd, p, n));
	return got;
}

ssize_t
file_get_at(int fd, void *p, size_t n, off_t at)
{
	ssize_t got;

	RETRY_EINTR(got, pread(fd, p, n, at));
	return got;
}

static bool
await_event(int fd, short event)
{
	struct pollfd p = {.fd = fd, .events = event};
	int n;

	RETRY_EINTR(n, poll(&p, 1, -1));
	return n >= 0;
}

ssize_t
file_get(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = file_get_now(fd, p, n);
	while (got < 0 && errno == EAGAIN && await_event(fd, POLLIN));
	return got;
}

void
file_close(int *fd)
{
	int error = errno;

	INVARIANT(fd);
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = error;
}

/* may_wait: for the other end of a FIFO */
static bool
read_all(struct arena *a, int fd, bool may_wait, struct str *text)
{
	struct stat st;
	struct buf b = {.arena = a};
	ssize_t got;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode) || (S_ISFIFO(st.st_mode) && !may_wait)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return false;
	}
	/* One byte more than the file's size, so that its end is seen without growing the
	 * buffer. */
	buf_reserve(&b,
		S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size + 1 : 4096);
	for (;;) {
		if (b.cap - b.n < 2)
			buf_reserve(&b, 1);
		got = file_get(fd, b.p + b.n, b.cap - b.n - 1);
		if (got <= 0)
			break;
		b.n += (size_t)got;
	}
	b.p[b.n] = '\0';
	*text = (struct str){b.p, b.n};
	return got == 0;
}

static bool
read_and_close(struct arena *a, int fd, bool may_wait, struct str *text)
{
	bool done = fd >= 0 && read_all(a, fd, may_wait, text);

	INVARIANT(text);
	file_close(&fd);
	return done;
}

bool
file_read_named(struct arena *a, const char *path, struct str *text)
{
	return read_and_close(a, file_open(path, READING, 0), true, text);
}

bool
file_read(struct arena *a, const char *path, struct str *text)
{
	return file_read_at(a, AT_FDCWD, path, text);
}

/* Does not wait for the other end of a FIFO. */
static int
open_at_once(int at, const char *path)
{
	int fd = file_open_at(at, path, READING | O_NONBLOCK, 0);

	/* Another process has a lease on the file, which it gives back soon (fcntl(2)).
	 */
	if (fd < 0 && errno == EWOULDBLOCK)
		fd = file_open_at(at, path, READING, 0);
	return fd;
}

bool
file_read_at(struct arena *a, int at, const char *path, struct str *text)
{
	return read_and_close(a, open_at_once(at, path), false, text);
}

int
file_open_found(const char *path)
{
	int fd = open_at_once(AT_FDCWD, path);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode)) {
		file_close(&fd);
		errno = EINVAL;
	}
	return fd;
}

bool
file_put_counted(int fd, struct str text, size_t *written)
{
	*written = 0;
	while (*written < text.n) {
		ssize_t n;

		RETRY_EINTR(n, write(fd, text.p + *written, text.n - *written));
		if (n == 0)
			errno = EIO;
		if (n > 0)
			*written += (size_t)n;
		else if (errno != EAGAIN || !await_event(fd, POLLOUT))
			return false;
	}
	return true;
}

bool
file_put(int fd, struct str text)
{
	size_t written;

	return file_put_counted(fd, text, &written);
}

bool
file_send_now(int fd, struct str text, size_t *sent)
{
	while (*sent < text.n) {
		ssize_t n;

		RETRY_EINTR(n, send(fd, text.p + *sent, text.n - *sent, MSG_NOSIGNAL));
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		*sent += (size_t)n;
	}
	return true;
}

bool
file_copy(int to, int from, size_t n)
{
	char part[65536];
	size_t at = 0;

	INVARIANT(to >= 0 && from >= 0);
	while (at < n) {
		size_t most = n - at < sizeof part ? n - at : sizeof part;
		ssize_t got = file_get_at(from, part, most, (off_t)at);

		if (got == 0)
			errno = EIO;
		if (got <= 0 || !file_put(to, (struct str){part, (size_t)got}))
			return false;
		at += (size_t)got;
	}
	return true;
}

bool
directory_make(struct arena *a, const char *path)
{
	struct arena_mark m = arena_mark(a);
	char *p = arena_alloc(a, strlen(path) + 1);
	bool done = true;

	INVARIANT(path);
	strcpy(p, path);
	for (char *at = p + 1; done && *p; at++) {
		char c = *at;

		if (c != '/' && c != '\0')
			continue;
		*at = '\0';
		done = mkdir(p, 0777) == 0 || (errno == EEXIST && path_is_directory(p));
		*at = c;
		if (c == '\0')
			break;
	}
	arena_rewind(a, m);
	return done;
}

void
directory_try_make(struct arena *a, const char *path)
{
	(void)!directory_make(a, path);
}

bool
path_is_program(const char *path)
{
	return access(path, X_OK) == 0 && !path_is_directory(path);
}

static DIR *
open_directory(const char *path)
{
	DIR *d;

	do
		d = opendir(path);
	while (!d && errno == EINTR);
	return d;
}

bool
directory_read(struct arena *a, const char *path, str_vec *names)
{
	DIR *d = open_directory(path);
	const struct dirent *entry;
	int error;

	INVARIANT(path && names);
	if (!d)
		return false;
	while (errno = 0, (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			VEC_PUSH(a, names, str_dup(a, str_of(entry->d_name)));
	error = errno;
	closedir(d);
	errno = error;
	return error == 0;
}

bool
path_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

bool
error_is_absence(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

bool
error_is_no_file(int error)
{
	return error_is_absence(error) || error == EISDIR;
}

bool
path_may_exist(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 || !error_is_absence(errno);
}

bool
path_is_readable(const char *path)
{
	return access(path, R_OK) == 0;
}

bool
path_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* One call for each test, instead of two: what a path with a slash at its end names is a
 * directory. */
static bool
may_be_entered(const char *path)
{
	char slashed[PATH_MAX];
	size_t n = strlen(path);

	if (n == 0 || n + 2 > sizeof slashed)
		return false;
	memcpy(slashed, path, n);
	memcpy(slashed + n, "/", 2);
	return access(slashed, X_OK) == 0;
}

int
path_why_not_entered(const char *path)
{
	struct stat st;

	if (may_be_entered(path))
		return 0;
	if (stat(path, &st) != 0)
		return errno;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	return access(path, X_OK) == 0 ? 0 : errno;
}

/* Appends one component to the path in b. */
static void
path_step(struct buf *b, struct str part, size_t root)
{
	size_t n = b->n;

	if (part.n == 0 || str_is(part, "."))
		return;
	if (str_is(part, "..") && n > root) {
		while (n > root && b->p[n - 1] != '/')
			n--;
		if (!str_is(str_from(buf_as_str(b), n), "..")) {
			b->n = n > root ? n - 1 : n;
			b->p[b->n] = '\0';
			return;
		}
	} else if (str_is(part, "..") && root) {
		return;
	}
	if (b->n > root)
		buf_char(b, '/');
	buf_str(b, part);
}

struct str
path_normal(struct arena *a, struct str path)
{
	struct buf b = {.arena = a};
	size_t root = path.n && path.p[0] == '/';

	buf_z(&b, root ? "/" : "");
	while (path.n) {
		size_t n = str_find(path, '/');

		path_step(&b, str_cut(path.p, n), root);
		path = str_from(path, n < path.n ? n + 1 : n);
	}
	if (b.n == 0)
		buf_char(&b, '.');
	return buf_as_str(&b);
}

struct str
path_join(struct arena *a, struct str directory, struct str name)
{
	struct buf b = {.arena = a};

	if (directory.n == 0 || (name.n && name.p[0] == '/'))
		return path_normal(a, name);
	buf_str(&b, directory);
	buf_char(&b, '/');
	buf_str(&b, name);
	return path_normal(a, buf_as_str(&b));
}

const char *
path_in(struct arena *a, struct str directory, struct str name)
{
	if (!directory.n || !name.n || name.p[0] == '/')
		return str_z(a, name);
	return str_fmt_z(a, "%.*s/%.*s", STR_ARG(directory), STR_ARG(name));
}

struct str
path_parent(struct str path)
{
	size_t n = str_rfind(path, '/');

	if (n == path.n)
		return STR("");
	return n ? str_cut(path.p, n) : STR("/");
}

/* Removes the last component of *path; where that is a link, of the path that the link
 * leads to. */
static void
go_up(struct arena *a, struct str *path)
{
	char target[1], real[PATH_MAX];
	const char *name = str_z(a, *path);

	if (readlink(name, target, sizeof target) >= 0 && realpath(name, real))
		*path = str_dup(a, str_of(real));
	*path = path_parent(*path);
}

struct str
path_on_disk(struct arena *a, struct str path)
{
	struct str done = STR("/");

	while (path.n) {
		size_t n = str_find(path, '/');
		struct str part = str_cut(path.p, n);

		if (str_is(part, ".."))
			go_up(a, &done);
		else if (part.n && !str_is(part, "."))
			done = path_join(a, done, part);
		path = str_from(path, n < path.n ? n + 1 : n);
	}
	return done;
}

struct str
path_name(struct str path)
{
	size_t n = str_rfind(path, '/');

	return n == path.n ? path : str_from(path, n + 1);
}

static struct str
real_here(struct arena *a)
{
	for (size_t size = 256;; size *= 2) {
		char *p = arena_alloc(a, size);

		if (getcwd(p, size))
			return str_of(p);
		if (errno == ENOMEM)
			memory_end();
		if (errno != ERANGE)
			return STR_NONE;
	}
}

struct str
path_here(struct arena *a)
{
	const char *said = getenv("PWD");
	struct stat here, there;

	if (said && *said == '/' && stat(".", &here) == 0 && stat(said, &there) == 0 &&
		here.st_dev == there.st_dev && here.st_ino == there.st_ino)
		return path_normal(a, str_of(said));
	return real_here(a);
}

bool
file_is_whole(FILE *f)
{
	INVARIANT(f);
	if (fflush(f) != 0)
		return false;
	if (ferror(f))
		/* The stream does not tell why an earlier write has failed. */
		errno = EIO;
	return !ferror(f);
}

int
file_unnamed_in(const char *directory)
{
	char name[PATH_MAX];
	int fd = -1;

	INVARIANT(directory);
#ifdef O_TMPFILE
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
	if (fd >= 0)
		return fd;
	if ((size_t)snprintf(name, sizeof name, "%s/cctr-XXXXXX", directory) >=
		sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

FILE *
file_stream(int fd, const char *mode)
{
	FILE *f = fdopen(fd, mode);

	if (f && setvbuf(f, NULL, _IOFBF, 0))
		memory_end();
	return f;
}

FILE *
file_unnamed(void)
{
	int fd = file_unnamed_in(P_tmpdir);
	FILE *f = fd < 0 ? NULL : file_stream(fd, "w+");

	if (!f)
		file_close(&fd);
	return f;
}

off_t
file_position(FILE *f, int *error)
{
	off_t at = ftello(f);

	if (at < 0 && !*error)
		*error = errno;
	return at < 0 ? 0 : at;
}

bool
file_copy_part(FILE *to, FILE *from, uint64_t n)
{
	char part[65536];

	INVARIANT(to && from);
	while (n) {
		size_t want = n < sizeof part ? (size_t)n : sizeof part;
		size_t got = fread(part, 1, want, from);

		if (!got && !ferror(from))
			errno = EIO;
		if (!got || fwrite(part, 1, got, to) != got)
			return false;
		n -= got;
	}
	return true;
}
