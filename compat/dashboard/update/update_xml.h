/*
 * XML logs of svn, hg and bzr, read as they arrive. As in ctest, a revision is logged
 * after the piece of output in which its element ends.
 */
#ifndef CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_XML_H
#define CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_XML_H

#include "compat/dashboard/update/update_run.h"
#include "runner/base/xml_read.h"

struct xml_log;
struct xml_log_type {
	const char *name; /* in errors: "svn" */
	const char *entry; /* the element of a revision */
	const char *const *windows; /* see xml_reader_open */
	/* May be NULL. */
	void (*begin)(struct xml_log *l, struct str element);
	/* May be NULL. */
	void (*attribute)(struct xml_log *l, struct str name, struct str value);
	/* An element in an entry has ended. text: what comes after its last child. Not
	 * called if there is none. */
	void (*end)(struct xml_log *l, struct str element, struct str text);
	/* The entry is complete: see l's rev and changes. */
	void (*ended)(struct xml_log *l); /* NULL: records the revision */
};
struct xml_log {
	struct update *u;
	const struct xml_log_type *type;
	void *context;
	struct revision rev;
	change_vec changes;

	struct listener out;
	struct buf data; /* text since the last tag */
	struct xml_events events;
	struct xml_reader *reader;
};
/* u, type and context must be set. From now on l->out reads the command's output. */
void xml_log_open(struct xml_log *l);
/* Ends the output. */
void xml_log_close(struct xml_log *l);

#endif
