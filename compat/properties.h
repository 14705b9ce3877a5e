/*
 * The properties of tests: one const table of name, kind, offset and parser. Reading,
 * --show-only=json-v1 and the help check walk it. cmake-properties(7).
 */
#ifndef CCTR_COMPAT_PROPERTIES_H
#define CCTR_COMPAT_PROPERTIES_H

#include "compat/dialect.h"
#include "runner/suite.h"

struct property_reader properties_reader(
	struct match_set *patterns, const struct dialect *dialect);

#endif
