/*
 * What GT.M and Caché have in common: a file that names where routines and where data
 * are, and routines of M whose lines are code or not.
 */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_MUMPS_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_MUMPS_H

#include "compat/dashboard/coverage/coverage.h"

struct mumps {
	struct coverage *c;
	struct map routines; /* by name; index into paths */
	str_vec paths;
	/* Reads one file of data, and how the names of these end. false: those behind it
	 * are not read. */
	bool (*read)(struct mumps *m, struct str path, struct str text);
	const char *ending;
};

/* "packages:DIRECTORY", "coverage_dir:DIRECTORY". */
void mumps_read(struct mumps *m, struct str path);
/* A routine and its lines. */
void mumps_add(struct mumps *m, struct str path);
/* The routine's file, or "". */
struct str mumps_find(const struct mumps *m, struct str routine);
/* A line of the routine, from 0, ran so often; one that was taken for none of code is. */
void mumps_count(struct mumps *m, struct str path, long line, int count);
/* The lines of a routine, code or not, behind those there are. */
void mumps_add_routine(struct coverage *c, struct source_coverage *s, struct str text);

#endif
