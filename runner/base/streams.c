/* The process's two outlets. See streams.h. */
#include "runner/base/streams.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/outlet.h"

enum { STREAMS = 2 };

static struct {
	bool is_open;
	bool is_one; /* both are outlets[0] */
	struct outlet outlets[STREAMS];
	bool is_watched[STREAMS]; /* room watches the stream */
	bool has_room; /* room is an open descriptor */
	int room;
} streams;

static bool
are_same_file(int a, int b)
{
	struct stat of_a, of_b;

	return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 &&
	       of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
	       of_a.st_rdev == of_b.st_rdev;
}

/* Two open descriptions of the same regular file have positions of their own. */
static void
open_streams(void)
{
	if (streams.is_open)
		return;
	streams.is_open = true;
	streams.outlets[0] = outlet_open(STDOUT_FILENO, P_tmpdir);
	streams.is_one = streams.outlets[0].kind != OUTLET_PLAIN &&
			 are_same_file(STDOUT_FILENO, STDERR_FILENO);
	if (!streams.is_one)
		streams.outlets[1] = outlet_open(STDERR_FILENO, P_tmpdir);
}

static struct outlet *
outlet_of(enum standard_stream stream)
{
	open_streams();
	return &streams.outlets[streams.is_one ? STREAM_OUTPUT : stream];
}

void
streams_put(enum standard_stream stream, struct str text)
{
	INVARIANT(stream == STREAM_OUTPUT || stream == STREAM_ERROR);
	outlet_put(outlet_of(stream), text);
}

bool
streams_are_pending(void)
{
	return streams.outlets[0].is_pending || streams.outlets[1].is_pending;
}

void
streams_push(void)
{
	for (int i = 0; i < STREAMS; i++)
		if (streams.outlets[i].is_pending)
			outlet_push(&streams.outlets[i]);
}

/* ---- waiting for room ------------------------------------------------------------ */

#ifdef __linux__
static bool
watch_stream(int i, bool wanted)
{
	struct epoll_event writable = {.events = EPOLLOUT};
	int how = wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL;

	if (streams.is_watched[i] != wanted &&
		epoll_ctl(streams.room, how, streams.outlets[i].fd, &writable) != 0)
		return false;
	streams.is_watched[i] = wanted;
	return true;
}

int
streams_room(void)
{
	bool all = true;

	if (!streams.has_room)
		streams.room = epoll_create1(EPOLL_CLOEXEC);
	streams.has_room = streams.room >= 0;
	for (int i = 0; streams.has_room && i < STREAMS; i++)
		all = watch_stream(i, streams.outlets[i].is_pending) && all;
	return streams.has_room && all ? streams.room : -1;
}
#else
int
streams_room(void)
{
	return -1;
}
#endif

void
streams_drain(void)
{
	struct pollfd room[STREAMS];

	for (streams_push(); streams_are_pending(); streams_push()) {
		for (int i = 0; i < STREAMS; i++) {
			const struct outlet *o = &streams.outlets[i];

			room[i] = (struct pollfd){
				.fd = o->is_pending ? o->fd : -1, .events = POLLOUT};
		}
		(void)poll(room, STREAMS, -1);
	}
}

/* ---- the end --------------------------------------------------------------------- */

bool
streams_have_lost_reader(void)
{
	struct sigaction sa;

	return (streams.outlets[0].had_broken_pipe ||
		       streams.outlets[1].had_broken_pipe) &&
	       (sigaction(SIGPIPE, NULL, &sa) != 0 || sa.sa_handler != SIG_IGN);
}

int
streams_error(enum standard_stream stream)
{
	INVARIANT(stream == STREAM_OUTPUT || stream == STREAM_ERROR);
	return streams.outlets[stream].error;
}

void
streams_close(void)
{
	if (!streams.is_open)
		return;
	outlet_close(&streams.outlets[0]);
	if (!streams.is_one)
		outlet_close(&streams.outlets[1]);
	if (streams.has_room)
		close(streams.room);
	memset(&streams, 0, sizeof streams);
}
