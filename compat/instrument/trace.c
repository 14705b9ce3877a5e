/* Traces. See trace.h. */
#include "compat/instrument/trace.h"

#include <cjson/cJSON.h>

#include "compat/format/json_styled.h"
#include "compat/instrument/instrument_file.h"
#include "compat/instrument/snippet.h"
#include "runner/base/files.h"
#include "runner/base/json_members.h"
#include "runner/base/sort.h"

/* One worker is a line of the trace: it has one event at a time. */
struct workers {
	VEC(int64_t) start_ms; /* of its earliest event */
};

/* Events come with the latest end first, so that a worker is free for one that ends
 * before its earliest begins. Returns the worker's number, from 1. */
static size_t
take_worker(struct arena *a, struct workers *w, int64_t start_ms, int64_t end_ms)
{
	for (size_t k = 0; k < w->start_ms.n; k++)
		if (w->start_ms.v[k] >= end_ms) {
			w->start_ms.v[k] = start_ms;
			return k + 1;
		}
	VEC_PUSH(a, &w->start_ms, start_ms);
	return w->start_ms.n;
}

SORT_BY(sort_by_end, struct str,
	SORT_TEXT(snippet_end(*b), snippet_end(*a)) TEXTUAL_ITSELF)

static struct str
text_member(const cJSON *snippet, const char *name)
{
	return str_of(json_text_of(snippet, name));
}

static struct str
event_name(struct arena *a, const cJSON *snippet, struct str role)
{
	struct str more = STR_NONE;

	if (str_is(role, "compile"))
		more = text_member(snippet, "source");
	else if (str_is(role, "link"))
		more = text_member(snippet, "target");
	else if (str_is(role, "install"))
		more = path_name(text_member(snippet, "workingDir"));
	else if (str_is(role, "custom"))
		more = text_member(snippet, "command");
	else if (str_is(role, "test"))
		more = text_member(snippet, "testName");
	return more.n ? str_fmt(a, "%.*s: %.*s", STR_ARG(role), STR_ARG(more)) : role;
}

/* Those that span others have the line 0. */
static bool
spans_others(struct str role)
{
	return str_is(role, "build") || str_is(role, "cmakeBuild") ||
	       str_is(role, "ctest") || str_is(role, "cmakeInstall");
}

static void
put_number(struct json *j, const char *key, int64_t n)
{
	json_key(j, key);
	json_int(j, n);
}

static void
put_text(struct json *j, const char *key, struct str text)
{
	json_key(j, key);
	json_string(j, text);
}

/* text is valid JSON, one member a line. */
static void
put_indented(struct json *j, struct str text)
{
	struct buf inside = {.arena = j->out->arena};

	text = str_trim(text);
	buf_z(&inside, "\n\t");
	for (size_t k = 0; k < text.n; k++) {
		buf_char(&inside, text.p[k]);
		if (text.p[k] == '\n')
			buf_char(&inside, '\t');
	}
	json_raw(j, buf_as_str(&inside));
}

static void
put_event(struct arena *a, struct buf *out, struct workers *w, struct str text)
{
	cJSON *snippet = cJSON_ParseWithLength(text.p, text.n);
	struct str role = text_member(snippet, "role");
	int64_t start = (int64_t)json_number_of(snippet, "timeStart"),
		ms = (int64_t)json_number_of(snippet, "duration");
	struct json j = {.out = out, .indent = "\t"};

	json_open(&j, '{');
	json_key(&j, "args");
	if (snippet)
		put_indented(&j, text);
	else
		json_null(&j);
	put_text(&j, "cat", role);
	put_number(&j, "dur", ms * 1000);
	put_text(&j, "name", event_name(a, snippet, role));
	put_text(&j, "ph", STR("X"));
	put_number(&j, "pid", 0);
	put_number(&j, "tid",
		spans_others(role) ? 0 : (int64_t)take_worker(a, w, start, start + ms));
	put_number(&j, "ts", start * 1000);
	json_close(&j, '}');
	cJSON_Delete(snippet);
}

bool
trace_write(struct arena *a, const struct instrumentation *i, struct str name,
	struct str_list snippets)
{
	struct str_list sorted = str_list_dup(a, snippets);
	struct buf out = {.arena = a};
	struct workers workers = {{0}};

	sort_by_end(sorted.v, sorted.n);
	buf_char(&out, '[');
	for (size_t k = 0; k < sorted.n; k++) {
		struct str path =
			str_fmt(a, "%.*s/%.*s", STR_ARG(i->data), STR_ARG(sorted.v[k]));
		struct str text;

		if (!file_read(a, path.p, &text))
			text = STR("");
		if (k)
			buf_char(&out, ',');
		put_event(a, &out, &workers, text);
	}
	buf_z(&out, "]\n");
	return instrument_file_write(a, i, "data/trace", name, buf_as_str(&out));
}
