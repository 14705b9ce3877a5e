/*
 * The command lines by which CMake and its builds call ctest for instrumentation, and the
 * one by which a user does. The launcher has "--instrument".
 */
#ifndef CCTR_COMPAT_INSTRUMENT_COMMANDS_H
#define CCTR_COMPAT_INSTRUMENT_COMMANDS_H

#include "runner/base/base.h"

/* true: the words are such a command line, which has been carried out; *code: the exit
 * code. */
bool instrument_command(struct arena *a, int argc, char *const *argv, int *code);

#endif
