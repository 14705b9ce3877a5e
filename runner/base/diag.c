/* The list of what went wrong. See diag.h. */
#include "runner/base/diag.h"

#include <string.h>

struct diag
diag_in(struct arena *a)
{
	return (struct diag){.arena = a};
}

bool
diag_is_error(enum diag_kind kind)
{
	return kind == DIAG_ERROR || kind == DIAG_CMAKE_FATAL || kind == DIAG_CMAKE_ERROR;
}

void
diag_add(struct diag *d, enum diag_kind kind, struct place at, struct str text)
{
	INVARIANT(d->arena);
	VEC_PUSH(d->arena, &d->entries, (struct diag_entry){kind, at, text});
	d->errors += diag_is_error(kind);
}

bool
diag_error(struct diag *d, struct place at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diag_add(d, DIAG_ERROR, at, str_vfmt(d->arena, fmt, args));
	va_end(args);
	return false;
}

bool
diag_system(struct diag *d, struct str file, const char *what, int error)
{
	return diag_error(
		d, (struct place){.file = file}, "%s: %s", what, strerror(error));
}

bool
diag_unreadable(struct diag *d, struct str file, int error)
{
	d->unreadable++;
	return diag_system(d, file, "cannot be read", error);
}

void
diag_warning(struct diag *d, struct place at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diag_add(d, DIAG_WARNING, at, str_vfmt(d->arena, fmt, args));
	va_end(args);
}
