/*
 * How deep a script's commands are nested, which CMake limits
 * (CMAKE_MAXIMUM_RECURSION_DEPTH). When a command of ctest's reads a file, the prelude
 * uses more levels than ctest, which uses one. For such a file the limit is raised once
 * half of it is used up, so that its commands may nest as deep as in ctest. A script that
 * another one runs has its own process and its own count: if ctest has no levels left for
 * it, its first command fails.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DEPTH_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DEPTH_H

#include "compat/dashboard/script/script_state.h"

/* true after a message, which ends the script: the command is deeper than ctest
 * allows. */
bool script_depth_exceeded(struct script_command *c);
/* The depth of a script that this command runs. */
struct script_depth script_depth_below(const struct script_command *c);
/* Call it before the prelude includes files for the command. any: there are files.
 * deeper: how many commands deeper than the request they are included. */
void script_depth_enter(struct script_command *c, bool any, uint64_t deeper);
/* Call it after the files were read. */
void script_depth_leave(struct script_command *c);

#endif
