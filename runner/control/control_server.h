/*
 * Answers others while a run goes on: Help/manual/cctr-control.7.rst.
 *
 * No one holds up the run: all reads and writes return at once, a request has a longest
 * length, and who does not read gets no more answers.
 */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_SERVER_H
#define CCTR_RUNNER_CONTROL_CONTROL_SERVER_H

#include "runner/control/control_answers.h"

struct control_server;

/* directory: for the socket. NULL leaves errno: there is no socket. */
struct control_server *control_server_open(
	struct arena *a, struct str directory, const struct control_about *about);
/* For those who connect. */
const char *control_server_path(const struct control_server *s);
/* What tests show to ask for leases. */
const char *control_server_token(const struct control_server *s);
/* For struct run. */
struct control *control_server_control(struct control_server *s);
void control_server_close(struct control_server *s, struct diag *d);

#endif
