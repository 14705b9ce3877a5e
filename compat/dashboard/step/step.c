/* Names, and what all steps share. See step.h. */
#include "compat/dashboard/step/step.h"

#include "compat/format/secrets.h"
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
	return argument_of(c, name) != NULL;
}

struct str_list
step_values(const struct step_call *c, const char *name)
{
	const struct step_argument *a = argument_of(c, name);

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
step_say(const struct dashboard *d, enum channel channel, struct str text)
{
	if (!d->is_quiet || channel == CHANNEL_ERROR)
		console_say(d->console, channel, text);
}

void
step_fmt(const struct dashboard *d, enum channel channel, const char *fmt, ...)
{
	struct arena_mark mark = arena_mark(d->arena);
	va_list args;

	va_start(args, fmt);
	step_say(d, channel, str_vfmt(d->arena, fmt, args));
	va_end(args);
	arena_rewind(d->arena, mark);
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

/* ---- files ----------------------------------------------------------------------- */

struct str
dashboard_directory(struct dashboard *d)
{
	struct arena *a = d->arena;
	struct str path =
		path_join(a, d->binary, str_fmt(a, "Testing/%.*s", STR_ARG(d->tag)));

	if (d->tag.n == 0) {
		console_say(d->console, CHANNEL_ERROR,
			STR("Current Tag empty, this may mean NightlyStartTime / "
			    "CTEST_NIGHTLY_START_TIME was not set correctly. Or maybe "
			    "you forgot to call ctest_start() before calling "
			    "ctest_configure().\n"));
		d->ends = true;
		return STR("");
	}
	if (settings_make_directory(a, d->console, path.p))
		return path;
	console_note_loss(d->console);
	return STR("");
}

bool
dashboard_log_directory(const struct dashboard *d, struct str path)
{
	if (settings_make_directory(
		    d->arena, d->console, str_z(d->arena, path_parent(path))))
		return true;
	console_fmt(d->console, CHANNEL_ERROR, "Cannot create log file: %.*s\n",
		STR_ARG(path_name(path)));
	return false;
}

struct str
dashboard_log_tag(const struct dashboard *d)
{
	if (d->submit_index <= 0)
		return d->tag;
	return str_fmt(d->arena, "%d%s%.*s", d->submit_index, d->tag.n ? "_" : "",
		STR_ARG(d->tag));
}

struct str
dashboard_file(const struct dashboard *d, const char *name)
{
	if (d->submit_index > 0)
		return str_fmt(d->arena, "%s_%d.xml", name, d->submit_index);
	return str_fmt(d->arena, "%s.xml", name);
}

void
dashboard_note_file(struct dashboard *d, struct str file)
{
	struct step_file noted = {d->part, file};

	VEC_PUSH(d->arena, &d->files, noted);
}

struct str
dashboard_log(const struct dashboard *d, const char *name)
{
	return path_join(d->arena, d->binary,
		str_fmt(d->arena, "Testing/Temporary/Last%s%.*s", name,
			STR_ARG(last_file_end(d->arena, dashboard_log_tag(d)))));
}

bool
dashboard_write(struct dashboard *d, const char *name, struct str text)
{
	struct str directory = dashboard_directory(d);
	struct str file = dashboard_file(d, name);
	struct str path = path_join(d->arena, directory, file);

	if (directory.n && file_write(d->arena, path.p, ".tmp", text)) {
		dashboard_note_file(d, file);
		return true;
	}
	console_fmt(d->console, CHANNEL_ERROR, "Cannot create resulting XML file: %s\n",
		path.p);
	console_note_loss(d->console);
	return false;
}
