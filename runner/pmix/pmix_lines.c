/* See pmix_lines.h. */
#include "runner/pmix/pmix_lines.h"

#include <errno.h>
#include <unistd.h>

#include "runner/base/files.h"

enum { READ_SIZE = 1 << 14, KEPT_BYTES = 1 << 16 };

struct pmix_lines
pmix_lines_open(int fd)
{
	struct pmix_lines l = {.fd = fd, .arena = arena_open()};

	l.in.arena = l.arena;
	return l;
}

void
pmix_lines_close(struct pmix_lines *l)
{
	arena_close(l->arena);
	*l = (struct pmix_lines){.fd = -1};
}

/* What was taken goes; a long line leaves no large buffer. */
static void
drop_taken(struct pmix_lines *l)
{
	size_t rest = l->in.n - l->taken;

	if (!rest && l->in.cap > KEPT_BYTES) {
		arena_close(l->arena);
		*l = pmix_lines_open(l->fd);
		return;
	}
	if (rest && l->taken)
		memmove(l->in.p, l->in.p + l->taken, rest);
	l->in.n = rest;
	l->taken = 0;
}

bool
pmix_lines_read(struct pmix_lines *l)
{
	char part[READ_SIZE];
	ssize_t n;

	drop_taken(l);
	n = file_get_now(l->fd, part, sizeof part);
	if (n > 0)
		buf_add(&l->in, part, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

bool
pmix_lines_take(struct pmix_lines *l, struct str *line)
{
	struct str rest = {l->in.p + l->taken, l->in.n - l->taken};

	if (!str_take_whole_line(&rest, line))
		return false;
	l->taken = l->in.n - rest.n;
	return true;
}
