/*
 * Error messages for presets, in the words of the dialect: the first error in few words
 * (until 3.26), or all errors, each with the place of its value. ctest knows no place for
 * a null. Each message ends with the line of its place, so that only the first ones of
 * very many are printed.
 */
#include <cjson/cJSON.h>
#include <stdarg.h>

#include "compat/format/json_place.h"
#include "compat/format/json_text.h"
#include "compat/presets/preset_set.h"
#include "runner/base/files.h"

enum { FAULTS_MOST = 100 };

static size_t
place_of(struct preset_set *s, const struct preset_file *file, const cJSON *value)
{
	if (!file->places->n)
		*file->places = json_places_of(s->a, file->strict, file->root);
	return json_place(file->places, value);
}

static struct str
with_place(struct preset_set *s, const struct preset_file *file, size_t at,
	struct str message)
{
	bool has_name = s->dialect->has[DIALECT_SPEC_PLACES];

	return json_place_text(s->a, has_name ? path_name(file->path) : STR(""),
		file->text, at, message);
}

static bool
is_enough(const struct preset_set *s)
{
	return s->faults >= (s->dialect->has[DIALECT_PRESET_DETAILS] ? FAULTS_MOST : 1);
}

static void
add(struct preset_set *s, struct str text)
{
	s->faults++;
	if (s->fault.n)
		buf_char(&s->fault, '\n');
	buf_str(&s->fault, text);
}

bool
preset_wrong(struct preset_set *s, const char *older, struct preset_place place,
	const char *newer, ...)
{
	struct str text;
	size_t at = SIZE_MAX;
	va_list args;

	if (is_enough(s))
		return false;
	if (!s->dialect->has[DIALECT_PRESET_DETAILS]) {
		add(s, str_of(older));
		return false;
	}
	va_start(args, newer);
	text = str_vfmt(s->a, newer, args);
	va_end(args);
	if (place.at)
		at = place_of(s, place.file, place.at);
	add(s, at == SIZE_MAX ? text : with_place(s, place.file, at, text));
	return false;
}

bool
preset_wrong_text(struct preset_set *s, const struct preset_file *file,
	const struct json_fault *faults, size_t n)
{
	if (!s->dialect->has[DIALECT_PRESET_DETAILS])
		return preset_wrong(s, "JSON parse error", NOWHERE, "JSON parse error");
	if (!s->dialect->has[DIALECT_SPEC_PLACES])
		add(s, json_faults_text(s->a, file->path, file->text, faults, n));
	else
		for (size_t i = 0; i < n && !is_enough(s); i++)
			add(s, with_place(s, file, faults[i].at, faults[i].why));
	return false;
}

bool
preset_needs_version(struct preset_set *s, int version, const char *what, bool has_stop)
{
	return preset_wrong(s,
		str_fmt(s->a, "File version must be %d or higher for %s%s", version, what,
			has_stop ? "." : "")
			.p,
		NOWHERE, "File version must be %d or higher for %s", version, what);
}

struct str
preset_text(struct preset_set *s, const struct preset_file *file, const cJSON *value)
{
	struct str text = STR("");
	size_t at;

	if (!value || !s->dialect->has[DIALECT_PRESET_DETAILS])
		return text;
	at = place_of(s, file, value);
	json_text(s->a, value, str_from(file->text, at == SIZE_MAX ? file->text.n : at),
		&text);
	return text;
}
