/*
 * DartConfiguration.tcl (CTestConfiguration.ini): the key: value file that include(CTest)
 * leaves in the build tree. ctest(1), "Dashboard Client Configuration".
 */
#ifndef CCTR_COMPAT_SETTINGS_CONFIGURATION_H
#define CCTR_COMPAT_SETTINGS_CONFIGURATION_H

#include "runner/base/base.h"

struct configuration {
	struct arena *arena;
	struct str path; /* where it was looked for, even if it does not exist */
	bool was_read;
	int error; /* errno of reading an existing file; 0: none */
	struct map keys; /* index into values */
	str_vec values;
	const str_vec *overwrites; /* "key=value": these win over all others; or NULL */
};

/* A missing file counts as empty: see was_read. */
struct configuration configuration_load(struct arena *a, struct str directory);
/* Sets "key=value", as --overwrite does. */
void configuration_set(struct configuration *c, struct str text);
/* Adds the keys of another file; keys that it does not have keep their values. from:
 * where a relative directory leads from; "": the working directory. */
void configuration_load_into(
	struct configuration *c, struct str directory, struct str from);
struct str configuration_get(
	const struct configuration *c, const char *key); /* "" if not set */

#endif
