/*
 * Progress of a command with much output: one symbol for each kilobyte begun, fifty per
 * line, and the total size.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_STEP_PROGRESS_H
#define CCTR_COMPAT_DASHBOARD_STEP_STEP_PROGRESS_H

#include "compat/dashboard/step/step.h"

struct step_progress {
	const struct step_input *in;
	/* Added before kilobytes are counted: at the end of a line, and at the end of the
	 * output. */
	size_t line_rounding, end_rounding;
	/* Filled: */
	size_t total, symbols;
	struct buf text; /* not shown yet */
};
void step_progress_begin(struct step_progress *p, const char *legend);
/* Counts more bytes. true: a symbol was shown for them. */
bool step_progress_add(struct step_progress *p, size_t bytes, char symbol);
/* Shows the buffered text. */
void step_progress_show(struct step_progress *p);
void step_progress_end(struct step_progress *p);

#endif
