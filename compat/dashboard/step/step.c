/* Names, and what all steps share. See step.h. */
#include "compat/dashboard/step/step.h"

#include <time.h>

#include "compat/format/secrets.h"
#include "compat/instrument/index.h"
#include "compat/records/last_failed.h"
#include "compat/settings/settings.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

static const struct step_argument *
argument_of(const struct step_call *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_is(c->arguments[i].name, name))
			return &c->arguments[i];
	return NULL;
}

bool
step_has(const struct step_call *c, const char *name)
{
	INVARIANT(*name);
	return argument_of(c, name) != NULL;
}

struct str_list
step_values(const struct step_call *c, const char *name)
{
	const struct step_argument *a = argument_of(c, name);

	INVARIANT(*name);
	return a ? (struct str_list){drop_const(a->values), a->n}
		 : (struct str_list){NULL, 0};
}

struct str
step_value(const struct step_call *c, const char *name)
{
	const struct step_argument *a = argument_of(c, name);

	return a && a->n ? a->values[0] : STR_NONE;
}

/* ---- messages -------------------------------------------------------------------- */

void
step_say(const struct step_input *in, enum channel channel, struct str text)
{
	if (!in->is_quiet || channel == CHANNEL_ERROR)
		console_say(in->console, channel, text);
}

void
step_fmt(const struct step_input *in, enum channel channel, const char *fmt, ...)
{
	struct arena_mark mark = arena_mark(in->arena);
	va_list args;

	va_start(args, fmt);
	step_say(in, channel, str_vfmt(in->arena, fmt, args));
	va_end(args);
	arena_rewind(in->arena, mark);
}

struct str
step_words(struct arena *a, const struct str_list *words)
{
	struct str_list shown = secrets_masked_words(a, *words);
	struct buf text = {.arena = a};

	for (size_t i = 0; i < shown.n; i++)
		buf_fmt(&text, "%s\"%.*s\"", i ? " " : "", STR_ARG(shown.v[i]));
	return words->n ? buf_as_str(&text) : STR("");
}

bool
step_fail(struct step_result *r)
{
	r->value = -1;
	return false;
}

bool
step_has_time(const struct options *o)
{
	enum { LEAST_S = 120 };

	INVARIANT(o);
	return !o->run.limit_end_s || o->run.limit_end_s - time(NULL) > LEAST_S;
}

const char *
step_path(const struct step_input *in, struct str name)
{
	return path_in(in->arena, in->directory, name);
}

struct str
step_key(const struct step_input *in, const char *key)
{
	return configuration_get(in->configuration, key);
}

/* ---- files ----------------------------------------------------------------------- */

struct str
step_build_directory(const struct step_input *in)
{
	struct str key = step_key(in, "BuildDirectory");

	return key.n ? key : in->binary;
}

/* The path relative to directory; STR_NONE if it is not below it. As in ctest, a name
 * that contains ".." counts as a step up. */
static struct str
path_within(struct arena *a, struct str directory, struct str path)
{
	struct str top = path_normal(a, directory);

	if (str_is(top, "/")) /* it ends with the slash that the path goes on with */
		top.n = path.n == 1 || path.p[1] == '/';
	if (!directory.n || !str_begins(path, top) ||
		(path.n > top.n && path.p[top.n] != '/') ||
		str_has(str_from(path, top.n), STR("..")))
		return STR_NONE;
	return str_from(path, top.n);
}

struct str
step_short_path(struct arena *a, struct str source, struct str binary, struct str path)
{
	INVARIANT(path.n);
	struct str in_source = path_within(a, source, path);
	struct str in_binary = path_within(a, binary, path);
	bool is_source = in_source.p && (!in_binary.p || in_source.n < in_binary.n);
	struct str copy = is_source     ? str_fmt(a, ".%.*s", STR_ARG(in_source))
			  : in_binary.p ? str_fmt(a, ".%.*s", STR_ARG(in_binary))
					: str_dup(a, path);

	for (size_t i = 0; i < copy.n; i++)
		if (copy.p[i] == ':' || copy.p[i] == ' ')
			str_own(copy)[i] = '_';
	return copy;
}

struct str
step_directory(const struct step_input *in, struct step_result *r)
{
	struct arena *a = in->arena;
	struct str path = path_join(
		a, in->binary, str_fmt(a, "Testing/%.*s", STR_ARG(in->stamp.tag)));

	if (in->stamp.tag.n == 0) {
		console_say(in->console, CHANNEL_ERROR,
			STR("Current Tag empty, this may mean NightlyStartTime / "
			    "CTEST_NIGHTLY_START_TIME was not set correctly. Or maybe "
			    "you forgot to call ctest_start() before calling "
			    "ctest_configure().\n"));
		r->ends = true;
		return STR("");
	}
	if (settings_make_directory(a, in->console, path.p))
		return path;
	console_note_loss(in->console);
	return STR("");
}

bool
step_log_directory(const struct step_input *in, struct str path)
{
	if (settings_make_directory(
		    in->arena, in->console, str_z(in->arena, path_parent(path))))
		return true;
	console_fmt(in->console, CHANNEL_ERROR, "Cannot create log file: %.*s\n",
		STR_ARG(path_name(path)));
	return false;
}

struct str
step_log_tag(const struct step_input *in)
{
	if (in->call.submit_index <= 0)
		return in->stamp.tag;
	return str_fmt(in->arena, "%d%s%.*s", in->call.submit_index,
		in->stamp.tag.n ? "_" : "", STR_ARG(in->stamp.tag));
}

struct str
step_file_name(const struct step_input *in, const char *name)
{
	INVARIANT(*name);
	if (in->call.submit_index > 0)
		return str_fmt(in->arena, "%s_%d.xml", name, in->call.submit_index);
	return str_fmt(in->arena, "%s.xml", name);
}

void
step_note_file(const struct step_input *in, struct step_result *r, struct str file)
{
	VEC_PUSH(in->arena, &r->files, (struct step_file){in->call.part, file});
}

struct str
step_log(const struct step_input *in, const char *name)
{
	return path_join(in->arena, in->binary,
		str_fmt(in->arena, "Testing/Temporary/Last%s%.*s", name,
			STR_ARG(last_file_end(in->arena, step_log_tag(in)))));
}

bool
step_write(const struct step_input *in, struct step_result *r, const char *name,
	struct str text)
{
	struct str directory = step_directory(in, r);
	struct str file = step_file_name(in, name);
	struct str path = path_join(in->arena, directory, file);

	INVARIANT(*name);
	if (directory.n && file_write(in->arena, path.p, ".tmp", text)) {
		step_note_file(in, r, file);
		return true;
	}
	console_fmt(in->console, CHANNEL_ERROR, "Cannot create resulting XML file: %s\n",
		path.p);
	console_note_loss(in->console);
	return false;
}

bool
step_may_be_recorded(const struct step_input *in)
{
	return in->dialect->has[DIALECT_CMAKE_INSTRUMENTATION] &&
	       instrumentation_may_exist(in->arena, in->directory);
}

const struct instrumentation *
step_instrumentation(const struct step_input *in)
{
	const struct instrumentation *i;

	if (!step_may_be_recorded(in))
		return NULL;
	i = instrumentation_read(in->arena, in->dialect, in->directory);
	if (!i->options[OPTION_CDASH_SUBMIT])
		return NULL;
	if (!instrument_collect(
		    in->arena, i, HOOK_PREPARE_FOR_CDASH, step_path(in, STR("."))))
		console_note_loss(in->console);
	return i;
}

void
step_complain(const struct step_input *in, const struct buf *complaints)
{
	if (complaints->n)
		console_say(in->console, CHANNEL_ERROR, buf_as_str(complaints));
}
