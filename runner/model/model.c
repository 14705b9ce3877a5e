/*
 * The properties of a test that declares none: the one object of the model that is not
 * built from a file. Every scalar whose default is not zero is named here.
 */
#include "runner/model/model.h"

const struct properties properties_default = {
	.processors = 1,
	.nodes = 1,
	.skip_return_code = -1,
};
