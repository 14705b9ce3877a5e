/*
 * The connection to an agent. See connection.h.
 *
 * Both directions are one socket, so that an agent costs two descriptors. The launcher
 * leads a process group: the signals of a terminal reach cctr alone, which passes them on
 * as messages.
 */
#include "runner/remote/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/process/brand.h"
#include "runner/process/command.h"
#include "runner/process/program_build.h"
#include "runner/process/spawn.h"

enum {
	KEPT_BYTES = 4096, /* of a connection that waits for no further bytes */
	DESCRIPTORS_OF_AGENT = 2,
	OTHER_DESCRIPTORS = 32, /* that cctr needs at least */
	MORE_DESCRIPTORS = 1024 /* for long outputs, if there may be so many */
};

bool
connections_raise_limit(struct connection_host *host, size_t nodes, struct diag *d)
{
	rlim_t wanted = (nodes + 1) * DESCRIPTORS_OF_AGENT;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &host->descriptors) != 0 ||
		host->descriptors.rlim_cur >= wanted + OTHER_DESCRIPTORS)
		return true;
	limit = host->descriptors;
	limit.rlim_cur = wanted + MORE_DESCRIPTORS;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	if (limit.rlim_cur < wanted + OTHER_DESCRIPTORS ||
		setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return diag_error(d, NO_PLACE,
			"%zu nodes need %llu open files, but the limit is %llu (ulimit "
			"-Hn)",
			nodes, (unsigned long long)wanted + OTHER_DESCRIPTORS,
			(unsigned long long)limit.rlim_max);
	host->has_raised = true;
	return true;
}

bool
connection_is_open(const struct connection *c)
{
	return c->fd >= 0;
}

/* ---- the launcher's standard error ----------------------------------------------- */

/* Keeps the end of the text, in which a launcher says why it failed. */
static void
keep_said(struct connection *c, struct str text)
{
	size_t room = sizeof c->said - 1, kept = strlen(c->said);

	if (text.n > room)
		text = str_from(text, text.n - room);
	if (kept + text.n > room) {
		size_t drop = kept + text.n - room;

		memmove(c->said, c->said + drop, kept - drop + 1);
		kept -= drop;
	}
	for (size_t i = 0; i < text.n; i++)
		c->said[kept++] = text.p[i] ? text.p[i] : ' ';
	c->said[kept] = '\0';
}

static void
close_errors(struct connection *c)
{
	if (c->errors < 0)
		return;
	loop_unwatch(c->errors_reader);
	close(c->errors);
	c->errors = -1;
}

static void
on_errors(void *context)
{
	struct connection *c = context;
	char text[4096];
	ssize_t got = file_get_now(c->errors, text, sizeof text);

	if (got > 0)
		keep_said(c, str_cut(text, (size_t)got));
	else if (got == 0 || errno != EAGAIN)
		close_errors(c);
}

/* The last line that the launcher wrote to standard error. */
static struct str
last_said(const struct connection *c)
{
	struct str s = str_trim(str_of(c->said));
	size_t at = str_rfind(s, '\n');

	return at < s.n ? str_trim(str_from(s, at + 1)) : s;
}

/* ---- messages -------------------------------------------------------------------- */

static void
lose_connection(struct connection *c, const char *why)
{
	struct str said;

	if (!connection_is_open(c))
		return;
	if (c->errors >= 0)
		on_errors(c);
	said = last_said(c);
	c->why = said.n ? str_fmt(c->arena, "%s: %.*s", why, STR_ARG(said)).p : why;
	connection_close(c);
	c->host->listener.lost(c->host->listener.context, c);
}

/* After a write: a message that is lost ends the connection. Where the agent has ended,
 * what it said before is read first: on_ready finds the end. One that lives after all
 * finds the end of its input. */
static void
check_outlet(struct connection *c)
{
	const struct outlet *o = &c->outlet;

	if (o->error)
		lose_connection(c, str_fmt(c->arena, "it cannot be written to: %.*s",
					   STR_ARG(loop_error_text(c->arena, o->error)))
					   .p);
	else if (o->is_left)
		shutdown(c->fd, SHUT_WR);
	else
		loop_want_room(c->reader, o->is_pending);
}

static void
push_output(struct connection *c)
{
	outlet_push(&c->outlet);
	check_outlet(c);
}

void
connection_put(struct connection *c, const struct message *m)
{
	struct buf *out = &c->host->out;

	if (!connection_is_open(c))
		return;
	out->n = 0;
	message_write(out, m);
	outlet_put(&c->outlet, buf_as_str(out));
	check_outlet(c);
}

/* Takes the whole messages from the bytes. */
static void
take_messages(struct connection *c, struct str *bytes)
{
	const struct connection_listener *l = &c->host->listener;
	struct arena *scratch = c->host->scratch;
	struct arena_mark mark = arena_mark(scratch);
	enum message_reading reading = MESSAGE_WHOLE;
	const char *why = NULL;
	struct message m;

	while (connection_is_open(c)) {
		reading = message_read(scratch, bytes, &m, &why);
		if (reading != MESSAGE_WHOLE)
			break;
		l->message(l->context, c, &m);
		arena_rewind(scratch, mark);
	}
	arena_rewind(scratch, mark);
	if (reading == MESSAGE_BAD)
		lose_connection(c, why);
}

/* Keeps the bytes, which begin a message. */
static void
keep_bytes(struct connection *c, struct str bytes)
{
	if (c->in.n) {
		memmove(c->in.p, bytes.p, bytes.n);
		c->in.n = bytes.n;
	} else {
		buf_str(&c->in, bytes);
	}
	if (c->in.n == 0 && c->in.cap > KEPT_BYTES) {
		arena_rewind(c->arena, c->mark);
		c->in = (struct buf){.arena = c->arena};
	}
}

static void
note_part(struct connection *c)
{
	struct connection_host *h = c->host;

	nudge_heard(&c->nudge, loop_now_ns(), c->in.n > 0);
	if (c->in.n && !c->is_cut)
		VEC_PUSH(h->arena, &h->cut, c);
	c->is_cut = c->is_cut || c->in.n;
}

static bool
waits_for_rest(const struct connection *c)
{
	return connection_is_open(c) && c->nudge.due_ns;
}

void
connections_nudge(struct connection_host *h)
{
	uint64_t now_ns = h->cut.n ? loop_now_ns() : 0;
	size_t kept = 0;

	for (size_t i = 0; i < h->cut.n; i++) {
		struct connection *c = h->cut.v[i];

		c->is_cut = waits_for_rest(c);
		if (!c->is_cut)
			continue;
		h->cut.v[kept++] = c;
		if (nudge_is_due(&c->nudge, now_ns))
			connection_put(c, &(struct message){.kind = MESSAGE_NUDGE});
	}
	h->cut.n = kept;
}

uint64_t
connections_nudge_ns(const struct connection_host *h)
{
	uint64_t next_ns = NO_TIMEOUT;

	for (size_t i = 0; i < h->cut.n; i++)
		if (waits_for_rest(h->cut.v[i]) && h->cut.v[i]->nudge.due_ns < next_ns)
			next_ns = h->cut.v[i]->nudge.due_ns;
	return next_ns;
}

static void
take_bytes(struct connection *c, struct str bytes)
{
	silence_break(&c->silence);
	if (c->in.n) {
		buf_str(&c->in, bytes);
		bytes = buf_as_str(&c->in);
	}
	take_messages(c, &bytes);
	if (!connection_is_open(c))
		return;
	keep_bytes(c, bytes);
	note_part(c);
}

static void
on_ready(void *context)
{
	struct connection *c = context;
	ssize_t got;

	if (c->outlet.is_pending)
		push_output(c);
	if (!connection_is_open(c))
		return;
	got = file_get_now(c->fd, c->host->block, sizeof c->host->block);
	if (got > 0)
		take_bytes(c, str_cut(c->host->block, (size_t)got));
	else if (got == 0 || errno != EAGAIN)
		lose_connection(c, "the connection ended");
}

/* ---- open and close -------------------------------------------------------------- */

void
connection_init(struct connection *c, struct connection_host *host)
{
	*c = (struct connection){
		.host = host, .fd = -1, .errors = -1, .arena = arena_open()};
	arena_alloc(c->arena, 1); /* the first block stays when the rest goes */
	c->mark = arena_mark(c->arena);
}

/* 0, or the errno. */
static int
find_launcher(struct connection *c, const char *word, struct str *path)
{
	const char *own = c->host->program;

	if (!own || strcmp(word, own) != 0 || !program_is_replaced(own))
		return command_locate(c->arena, str_of(word), c->host->here, path);
	*path = STR(PROGRAM_RUNNING);
	return 0;
}

static int
start_launcher(struct connection *c, const char *const *words, int theirs, int errors)
{
	int signals[SPAWN_SIGNALS];
	struct str path;
	struct spawn s = {
		.argv = drop_const(words),
		.environment = drop_const(environment_own()),
		.directory = c->host->here,
		.streams = {theirs, theirs, errors},
		.signals = signals,
		.signals_n = spawn_changed_signals(signals, true),
		.leads_group = true,
		.descriptors = c->host->has_raised ? &c->host->descriptors : NULL,
		.brand = c->brand,
	};
	int error = find_launcher(c, words[0], &path);

	if (error)
		return error;
	s.path = path.p;
	return spawn(&s, &c->pid);
}

/* Both ends are above the standard descriptors, or the child's dup2 would close them. */
static int
above_standard(int fd)
{
	int moved;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return moved;
}

static bool
watch_streams(struct connection *c)
{
	struct loop *l = c->host->loop;

	c->reader = loop_watch(l, c->fd, on_ready, c);
	if (!c->reader)
		return false;
	c->errors_reader = loop_watch(l, c->errors, on_errors, c);
	if (!c->errors_reader)
		loop_unwatch(c->reader);
	return c->errors_reader != NULL;
}

/* Makes the socket and the pipe of standard error, each with our end first; 0, or the
 * errno. */
static int
make_ends(int talk[2], int errors[2])
{
	int error = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0)
		return errno;
	if (pipe2(errors, O_CLOEXEC) != 0)
		error = errno;
	for (int i = 0; i < 2; i++) {
		talk[i] = above_standard(talk[i]);
		errors[i] = above_standard(errors[i]);
		if (!error && (talk[i] < 0 || errors[i] < 0))
			error = errno;
	}
	return error;
}

/* The connection as it was before it was first opened. */
static void
reset_connection(struct connection *c)
{
	arena_rewind(c->arena, c->mark);
	c->in = (struct buf){.arena = c->arena};
	c->why = NULL;
	c->said[0] = '\0';
	c->nudge = (struct nudge){0};
	silence_break(&c->silence);
}

int
connection_open(struct connection *c, const char *const *words)
{
	int talk[2] = {-1, -1}, errors[2] = {-1, -1}, error;

	INVARIANT(!connection_is_open(c) && !c->pid);
	reset_connection(c);
	if (!c->brand)
		c->brand = brand_next();
	error = make_ends(talk, errors);
	if (!error)
		error = start_launcher(c, words, talk[1], errors[1]);
	file_close(&talk[1]);
	file_close(&errors[1]);
	c->fd = talk[0];
	c->errors = errors[0];
	if (!error && !watch_streams(c)) {
		error = errno;
		connection_kill(c, SIGKILL);
	}
	if (error) {
		file_close(&c->fd);
		file_close(&c->errors);
		return error;
	}
	c->outlet = outlet_open(c->fd, c->host->directory);
	return 0;
}

void
connection_close(struct connection *c)
{
	if (!connection_is_open(c))
		return;
	loop_unwatch(c->reader);
	outlet_close(&c->outlet);
	close(c->fd);
	c->fd = -1;
	close_errors(c);
}

void
connection_kill(struct connection *c, int signal)
{
	if (c->pid)
		kill(-c->pid, signal);
}

void
connection_free(struct connection *c)
{
	connection_close(c);
	arena_close(c->arena);
}
