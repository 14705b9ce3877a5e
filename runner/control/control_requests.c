/* Requests. See control_requests.h. */
#include "runner/control/control_requests.h"

#include <math.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "runner/base/json_line.h"

static const struct {
	const char *name;
	enum control_wants wants;
} verbs[CONTROL_VERBS] = {
	[CONTROL_HELLO] = {"hello", WANTS_NO_TEST},
	[CONTROL_PS] = {"ps", WANTS_NO_TEST},
	[CONTROL_WHY] = {"why", WANTS_TEST},
	[CONTROL_TAIL] = {"tail", WANTS_TEST},
	[CONTROL_CANCEL] = {"cancel", WANTS_TEST},
	[CONTROL_RETRY] = {"retry", WANTS_TEST},
	[CONTROL_LIMIT] = {"limit", WANTS_TEST},
	[CONTROL_PAUSE] = {"pause", WANTS_NO_TEST},
	[CONTROL_RESUME] = {"resume", WANTS_NO_TEST},
	[CONTROL_STOP] = {"stop", WANTS_NO_TEST},
	[CONTROL_PARTITIONS] = {"partitions", WANTS_NO_TEST},
	[CONTROL_WAIT] = {"wait", MAY_HAVE_TEST},
	[CONTROL_RECONFIG] = {"reconfig", WANTS_NO_TEST},
	[CONTROL_ALLOC_NEW] = {"alloc-new", WANTS_NO_TEST},
	[CONTROL_ALLOC_EXTEND] = {"alloc-extend", WANTS_NO_TEST},
	[CONTROL_ALLOC_RELEASE] = {"alloc-release", WANTS_NO_TEST},
	[CONTROL_ALLOC_LEND] = {"alloc-lend", WANTS_NO_TEST},
	[CONTROL_ALLOC_REACQUIRE] = {"alloc-reacquire", WANTS_NO_TEST},
	[CONTROL_ALLOC_CANCEL] = {"alloc-cancel", WANTS_NO_TEST},
	[CONTROL_ALLOC_QUERY] = {"alloc-query", WANTS_NO_TEST},
	[CONTROL_ALLOC_WAIT] = {"alloc-wait", WANTS_NO_TEST},
};

enum control_wants
control_verb_wants(enum control_verb v)
{
	INVARIANT(v < CONTROL_VERBS);
	return verbs[v].wants;
}

enum control_verb
control_verb_named(struct str name)
{
	unsigned v = 0;

	while (v < CONTROL_VERBS && !str_is(name, verbs[v].name))
		v++;
	return (enum control_verb)v;
}

/* ---- reading --------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
	const char *why;
} texts[] = {
	{"test", offsetof(struct control_request, test), "the test is not a text"},
	{"token", offsetof(struct control_request, token), "the token is not a text"},
	{"id", offsetof(struct control_request, id), "the id is not a text"},
	{"resources", offsetof(struct control_request, resources),
		"the resources are not a text"},
	{"wish", offsetof(struct control_request, wish), "the wish is not a text"},
	{"cleanup", offsetof(struct control_request, fixture),
		"the cleanup is not a text"},
	{"partition", offsetof(struct control_request, partition),
		"the partition is not a text"},
	{"state", offsetof(struct control_request, state), "the state is not a text"},
};
static const struct {
	const char *name;
	size_t offset;
} lists[] = {
	{"stop", offsetof(struct control_request, stop)},
	{"start", offsetof(struct control_request, start)},
};
static const struct {
	const char *name;
	size_t offset;
} flags[] = {
	{"now", offsetof(struct control_request, is_immediate)},
	{"block", offsetof(struct control_request, blocks)},
	{"await", offsetof(struct control_request, awaits)},
	{"cancel", offsetof(struct control_request, calls_off)},
};

static void *
member_of(struct control_request *q, size_t offset)
{
	return (char *)q + offset;
}

static bool
read_text(struct arena *a, const cJSON *m, struct str *s, const char **why,
	const char *wrong)
{
	if (!cJSON_IsString(m))
		return fail_why(why, wrong);
	*s = str_dup(a, str_of(m->valuestring));
	return true;
}

static bool
read_flag(const cJSON *m, bool *flag, const char **why)
{
	*flag = cJSON_IsTrue(m);
	return cJSON_IsBool(m) ||
	       fail_why(why, "now, block, await and cancel are true or false");
}

static bool
read_list(struct arena *a, const cJSON *m, str_vec *v, const char **why)
{
	const cJSON *one;

	v->n = 0;
	if (!cJSON_IsArray(m))
		return fail_why(why, "stop and start are lists of texts");
	cJSON_ArrayForEach(one, m)
	{
		if (!cJSON_IsString(one))
			return fail_why(why, "stop and start are lists of texts");
		VEC_PUSH(a, v, str_dup(a, str_of(one->valuestring)));
	}
	return true;
}

static bool
read_member(struct arena *a, const cJSON *m, struct control_request *q, bool *has_version,
	const char **why)
{
	if (strcmp(m->string, "version") == 0) {
		*has_version = cJSON_IsNumber(m) && m->valuedouble == CONTROL_VERSION;
		return *has_version || fail_why(why, "the version is not 1");
	}
	if (strcmp(m->string, "verb") == 0) {
		q->verb = cJSON_IsString(m) ? control_verb_named(str_of(m->valuestring))
					    : CONTROL_VERBS;
		return q->verb < CONTROL_VERBS || fail_why(why, "the verb is not known");
	}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strcmp(m->string, texts[i].name) == 0)
			return read_text(
				a, m, member_of(q, texts[i].offset), why, texts[i].why);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(m->string, flags[i].name) == 0)
			return read_flag(m, member_of(q, flags[i].offset), why);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(m->string, lists[i].name) == 0)
			return read_list(a, m, member_of(q, lists[i].offset), why);
	if (strcmp(m->string, "seconds") == 0) {
		q->seconds = m->valuedouble;
		return (cJSON_IsNumber(m) && isfinite(q->seconds)) ||
		       fail_why(why, "the seconds are not a number");
	}
	if (strcmp(m->string, "bytes") == 0) {
		if (!cJSON_IsNumber(m) || m->valuedouble < 0 ||
			m->valuedouble > CONTROL_TAIL_MOST)
			return fail_why(
				why, "the bytes are not a number from 0 to 65536");
		q->bytes = (size_t)m->valuedouble;
		return true;
	}
	return fail_why(why, "a member is not known");
}

static bool
read_members(
	struct arena *a, const cJSON *object, struct control_request *q, const char **why)
{
	bool has_version = false;

	if (!cJSON_IsObject(object))
		return fail_why(why, "a request is an object of JSON");
	for (const cJSON *m = object->child; m; m = m->next)
		if (!read_member(a, m, q, &has_version, why))
			return false;
	if (!has_version)
		return fail_why(why, "the version is missing");
	if (q->verb == CONTROL_VERBS)
		return fail_why(why, "the verb is missing");
	if (verbs[q->verb].wants == WANTS_TEST && !q->test.p)
		return fail_why(why, "the test is missing");
	if (q->verb == CONTROL_WAIT && q->test.p && q->partition.p)
		return fail_why(why, "wait is for a test or a partition");
	if (q->verb == CONTROL_WAIT && q->state.p && !q->partition.p)
		return fail_why(why, "the partition is missing");
	if (q->verb == CONTROL_RECONFIG && q->calls_off && (q->stop.n || q->start.n))
		return fail_why(why, "cancel is without stop and start");
	return true;
}

bool
control_read(
	struct arena *a, struct str line, struct control_request *q, const char **why)
{
	const char *end = NULL;
	struct str text = str_trim(line);
	cJSON *object = cJSON_ParseWithLengthOpts(text.p, text.n, &end, false);
	bool is_read;

	*q = (struct control_request){.verb = CONTROL_VERBS, .bytes = CONTROL_TAIL_MOST};
	if (!object || end != text.p + text.n)
		is_read = fail_why(why, "a request is one line of JSON");
	else
		is_read = read_members(a, object, q, why);
	cJSON_Delete(object);
	return is_read;
}

/* ---- writing --------------------------------------------------------------------- */

static void
write_list(struct buf *b, const char *name, const str_vec *v)
{
	if (!v->n)
		return;
	json_line_open(b, name, '[');
	for (size_t i = 0; i < v->n; i++)
		json_line_text(b, NULL, v->v[i]);
	json_line_close(b, ']');
}

void
control_write(struct buf *b, const struct control_request *q)
{
	INVARIANT(q->verb < CONTROL_VERBS);
	json_line_open(b, NULL, '{');
	json_line_count(b, "version", CONTROL_VERSION);
	json_line_text(b, "verb", str_of(verbs[q->verb].name));
	if (q->test.p)
		json_line_text(b, "test", q->test);
	for (size_t i = 1; i < sizeof texts / sizeof *texts; i++) {
		const struct str *s = (const void *)((const char *)q + texts[i].offset);

		if (s->p)
			json_line_text(b, texts[i].name, *s);
	}
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		write_list(b, lists[i].name,
			(const void *)((const char *)q + lists[i].offset));
	if (q->is_immediate)
		json_line_bool(b, "now", true);
	if (q->blocks)
		json_line_bool(b, "block", true);
	if (q->awaits)
		json_line_bool(b, "await", true);
	if (q->calls_off)
		json_line_bool(b, "cancel", true);
	if (q->verb == CONTROL_LIMIT || (control_is_alloc(q->verb) && q->seconds != 0))
		json_line_seconds(b, "seconds", q->seconds);
	if (q->verb == CONTROL_TAIL)
		json_line_count(b, "bytes", q->bytes);
	json_line_close(b, '}');
	buf_char(b, '\n');
}
