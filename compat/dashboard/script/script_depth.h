/*
 * How deep a script's commands are in each other, which CMake limits
 * (CMAKE_MAXIMUM_RECURSION_DEPTH). Where a command of ctest's reads a file, the prelude
 * has more of them than ctest, which has one. For such a file the limit is raised once
 * half of it is used up, so that its commands may go as deep as they may in ctest. A
 * script that another one runs has a process, and so a count, of its own: where ctest has
 * none left for it, its first command fails.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DEPTH_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DEPTH_H

#include "runner/cmakelang/cmake_frames.h"

struct script_command;
struct depth_files;

/* Of one script. */
struct script_depth {
	uint64_t around; /* commands of other scripts around it, as ctest counts them */
	/* The last one set for files. From the beginning: none of its commands may run.
	 */
	struct cmake_limit limit;
	const struct depth_files *files; /* that are being read, or NULL */
	uint64_t left; /* the limit of files that were read since, or 0 */
};
/* The command is deeper than it may be in ctest: says so, and ends the script. */
bool script_depth_exceeded(struct script_command *c);
/* Of a script that this command runs. */
struct script_depth script_depth_below(const struct script_command *c);
/* The prelude includes files for the command, if there are any, so many commands deeper
 * than it asks for them. */
void script_depth_enter(struct script_command *c, bool any, uint64_t deeper);
/* They were read. */
void script_depth_leave(struct script_command *c);

#endif
