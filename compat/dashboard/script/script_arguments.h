/*
 * The words behind a command of a script, sorted by its keywords: a keyword and what
 * stands behind it become an argument of the step's call.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_ARGUMENTS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_ARGUMENTS_H

#include "compat/dashboard/step/step.h"

enum takes { TAKES_NONE, TAKES_VALUE, TAKES_VALUES, MAY_TAKE_VALUE };
struct keyword {
	const char *name; /* NULL: the end of a table */
	enum takes takes;
	/* Of the dialects that have the row, SINCE(row); 0: of all. */
	unsigned since;
};
#define SINCE(row) (1u + (row))

/* Tables of keywords that a command takes: any may be NULL. */
struct keyword_tables {
	const struct keyword *own, *more, *common;
	const struct dialect *dialect;
};
struct arguments_wrong {
	struct str unknown; /* the first word that is none of a keyword's, or STR_NONE */
	struct str
		twice; /* the first keyword, by name, that is given again, or STR_NONE */
	str_vec missing; /* keywords of values that have none, each once */
};
/* Returns the arguments of the call, which the caller may change. */
struct step_argument *script_arguments(struct arena *a,
	const struct keyword_tables *tables, const struct str_list *words,
	struct step_call *call, struct arguments_wrong *wrong);

#endif
