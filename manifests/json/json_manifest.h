/* The source "json": the output of ctest --show-only=json-v1. ctest(1). */
#ifndef CCTR_MANIFESTS_JSON_JSON_MANIFEST_H
#define CCTR_MANIFESTS_JSON_JSON_MANIFEST_H

#include "runner/model/source.h"

extern const struct source json_source;

#endif
