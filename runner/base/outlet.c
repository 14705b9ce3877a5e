/* Writes that do not wait for a reader. See outlet.h. */
#include "runner/base/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"

static enum outlet_kind
kind_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return OUTLET_PLAIN;
	if (S_ISSOCK(st.st_mode))
		return OUTLET_SOCKET;
	return S_ISFIFO(st.st_mode) || isatty(fd) ? OUTLET_SHARED : OUTLET_PLAIN;
}

/* Without O_NOCTTY the terminal could become our controlling terminal. */
static int
open_again(int fd)
{
	char name[32];

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

struct outlet
outlet_open(int fd, const char *directory)
{
	struct outlet o = {.kind = kind_of(fd),
		.fd = fd,
		.is_terminal = isatty(fd) == 1,
		.queue = text_queue_in(directory)};
	int own = o.kind == OUTLET_SHARED ? open_again(fd) : -1;

	INVARIANT(fd >= 0);
	if (own >= 0) {
		o.kind = OUTLET_OWN;
		o.fd = own;
	}
	return o;
}

void
outlet_close(struct outlet *o)
{
	text_queue_close(&o->queue);
	if (o->kind == OUTLET_OWN)
		close(o->fd);
	o->kind = OUTLET_PLAIN;
}

/* Like write, but fails with EAGAIN where write would wait. */
static ssize_t
write_some(const struct outlet *o, struct str text)
{
	struct pollfd room = {.fd = o->fd, .events = POLLOUT};

	if (o->kind == OUTLET_SOCKET)
		return send(o->fd, text.p, text.n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (o->kind != OUTLET_SHARED)
		return write(o->fd, text.p, text.n);
	if (poll(&room, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(o->fd, text.p, text.n < PIPE_BUF ? text.n : PIPE_BUF);
}

/* Writing to a terminal that was hung up fails with EIO. */
static void
note_error(struct outlet *o, int error)
{
	bool is_broken = error == EPIPE || error == ECONNRESET;

	if (is_broken || (error == EIO && o->is_terminal)) {
		o->is_left = true;
		o->had_broken_pipe = is_broken;
	} else if (!o->error) {
		o->error = error;
	}
}

/* Returns how much of the text is written or lost. */
static size_t
put_some(struct outlet *o, struct str text)
{
	size_t done = 0;

	while (done < text.n) {
		ssize_t put;

		RETRY_EINTR(put, write_some(o, str_from(text, done)));
		if (put >= 0) {
			done += (size_t)put;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return done;
		} else {
			note_error(o, errno);
			return text.n;
		}
	}
	return done;
}

static void
put_plain(struct outlet *o, struct str text)
{
	if (!file_put(o->fd, text))
		note_error(o, errno);
}

void
outlet_put(struct outlet *o, struct str text)
{
	if (o->is_left || !text.n)
		return;
	if (o->kind == OUTLET_PLAIN) {
		put_plain(o, text);
		return;
	}
	if (!o->is_pending)
		text = str_from(text, put_some(o, text));
	if (!text.n)
		return;
	text_queue_add(&o->queue, text);
	o->is_pending = true;
}

void
outlet_push(struct outlet *o)
{
	struct str text;

	while (o->is_pending && text_queue_first(&o->queue, &text)) {
		size_t done = put_some(o, text);

		text_queue_take(&o->queue, done);
		if (o->is_left)
			text_queue_close(&o->queue);
		else if (done < text.n)
			return;
	}
	o->is_pending = false;
}
