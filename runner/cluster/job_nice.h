/*
 * The nice value of a job, by open-lmake's formula: a date, when the job should begin so
 * that the run ends at the time that is expected. The jobs of all runs that count from
 * the same origin go in this order. Pure.
 */
#ifndef CCTR_RUNNER_CLUSTER_JOB_NICE_H
#define CCTR_RUNNER_CLUSTER_JOB_NICE_H

#include "runner/base/base.h"

/* "2026-01-31 12:00", with " +02:00" or another zone after it, else in UTC, as seconds
 * since 1970. false: it is no such time. */
bool job_nice_origin(struct str text, int64_t *seconds);
/* A number above 0, by which the value grows each second. false: it is none. */
bool job_nice_factor(struct str text, double *factor);
/* origin, factor: as above; "" is 2023-01-01 00:00, and 1. end_s: when the run is
 * expected to end, in seconds since 1970. pressure_s: how long that is after the begin of
 * the job. Values are from 1 to the largest of Slurm. */
uint64_t job_nice(struct str origin, struct str factor, double end_s, double pressure_s);

#endif
