/*
 * The update step's parts: one run of it, what version control systems have in common
 * (files, revisions, commands and their log), and the table of systems.
 *
 * A system's functions run its commands and tell what they read by the functions below.
 * What a command prints is foreign bytes: it comes to a reader in lines, or as a text of
 * XML (update_xml.h), and a reader does not know whether a command has written it.
 */
#ifndef CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_H
#define CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_H

#include "compat/dashboard/step/step.h"
#include "runner/base/draft.h"
#include "runner/regex/match.h"

/* As they are shown. */
struct revision {
	struct str rev, date, author, email, committer, committer_email, commit_date, log;
};
struct change {
	char action; /* for the log alone: 'A', 'M', 'D' ... */
	struct str path;
};
typedef VEC(struct change) change_vec;

enum file_state { FILE_UPDATED, FILE_MODIFIED, FILE_CONFLICTING, FILE_STATES };
struct updated_file {
	struct str directory, name;
	enum file_state state;
	const struct revision *rev, *prior; /* NULL: not known */
};

struct update {
	struct dashboard *d;
	struct arena *arena;
	const struct vcs *vcs;
	struct str tool; /* the system's command */
	struct str source;
	struct match_set *patterns;
	const char *const *environment; /* of its commands */
	struct buf log; /* LastUpdate.log */
	struct draft draft; /* of its file */
	bool has_draft;
	struct str command; /* that updates, as Update.xml says it */
	struct str old_rev, new_rev; /* "": not known */
	struct revision prior; /* the old one, for files */
	int64_t started_s;
	VEC(struct updated_file) files;
	struct map files_by_place;
	void *state; /* the system's own, NULL at first */
};

/* A version control system. A function that is NULL has nothing to do. */
struct vcs {
	const char *name; /* "GIT": the type, and the beginning of its keys */
	const char *word; /* "git": names the type, in the command or in UpdateType */
	const char *markers[2]; /* in the source directory, or NULL */
	const char *dot_is; /* what a dot stands for: "revision" */
	void (*cleanup)(struct update *u);
	/* Of the work tree: for update_note_old and update_note_new. */
	struct str (*revision)(struct update *u);
	/* Sets and says old_rev, new_rev. */
	bool (*note_old)(struct update *u);
	bool (*update)(struct update *u);
	bool (*note_new)(struct update *u);
	/* The changes from the old revision to the new one. */
	bool (*load_revisions)(struct update *u);
	/* Those of the work tree. */
	bool (*load_local)(struct update *u);
	struct str (*path)(const struct update *u); /* <SVNPath> */
	/* Readers, up to one without a name, for tests: of lines, with the update as
	 * their context, or else of all bytes at once. */
	const struct vcs_reader {
		const char *name;
		bool (*line)(void *context, struct str line);
		void (*read)(struct update *u, struct str bytes);
	} * readers;
};
extern const struct vcs vcs_bzr, vcs_cvs, vcs_git, vcs_hg, vcs_p4, vcs_svn;

/* ---- files and revisions (update.c) ----------------------------------------------- */

/* Before anything else: arena, d, source, tool and patterns are set. */
void update_begin(struct update *u);
/* "directory/name" */
struct str update_path(const struct update *u, const struct updated_file *f);
/* path as a word of a command, which does not take it for an option. */
struct str update_operand(const struct update *u, struct str path);
/* The file of that path, made if there is none: updated, of unknown revisions. */
struct updated_file *update_file(struct update *u, struct str path);
void update_state(struct update *u, enum file_state state, struct str path);
/* A change of the work tree: what is there came from the old revision. */
void update_local(struct update *u, enum file_state state, struct str path);
/* A revision with its dot; files that it changes are updated. Nothing, but that it is
 * known, when it is the old one. */
void update_revision(
	struct update *u, const struct revision *rev, const change_vec *changes);
/* By directory and name: places in the vector change. */
void update_sort(struct update *u);
/* "Found revision ..." in the log. */
void update_log_revision(struct update *u, const struct revision *rev);
void update_note_prior(struct update *u, struct str rev);
/* What the system says of its work tree, noted and said. */
bool update_note_old(struct update *u);
bool update_note_new(struct update *u);
/* "   Old revision of repository is: R" */
void update_say_revision(struct update *u, const char *which, struct str rev);
void update_gathering(struct update *u);
void update_dot(struct update *u);

const char *update_tool(const struct update *u);
struct str update_key(const struct update *u, const char *key);
/* The words of the options for an update. */
struct str_list update_options(struct update *u);
/* The time at which a nightly dashboard begins, in UTC; "" for any other. */
struct str update_nightly(struct update *u, const char *format);
/* Groups of the pattern, which is in CMake's dialect. */
bool update_match(
	struct update *u, struct str line, const char *pattern, struct match *match);

/* ---- the report (update_report.c) ------------------------------------------------- */

extern const struct revision update_unknown;
/* Update.xml. failure: "", or UpdateReturnStatus. */
struct str update_report(struct update *u, int64_t ended_s, struct str failure);

#endif
