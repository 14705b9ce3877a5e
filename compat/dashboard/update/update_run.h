/*
 * Commands of version control systems: run in the source directory, with English
 * messages, everything that they write in the log, line by line.
 */
#ifndef CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_RUN_H
#define CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_RUN_H

#include "compat/dashboard/update/update.h"

enum { LISTENER_PIECE = 1024 };

enum listener_lines {
	LINES_PLAIN, /* carriage returns are dropped, NUL ends a line, too */
	LINES_EXACT, /* carriage returns are part of lines */
	LINES_OF_PROGRESS /* carriage returns end lines, and empty ones are dropped */
};

/* Who reads a stream of a command. Texts that the functions get are borrowed. */
struct listener {
	void *context;
	/* A line without its end. false: it wants no more, and no more gets into the log.
	 * May be NULL. */
	bool (*line)(void *context, struct str line);
	/* As it comes, LISTENER_PIECE bytes at most, behind the lines that end in it. May
	 * be NULL. */
	void (*piece)(void *context, struct str bytes);
	enum listener_lines lines;
	/* Newlines are part of lines: NUL alone ends them. May change from line to line.
	 */
	bool ends_by_nul;

	/* While it reads: */
	char ended_by; /* the line that line() gets: '\n' or '\0' */
	struct buf rest; /* of a line that has no end yet */
	size_t total;
	bool has_enough;
};

struct vcs_command {
	struct str_list words;
	const char *prefix; /* in the log: "fetch" */
	const char *directory; /* NULL: the source directory */
	struct listener *out, *err; /* NULL: for the log alone */
	struct buf *instead; /* gets standard output, and the log does not */
	/* If any: a command whose output is what words read. */
	struct str_list feeder;
};
/* false: it was not started, or failed. */
bool vcs_run(struct update *u, const struct vcs_command *c);
/* The command that Update.xml names; not run where nothing may be changed: -N. */
bool vcs_run_update(struct update *u, const struct vcs_command *c);
/* For words that end with NULL. */
bool vcs_run_words(struct update *u, const char *prefix, struct listener *out,
	const char *const *words);
struct str_list vcs_words(struct arena *a, const char *const *words);
/* The words of all lists, one behind the other. */
struct str_list vcs_join(struct arena *a, const struct str_list *lists, size_t n);
/* For listeners: group 1 of the first line that the pattern matches. */
struct first_match {
	struct update *u;
	const char *pattern;
	struct str text; /* stays what it was where no line matches */
};
bool first_match(void *context, struct str line);
/* As if a command had written it to its standard output. */
void listener_feed(
	struct update *u, struct listener *l, const char *prefix, struct str bytes);
void vcs_read(struct update *u, const struct vcs_reader *reader, struct str bytes);

#endif
