/*
 * The shape of presets files: what preset_schema.c says and preset_check.c checks. Not
 * for other modules.
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
	SHAPE_OBJECT, /* as object says */
	SHAPE_OBJECTS,
	SHAPE_TEXTS,
	SHAPE_TEXT_OR_TEXTS,
	SHAPE_TEXT_OR_OBJECT,
	SHAPE_INTS,
	SHAPE_ENVIRONMENT, /* texts or null */
	SHAPE_CACHE,
	SHAPE_VARIABLES,
	SHAPE_CONDITION, /* or null */
	SHAPE_PART, /* a condition in another */
	SHAPE_PARTS,
	SHAPE_BUILD_JOBS,
	SHAPE_TEST_JOBS
};

/* How an object is called where something in it is wrong. */
enum schema_naming {
	NAMED_OBJECT,
	NAMED_PRESET,
	NAMED_KEY, /* as the member that it is */
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
	const char *refused; /* what is said of any other shape; NULL: it depends */
	bool is_required;
	bool is_untold; /* ctest does not say that its type is wrong */
	int since; /* version of the newest format that must be known for it; 0: any */
};
struct schema_object {
	enum schema_naming naming;
	bool is_open; /* unknown members pass */
	const char *older; /* what is said until 3.26, whatever is wrong in it */
	const struct schema_member *v;
	size_t n;
};

/* The file, as the value of a member. */
extern const struct schema_member preset_schema_root;
/* A cache variable that is an object. */
extern const struct schema_member preset_schema_variable;
/* A condition of this type, which may be NULL; NULL where there is none. */
const struct schema_member *preset_schema_condition(const char *type);

#endif
