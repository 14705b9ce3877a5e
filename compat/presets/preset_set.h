/* All presets of a directory: read, with what they inherit, and evaluated. */
#ifndef CCTR_COMPAT_PRESETS_PRESET_SET_H
#define CCTR_COMPAT_PRESETS_PRESET_SET_H

#include "compat/presets/preset.h"

struct preset_set;
struct preset_source {
	struct str directory; /* ${sourceDir} */
	struct str named; /* --presets-file, or "" */
	struct str text; /* of CMakePresets.json; STR_NONE: it is to be read */
	const struct preset_set *earlier; /* whose files are not read again, or NULL */
};
const struct preset_set *preset_set_read(struct arena *a, const struct dialect *dialect,
	const struct preset_source *source);
struct str preset_set_directory(const struct preset_set *s);
/* NULL: the presets can be used. Else the messages why they cannot. */
const char *preset_set_fault(const struct preset_set *s);
/* What ctest prints on standard output while it reads. */
struct str preset_set_noise(const struct preset_set *s);

/* NULL: there is none. */
struct preset *preset_find(
	const struct preset_set *s, enum preset_kind kind, struct str name);
/* All of a kind, in the order of the files. */
struct preset_list {
	struct preset *const *v;
	size_t n;
};
struct preset_list preset_list(const struct preset_set *s, enum preset_kind kind);

#endif
