/* What every test has until its test file says otherwise. See model.h. */
#include "runner/model.h"

const struct properties properties_default = {
	.processors = 1,
	.skip_return_code = -1,
};
