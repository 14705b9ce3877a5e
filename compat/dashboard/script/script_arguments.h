/*
 * Sorts the words of a script's command by its keywords: a keyword and the words after it
 * become an argument of the step's call.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_ARGUMENTS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_ARGUMENTS_H

#include "compat/dashboard/step/step.h"

enum takes { TAKES_NONE, TAKES_VALUE, TAKES_VALUES, MAY_TAKE_VALUE };
struct keyword {
	const char *name; /* NULL: the end of a table */
	enum takes takes;
	/* For dialects that have the row, SINCE(row); 0: for all. */
	unsigned since;
};
#define SINCE(row) (1u + (row))

/* The tables of a command's keywords: any may be NULL. */
struct keyword_tables {
	const struct keyword *own, *more, *common;
	const struct dialect *dialect;
};
struct arguments_wrong {
	struct str unknown; /* the first word that belongs to no keyword, or STR_NONE */
	struct str twice; /* the first repeated keyword, by name, or STR_NONE */
	str_vec missing; /* keywords that lack a value, once for each time */
};
/* Returns the arguments of the call; the caller may change them. */
struct step_argument *script_arguments(struct arena *a,
	const struct keyword_tables *tables, const struct str_list *words,
	struct step_call *call, struct arguments_wrong *wrong);

#endif
