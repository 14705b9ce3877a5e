/*
 * The job server of GNU make, as its client: a pipe or FIFO with one byte for each job
 * that may run beside the first. The first one needs none: make has counted it when it
 * started cctr. GNU make manual, "Sharing Job Slots with GNU make".
 */
#ifndef CCTR_RUNNER_PROCESS_JOB_SERVER_H
#define CCTR_RUNNER_PROCESS_JOB_SERVER_H

#include "runner/base/base.h"

struct job_server;

/* The one that MAKEFLAGS names (p NULL: nothing); NULL when there is none, or it cannot
 * be used. */
struct job_server *job_server_connect(struct arena *a, struct str makeflags);
/* For one job more; never waits. false: there is no token at the moment. */
bool job_server_take(struct job_server *s);
/* One job less. */
void job_server_return(struct job_server *s);
/* Readable when there may be a token; ours alone, non-blocking. */
int job_server_descriptor(const struct job_server *s);
/* Whatever is still held goes back. */
void job_server_close(struct job_server *s);

#endif
