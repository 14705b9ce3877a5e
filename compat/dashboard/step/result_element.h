/*
 * What Test.xml and DynamicAnalysis.xml write in the same way: the frame of the file, the
 * list of names, and the head and the labels of each test.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_RESULT_ELEMENT_H
#define CCTR_COMPAT_DASHBOARD_STEP_RESULT_ELEMENT_H

#include <stdio.h>

#include "compat/dashboard/step/site.h"
#include "runner/base/spool.h"
#include "runner/run/report.h"

struct result_element {
	const struct step_input *in;
	struct arena *scratch;
	bool has_old_numbers; /* six significant digits, as before 4.3 */
};

/* true: the test was started, however it ended. */
bool result_element_has_run(enum verdict_kind k);
/* "./sub/name", a line of <TestList>. */
void result_element_list(
	const struct result_element *t, const struct event *e, struct buf *names);
/* Opens <Test>, and writes all that comes before <Results>. */
void result_element_open(
	const struct result_element *t, const struct event *e, struct xml *x);
void result_element_labels(
	const struct result_element *t, const struct event *e, struct xml *x);
/* The command as reports show it; "" if there was no attempt to start it. */
struct str result_element_command(const struct result_element *t, const struct event *e);
/* The output without measurements, or why the test did not run. A changed text is in
 * room, which must be empty. */
struct long_text result_element_output(struct spool *room, const struct event *e);

/* A file Testing/<tag>/<file>.xml with its tests. */
struct test_frame {
	const char *file, *name, *checker; /* checker may be NULL */
	enum part part; /* with which it is submitted */
	struct str names;
	bool has_old_numbers; /* the machine's numbers have the format before 4.3 */
	int64_t started_s, ended_s;
	uint64_t duration_ns;
	/* Writes the tests, each on a new line. false: a read error. */
	bool (*put)(void *context, FILE *to);
	/* Writes what comes after them; may be NULL. */
	void (*add)(void *context, struct xml *x);
	void *context;
};
/* false: the file was not written. Only an error in the folder is reported. */
bool test_frame_write(const struct step_input *in, struct step_result *r,
	struct arena *scratch, const struct test_frame *f);

#endif
