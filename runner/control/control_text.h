/* What a run answers, as text for people. */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_TEXT_H
#define CCTR_RUNNER_CONTROL_CONTROL_TEXT_H

#include "runner/base/base.h"

/* The answer is one line of JSON. false: it is a refusal, or no answer; *why is a
 * phrase. */
bool control_text(struct buf *out, struct str line, struct str *why);

#endif
