/* The macros of presets, and environments whose variables use each other. */
#ifndef CCTR_COMPAT_PRESETS_PRESET_MACRO_H
#define CCTR_COMPAT_PRESETS_PRESET_MACRO_H

#include "compat/format/json_read.h"

/* The members of environment, cacheVariables or variables, including inherited ones. */
struct preset_pair {
	struct str name;
	const struct json_value *value;
};
struct preset_pairs {
	struct map names; /* index into v */
	VEC(struct preset_pair) v;
};
struct preset_pairs preset_pairs_of(struct arena *a, const struct json_value *object);
/* Adds what `to` does not have. */
void preset_pairs_join(
	struct arena *a, struct preset_pairs *to, const struct preset_pairs *from);
/* By name, the order in which ctest visits them. */
struct preset_pair *preset_pairs_sorted(
	struct arena *a, const struct preset_pairs *pairs);

/* What macros stand for. */
struct preset_macros {
	struct arena *a;
	struct str source_directory, file_directory;
	int version; /* of the file */
	struct str preset_name; /* STR_NONE: for a text of include */
	struct str generator;
	const struct preset_pairs *environment;
	struct str *values; /* of the environment, expanded: by index */
};

enum macro_result { MACRO_OK, MACRO_WRONG, MACRO_OF_VENDOR };
/* Sets m->values. */
enum macro_result preset_expand_environment(struct preset_macros *m);
/* *out is in the arena. Needs m->values; a text of include has no environment. */
enum macro_result preset_expand(
	const struct preset_macros *m, struct str text, struct str *out);
/* Expands the macros that are expanded when a file is read. false: a macro has no
 * end. */
bool preset_pre_expand_text(
	const struct preset_macros *m, struct str text, struct str *out);

#endif
