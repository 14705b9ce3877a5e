/* Answers to requests for leases, as text for people and for shells. */
#ifndef CCTR_RUNNER_CONTROL_ALLOC_TEXT_H
#define CCTR_RUNNER_CONTROL_ALLOC_TEXT_H

#include "runner/lease/lease.h"

enum alloc_style {
	ALLOC_TEXT, /* for people */
	ALLOC_SHELL, /* assignments that a shell evaluates */
	ALLOC_IDS, /* of leases that are pending or held */
	ALLOC_TIME, /* seconds until the end */
};

/* line: one line of JSON. variables: as of alloc_client. The result is the status of the
 * request; LEASE_DENIED also where there is no answer; *why is then a phrase. */
enum lease_status alloc_text(struct buf *out, struct str line, enum alloc_style style,
	const char *variables, struct str *why);

#endif
