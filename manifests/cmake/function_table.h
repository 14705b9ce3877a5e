/* The functions and macros that test files define. */
#ifndef CCTR_MANIFESTS_CMAKE_FUNCTION_TABLE_H
#define CCTR_MANIFESTS_CMAKE_FUNCTION_TABLE_H

#include "manifests/cmake/cmake_lex.h"
#include "manifests/cmake/policies.h"

struct function {
	struct str name; /* as defined */
	struct cmake_file code; /* the commands of the body */
	struct str_list formals;
	unsigned line;
	struct str file;
	policy_set policies;
	bool is_macro;
};
struct function_table;
struct function_table *function_table_new(struct arena *a);
/* By its name in lower case; NULL: there is none. */
const struct function *function_get(const struct function_table *t, struct str lower);
void function_define(
	struct function_table *t, struct str lower, const struct function *f);
/* false: it was noted before. */
bool function_note_warning(struct function_table *t, struct str name);

struct functions_mark {
	size_t defined_n, warned_n;
};
struct functions_mark functions_mark(const struct function_table *t);
void functions_rewind(struct function_table *t, const struct functions_mark *m);

#endif
