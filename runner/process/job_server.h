/*
 * A client of GNU make's job server: a pipe or FIFO with one byte for each job that may
 * run besides the first. The first job needs no token: make has counted it when it
 * started cctr. GNU make manual, "Sharing Job Slots with GNU make".
 */
#ifndef CCTR_RUNNER_PROCESS_JOB_SERVER_H
#define CCTR_RUNNER_PROCESS_JOB_SERVER_H

#include "runner/base/base.h"

struct job_server;

/* Connects to the job server that MAKEFLAGS names (makeflags.p NULL: none). NULL when
 * there is none, or it cannot be used. */
struct job_server *job_server_connect(struct arena *a, struct str makeflags);
/* Takes a token for one more job; never waits. false: there is no token at the moment. */
bool job_server_take(struct job_server *s);
/* One job has ended: returns its token. */
void job_server_return(struct job_server *s);
/* Readable when there may be a token; our own descriptor, non-blocking. */
int job_server_descriptor(const struct job_server *s);
/* Returns all tokens that are still held. */
void job_server_close(struct job_server *s);

#endif
