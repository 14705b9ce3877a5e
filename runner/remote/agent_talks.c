/* See agent_talks.h. */
#include "runner/remote/agent_talks.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/control/control_answers.h"
#include "runner/control/control_socket.h"
#include "runner/run/engine.h"

/* After a failed accept: descriptors may be free again. */
#define AGAIN_NS 1000000000u
enum { TALKS_MOST = 256, READ_SIZE = 1 << 14, UNREAD_MOST = 1 << 20 };

struct talk {
	struct agent_talks *all;
	int fd; /* -1: it is free */
	int task; /* -1: the process is of none, and is refused */
	int number; /* no two have had the same */
	struct loop_reader *reader;
	struct arena *arena;
	struct arena_mark mark;
	struct buf out;
	size_t sent; /* of out */
	bool ends; /* when all of out is sent */
};
struct agent_talks {
	struct arena *arena;
	struct loop *loop;
	struct talk_listener listener;
	struct control_socket socket;
	struct loop_reader *reader;
	struct loop_timer *again;
	bool is_held;
	int made; /* numbers */
	struct talk v[TALKS_MOST];
};

/* ---- one process ----------------------------------------------------------------- */

static void
free_talk(struct talk *k)
{
	loop_unwatch(k->reader);
	close(k->fd);
	k->fd = -1;
	arena_rewind(k->arena, k->mark);
}

/* Before cctr does. */
static void
leave_talk(struct talk *k)
{
	struct agent_talks *t = k->all;

	free_talk(k);
	if (k->task >= 0)
		t->listener.say(t->listener.context, k->task, k->number, STR(""));
}

/* false: the process does not listen any more. */
static bool
send_some(struct talk *k)
{
	bool listens = file_send_now(k->fd, buf_as_str(&k->out), &k->sent);

	if (k->sent == k->out.n)
		k->out.n = k->sent = 0;
	return listens;
}

static void
write_talk(struct talk *k)
{
	bool listens = send_some(k);

	if (k->ends && (!listens || !k->out.n))
		free_talk(k);
	else if (!listens || k->out.n - k->sent > UNREAD_MOST)
		leave_talk(k);
	else
		loop_want_room(k->reader, k->out.n > 0);
}

/* It has asked something, so that it waits for an answer. */
static void
refuse_process(struct talk *k)
{
	control_refuse(&k->out, "the process belongs to no test that runs");
	k->ends = true;
	write_talk(k);
}

static void
read_talk(struct talk *k)
{
	struct agent_talks *t = k->all;
	char part[READ_SIZE];
	ssize_t n = file_get_now(k->fd, part, sizeof part);

	if (n > 0 && k->task < 0)
		refuse_process(k);
	else if (n > 0)
		t->listener.say(t->listener.context, k->task, k->number,
			str_cut(part, (size_t)n));
	else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		leave_talk(k);
}

static void
on_ready(void *context)
{
	struct talk *k = context;

	if (k->out.n)
		write_talk(k);
	if (k->fd >= 0 && !k->ends)
		read_talk(k);
}

/* ---- all of them ----------------------------------------------------------------- */

static struct talk *
spare_talk(struct agent_talks *t)
{
	for (size_t i = 0; i < TALKS_MOST; i++)
		if (t->v[i].fd < 0)
			return &t->v[i];
	return NULL;
}

static void
on_again(void *context)
{
	struct agent_talks *t = context;

	loop_hold(t->reader, false);
}

/* Where no descriptor is free, processes wait. */
static void
on_process(void *context)
{
	struct agent_talks *t = context;
	int fd = control_socket_accept(&t->socket);
	struct talk *k = spare_talk(t);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EPERM && errno != ECONNABORTED) {
			loop_hold(t->reader, true);
			loop_timer_start(t->again, loop_later(loop_now_ns(), AGAIN_NS));
		}
		return;
	}
	if (!k) {
		control_turn_away(fd);
		return;
	}
	k->fd = fd;
	k->task = t->listener.task_of(t->listener.context, control_socket_peer(fd));
	k->number = t->made = t->made + 1 < (int)TALK_PMIX ? t->made + 1 : 1;
	k->out = (struct buf){.arena = k->arena};
	k->sent = 0;
	k->ends = false;
	k->reader = loop_watch(t->loop, fd, on_ready, k);
	if (k->reader) {
		loop_hold(k->reader, t->is_held);
		return;
	}
	close(fd);
	k->fd = -1;
}

struct agent_talks *
agent_talks_open(struct arena *a, struct loop *l, const struct talk_listener *listener)
{
	struct agent_talks *t = NEW(a, struct agent_talks);

	*t = (struct agent_talks){.arena = a, .loop = l, .listener = *listener};
	if (!control_socket_open_apart(a, &t->socket))
		return NULL;
	for (size_t i = 0; i < TALKS_MOST; i++) {
		t->v[i] = (struct talk){.all = t, .fd = -1, .arena = arena_open()};
		t->v[i].mark = arena_mark(t->v[i].arena);
	}
	t->again = loop_timer_new(l, on_again, t);
	t->reader = loop_watch(l, t->socket.fd, on_process, t);
	if (t->reader)
		return t;
	agent_talks_close(t);
	return NULL;
}

const char *
agent_talks_path(const struct agent_talks *t)
{
	return t->socket.path;
}

void
agent_talks_put(struct agent_talks *t, int talk, struct str text)
{
	for (size_t i = 0; i < TALKS_MOST; i++) {
		struct talk *k = &t->v[i];

		if (k->fd < 0 || k->number != talk || k->ends)
			continue;
		k->ends = !text.n;
		buf_str(&k->out, text);
		write_talk(k);
		return;
	}
}

void
agent_talks_hold(struct agent_talks *t, bool is_held)
{
	if (t->is_held == is_held)
		return;
	t->is_held = is_held;
	for (size_t i = 0; i < TALKS_MOST; i++)
		if (t->v[i].fd >= 0)
			loop_hold(t->v[i].reader, is_held);
}

void
agent_talks_end(struct agent_talks *t, int task)
{
	for (size_t i = 0; i < TALKS_MOST; i++)
		if (t->v[i].fd >= 0 && t->v[i].task == task)
			leave_talk(&t->v[i]);
}

void
agent_talks_close(struct agent_talks *t)
{
	struct diag unsaid = diag_in(t->arena);

	for (size_t i = 0; i < TALKS_MOST; i++) {
		if (t->v[i].fd >= 0)
			free_talk(&t->v[i]);
		arena_close(t->v[i].arena);
	}
	if (t->reader)
		loop_unwatch(t->reader);
	control_socket_close(t->arena, &t->socket, &unsaid);
}
