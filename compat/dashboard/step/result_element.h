/*
 * What Test.xml and DynamicAnalysis.xml say in the same way: the frame of the file, the
 * list of names, and the head and the labels of each test.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_RESULT_ELEMENT_H
#define CCTR_COMPAT_DASHBOARD_STEP_RESULT_ELEMENT_H

#include <stdio.h>

#include "compat/dashboard/step/site.h"
#include "runner/base/spool.h"
#include "runner/run/report.h"

struct result_element {
	const struct dashboard *d;
	struct arena *scratch;
	bool has_old_numbers; /* six digits in all, as before 4.3 */
};

/* It was started, however it ended. */
bool result_element_has_run(enum verdict_kind k);
/* "./sub/name", a line of <TestList>. */
void result_element_list(
	const struct result_element *t, const struct event *e, struct buf *names);
/* <Test>, open, with all that stands before <Results>. */
void result_element_open(
	const struct result_element *t, const struct event *e, struct xml *x);
void result_element_labels(
	const struct result_element *t, const struct event *e, struct xml *x);
/* The command as it is said; "" where nobody tried to start it. */
struct str result_element_command(const struct result_element *t, const struct event *e);
/* What it wrote, without measurements, or why it did not run. In the room, which is
 * empty, where it is not as it is. */
struct long_text result_element_output(struct spool *room, const struct event *e);

/* A file Testing/<tag>/<file>.xml around its tests. */
struct test_frame {
	const char *file, *name, *checker; /* checker may be NULL */
	enum part part; /* that it is submitted with */
	struct str names;
	bool append;
	bool has_old_numbers; /* those of the machine are as before 4.3 */
	int64_t started_s, ended_s;
	uint64_t duration_ns;
	/* The tests; each begins on a line of its own. false: an error of reading. */
	bool (*put)(void *context, FILE *to);
	/* What stands behind them; may be NULL. */
	void (*add)(void *context, struct xml *x);
	void *context;
};
/* false: it is not there. Not said but for the folder. */
bool test_frame_write(
	struct dashboard *d, struct arena *scratch, const struct test_frame *f);

#endif
