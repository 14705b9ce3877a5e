/* The words after "--" on the command line: ctest(1). */
#ifndef CCTR_COMPAT_RUN_PASS_THROUGH_H
#define CCTR_COMPAT_RUN_PASS_THROUGH_H

#include "runner/model/source.h"

/* Adds words to the arguments of every declared test. */
void pass_through_add(
	struct arena *a, declaration_vec *list, const struct str_list *words);

#endif
