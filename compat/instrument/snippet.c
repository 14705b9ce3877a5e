/* Snippets. See snippet.h. */
#include "compat/instrument/snippet.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compat/format/json_styled.h"
#include "compat/format/sha3.h"
#include "compat/instrument/instrument_file.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"

enum { HASH_DIGITS = 20, NS_PER_MS = 1000000 };

/* ---- the host -------------------------------------------------------------------- */

/* The kibibytes in a line of /proc/meminfo; negative: there is no such line. */
static double
meminfo_kib(struct str meminfo, struct str name)
{
	struct str line;

	while (str_take_line(&meminfo, &line))
		if (str_begins(line, name))
			return str_double(str_trim(str_from(line, name.n)));
	return -1;
}

static struct host_load
host_load(struct arena *scratch)
{
	struct host_load load = {-1, -1};
	struct str text;
	double minute;

	if (file_read(scratch, "/proc/meminfo", &text))
		load.memory_kib = meminfo_kib(text, STR("MemTotal:")) -
				  meminfo_kib(text, STR("MemAvailable:"));
	if (getloadavg(&minute, 1) == 1)
		load.average = minute;
	return load;
}

static struct host_load
asked_load(const struct instrumentation *i)
{
	struct host_load load = {0};

	if (i->options[OPTION_DYNAMIC_SYSTEM_INFORMATION]) {
		struct arena *scratch = arena_open();

		load = host_load(scratch);
		arena_close(scratch);
	}
	return load;
}

/* ---- files ----------------------------------------------------------------------- */

struct str
snippet_time(struct arena *a, int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm utc;
	char text[32];

	gmtime_r(&seconds, &utc);
	strftime(text, sizeof text, "%Y-%m-%dT%H-%M-%S", &utc);
	return str_fmt(a, "%s-%04d", text, (int)(wall_ms % 1000));
}

/* "ROLE-HASH-TIME.json"; until 4.1 without the second dash. */
struct str
snippet_end(struct str name)
{
	struct str rest = path_name(name);
	size_t end = str_find(rest, '-') + 1 + HASH_DIGITS;

	if (end < rest.n && rest.p[end] == '-')
		end++;
	return end < rest.n ? str_from(rest, end) : STR("");
}

/* ---- the text -------------------------------------------------------------------- */

struct str
snippet_command(struct arena *a, const struct dialect *dialect, struct str_list words)
{
	bool quotes_all = !dialect->has[DIALECT_INSTRUMENTATION_OPTIONS];
	struct buf out = {.arena = a};

	for (size_t k = 0; k < words.n; k++) {
		bool has_blank = str_find(words.v[k], ' ') < words.v[k].n;
		const char *quote = quotes_all || has_blank ? "\"" : "";

		buf_fmt(&out, "%s%s%.*s%s", k ? " " : "", quote, STR_ARG(words.v[k]),
			quote);
	}
	return out.n ? buf_as_str(&out) : STR("");
}

static void
put_text(struct json *j, const char *key, struct str text)
{
	if (text.n) {
		json_key(j, key);
		json_string(j, text);
	}
}

static void
put_load(struct json *j, const char *prefix, struct host_load load)
{
	char key[40];

	snprintf(key, sizeof key, "%sCPULoadAverage", prefix);
	json_key(j, key);
	if (load.average > 0)
		json_double(j, load.average);
	else
		json_null(j);
}

static void
put_memory(struct json *j, const char *prefix, struct host_load load)
{
	char key[40];

	snprintf(key, sizeof key, "%sHostMemoryUsed", prefix);
	json_key(j, key);
	json_double(j, load.memory_kib);
}

static void
put_loads(struct json *j, struct host_load before, struct host_load after)
{
	json_key(j, "dynamicSystemInformation");
	json_open(j, '{');
	put_load(j, "after", after);
	put_memory(j, "after", after);
	put_load(j, "before", before);
	put_memory(j, "before", before);
	json_close(j, '}');
}

static void
put_list(struct json *j, const char *key, struct str_list list)
{
	json_key(j, key);
	json_open(j, '[');
	for (size_t k = 0; k < list.n; k++)
		json_string(j, list.v[k]);
	json_close(j, ']');
}

/* 0 for what is not there. */
static void
put_sizes(struct json *j, struct arena *a, struct str build, struct str_list outputs)
{
	json_key(j, "outputSizes");
	json_open(j, '[');
	for (size_t k = 0; k < outputs.n; k++) {
		struct stat st;
		struct str path =
			str_fmt(a, "%.*s/%.*s", STR_ARG(build), STR_ARG(outputs.v[k]));

		json_int(j, stat(path.p, &st) == 0 ? (long long)st.st_size : 0);
	}
	json_close(j, ']');
}

static void
put_number(struct json *j, const char *key, int64_t n)
{
	json_key(j, key);
	json_int(j, n);
}

void
snippet_put_version(struct json *j, const struct dialect *dialect)
{
	if (dialect->has[DIALECT_INSTRUMENTATION_DATA_1_1])
		json_version(j, 1, 1);
	else
		put_number(j, "version", 1);
}

static void
put_output(struct json *j, const struct snippet *s)
{
	json_key(j, "stderr");
	json_string(j, s->err);
	json_key(j, "stdout");
	json_string(j, s->out);
}

static void
put_trace(struct json *j, struct str trace)
{
	json_key(j, "traceFile");
	if (trace.n)
		json_string(j, trace);
	else
		json_null(j);
}

/* All members in the order of their names. trace: the path of the trace's copy. */
static void
put_members(struct json *j, struct arena *a, const struct instrumentation *i,
	const struct snippet *s, const struct snippet_start *start, int64_t duration_ms,
	struct str trace)
{
	struct str content =
		s->has_content ? instrument_file_newest(a, i, "content") : STR_NONE;

	if (content.n)
		put_text(j, "cmakeContent", str_fmt(a, "content/%.*s", STR_ARG(content)));
	put_text(j, "command", s->command);
	if (s->has_config || s->config.n) {
		json_key(j, "config");
		json_string(j, s->config);
	}
	put_number(j, "duration", duration_ms);
	if (i->options[OPTION_DYNAMIC_SYSTEM_INFORMATION])
		put_loads(j, start->load, asked_load(i));
	put_text(j, "language", s->language);
	if (s->has_outputs) {
		put_sizes(j, a, i->build, s->outputs);
		put_list(j, "outputs", s->outputs);
	}
	put_number(j, "result", s->result);
	put_text(j, "role", str_of(s->role));
	if (s->show_only) {
		json_key(j, "showOnly");
		json_bool(j, *s->show_only);
	}
	put_text(j, "source", s->source);
	if (s->has_output)
		put_output(j, s);
	put_text(j, "target", s->target);
	if (s->has_labels)
		put_list(j, "targetLabels", s->labels);
	put_text(j, "targetType", s->target_type);
	put_text(j, "testName", s->test_name);
	put_number(j, "timeStart", start->wall_ms);
	if (s->trace)
		put_trace(j, trace);
	snippet_put_version(j, i->dialect);
	put_text(j, "workingDir", s->directory);
}

/* ---- one snippet ----------------------------------------------------------------- */

struct snippet_start
snippet_begin(const struct instrumentation *i)
{
	return (struct snippet_start){.wall_ms = loop_wall_us() / 1000,
		.steady_ns = loop_now_ns(),
		.load = asked_load(i)};
}

/* The hash of the command line and of our process id keeps apart what ends in the same
 * millisecond; a test that is repeated as fast as that has a later time in the name. */
static struct str
snippet_name(struct arena *a, const struct instrumentation *i, const struct snippet *s,
	int64_t end_ms)
{
	bool has_dash = i->dialect->has[DIALECT_INSTRUMENTATION_OPTIONS];
	char hash[SHA3_256_TEXT];
	struct str name;

	sha3_256_text(hash, str_fmt(a, "%.*s%ld", STR_ARG(s->command), (long)getpid()));
	for (;; end_ms++) {
		name = str_fmt(a, "%s-%.*s%s%.*s.json", s->role, HASH_DIGITS, hash,
			has_dash ? "-" : "", STR_ARG(snippet_time(a, end_ms)));
		if (!path_exists(
			    str_fmt_z(a, "%.*s/%.*s", STR_ARG(i->data), STR_ARG(name))))
			return name;
	}
}

/* false leaves errno. */
static bool
keep_trace(struct arena *a, const struct instrumentation *i, const struct snippet *s,
	struct str name, struct str *copy)
{
	struct str suffix = str_from(name, strlen(s->role) + 1);

	*copy = STR_NONE;
	suffix.n -= strlen(".json");
	return !s->trace || compile_trace_keep(a, i, s->trace, suffix, copy);
}

struct str
snippet_write(struct arena *a, const struct instrumentation *i, const struct snippet *s,
	const struct snippet_start *start)
{
	int64_t duration_ms = (int64_t)((loop_now_ns() - start->steady_ns) / NS_PER_MS);
	struct str name = snippet_name(a, i, s, start->wall_ms + duration_ms), trace;
	struct buf text = {.arena = a};
	struct json j = {.out = &text, .indent = "\t"};

	INVARIANT(s->role && start);
	if (!keep_trace(a, i, s, name, &trace))
		return STR_NONE;
	json_open(&j, '{');
	put_members(&j, a, i, s, start, duration_ms, trace);
	json_close(&j, '}');
	buf_char(&text, '\n');
	return instrument_file_write(a, i, "data", name, buf_as_str(&text)) ? name
									    : STR_NONE;
}
