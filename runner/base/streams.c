/* The process's two outlets. See streams.h. */
#include "runner/base/streams.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "runner/base/outlet.h"

enum { STREAMS = 2, HELD_BYTES = 1 << 16 };

/* Begins the text that is written when the area has to be taken away. */
#define TAKE_AWAY "\r\033[J"

/* The lines below the text. */
struct area {
	struct arena *arena; /* NULL: there is no area */
	struct buf held; /* text that was not written yet */
	bool is_drawn, ends_line;
};

static struct {
	bool is_open;
	bool is_yielded; /* standard output is another's */
	bool is_one; /* both are outlets[0] */
	struct outlet outlets[STREAMS];
	bool is_watched[STREAMS]; /* room watches the stream */
	bool has_room; /* room is an open descriptor */
	int room;
	struct area area;
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
	streams.outlets[0] =
		outlet_open(streams.is_yielded ? STDERR_FILENO : STDOUT_FILENO, P_tmpdir);
	streams.is_one = streams.is_yielded ||
			 (streams.outlets[0].kind != OUTLET_PLAIN &&
				 are_same_file(STDOUT_FILENO, STDERR_FILENO));
	if (!streams.is_one)
		streams.outlets[1] = outlet_open(STDERR_FILENO, P_tmpdir);
}

bool
streams_is_output(struct str path)
{
	return str_is(path, "-");
}

void
streams_yield_output(void)
{
	INVARIANT(!streams.area.arena && !streams.has_room);
	streams_drain();
	streams_close();
	streams.is_yielded = true;
}

static struct outlet *
outlet_of(enum standard_stream stream)
{
	open_streams();
	return &streams.outlets[streams.is_one ? STREAM_OUTPUT : stream];
}

/* ---- the area below the text ----------------------------------------------------- */

/* Text, or lines of the area, follow. */
static void
take_area_away(struct area *area)
{
	if (area->is_drawn)
		buf_z(&area->held, TAKE_AWAY);
	area->is_drawn = false;
}

static void
write_held(struct area *area)
{
	outlet_put(&streams.outlets[0], buf_as_str(&area->held));
	area->held.n = 0;
}

static void
hold_text(struct area *area, struct str text)
{
	if (!text.n)
		return;
	take_area_away(area);
	area->ends_line = text.p[text.n - 1] == '\n';
	if (area->held.n + text.n < HELD_BYTES) {
		buf_str(&area->held, text);
		return;
	}
	write_held(area);
	outlet_put(&streams.outlets[0], text);
}

bool
streams_open_area(void)
{
	open_streams();
	if (!streams.outlets[0].is_terminal)
		return false;
	INVARIANT(!streams.area.arena);
	streams.area = (struct area){.arena = arena_open(), .ends_line = true};
	streams.area.held.arena = streams.area.arena;
	return true;
}

bool
streams_hold_text(void)
{
	return streams.area.held.n > 0;
}

/* Of a terminal that is not our own nothing is known. */
static bool
is_in_background(void)
{
	pid_t foreground = tcgetpgrp(STDOUT_FILENO);

	return foreground >= 0 && foreground != getpgrp();
}

/* The cursor goes back to where the first line begins. */
static void
add_lines(struct area *area, struct str lines)
{
	size_t up = 0;

	for (size_t i = 0; i < lines.n; i++) {
		if (lines.p[i] == '\n')
			buf_char(&area->held, '\r');
		buf_char(&area->held, lines.p[i]);
		up += lines.p[i] == '\n';
	}
	buf_char(&area->held, '\r');
	if (up)
		buf_fmt(&area->held, "\033[%zuA", up);
	area->is_drawn = true;
}

bool
streams_draw_area(struct str lines)
{
	struct area *area = &streams.area;

	if (!area->arena)
		return false;
	take_area_away(area);
	if (lines.n && area->ends_line && !streams.outlets[0].is_pending &&
		!is_in_background())
		add_lines(area, lines);
	write_held(area);
	return area->is_drawn;
}

void
streams_close_area(void)
{
	if (!streams.area.arena)
		return;
	(void)streams_draw_area(STR(""));
	arena_close(streams.area.arena);
	streams.area = (struct area){0};
}

struct streams_size
streams_size(void)
{
	struct winsize size;
	struct streams_size s = {80, 24};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return s;
	if (size.ws_col)
		s.columns = size.ws_col;
	if (size.ws_row)
		s.rows = size.ws_row;
	return s;
}

/* ---- text ------------------------------------------------------------------------ */

void
streams_put(enum standard_stream stream, struct str text)
{
	struct outlet *o = outlet_of(stream);

	INVARIANT(stream == STREAM_OUTPUT || stream == STREAM_ERROR);
	if (streams.area.arena && o == &streams.outlets[0])
		hold_text(&streams.area, text);
	else
		outlet_put(o, text);
}

void
streams_put_diag(const char *program, struct diag *d)
{
	for (; d->shown < d->entries.n; d->shown++) {
		const struct diag_entry *e = &d->entries.v[d->shown];
		struct arena *scratch = arena_open();
		struct str file = e->at.file;

		streams_put(STREAM_ERROR,
			e->kind == DIAG_NOTE || e->kind == DIAG_RAISED
				? e->text
				: str_fmt(scratch, "%s: %.*s%s%.*s\n", program,
					  STR_ARG(file), file.n ? ": " : "",
					  STR_ARG(e->text)));
		arena_close(scratch);
	}
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

	(void)streams_draw_area(STR(""));
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
	if (streams.area.arena)
		arena_close(streams.area.arena);
	outlet_close(&streams.outlets[0]);
	if (!streams.is_one)
		outlet_close(&streams.outlets[1]);
	if (streams.has_room)
		close(streams.room);
	memset(&streams, 0, sizeof streams);
}
