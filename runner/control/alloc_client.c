/* `cctr alloc`. See alloc_client.h. */
#include "runner/control/alloc_client.h"

#include <stdlib.h>
#include <unistd.h>

#include "runner/base/streams.h"
#include "runner/control/alloc_text.h"
#include "runner/control/control_call.h"

static const char usage[] =
	"Usage: cctr alloc [--json | --eval] <verb> [<resources>] [<options>]\n"
	"\n"
	"  new <resources>         a lease apart from what the test has\n"
	"  extend [<resources>]    more resources for a lease, or more time\n"
	"  release [<resources>]   gives back some, or all, of a lease\n"
	"  lend [<resources>]      as release, to be reacquired\n"
	"  reacquire               gets back what was lent\n"
	"  cancel                  a request that is pending, or all of them\n"
	"  query                   one lease, or all\n"
	"  ids                     the leases that the test has or waits for\n"
	"  time-left               seconds until a lease, or the test, ends\n"
	"  wait                    until the request for a lease has ended\n"
	"\n"
	"  --id <name>             which lease; by default the test's own\n"
	"  --wish <resources>      what is granted too, as far as it fits\n"
	"  --cleanup <name>        of new: the lease ends when that has been cleaned up\n"
	"  --wait                  answers when the request is no longer pending\n"
	"  --now                   denied where it would be pending\n"
	"  --time <n>[s|m|h]       until the lease ends; of extend: so much longer\n"
	"  --for <n>[s|m|h]        of lend: about how long\n"
	"\n"
	"  <resources>: gpus:2 is two slots of one gpu, gpus:1,gpus:1 two gpus\n";

static const struct {
	const char *name;
	enum control_verb verb;
	bool needs_resources, has_resources;
	enum alloc_style style;
} verbs[] = {
	{"new", CONTROL_ALLOC_NEW, true, true, ALLOC_TEXT},
	{"extend", CONTROL_ALLOC_EXTEND, false, true, ALLOC_TEXT},
	{"release", CONTROL_ALLOC_RELEASE, false, true, ALLOC_TEXT},
	{"lend", CONTROL_ALLOC_LEND, false, true, ALLOC_TEXT},
	{"reacquire", CONTROL_ALLOC_REACQUIRE, false, false, ALLOC_TEXT},
	{"cancel", CONTROL_ALLOC_CANCEL, false, false, ALLOC_TEXT},
	{"query", CONTROL_ALLOC_QUERY, false, false, ALLOC_TEXT},
	{"ids", CONTROL_ALLOC_QUERY, false, false, ALLOC_IDS},
	{"time-left", CONTROL_ALLOC_QUERY, false, false, ALLOC_TIME},
	{"wait", CONTROL_ALLOC_WAIT, false, false, ALLOC_TEXT},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

struct client {
	struct arena *a;
	const char *variables;
	bool is_json, is_shell;
	size_t verb; /* of verbs; VERBS: none yet */
	struct control_request q;
};

/* ---- the words ------------------------------------------------------------------- */

static bool
read_option(struct client *c, struct str_list words, size_t *at)
{
	static const char *const values[] = {
		"--id", "--wish", "--cleanup", "--time", "--for"};
	struct str word = words.v[*at];
	size_t i = 0;

	if (str_is(word, "--json"))
		return c->is_json = true;
	if (str_is(word, "--eval"))
		return c->is_shell = true;
	if (str_is(word, "--wait"))
		return c->q.blocks = true;
	if (str_is(word, "--now"))
		return c->q.is_immediate = true;
	while (i < sizeof values / sizeof *values && !str_is(word, values[i]))
		i++;
	if (i == sizeof values / sizeof *values || *at + 1 == words.n)
		return false;
	word = words.v[++*at];
	if (i == 0)
		c->q.id = word;
	else if (i == 1)
		c->q.wish = word;
	else if (i == 2)
		c->q.fixture = word;
	return i < 3 || str_seconds(word, &c->q.seconds);
}

static size_t
find_verb(struct str name)
{
	size_t i = 0;

	while (i < VERBS && !str_is(name, verbs[i].name))
		i++;
	return i;
}

/* false: it is not known, or is too much. */
static bool
read_word(struct client *c, struct str_list words, size_t *at)
{
	struct str word = words.v[*at];

	if (str_begins(word, STR("-")))
		return read_option(c, words, at);
	if (c->verb == VERBS)
		return (c->verb = find_verb(word)) < VERBS;
	if (!verbs[c->verb].has_resources || c->q.resources.p)
		return false;
	c->q.resources = word;
	return true;
}

/* CODE_OK: the words are understood. */
static int
read_words(struct client *c, struct str_list words)
{
	const char *token = getenv("CCTR_TOKEN");

	for (size_t i = 0; i < words.n; i++) {
		struct str word = words.v[i];

		if (!read_word(c, words, &i))
			return control_fail(c->a, CODE_USAGE,
				"alloc: %s is not known, or lacks its value: see cctr "
				"alloc --help",
				word.p);
	}
	if (c->verb == VERBS)
		return control_fail(c->a, CODE_USAGE, "alloc: a verb is missing");
	if (verbs[c->verb].needs_resources && !c->q.resources.p)
		return control_fail(c->a, CODE_USAGE,
			"alloc: %s: resources are missing, such as gpus:1",
			verbs[c->verb].name);
	c->q.verb = verbs[c->verb].verb;
	c->q.token = str_of(token ? token : "");
	if (verbs[c->verb].style == ALLOC_TIME && !c->q.id.p)
		c->q.id = STR(LEASE_OWN);
	return CODE_OK;
}

/* ---------------------------------------------------------------------------------- */

/* What was asked for has been done, also where it ends a request. */
static int
code_of(const struct client *c, enum lease_status status)
{
	bool looks =
		c->q.verb == CONTROL_ALLOC_QUERY || c->q.verb == CONTROL_ALLOC_CANCEL;

	switch (status) {
	case LEASE_GRANTED:
	case LEASE_PARTIAL:
		break;
	case LEASE_PENDING:
		return looks ? CODE_OK : CODE_PENDING;
	case LEASE_CANCELED:
		return looks ? CODE_OK : CODE_REFUSED;
	case LEASE_DENIED:
		return CODE_REFUSED;
	}
	return CODE_OK;
}

static int
say_answer(struct client *c, struct str line)
{
	struct buf text = {.arena = c->a};
	enum alloc_style style = c->is_shell ? ALLOC_SHELL : verbs[c->verb].style;
	struct str why;
	enum lease_status status = alloc_text(&text, line, style, c->variables, &why);

	if (c->is_json)
		streams_put(STREAM_OUTPUT, str_fmt(c->a, "%.*s\n", STR_ARG(line)));
	else if (status != LEASE_DENIED || style == ALLOC_SHELL)
		streams_put(STREAM_OUTPUT, buf_as_str(&text));
	if (status == LEASE_DENIED && !c->is_json)
		control_fail(c->a, CODE_REFUSED, "alloc: %.*s", STR_ARG(why));
	return code_of(c, status);
}

/* A shell that evaluates the answer must not find an older one. */
static int
say_none(const struct client *c)
{
	if (c->is_shell)
		streams_put(STREAM_OUTPUT,
			STR("CCTR_LEASE_STATUS='denied'\nCCTR_LEASE_ID=''\n"));
	return CODE_REFUSED;
}

static int
ask_run(struct client *c)
{
	int fd = control_call(c->a, NULL, 0);
	struct str line;
	const char *why;

	if (fd < 0)
		return say_none(c);
	if (!control_ask(c->a, fd, &c->q, &line, &why)) {
		control_fail(c->a, CODE_REFUSED, "alloc: %s", why);
		return say_none(c);
	}
	close(fd);
	return say_answer(c, line);
}

int
alloc_client(struct arena *a, struct str_list words, const char *variables)
{
	struct client c = {.a = a, .variables = variables, .verb = VERBS};
	int code;

	if (words.n == 1 && str_is(words.v[0], "--help")) {
		streams_put(STREAM_OUTPUT, str_of(usage));
		return CODE_OK;
	}
	c.is_shell = str_list_has(words, STR("--eval"));
	code = read_words(&c, words);
	if (code)
		(void)say_none(&c);
	return code ? code : ask_run(&c);
}
