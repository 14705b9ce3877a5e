/*
 * Error messages for presets, in the words of the dialect: the first error in few words
 * (until 3.26), or all errors, each with the place of its value.
 */
#ifndef CCTR_COMPAT_PRESETS_PRESET_FAULT_H
#define CCTR_COMPAT_PRESETS_PRESET_FAULT_H

#include "compat/format/json_read.h"

/* The errors that were found so far. */
struct preset_faults {
	struct arena *a;
	const struct dialect *dialect;
	struct buf text; /* the messages */
	size_t n;
};

/* Records an error, unless there are too many. older: the only text until 3.26; the newer
 * text is a format. at: the wrong value, or NULL. Always false. */
struct preset_place {
	const struct json_document *document;
	const struct json_value *at;
};
bool preset_wrong(struct preset_faults *f, const char *older, struct preset_place place,
	const char *newer, ...) CCTR_PRINTF(4, 5);
/* Records why the document is refused. */
bool preset_wrong_text(struct preset_faults *f, const struct json_document *document);
/* Reports that the version of the file is too old for `what`. has_stop: the text until
 * 3.26 has a full stop. */
bool preset_needs_version(
	struct preset_faults *f, int version, const char *what, bool has_stop);
/* A value as messages show it; "" if it cannot be shown, and until 3.26. */
struct str preset_text(struct preset_faults *f, const struct json_value *value);
#define NOWHERE ((struct preset_place){.at = NULL})
#define AT(d, v) ((struct preset_place){(d), (v)})

#endif
