/* What the command line says about submissions: --submit-index, --http1.0,
 * --http-header. */
#ifndef CCTR_COMPAT_OPTIONS_SUBMIT_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_SUBMIT_OPTIONS_H

#include "runner/base/base.h"

struct submit_options {
	int index; /* 0: none */
	bool is_http_1_0;
	str_vec headers;
};

#endif
