/*
 * ctest_read_custom_files, and the messages about files with errors. The prelude includes
 * the files in its caller's scope, and reports each one after reading it; a file may read
 * others. A file that is never reported has ended the script.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_CUSTOM_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_CUSTOM_H

#include "compat/dashboard/script/script_state.h"

/* Lets the prelude include the files. spelled: their names in messages. deeper: how many
 * commands deeper than the request they are included. */
void script_custom_begin(struct script_command *c, const struct str_list *files,
	const struct str *spelled, uint64_t deeper);
/* false after an error of the command: the file is a FIFO, at which cmake would wait. */
bool script_may_read(struct script_command *c, struct str file);
/* CTestCustom.cmake or CTestCustom.ctest of the directory, or STR_NONE. */
struct str script_custom_file(struct arena *a, struct str directory);
/* Answer two commands: ctest_read_custom_files, and the report that one of its files was
 * included. */
void script_answer_custom_files(struct script_command *c);
void script_answer_custom_file(struct script_command *c);
/* Call it at the end of a script: files that are still being read have ended it. */
void script_custom_end(struct scripts *s);

#endif
