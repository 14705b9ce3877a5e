/*
 * The end of a run with a live display: the tests that failed, each with its verdict, the
 * reason, the last lines of its output, and a command that runs it again.
 */
#ifndef CCTR_RUNNER_REPORT_REPORT_RECAP_H
#define CCTR_RUNNER_REPORT_REPORT_RECAP_H

#include "runner/run/report.h"

struct recap_options {
	struct str again; /* the command, for a shell, without the tests */
	/* Adds the words that select a test. */
	void (*add_test)(struct buf *command, struct str name, unsigned number);
	bool has_output; /* the terminal has got the output of failed tests already */
	bool has_colour;
};

/* Standard output is a terminal. After the report that prints the run. */
struct report *report_recap_open(struct arena *a, const struct recap_options *o);

#endif
