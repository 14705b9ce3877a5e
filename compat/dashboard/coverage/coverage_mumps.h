/*
 * What GT.M and Caché share: a file that names the directories of routines and of data,
 * and routines of M whose lines are code or not.
 */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_MUMPS_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_MUMPS_H

#include "compat/dashboard/coverage/coverage.h"

struct mumps {
	struct coverage *c;
	struct map routines; /* by name; index into paths */
	str_vec paths;
	/* Reads one data file; ending: how their names end. false: the files after it are
	 * not read. */
	bool (*read)(struct mumps *m, struct str path, struct str text);
	const char *ending;
};

/* Reads lines "packages:DIRECTORY" and "coverage_dir:DIRECTORY" of the file, if it
 * exists. what: its name in the message that it does not. Returns the number of sources.
 */
size_t mumps_read(struct mumps *m, struct str path, const char *what);
/* The file of the routine, or "". */
struct str mumps_find(const struct mumps *m, struct str routine);
/* Counts a line of the routine, from 0, that ran count times. A line that seemed to have
 * no code becomes code. */
void mumps_count(struct mumps *m, struct str path, long line, int count);

#endif
