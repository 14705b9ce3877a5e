/* `cctr ctl`. See control_client.h. */
#include "runner/control/control_client.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/streams.h"
#include "runner/control/control_call.h"
#include "runner/control/control_socket.h"
#include "runner/control/control_text.h"

static const char usage[] =
	"Usage: cctr ctl [--test-dir <dir> | --pid <pid>] [--json] <verb>\n"
	"\n"
	"  runs                    the runs of this user on this machine\n"
	"  ps                      what runs, and how far the run is\n"
	"  why <test>              what a test waits for\n"
	"  tail <test>             what a running test has written last\n"
	"  cancel <test>           the test ends, or does not start, and has failed\n"
	"  retry <test>            the running test ends and starts again\n"
	"  limit <test> +<n>[s|m|h]\n"
	"                          its time limit is over that much later (-: earlier)\n"
	"  pause, resume           nothing starts; tests start again\n"
	"  stop                    no test starts any more; those that wait have not "
	"run\n"
	"  partitions              the parts of --partition, and how busy they were\n"
	"  wait [<test>]           until the test, or the run, has ended\n"
	"  wait --partition <partition> [--state <state>]\n"
	"                          until the partition is ACTIVE, or in that state\n"
	"  reconfig --stop <partition>... --start <name:sizes:options>... [--now]\n"
	"                          other partitions instead of these, or of \"all\";\n"
	"                          --now: what runs in them starts again elsewhere\n"
	"  reconfig --cancel       the partitions stay as they are\n";

struct client {
	struct arena *arena;
	const char *tree; /* NULL: here */
	uint64_t pid; /* 0: any */
	bool is_json;
	bool lists; /* the verb is "runs" */
	struct control_request request;
};

/* ---- the words ------------------------------------------------------------------- */

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
				return control_fail(c->arena, CODE_USAGE,
					"ctl: --pid: %s is not a process",
					words.v[*at].p);
		} else {
			return control_fail(c->arena, CODE_USAGE,
				"ctl: %s is not known, or lacks its value", word.p);
		}
	}
	return CODE_OK;
}

/* "--stop a" or "--stop=a" */
static bool
take_value(struct str_list words, size_t *at, const char *name, struct str *value)
{
	struct str word = words.v[*at];
	size_t n = strlen(name);

	if (str_begins(word, str_of(name)) && word.n > n && word.p[n] == '=') {
		*value = str_from(word, n + 1);
		return true;
	}
	if (!str_is(word, name) || *at + 1 == words.n)
		return false;
	*value = words.v[++*at];
	return true;
}

static bool
read_reconfig(struct client *c, struct str_list words, size_t *at)
{
	struct control_request *q = &c->request;
	struct str value;

	if (take_value(words, at, "--stop", &value))
		VEC_PUSH(c->arena, &q->stop, value);
	else if (take_value(words, at, "--start", &value))
		VEC_PUSH(c->arena, &q->start, value);
	else if (str_is(words.v[*at], "--now"))
		q->is_immediate = true;
	else if (str_is(words.v[*at], "--cancel"))
		q->calls_off = true;
	else
		return false;
	return true;
}

static bool
read_wait(struct client *c, struct str_list words, size_t *at)
{
	struct control_request *q = &c->request;

	return take_value(words, at, "--partition", &q->partition) ||
	       take_value(words, at, "--state", &q->state);
}

/* A word of the verb that is an option. false: it is something else. */
static bool
read_verb_option(struct client *c, struct str_list words, size_t *at)
{
	enum control_verb verb = c->request.verb;

	if (str_is(words.v[*at], "--json"))
		c->is_json = true;
	else
		return (verb == CONTROL_RECONFIG && read_reconfig(c, words, at)) ||
		       (verb == CONTROL_WAIT && read_wait(c, words, at));
	return true;
}

/* What the words together say of partitions. */
static int
check_partitions(const struct client *c)
{
	const struct control_request *q = &c->request;
	bool is_change = q->stop.n || q->start.n;

	if (q->verb == CONTROL_RECONFIG && !is_change && !q->is_immediate &&
		!q->calls_off)
		return control_fail(c->arena, CODE_USAGE,
			"ctl: reconfig: which partition? see --stop and --start");
	if (q->calls_off && (is_change || q->is_immediate))
		return control_fail(
			c->arena, CODE_USAGE, "ctl: reconfig: --cancel goes alone");
	if (q->partition.p && q->test.p)
		return control_fail(c->arena, CODE_USAGE,
			"ctl: wait: a test or a partition, not both");
	if (q->state.p && !q->partition.p)
		return control_fail(c->arena, CODE_USAGE, "ctl: wait: which partition?");
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
		return words.n ? control_fail(c->arena, CODE_USAGE,
					 "ctl: %s is not known: %s", words.v[0].p,
					 "see cctr ctl --help")
			       : control_fail(
					 c->arena, CODE_USAGE, "ctl: a verb is missing");
	wants = control_verb_wants(q->verb);
	while (at < words.n && read_verb_option(c, words, &at))
		at++;
	if (wants != WANTS_NO_TEST && at < words.n)
		q->test = words.v[at++];
	if (wants == WANTS_TEST && !q->test.p)
		return control_fail(
			c->arena, CODE_USAGE, "ctl: %s: which test?", words.v[0].p);
	if (q->verb == CONTROL_LIMIT &&
		(at == words.n || !str_seconds(words.v[at++], &q->seconds)))
		return control_fail(c->arena, CODE_USAGE,
			"ctl: limit: a time is missing, such as +60s");
	while (at < words.n && read_verb_option(c, words, &at))
		at++;
	if (at < words.n)
		return control_fail(c->arena, CODE_USAGE,
			"ctl: %s is too much, or lacks its value", words.v[at].p);
	q->bytes = CONTROL_TAIL_MOST;
	return check_partitions(c);
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
		control_fail(c->arena, CODE_REFUSED, "ctl: %.*s", STR_ARG(why));
	return is_ok ? CODE_OK : CODE_REFUSED;
}

static int
ask_run(struct client *c)
{
	int fd = control_call(c->arena, c->tree, c->pid);
	struct str line;
	const char *why;

	if (fd < 0)
		return CODE_REFUSED;
	if (!control_ask(c->arena, fd, &c->request, &line, &why))
		return control_fail(c->arena, CODE_REFUSED, "ctl: %s", why);
	close(fd);
	return say_answer(c, line);
}

static int
list_runs(struct client *c)
{
	const struct control_request q = {.verb = CONTROL_HELLO};
	struct str_list paths;

	if (!control_find_runs(c->arena, &paths))
		return CODE_REFUSED;
	for (size_t i = 0; i < paths.n; i++) {
		int pid, fd = control_connect(paths.v[i].p, &pid);
		const char *why;
		struct str line;

		if (fd < 0)
			continue;
		if (control_ask(c->arena, fd, &q, &line, &why))
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
	return c.lists ? list_runs(&c) : ask_run(&c);
}
