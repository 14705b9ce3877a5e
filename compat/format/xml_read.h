/* Reads XML: elements, their attributes and their text, one call back each. */
#ifndef CCTR_COMPAT_FORMAT_XML_READ_H
#define CCTR_COMPAT_FORMAT_XML_READ_H

#include "runner/base/base.h"

struct xml_events {
	void *context;
	void (*begin)(void *context, struct str name);
	/* Of the element that has begun; may be NULL. Names and texts are only there
	 * during the call. */
	void (*attribute)(void *context, struct str name, struct str value);
	void (*text)(void *context, struct str text); /* in pieces */
	void (*end)(void *context, struct str name);
};

struct xml_fault {
	const char *text; /* in Expat's words, as ctest prints it; NULL: well-formed */
	size_t at, line; /* where in the text; lines count from 1 */
	bool is_end; /* the text ends too early */
};
/* Events come up to the fault. */
struct xml_fault xml_read(struct str text, const struct xml_events *events);

/* The same for a text that comes in pieces. The events are borrowed until it is closed.
 */
struct xml_reader *xml_reader_open(const struct xml_events *events);
/* After a fault each further piece has the same fault. */
struct xml_fault xml_reader_feed(struct xml_reader *r, struct str bytes);
/* No more pieces come: what that makes wrong, unless a piece had a fault. */
struct xml_fault xml_reader_close(struct xml_reader *r);

#endif
