/*
 * DartConfiguration.tcl (CTestConfiguration.ini): the key: value file that include(CTest)
 * leaves in the build tree. ctest(1), "Dashboard Client Configuration".
 */
#ifndef CCTR_COMPAT_SETTINGS_CONFIGURATION_H
#define CCTR_COMPAT_SETTINGS_CONFIGURATION_H

#include "runner/base/base.h"

struct configuration {
	struct arena *arena;
	struct str path; /* looked at, whether it exists or not */
	bool was_read;
	int error; /* errno: the file is there and cannot be read; 0: it can */
	struct map keys; /* index into values */
	str_vec values;
	const str_vec *overwrites; /* "key=value": stronger than what is set; or NULL */
};

/* A file that is missing is an empty one: was_read says so. */
struct configuration configuration_load(struct arena *a, struct str directory);
/* The same from text, for tests and the fuzzer. */
void configuration_parse(struct configuration *c, struct str text);
/* What --overwrite says: "key=value". */
void configuration_set(struct configuration *c, struct str text);
/* Another file's keys on top; what c has is kept where the file does not say it. */
void configuration_load_into(struct configuration *c, struct str directory);
struct str configuration_get(const struct configuration *c, const char *key); /* "" */

#endif
