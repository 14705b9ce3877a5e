/*
 * How many columns of a terminal a text takes, by the tables of the C library: combining
 * characters take none, East Asian ones and emoji take two.
 */
#ifndef CCTR_RUNNER_BASE_COLUMNS_H
#define CCTR_RUNNER_BASE_COLUMNS_H

#include "runner/base/base.h"

struct columns;
/* Where the C library has no tables, every character that is not ASCII counts as two
 * columns: a text is never wider than it is taken for. */
struct columns *columns_open(struct arena *a);
void columns_close(struct columns *c);
/* Of the text as columns_add adds it. */
size_t columns_of(const struct columns *c, struct str text);
/* Adds the text, on one line and without control characters, whose places have "?". If it
 * takes more than most columns, its end is left out, and "..." is put there as far as it
 * fits. Returns how many columns were added. */
size_t columns_add(
	const struct columns *c, struct buf *out, struct str text, size_t most);

#endif
