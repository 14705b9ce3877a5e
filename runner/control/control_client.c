/* `cctr ctl`. See control_client.h. */
#include "runner/control/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/caller.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/control/control_requests.h"
#include "runner/control/control_socket.h"
#include "runner/control/control_text.h"

/* A run that lives answers within this time. */
#define PATIENCE_NS 10000000000u
enum { CODE_OK, CODE_REFUSED, CODE_USAGE };

static const char usage[] =
	"Usage: cctr ctl [--test-dir <dir> | --pid <pid>] [--json] <verb>\n"
	"\n"
	"  runs                    the runs of this user on this machine\n"
	"  ps                      what runs, and how far the run is\n"
	"  why <test>              what a test waits for\n"
	"  tail <test>             what a running test has written last\n"
	"  cancel <test>           the test ends, or does not start, and has failed\n"
	"  limit <test> +<n>[s|m|h]\n"
	"                          its time limit is over that much later (-: earlier)\n"
	"  pause, resume           nothing starts; tests start again\n"
	"  stop                    no test starts any more; those that wait have not "
	"run\n"
	"  wait [<test>]           until the test, or the run, has ended\n";

struct client {
	struct arena *arena;
	const char *tree; /* NULL: here */
	uint64_t pid; /* 0: any */
	bool is_json;
	bool lists; /* the verb is "runs" */
	struct control_request request;
};

static int fail(struct arena *a, int code, const char *fmt, ...) CCTR_PRINTF(3, 4);

static int
fail(struct arena *a, int code, const char *fmt, ...)
{
	va_list args;
	struct str text;

	va_start(args, fmt);
	text = str_vfmt(a, fmt, args);
	va_end(args);
	streams_put(STREAM_ERROR, str_fmt(a, "cctr: %.*s\n", STR_ARG(text)));
	return code;
}

/* ---- the words ------------------------------------------------------------------- */

/* "+60s", "-1.5m", "90". */
static bool
read_seconds(struct str s, double *seconds)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	char *end;

	*seconds = strtod(s.p, &end);
	if (end == s.p || *seconds - *seconds != 0)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (end + 1 == s.p + s.n && *end == units[i].unit) {
			*seconds *= units[i].seconds;
			return true;
		}
	return end == s.p + s.n;
}

/* 0: the options are understood, and *at is the verb. */
static int
read_options(struct client *c, struct str_list words, size_t *at)
{
	for (; *at < words.n && words.v[*at].p[0] == '-'; ++*at) {
		struct str word = words.v[*at];
		bool has_value = *at + 1 < words.n;

		if (str_is(word, "--json")) {
			c->is_json = true;
		} else if (str_is(word, "--test-dir") && has_value) {
			c->tree = words.v[++*at].p;
		} else if (str_is(word, "--pid") && has_value) {
			if (!str_unsigned(words.v[++*at], INT_MAX, &c->pid) || !c->pid)
				return fail(c->arena, CODE_USAGE,
					"ctl: --pid: %s is not a process",
					words.v[*at].p);
		} else {
			return fail(c->arena, CODE_USAGE,
				"ctl: %s is not known, or lacks its value", word.p);
		}
	}
	return CODE_OK;
}

static int
read_request(struct client *c, struct str_list words)
{
	struct control_request *q = &c->request;
	enum control_wants wants;
	size_t at = 0;

	if (words.n && str_is(words.v[0], "runs") && words.n == 1) {
		c->lists = true;
		return CODE_OK;
	}
	q->verb = words.n ? control_verb_named(words.v[at++]) : CONTROL_VERBS;
	if (q->verb == CONTROL_VERBS)
		return words.n ? fail(c->arena, CODE_USAGE, "ctl: %s is not known: %s",
					 words.v[0].p, "see cctr ctl --help")
			       : fail(c->arena, CODE_USAGE, "ctl: a verb is missing");
	wants = control_verb_wants(q->verb);
	if (wants != WANTS_NO_TEST && at < words.n)
		q->test = words.v[at++];
	if (wants == WANTS_TEST && !q->test.p)
		return fail(c->arena, CODE_USAGE, "ctl: %s: which test?", words.v[0].p);
	if (q->verb == CONTROL_LIMIT &&
		(at == words.n || !read_seconds(words.v[at++], &q->seconds)))
		return fail(c->arena, CODE_USAGE,
			"ctl: limit: a time is missing, such as +60s");
	if (at < words.n)
		return fail(c->arena, CODE_USAGE, "ctl: %s is too much", words.v[at].p);
	q->bytes = CONTROL_TAIL_MOST;
	return CODE_OK;
}

/* ---- talking --------------------------------------------------------------------- */

/* false: nothing happened in time. */
static bool
await_answer(int fd, bool for_ever, uint64_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n;

	do {
		uint64_t now_ns = loop_now_ns();
		int left_ms =
			now_ns < until_ns ? (int)((until_ns - now_ns) / 1000000 + 1) : 0;

		n = poll(&p, 1, for_ever ? -1 : left_ms);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* One line. false: why is a sentence. */
static bool
talk(struct arena *a, int fd, const struct control_request *q, struct str *line,
	const char **why)
{
	uint64_t until_ns = loop_later(loop_now_ns(), PATIENCE_NS);
	struct buf b = {.arena = a}, in = {.arena = a};
	char part[4096];

	control_write(&b, q);
	*why = "the run has ended";
	if (!file_put(fd, buf_as_str(&b)))
		return false;
	for (;;) {
		struct str text;
		ssize_t n;

		if (!await_answer(fd, q->verb == CONTROL_WAIT, until_ns)) {
			*why = "the run does not answer";
			return false;
		}
		n = file_get(fd, part, sizeof part);
		if (n <= 0)
			return false;
		buf_add(&in, part, (size_t)n);
		text = buf_as_str(&in);
		if (str_take_line(&text, line))
			return true;
	}
}

/* ---- which run ------------------------------------------------------------------- */

static const char *
path_in_tree(struct arena *a, const char *tree)
{
	return path_join(a, path_join(a, path_here(a), str_of(tree ? tree : ".")),
		STR("Testing/Temporary/" CONTROL_SOCKET))
		.p;
}

static int
connect_pid(struct client *c)
{
	struct str_list paths = control_sockets(c->arena);

	for (size_t i = 0; i < paths.n; i++) {
		int pid, fd = control_connect(paths.v[i].p, &pid);

		if (fd >= 0 && (uint64_t)pid == c->pid)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return fail(c->arena, -1, "ctl: process %llu is no run that can be asked",
		(unsigned long long)c->pid);
}

/* Of the tree, else of the run that has started us. -1 after a message. */
static int
connect_run(struct client *c)
{
	const char *own = getenv("CCTR_SOCKET");
	const char *path =
		own && *own && !c->tree ? own : path_in_tree(c->arena, c->tree);
	int pid, fd;

	if (c->pid)
		return connect_pid(c);
	fd = control_connect(path, &pid);
	if (fd >= 0)
		return fd;
	return fail(c->arena, -1, "ctl: no run can be asked by %s: %s", path,
		str_z(c->arena, loop_error_text(c->arena, errno)));
}

/* The exit code. */
static int
say_answer(struct client *c, struct str line)
{
	struct buf text = {.arena = c->arena};
	struct str why;
	bool is_ok = control_text(&text, line, &why);

	if (c->is_json)
		streams_put(STREAM_OUTPUT, str_fmt(c->arena, "%.*s\n", STR_ARG(line)));
	else if (is_ok)
		streams_put(STREAM_OUTPUT, buf_as_str(&text));
	else
		fail(c->arena, CODE_REFUSED, "ctl: %.*s", STR_ARG(why));
	return is_ok ? CODE_OK : CODE_REFUSED;
}

static int
ask(struct client *c)
{
	int fd = connect_run(c);
	struct str line;
	const char *why;

	if (fd < 0)
		return CODE_REFUSED;
	if (!talk(c->arena, fd, &c->request, &line, &why))
		return fail(c->arena, CODE_REFUSED, "ctl: %s", why);
	close(fd);
	return say_answer(c, line);
}

static int
list_runs(struct client *c)
{
	const struct control_request q = {.verb = CONTROL_HELLO};
	struct str_list paths = control_sockets(c->arena);

	for (size_t i = 0; i < paths.n; i++) {
		int pid, fd = control_connect(paths.v[i].p, &pid);
		const char *why;
		struct str line;

		if (fd < 0)
			continue;
		if (talk(c->arena, fd, &q, &line, &why))
			(void)say_answer(c, line);
		close(fd);
	}
	return CODE_OK;
}

int
control_client(struct arena *a, struct str_list words)
{
	struct client c = {.arena = a};
	size_t at = 0;
	int code;

	if (words.n == 1 && str_is(words.v[0], "--help")) {
		streams_put(STREAM_OUTPUT, str_of(usage));
		return CODE_OK;
	}
	code = read_options(&c, words, &at);
	if (!code)
		code = read_request(&c, (struct str_list){words.v + at, words.n - at});
	if (code)
		return code;
	return c.lists ? list_runs(&c) : ask(&c);
}
