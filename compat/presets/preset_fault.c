/*
 * Error messages for presets, in the words of the dialect: the first error in few words
 * (until 3.26), or all errors, each with the place of its value. ctest knows no place for
 * a null. Each message ends with the line of its place, so that only the first ones of
 * very many are printed.
 */
#include <stdarg.h>

#include "compat/format/json_place.h"
#include "compat/presets/preset_set.h"

enum { FAULTS_MOST = 100 };

static bool
is_enough(const struct preset_set *s)
{
	return s->faults >=
	       (s->dialect->has[DIALECT_PRESET_ERROR_DETAILS] ? FAULTS_MOST : 1);
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
	va_list args;

	if (is_enough(s))
		return false;
	if (!s->dialect->has[DIALECT_PRESET_ERROR_DETAILS]) {
		add(s, str_of(older));
		return false;
	}
	va_start(args, newer);
	text = str_vfmt(s->a, newer, args);
	va_end(args);
	add(s, place.at ? json_place_text(
				  s->a, s->dialect, &place.file->document, place.at, text)
			: text);
	return false;
}

bool
preset_wrong_text(struct preset_set *s, const struct preset_file *file)
{
	struct str_list whys;

	if (!s->dialect->has[DIALECT_PRESET_ERROR_DETAILS])
		return preset_wrong(s, "JSON parse error", NOWHERE, "JSON parse error");
	whys = json_refusal(s->a, s->dialect, &file->document);
	for (size_t i = 0; i < whys.n && !is_enough(s); i++)
		add(s, whys.v[i]);
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
preset_text(struct preset_set *s, const struct json_value *value)
{
	return s->dialect->has[DIALECT_PRESET_ERROR_DETAILS]
		       ? json_value_text(s->a, value)
		       : STR("");
}
