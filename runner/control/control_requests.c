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

#define NOT_FLAG "now, block, await and cancel are true or false"
#define NOT_LIST "stop and start are lists of texts"
#define MEMBER(member) offsetof(struct control_request, member)

/* In the order of a request. */
static const struct {
	const char *name;
	size_t offset;
	enum { KIND_TEXT, KIND_LIST, KIND_FLAG } kind;
	const char *why; /* a value is refused */
} members[] = {
	{"test", MEMBER(test), KIND_TEXT, "the test is not a text"},
	{"token", MEMBER(token), KIND_TEXT, "the token is not a text"},
	{"id", MEMBER(id), KIND_TEXT, "the id is not a text"},
	{"resources", MEMBER(resources), KIND_TEXT, "the resources are not a text"},
	{"wish", MEMBER(wish), KIND_TEXT, "the wish is not a text"},
	{"cleanup", MEMBER(fixture), KIND_TEXT, "the cleanup is not a text"},
	{"partition", MEMBER(partition), KIND_TEXT, "the partition is not a text"},
	{"state", MEMBER(state), KIND_TEXT, "the state is not a text"},
	{"stop", MEMBER(stop), KIND_LIST, NOT_LIST},
	{"start", MEMBER(start), KIND_LIST, NOT_LIST},
	{"now", MEMBER(is_immediate), KIND_FLAG, NOT_FLAG},
	{"block", MEMBER(blocks), KIND_FLAG, NOT_FLAG},
	{"await", MEMBER(awaits), KIND_FLAG, NOT_FLAG},
	{"cancel", MEMBER(calls_off), KIND_FLAG, NOT_FLAG},
};
enum { MEMBERS_N = sizeof members / sizeof *members };

static bool
read_text(struct arena *a, const cJSON *m, struct str *s)
{
	if (cJSON_IsString(m))
		*s = str_dup(a, str_of(m->valuestring));
	return cJSON_IsString(m);
}

static bool
read_list(struct arena *a, const cJSON *m, str_vec *v)
{
	const cJSON *one;
	struct str text;

	v->n = 0;
	cJSON_ArrayForEach(one, m)
	{
		if (!read_text(a, one, &text))
			return false;
		VEC_PUSH(a, v, text);
	}
	return cJSON_IsArray(m);
}

/* i: of members. */
static bool
read_value(struct arena *a, const cJSON *m, size_t i, struct control_request *q)
{
	void *to = (char *)q + members[i].offset;

	switch (members[i].kind) {
	case KIND_TEXT:
		return read_text(a, m, to);
	case KIND_LIST:
		return read_list(a, m, to);
	case KIND_FLAG:
		*(bool *)to = cJSON_IsTrue(m);
		return cJSON_IsBool(m);
	}
	BUG("a kind of member");
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
	for (size_t i = 0; i < MEMBERS_N; i++)
		if (strcmp(m->string, members[i].name) == 0)
			return read_value(a, m, i, q) || fail_why(why, members[i].why);
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

/* i: of members. */
static void
write_value(struct buf *b, size_t i, const struct control_request *q)
{
	const void *from = (const char *)q + members[i].offset;
	const struct str *text = from;

	switch (members[i].kind) {
	case KIND_TEXT:
		if (text->p)
			json_line_text(b, members[i].name, *text);
		break;
	case KIND_LIST:
		write_list(b, members[i].name, from);
		break;
	case KIND_FLAG:
		if (*(const bool *)from)
			json_line_bool(b, members[i].name, true);
	}
}

void
control_write(struct buf *b, const struct control_request *q)
{
	INVARIANT(q->verb < CONTROL_VERBS);
	json_line_open(b, NULL, '{');
	json_line_count(b, "version", CONTROL_VERSION);
	json_line_text(b, "verb", str_of(verbs[q->verb].name));
	for (size_t i = 0; i < MEMBERS_N; i++)
		write_value(b, i, q);
	if (q->verb == CONTROL_LIMIT || (control_is_alloc(q->verb) && q->seconds != 0))
		json_line_seconds(b, "seconds", q->seconds);
	if (q->verb == CONTROL_TAIL)
		json_line_count(b, "bytes", q->bytes);
	json_line_close(b, '}');
	buf_char(b, '\n');
}
