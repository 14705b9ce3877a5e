/* What a history says of tests, as text for people and as JSON. cctr(1), "History". */
#ifndef CCTR_RUNNER_HISTORY_HISTORY_TEXT_H
#define CCTR_RUNNER_HISTORY_HISTORY_TEXT_H

#include "runner/history/past.h"

struct history_view {
	struct str path, configuration;
	const struct history_content *content;
	const struct past *past;
	/* Of each test of these. */
	const struct str *names;
	const bool *disabled;
	bool tells_attempts; /* of each test all that is known, not what is remarkable */
};

void history_text(struct buf *out, const struct history_view *v);
void history_json(struct buf *out, const struct history_view *v);

#endif
