/*
 * The value of --partition: NAME:SIZES:OPTIONS, of which SIZES and OPTIONS may be empty.
 * OPTIONS are -L, -LE, -R, -E, -f, -j, --schedule, --schedule-random and --engine, as on
 * the command line, with quotes where a word has blanks.
 */
#ifndef CCTR_COMPAT_OPTIONS_PARTITION_TEXT_H
#define CCTR_COMPAT_OPTIONS_PARTITION_TEXT_H

#include "compat/options/selection_options.h"
#include "runner/schedule/partition_table.h"

struct partition_text {
	struct str text, name;
	struct partition_sizes sizes;
	size_t parallel; /* 0: not given */
	enum partition_order order;
	struct str engine; /* of no bytes: not given */
	bool has_filters;
	struct selection_options filters;
};
typedef VEC(struct partition_text) partition_texts;

/* false: *why is what is wrong. */
bool partition_text_read(
	struct arena *a, struct str text, struct partition_text *t, struct str *why);
/* As partition_text_read, but the name may be empty, and a text without a colon is
 * SIZES. */
bool partition_text_read_unnamed(
	struct arena *a, struct str text, struct partition_text *t, struct str *why);

#endif
