/* What the command line says about scripts: -S, -SP, -SR, -D. */
#ifndef CCTR_COMPAT_OPTIONS_SCRIPT_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_SCRIPT_OPTIONS_H

#include "runner/model/source.h"

/* What evaluates scripts. */
enum script_evaluator { EVALUATED_BY_CMAKE, EVALUATED_BY_CTEST };

struct script_request {
	struct str script; /* "FILE[,ARGUMENT]" */
	bool is_process; /* -SP: in its own process */
};
struct script_options {
	VEC(struct script_request) requests;
	enum script_evaluator evaluator; /* --script-host */
	VEC(struct variable) definitions; /* -D "NAME[:TYPE]=VALUE" */
};

#endif
