/* See control_call.h. */
#include "runner/control/control_call.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/control/control_socket.h"

/* A run that lives answers within this time. */
#define PATIENCE_NS 10000000000u

int
control_fail(struct arena *a, int code, const char *fmt, ...)
{
	va_list args;
	struct str text;

	va_start(args, fmt);
	text = str_vfmt(a, fmt, args);
	va_end(args);
	streams_put(STREAM_ERROR, str_fmt(a, "cctr: %.*s\n", STR_ARG(text)));
	return code;
}

/* false leaves errno: nothing happened in time, or it cannot be known. */
static bool
await_answer(int fd, bool for_ever, uint64_t until_ns)
{
	int n = loop_await(fd, POLLIN, for_ever ? LOOP_FOREVER : until_ns);

	if (n == 0)
		errno = ETIMEDOUT;
	return n > 0;
}

/* Always false. error: an errno; 0: the other end was closed. */
static bool
lose_run(struct arena *a, int error, const char **why)
{
	if (error == 0 || error == EPIPE || error == ECONNRESET)
		*why = "the run has ended";
	else if (error == ETIMEDOUT)
		*why = "the run does not answer";
	else
		*why = str_fmt_z(a, "the run cannot be asked: %.*s",
			STR_ARG(loop_error_text(a, error)));
	return false;
}

/* The answer comes when something has ended. */
static bool
may_last(const struct control_request *q)
{
	return q->verb == CONTROL_WAIT || q->verb == CONTROL_ALLOC_WAIT || q->blocks;
}

bool
control_ask(struct arena *a, int fd, const struct control_request *q, struct str *line,
	const char **why)
{
	uint64_t until_ns = loop_later(loop_now_ns(), PATIENCE_NS);
	struct buf b = {.arena = a}, in = {.arena = a};
	char part[4096];

	control_write(&b, q);
	/* A run that hears no more clients says so, and then closes its end. */
	if (!file_put(fd, buf_as_str(&b)) && errno != EPIPE && errno != ECONNRESET)
		return lose_run(a, errno, why);
	for (;;) {
		struct str text;
		ssize_t n;

		if (!await_answer(fd, may_last(q), until_ns))
			return lose_run(a, errno, why);
		n = file_get(fd, part, sizeof part);
		if (n <= 0)
			return lose_run(a, n < 0 ? errno : 0, why);
		buf_add(&in, part, (size_t)n);
		text = buf_as_str(&in);
		if (str_take_whole_line(&text, line))
			return true;
	}
}

static const char *
path_in_tree(struct arena *a, const char *tree)
{
	return path_join(a, path_join(a, path_here(a), str_of(tree ? tree : ".")),
		STR("Testing/Temporary/" CONTROL_SOCKET))
		.p;
}

bool
control_find_runs(struct arena *a, struct str_list *paths)
{
	if (control_sockets(a, paths))
		return true;
	control_fail(a, -1, "ctl: the runs of this machine cannot be found: %s",
		str_z(a, loop_error_text(a, errno)));
	return false;
}

static int
connect_pid(struct arena *a, uint64_t wanted)
{
	struct str_list paths;

	if (!control_find_runs(a, &paths))
		return -1;
	for (size_t i = 0; i < paths.n; i++) {
		int pid, fd = control_connect(paths.v[i].p, &pid);

		if (fd >= 0 && (uint64_t)pid == wanted)
			return fd;
		file_close(&fd);
	}
	return control_fail(a, -1, "ctl: process %llu is no run that can be asked",
		(unsigned long long)wanted);
}

int
control_call(struct arena *a, const char *tree, uint64_t wanted)
{
	const char *own = getenv("CCTR_SOCKET");
	const char *path = own && *own && !tree ? own : path_in_tree(a, tree);
	int pid, fd;

	if (wanted)
		return connect_pid(a, wanted);
	fd = control_connect(path, &pid);
	if (fd >= 0)
		return fd;
	return control_fail(a, -1, "ctl: no run can be asked by %s: %s", path,
		str_z(a, loop_error_text(a, errno)));
}
