/*
 * Runs commands of version control systems: in the source directory, with English
 * messages, and with all their output in the log, line by line.
 */
#ifndef CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_RUN_H
#define CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_RUN_H

#include "compat/dashboard/update/update.h"

enum { LISTENER_PIECE = 1024 };

enum listener_lines {
	LINES_PLAIN, /* carriage returns are dropped; NUL also ends a line */
	LINES_EXACT, /* carriage returns are part of lines */
	LINES_OF_PROGRESS /* carriage returns end lines; empty lines are dropped */
};

/* Reads a stream of a command. The functions get borrowed texts. */
struct listener {
	void *context;
	/* Gets a line without its end. false: no more lines are wanted, and no more are
	 * logged. May be NULL. */
	bool (*line)(void *context, struct str line);
	/* Gets the bytes at once, at most LISTENER_PIECE, after the lines that end in
	 * them. May be NULL. */
	void (*piece)(void *context, struct str bytes);
	enum listener_lines lines;
	/* Newlines belong to lines: only NUL ends them. May change from line to line. */
	bool ends_by_nul;

	/* State while reading: */
	char ended_by; /* the end of the line that line() gets: '\n' or '\0' */
	struct buf rest; /* the unfinished line */
	size_t total;
	bool has_enough;
};

struct vcs_command {
	struct str_list words;
	const char *prefix; /* in the log: "fetch" */
	const char *directory; /* NULL: the source directory */
	struct listener *out, *err; /* NULL: only logged */
	struct buf *instead; /* gets standard output in place of the log */
	/* A command whose output the words read; may be empty. */
	struct str_list feeder;
};
/* false: the command was not started, or it failed. */
bool vcs_run(struct update *u, const struct vcs_command *c);
/* Runs the command that Update.xml names, except under -N, which allows no changes. */
bool vcs_run_update(struct update *u, const struct vcs_command *c);
/* words ends with NULL. */
bool vcs_run_words(struct update *u, const char *prefix, struct listener *out,
	const char *const *words);
struct str_list vcs_words(struct arena *a, const char *const *words);
/* Joins the words of all lists. */
struct str_list vcs_join(struct arena *a, const struct str_list *lists, size_t n);
/* A listener that takes group 1 of the first line that matches the pattern. */
struct first_match {
	struct update *u;
	const char *pattern;
	struct str text; /* unchanged if no line matches */
};
bool first_match(void *context, struct str line);
/* Feeds bytes as if a command had written them to its standard output. */
void listener_feed(
	struct update *u, struct listener *l, const char *prefix, struct str bytes);

#endif
