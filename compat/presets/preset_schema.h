/*
 * The shape of presets files: what preset_schema.c says and preset_check.c checks. Not
 * for other modules.
 */
#ifndef CCTR_COMPAT_PRESETS_PRESET_SCHEMA_H
#define CCTR_COMPAT_PRESETS_PRESET_SCHEMA_H

#include "compat/presets/preset_set.h"

enum shape {
	SHAPE_TEXT,
	SHAPE_NAME, /* a text that is not empty */
	SHAPE_WORD, /* one of words */
	SHAPE_FLAG,
	SHAPE_INT,
	SHAPE_MAP, /* any object */
	SHAPE_OBJECT, /* as object says */
	SHAPE_TEXTS,
	SHAPE_TEXT_OR_TEXTS,
	SHAPE_TEXT_OR_OBJECT,
	SHAPE_INTS,
	SHAPE_ENVIRONMENT, /* texts or null */
	SHAPE_CACHE,
	SHAPE_VARIABLES,
	SHAPE_CONDITION,
	SHAPE_JOBS,
	SHAPE_STEPS
};

struct schema_object;
struct schema_member {
	const char *name;
	enum shape shape;
	const char *const *words;
	const struct schema_object *object;
	bool is_required;
	int since; /* version of the newest format that must be known for it; 0: any */
};
struct schema_object {
	const char *what;
	bool is_open; /* unknown members pass */
	const struct schema_member *v;
	size_t n;
};

/* One entry of testPresets and the like. */
const struct schema_object *preset_schema(enum preset_kind kind);

#endif
