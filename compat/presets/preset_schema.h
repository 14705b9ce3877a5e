/* The kinds of presets, and the shape of presets files in each release. */
#ifndef CCTR_COMPAT_PRESETS_PRESET_SCHEMA_H
#define CCTR_COMPAT_PRESETS_PRESET_SCHEMA_H

#include "compat/presets/preset_fault.h"

enum preset_kind {
	PRESET_CONFIGURE,
	PRESET_BUILD,
	PRESET_TEST,
	PRESET_PACKAGE,
	PRESET_WORKFLOW,
	PRESET_KINDS
};
struct preset_words {
	const char *name, *title; /* "test", and at the beginning of a sentence "Test" */
	const char *prefix; /* "test " */
	const char *member; /* "testPresets" */
};
extern const struct preset_words preset_words[PRESET_KINDS];
/* "configure " if the dialect's messages name the kind of a preset, else "". */
const char *preset_kind_text(const struct dialect *dialect, enum preset_kind kind);

/* Checks the shape of a file: version, members, their types. false after preset_wrong. */
bool preset_schema_check(
	struct preset_faults *f, const struct json_document *document, int *version);
/* Checks a preset for what the version of its file does not have yet, or no longer
 * has. false after preset_wrong. */
bool preset_age_check(struct preset_faults *f, enum preset_kind kind,
	const struct json_value *preset, int version);

#endif
