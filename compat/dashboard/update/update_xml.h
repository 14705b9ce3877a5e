/*
 * Logs in XML, as svn, hg and bzr print them, read while they come: revisions get into
 * the step's log after the piece in which their element ends, as in ctest.
 */
#ifndef CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_XML_H
#define CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_XML_H

#include "compat/dashboard/update/update_run.h"
#include "compat/format/xml_read.h"

struct xml_log;
struct xml_log_type {
	const char *name; /* in errors: "svn" */
	const char *entry; /* the element of a revision */
	/* May be NULL. */
	void (*begin)(struct xml_log *l, struct str element);
	/* May be NULL. */
	void (*attribute)(struct xml_log *l, struct str name, struct str value);
	/* Of an element in an entry, with its text behind its last child. */
	void (*end)(struct xml_log *l, struct str element, struct str text);
	/* The entry is complete: rev and changes are the log's. */
	void (*ended)(struct xml_log *l); /* NULL: its revision is told */
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
/* u, type and context are set; l->out hears the command from now on. */
void xml_log_open(struct xml_log *l);
/* All has come. */
void xml_log_close(struct xml_log *l);
/* All of that with the bytes of a whole log. */
void xml_log_read(struct xml_log *l, struct str bytes);

#endif
