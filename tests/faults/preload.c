/*
 * Makes calls of the C library fail, in the program that it is preloaded into and not in
 * what that starts: the constructor takes its variables out of the environment.
 *
 *   CCTR_FAULTS_COUNTS  a file: "call count" for each call
 *   CCTR_FAULTS_CALL    which call fails
 *   CCTR_FAULTS_FIRST   the first time that it fails, from 1
 *   CCTR_FAULTS_LAST    the last time; 0 means all from the first one on
 *   CCTR_FAULTS_ERRNO   with which error; 0 makes read and write short instead
 *   CCTR_FAULTS_DONE    a file that is made when it has failed
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#define CALLS(X) \
	X(malloc) X(calloc) X(realloc) X(mmap) X(open) X(openat) X(read) X(pread) \
	X(write) X(writev) X(rename) X(unlink) X(rmdir) X(mkdir) X(fsync) X(fdatasync) \
	X(ftruncate) X(close) X(fstat) X(stat) X(lstat) X(opendir) X(readdir) \
	X(fopen) X(fdopen) X(fwrite) X(fflush) X(fclose) X(pipe2) X(eventfd) \
	X(epoll_create1) X(epoll_ctl) X(epoll_wait) X(epoll_pwait) X(poll) \
	X(fork) X(waitpid) X(wait4) X(kill) X(sigaction) X(dup) X(dup2) X(flock) \
	X(lseek) X(getcwd) X(chdir) X(setpgid) X(execve) X(socket) X(connect) \
	X(send) X(recv) X(pthread_create) X(setvbuf)
/* clang-format on */

enum call {
#define ENUMERATE(name) CALL_##name,
	CALLS(ENUMERATE)
#undef ENUMERATE
		CALLS_N
};

static const char *const names[CALLS_N] = {
#define NAME(name) [CALL_##name] = #name,
	CALLS(NAME)
#undef NAME
};

static atomic_long counts[CALLS_N];

static pid_t own_pid; /* 0: not yet ready */
static int failing = -1, failing_errno;
static long first, last;

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static long
take_number(const char *name)
{
	const char *text = getenv(name);
	long number = text ? strtol(text, NULL, 10) : 0;

	unsetenv(name);
	return number;
}

static void
choose_call(const char *name)
{
	for (int i = 0; i < CALLS_N; i++)
		if (strcmp(names[i], name) == 0)
			failing = i;
}

static char counts_path[4096], done_path[4096];

__attribute__((constructor)) static void
begin(void)
{
	const char *path = getenv("CCTR_FAULTS_COUNTS"),
		   *call = getenv("CCTR_FAULTS_CALL"), *done = getenv("CCTR_FAULTS_DONE");

	if (done)
		snprintf(done_path, sizeof done_path, "%s", done);
	if (path)
		snprintf(counts_path, sizeof counts_path, "%s", path);
	if (call)
		choose_call(call);
	first = take_number("CCTR_FAULTS_FIRST");
	last = take_number("CCTR_FAULTS_LAST");
	failing_errno = (int)take_number("CCTR_FAULTS_ERRNO");
	unsetenv("CCTR_FAULTS_COUNTS");
	unsetenv("CCTR_FAULTS_CALL");
	unsetenv("CCTR_FAULTS_DONE");
	unsetenv("LD_PRELOAD");
	own_pid = getpid();
}

__attribute__((destructor)) static void
end(void)
{
	pid_t pid = own_pid;
	FILE *file;

	own_pid = 0; /* what follows is not counted */
	if (!counts_path[0] || getpid() != pid)
		return;
	file = fopen(counts_path, "w");
	if (!file)
		return;
	for (int i = 0; i < CALLS_N; i++)
		fprintf(file, "%s %ld\n", names[i], atomic_load(&counts[i]));
	fclose(file);
}

/* As no call that is counted. */
static void
note_failure(void)
{
	int kept = errno;

	if (done_path[0])
		syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, done_path,
					   O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	errno = kept;
}

/* Not in what was only forked. */
static bool
fails(enum call call)
{
	long n;

	if (!own_pid || getpid() != own_pid)
		return false;
	n = atomic_fetch_add(&counts[call], 1) + 1;
	if ((int)call != failing || n < first || (last && n > last))
		return false;
	note_failure();
	if (failing_errno)
		errno = failing_errno;
	return true;
}

static bool
is_short(void)
{
	return failing_errno == 0;
}

/* Only files are full or broken: a pipe is not. A reader goes away from the console
 * alone, which stands for a pipe. */
static bool
fails_on(enum call call, int fd)
{
	struct stat st;
	int kept = errno;
	bool is_file = syscall(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode);

	errno = kept;
	if (failing_errno == EPIPE && fd != STDOUT_FILENO && fd != STDERR_FILENO)
		return false;
	return (is_file || is_short() || failing_errno == EINTR ||
		       failing_errno == EAGAIN) &&
	       fails(call);
}

/* The function of this name that this library stands before. */
static void *
next(enum call call)
{
	static _Atomic(void *) found[CALLS_N];
	void *p = atomic_load(&found[call]);

	if (!p) {
		p = dlsym(RTLD_NEXT, names[call]);
		atomic_store(&found[call], p);
	}
	return p;
}

#define WRAP(type, name, failed, parameters, arguments)                                  \
	type name parameters                                                             \
	{                                                                                \
		if (fails(CALL_##name))                                                  \
			return failed;                                                   \
		return ((type(*) parameters)next(CALL_##name))arguments;                 \
	}

void *
malloc(size_t n)
{
	return fails(CALL_malloc) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails(CALL_calloc) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails(CALL_realloc) ? NULL : __libc_realloc(p, n);
}

static mode_t
mode_of(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int
open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	if (fails(CALL_open))
		return -1;
	return ((int (*)(const char *, int, ...))next(CALL_open))(path, flags, mode);
}

int
openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	if (fails(CALL_openat))
		return -1;
	return ((int (*)(int, const char *, int, ...))next(CALL_openat))(
		folder, path, flags, mode);
}

ssize_t
read(int fd, void *p, size_t n)
{
	ssize_t (*real)(int, void *, size_t) = next(CALL_read);

	if (fails_on(CALL_read, fd)) {
		if (!is_short())
			return -1;
		n = n > 1 ? n / 2 : n;
	}
	return real(fd, p, n);
}

/* A pipe takes all of so few bytes or none. */
static bool
is_atomic(int fd, size_t n)
{
	struct stat st;

	return n <= PIPE_BUF && syscall(SYS_fstat, fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	ssize_t (*real)(int, const void *, size_t) = next(CALL_write);

	if (!(is_short() && is_atomic(fd, n)) && fails_on(CALL_write, fd)) {
		if (!is_short())
			return -1;
		n = n > 1 ? n / 2 : n;
	}
	return real(fd, p, n);
}

/* A descriptor is closed even where close fails. */
int
close(int fd)
{
	int (*real)(int) = next(CALL_close);

	if (!fails(CALL_close))
		return real(fd);
	real(fd);
	errno = failing_errno;
	return -1;
}

int
fclose(FILE *file)
{
	int (*real)(FILE *) = next(CALL_fclose);

	if (!fails(CALL_fclose))
		return real(file);
	real(file);
	errno = failing_errno;
	return EOF;
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
	void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		next(CALL_pthread_create);

	return fails(CALL_pthread_create) ? failing_errno
					  : real(thread, attributes, run, argument);
}

/* As the C library marks a stream that has failed. */
static void
mark_failed(FILE *file)
{
#ifdef __GLIBC__
	enum { SEEN_ERROR = 0x20 };

	if (file)
		file->_flags |= SEEN_ERROR;
#else
	(void)file;
#endif
}

size_t
fwrite(const void *p, size_t size, size_t n, FILE *file)
{
	size_t (*real)(const void *, size_t, size_t, FILE *) = next(CALL_fwrite);

	if (!fails(CALL_fwrite))
		return real(p, size, n, file);
	mark_failed(file);
	return 0;
}

int
fflush(FILE *file)
{
	int (*real)(FILE *) = next(CALL_fflush);

	if (!fails(CALL_fflush))
		return real(file);
	mark_failed(file);
	return EOF;
}

WRAP(void *, mmap, MAP_FAILED,
	(void *at, size_t n, int protection, int flags, int fd, off_t offset),
	(at, n, protection, flags, fd, offset))
WRAP(ssize_t, pread, -1, (int fd, void *p, size_t n, off_t offset), (fd, p, n, offset))
WRAP(ssize_t, writev, -1, (int fd, const struct iovec *parts, int n), (fd, parts, n))
WRAP(int, rename, -1, (const char *from, const char *to), (from, to))
WRAP(int, unlink, -1, (const char *path), (path))
WRAP(int, rmdir, -1, (const char *path), (path))
WRAP(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
WRAP(int, fsync, -1, (int fd), (fd))
WRAP(int, fdatasync, -1, (int fd), (fd))
WRAP(int, ftruncate, -1, (int fd, off_t size), (fd, size))
WRAP(int, fstat, -1, (int fd, struct stat *to), (fd, to))
WRAP(int, stat, -1, (const char *path, struct stat *to), (path, to))
WRAP(int, lstat, -1, (const char *path, struct stat *to), (path, to))
WRAP(DIR *, opendir, NULL, (const char *path), (path))
WRAP(struct dirent *, readdir, NULL, (DIR * folder), (folder))
WRAP(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, fdopen, NULL, (int fd, const char *mode), (fd, mode))
WRAP(int, setvbuf, -1, (FILE * file, char *p, int mode, size_t n), (file, p, mode, n))
WRAP(int, pipe2, -1, (int ends[2], int flags), (ends, flags))
WRAP(int, eventfd, -1, (unsigned value, int flags), (value, flags))
WRAP(int, epoll_create1, -1, (int flags), (flags))
WRAP(int, epoll_ctl, -1, (int fd, int change, int of, struct epoll_event *event),
	(fd, change, of, event))
WRAP(int, epoll_wait, -1, (int fd, struct epoll_event *events, int n, int ms),
	(fd, events, n, ms))
WRAP(int, epoll_pwait, -1,
	(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask),
	(fd, events, n, ms, mask))
WRAP(int, poll, -1, (struct pollfd * polled, nfds_t n, int ms), (polled, n, ms))
WRAP(pid_t, fork, -1, (void), ())
WRAP(pid_t, waitpid, -1, (pid_t pid, int *status, int options), (pid, status, options))
WRAP(pid_t, wait4, -1, (pid_t pid, int *status, int options, struct rusage *usage),
	(pid, status, options, usage))
WRAP(int, kill, -1, (pid_t pid, int number), (pid, number))
WRAP(int, sigaction, -1,
	(int number, const struct sigaction *restrict new,
		struct sigaction *restrict old),
	(number, new, old))
WRAP(int, dup, -1, (int fd), (fd))
WRAP(int, dup2, -1, (int from, int to), (from, to))
WRAP(int, flock, -1, (int fd, int operation), (fd, operation))
WRAP(off_t, lseek, -1, (int fd, off_t offset, int from), (fd, offset, from))
WRAP(char *, getcwd, NULL, (char *path, size_t n), (path, n))
WRAP(int, chdir, -1, (const char *path), (path))
WRAP(int, setpgid, -1, (pid_t pid, pid_t group), (pid, group))
WRAP(int, execve, -1, (const char *path, char *const *words, char *const *environment),
	(path, words, environment))
WRAP(int, socket, -1, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(int, connect, -1, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n))
WRAP(ssize_t, send, -1, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))
WRAP(ssize_t, recv, -1, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))
