/* The source "json": the output of ctest --show-only=json-v1. ctest(1). */
#ifndef CCTR_MANIFESTS_JSON_JSON_MANIFEST_H
#define CCTR_MANIFESTS_JSON_JSON_MANIFEST_H

#include "runner/model/source.h"

extern const struct source json_source;
/* Parses a manifest from text: for tests and the fuzzer. */
bool json_manifest_parse(struct arena *a, struct str text, struct str name,
	struct declarations *out, struct diag *d);

#endif
