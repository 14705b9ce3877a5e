/*
 * The file of a report that others may read while the run goes on: a regular file, or a
 * pipe or terminal such as /dev/fd/3, whose reader must not stop the run.
 */
#ifndef CCTR_RUNNER_REPORT_REPORT_STREAM_H
#define CCTR_RUNNER_REPORT_REPORT_STREAM_H

#include "runner/base/diag.h"
#include "runner/base/outlet.h"

struct report_stream {
	const char *path; /* borrowed; "-": standard output */
	int fd; /* -1: not open; nothing is written then */
	int error; /* why it is not open; 0: none */
	bool has_name; /* it is a regular file that had a name when it was opened */
	struct outlet outlet;
};

/* Opens the path. An existing file is emptied. An error is kept until the end. */
void report_stream_open(struct report_stream *s);
/* Whole lines, in the order of the calls. */
void report_stream_put(struct report_stream *s, struct str lines);
/* Waits for the reader as long as it reads something within ten seconds. false: something
 * was not written, or the file was removed, and that is in d. A reader that has gone away
 * is no error. */
bool report_stream_close(struct report_stream *s, struct diag *d);

#endif
