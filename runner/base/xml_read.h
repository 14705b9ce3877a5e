/* Reads XML: one callback each for elements, attributes and text. */
#ifndef CCTR_RUNNER_BASE_XML_READ_H
#define CCTR_RUNNER_BASE_XML_READ_H

#include "runner/base/base.h"

/* All but begin may be NULL. */
struct xml_events {
	void *context;
	void (*begin)(void *context, struct str name);
	/* An attribute of the element that has just begun. Names and texts are valid
	 * only during the call. */
	void (*attribute)(void *context, struct str name, struct str value);
	void (*text)(void *context, struct str text); /* in pieces */
	void (*end)(void *context, struct str name);
};

struct xml_fault {
	const char *text; /* Expat's message, as ctest prints it; NULL: well-formed */
	size_t at, line; /* where in the text; lines count from 1 */
	bool is_end; /* the text ends too early */
};
/* Reports events up to the fault. Without Expat the program ends: what the text says,
 * such as that a server refuses a file, may not be missed. */
struct xml_fault xml_read(struct str text, const struct xml_events *events);

/* For a text that comes in pieces. Both are borrowed until xml_reader_close. windows:
 * names of encodings that Expat does not know and that are read as Windows-1252, up to a
 * NULL; or NULL. */
struct xml_reader *xml_reader_open(
	const struct xml_events *events, const char *const *windows);
/* After a fault every further call returns the same fault. */
struct xml_fault xml_reader_feed(struct xml_reader *r, struct str bytes);
/* Ends the text. Returns the fault that the end causes; none after that of a piece. */
struct xml_fault xml_reader_close(struct xml_reader *r);

#endif
