/*
 * Tokens. See job_server.h.
 *
 * make shares its descriptors, and so their O_NONBLOCK, with every program that it runs.
 * Without O_NONBLOCK a read may hang, since another program may take the token between a
 * poll and the read. So the pipe is opened once more, through /proc, and nothing changes
 * for other programs. A token is returned with the same byte that was read.
 */
#include "runner/process/job_server.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"

struct job_server {
	struct arena *arena;
	int in, out;
	size_t jobs; /* one of them needs no token */
	VEC(char) tokens; /* held */
};

/* ---- MAKEFLAGS ------------------------------------------------------------------- */

/* Finds the last word of MAKEFLAGS that names a job server. */
static struct str
find_address(struct str flags)
{
	static const char *const names[] = {
		"--jobserver-auth=", "--jobserver-fds=", "-J"};
	struct str found = STR_NONE;

	while (flags.n) {
		size_t n = str_find(flags, ' ');
		struct str word = str_cut(flags.p, n);

		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (str_begins(word, str_of(names[i]))) {
				found = str_from(word, str_of(names[i]).n);
				break;
			}
		flags = str_from(flags, n < flags.n ? n + 1 : n);
	}
	return found;
}

static bool
read_descriptor(struct str text, int *fd)
{
	uint64_t n;

	if (!str_unsigned(text, INT32_MAX, &n))
		return false;
	*fd = (int)n;
	return true;
}

/* ---- opening --------------------------------------------------------------------- */

static bool
is_fifo(int fd)
{
	struct stat s;

	return fstat(fd, &s) == 0 && S_ISFIFO(s.st_mode);
}

/* Opened for writing too, so that reading never meets the end. */
static bool
open_fifo(struct job_server *s, struct str path)
{
	s->in = s->out = open(str_z(s->arena, path), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (s->in >= 0 && is_fifo(s->in))
		return true;
	file_close(&s->in);
	return false;
}

static int
open_again(struct arena *a, int fd, int flags)
{
	int again;

	if (!is_fifo(fd))
		return -1;
	again = open(
		str_fmt(a, "/proc/self/fd/%d", fd).p, flags | O_NONBLOCK | O_CLOEXEC);
	return again;
}

static bool
open_pipe(struct job_server *s, struct str address)
{
	size_t comma = str_find(address, ',');
	int in, out;

	if (comma == address.n || !read_descriptor(str_cut(address.p, comma), &in) ||
		!read_descriptor(str_from(address, comma + 1), &out))
		return false;
	s->in = open_again(s->arena, in, O_RDONLY);
	s->out = s->in < 0 ? -1 : open_again(s->arena, out, O_WRONLY);
	if (s->out >= 0)
		return true;
	file_close(&s->in);
	return false;
}

struct job_server *
job_server_connect(struct arena *a, struct str makeflags)
{
	struct job_server *s = NEW(a, struct job_server);
	struct str address = find_address(makeflags), fifo = STR("fifo:");
	bool is_open;

	s->arena = a;
	if (str_begins(address, fifo))
		is_open = open_fifo(s, str_from(address, fifo.n));
	else
		is_open = open_pipe(s, address);
	return is_open ? s : NULL;
}

/* ---- tokens ---------------------------------------------------------------------- */

bool
job_server_take(struct job_server *s)
{
	char token;

	INVARIANT(s);
	if (s->jobs) {
		if (file_get_now(s->in, &token, 1) != 1)
			return false;
		VEC_PUSH(s->arena, &s->tokens, token);
	}
	s->jobs++;
	return true;
}

/* A byte that was read always fits into the pipe again. */
static void
give_back(struct job_server *s)
{
	char token = s->tokens.v[--s->tokens.n];
	ssize_t put;

	RETRY_EINTR(put, write(s->out, &token, 1));
}

void
job_server_return(struct job_server *s)
{
	INVARIANT(s->jobs);
	s->jobs--;
	if (s->tokens.n)
		give_back(s);
}

int
job_server_descriptor(const struct job_server *s)
{
	return s->in;
}

void
job_server_close(struct job_server *s)
{
	INVARIANT(s);
	while (s->tokens.n)
		give_back(s);
	close(s->in);
	if (s->out != s->in)
		close(s->out);
}
