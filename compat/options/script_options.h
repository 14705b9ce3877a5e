/* What the command line says about scripts: -S, -SP, -SR. */
#ifndef CCTR_COMPAT_OPTIONS_SCRIPT_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_SCRIPT_OPTIONS_H

#include "runner/base/base.h"

/* What evaluates scripts. */
enum script_evaluator { EVALUATED_BY_CMAKE, EVALUATED_BY_CTEST };

struct script_request {
	struct str script; /* "FILE[,ARGUMENT]" */
	bool is_process; /* -SP: in its own process */
};
typedef VEC(struct script_request) script_requests;

#endif
