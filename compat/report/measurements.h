/*
 * Values and files that a test reports: <CTestMeasurement> elements of its output,
 * ATTACHED_FILES, MEASUREMENT.
 */
#ifndef CCTR_COMPAT_REPORT_MEASUREMENTS_H
#define CCTR_COMPAT_REPORT_MEASUREMENTS_H

#include "compat/console/console.h"
#include "compat/format/xml.h"

struct measurement {
	struct str name, type, value; /* entities resolved */
};

/* The entries of the property MEASUREMENT, without types, sorted by name; of entries with
 * the same name the last one. An entry without '=' has the value 1. Returns how many. */
size_t measurements_declared(
	struct arena *a, struct str_list property, struct measurement **v);

/* Writes each distinct element of the output, in order. Elements that name files are only
 * passed to file() at their place: files are read later. *m is borrowed. fault() is
 * called for an element that is not well-formed: what comes before the fault is written.
 */
struct measurement_listener {
	void *context;
	void (*file)(void *context, const struct measurement *m);
	void (*fault)(void *context, size_t line, const char *text);
};
void measurements_add(struct xml *x, const struct long_text *output,
	const struct measurement_listener *l);
/* Who reads files for it. */
struct measured_files {
	struct xml *x;
	struct console *console;
	struct arena *arena;
	struct str directory; /* where relative names are: path_in */
	const struct dialect *dialect;
};
/* Reads and writes the named file, or writes that it is missing. */
void measurement_add_file(const struct measured_files *f, const struct measurement *m);
/* <NamedMeasurement name="Attached File" ...> */
void measurements_attach(const struct measured_files *f, struct str_list files);
/* <NamedMeasurement type= name=><Value>text</Value></NamedMeasurement> */
void measurement_add(struct xml *x, const char *type, struct str name, struct str value);

#endif
