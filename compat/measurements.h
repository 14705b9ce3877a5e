/*
 * Values and files that a test hands on: <CTestMeasurement> elements of its output,
 * ATTACHED_FILES.
 */
#ifndef CCTR_COMPAT_MEASUREMENTS_H
#define CCTR_COMPAT_MEASUREMENTS_H

#include "compat/console.h"
#include "compat/xml.h"

struct measurement {
	struct str name, type, value; /* entities resolved */
	bool is_file; /* value is its path */
};
struct measurements {
	struct measurement *v;
	size_t n;
};

/* Each different element once, in the order of the output, copied. */
struct measurements measurements_of(struct arena *a, struct str output);
/* Reads the files that are named, and says which are not there. */
void measurements_add(
	struct xml *x, struct console *c, struct arena *a, const struct measurements *m);
/* <NamedMeasurement name="Attached File" ...> */
void measurements_attach(
	struct xml *x, struct console *c, struct arena *a, struct str_list files);
/* <NamedMeasurement type= name=><Value>text</Value></NamedMeasurement> */
void measurement_add(struct xml *x, const char *type, struct str name, struct str value);

#endif
