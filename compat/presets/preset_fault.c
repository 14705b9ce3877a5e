/* The first messages of very many are printed, since each has the line of its place. See
 * preset_fault.h. */
#include "compat/presets/preset_fault.h"

#include <stdarg.h>

#include "compat/format/json_place.h"

enum { FAULTS_MOST = 100 };

static bool
is_enough(const struct preset_faults *f)
{
	return f->n >= (f->dialect->has[DIALECT_PRESET_ERROR_DETAILS] ? FAULTS_MOST : 1);
}

static void
add_fault(struct preset_faults *f, struct str text)
{
	f->n++;
	if (f->text.n)
		buf_char(&f->text, '\n');
	buf_str(&f->text, text);
}

bool
preset_wrong(struct preset_faults *f, const char *older, struct preset_place place,
	const char *newer, ...)
{
	struct str text;
	va_list args;

	if (is_enough(f))
		return false;
	if (!f->dialect->has[DIALECT_PRESET_ERROR_DETAILS]) {
		add_fault(f, str_of(older));
		return false;
	}
	va_start(args, newer);
	text = str_vfmt(f->a, newer, args);
	va_end(args);
	add_fault(f, place.at ? json_place_text(
					f->a, f->dialect, place.document, place.at, text)
			      : text);
	return false;
}

bool
preset_wrong_text(struct preset_faults *f, const struct json_document *document)
{
	struct str_list whys;

	if (!f->dialect->has[DIALECT_PRESET_ERROR_DETAILS])
		return preset_wrong(f, "JSON parse error", NOWHERE, "JSON parse error");
	whys = json_refusal(f->a, f->dialect, document);
	for (size_t i = 0; i < whys.n && !is_enough(f); i++)
		add_fault(f, whys.v[i]);
	return false;
}

bool
preset_needs_version(
	struct preset_faults *f, int version, const char *what, bool has_stop)
{
	return preset_wrong(f,
		str_fmt_z(f->a, "File version must be %d or higher for %s%s", version,
			what, has_stop ? "." : ""),
		NOWHERE, "File version must be %d or higher for %s", version, what);
}

struct str
preset_text(struct preset_faults *f, const struct json_value *value)
{
	return f->dialect->has[DIALECT_PRESET_ERROR_DETAILS]
		       ? json_value_text(f->a, value)
		       : STR("");
}
