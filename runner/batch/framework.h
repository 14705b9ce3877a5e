/*
 * Frameworks for tests whose programs have many cases and can run some of them in one
 * process: how a test chooses its case, how one process gets several, and what the
 * framework's own report of that process says.
 */
#ifndef CCTR_RUNNER_BATCH_FRAMEWORK_H
#define CCTR_RUNNER_BATCH_FRAMEWORK_H

#include "runner/model/model.h"

/* The one case that a test runs. */
struct batch_case {
	struct str name; /* as the report has it */
	struct str choice; /* that chooses it, among others */
	uint32_t at; /* of the word with the choice in the test's command */
};

/* What a report says of a case that ran. */
struct case_report {
	struct str name;
	bool passed; /* or was skipped by its own decision, which the output says */
	uint64_t duration_ns;
	struct str output;
};
struct batch_report {
	VEC(struct case_report) v; /* in the order in which the cases ran */
};

struct framework {
	const char *name;
	const char *variables; /* how the names of variables begin that change reports */
	/* The only SKIP_REGULAR_EXPRESSION that means the same in a batch; NULL: none */
	const char *skip_text;
	/* Whether the test runs one case of a program of the framework, perhaps. */
	bool (*find_case)(struct arena *a, const struct test *t, struct batch_case *c);
	/* Whether the file is such a program; NULL: every one that find_case accepts. */
	bool (*is_program)(const char *path);
	/* The word in place of that of one case. */
	struct str (*choose)(struct arena *a, struct str_list choices);
	/* More words, so that the program writes a report. */
	struct str_list (*report_words)(struct arena *a, struct str path);
	/* Reads a report, and what the process wrote otherwise. false: it is not whole.
	 */
	bool (*read)(struct arena *a, struct str report, struct str output,
		struct batch_report *r);
	/* The case that ran when the process ended early: a guess. STR_NONE: not known.
	 */
	struct str (*last_begun)(struct str output);
};
extern const struct framework googletest, catch2;

#endif
