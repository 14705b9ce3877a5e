/* `cctr alloc`: a test asks for resources, gives back and lends.
 * Help/manual/cctr-alloc.1.rst. */
#ifndef CCTR_RUNNER_CONTROL_ALLOC_CLIENT_H
#define CCTR_RUNNER_CONTROL_ALLOC_CLIENT_H

#include "runner/base/base.h"

/* words: those after "alloc". variables: how the names of the variables of resource
 * groups begin. Returns the exit code: 0; 1: denied or canceled, or there is no run; 2:
 * the words cannot be understood; 3: pending. */
int alloc_client(struct arena *a, struct str_list words, const char *variables);

#endif
