/*
 * Reads XML as far as a dashboard's answer needs it: elements and their text, one call
 * back each. What is wrong is told in the words of Expat, which ctest passes on.
 *
 * No document type is read beyond its end: entities of its own are not known.
 */
#ifndef CCTR_COMPAT_FORMAT_XML_READ_H
#define CCTR_COMPAT_FORMAT_XML_READ_H

#include "runner/base/base.h"

struct xml_events {
	void *context;
	void (*begin)(void *context, struct str name);
	/* Of the element that has begun; may be NULL. */
	void (*attribute)(void *context, struct str name, struct str value);
	void (*text)(void *context, struct str text); /* in pieces */
	void (*end)(void *context, struct str name);
};

/* NULL: it is well-formed; else what is wrong, in the given line. */
const char *xml_read(
	struct arena *a, struct str text, const struct xml_events *events, size_t *line);
struct xml_fault {
	const char *text; /* NULL: it is well-formed */
	size_t at;
	bool is_end; /* wrong is that nothing more comes */
};
struct xml_fault xml_read_to(
	struct arena *a, struct str text, const struct xml_events *events);

#endif
