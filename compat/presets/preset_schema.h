/*
 * The shape of presets files: preset_schema.c declares it, and preset_check.c checks it.
 * Not for other modules.
 */
#ifndef CCTR_COMPAT_PRESETS_PRESET_SCHEMA_H
#define CCTR_COMPAT_PRESETS_PRESET_SCHEMA_H

#include "compat/presets/preset_set.h"

enum shape {
	SHAPE_ANY,
	SHAPE_TEXT,
	SHAPE_NAME, /* a text that is not empty */
	SHAPE_WORD, /* one of words */
	SHAPE_FLAG,
	SHAPE_TEXT_OR_FLAG,
	SHAPE_INT,
	SHAPE_UNSIGNED,
	SHAPE_MAP, /* any object */
	SHAPE_OBJECT, /* an object as described by object */
	SHAPE_OBJECTS,
	SHAPE_TEXTS,
	SHAPE_TEXT_OR_TEXTS,
	SHAPE_TEXT_OR_OBJECT,
	SHAPE_INTS,
	SHAPE_ENVIRONMENT, /* texts or null */
	SHAPE_CACHE,
	SHAPE_VARIABLES,
	SHAPE_CONDITION, /* or null */
	SHAPE_PART, /* a condition inside another */
	SHAPE_PARTS,
	SHAPE_BUILD_JOBS,
	SHAPE_TEST_JOBS
};

/* What an object is called in a message about an error in it. */
enum schema_naming {
	NAMED_OBJECT,
	NAMED_PRESET,
	NAMED_KEY, /* by the name of its member */
	NAMED_CONDITION,
	NAMED_VARIABLE,
	NAMED_ROOT
};

struct schema_object;
struct schema_member {
	const char *name;
	enum shape shape;
	const char *const *words;
	const struct schema_object *object;
	const char *refused; /* the message for any other shape; NULL: it depends */
	bool is_required;
	bool is_silent; /* ctest does not report a wrong type here */
	int since; /* the newest version of the format must be at least this; 0: any */
};
struct schema_object {
	enum schema_naming naming;
	bool is_open; /* unknown members are allowed */
	const char *older; /* the only message until 3.26, for any error in it */
	const struct schema_member *v;
	size_t n;
};

/* The whole file, as the value of a member. */
extern const struct schema_member preset_schema_root;
/* A cache variable that is an object. */
extern const struct schema_member preset_schema_variable;
/* The condition with this type. NULL: there is none. */
const struct schema_member *preset_schema_condition(struct str type);

#endif
