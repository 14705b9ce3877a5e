/*
 * The parts of the update step: one run of it, what version control systems share (files,
 * revisions, commands and their log), and the table of systems.
 *
 * A system's functions run its commands, and record what they read by the functions
 * below. The output of a command is untrusted: a reader gets it as lines, or as XML text
 * (update_xml.h), and does not know whether a command has written it.
 */
#ifndef CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_H
#define CCTR_COMPAT_DASHBOARD_UPDATE_UPDATE_H

#include "compat/dashboard/step/step.h"
#include "runner/base/atomic_file.h"
#include "runner/process/command.h"
#include "runner/regex/match.h"

/* As reports show it. */
struct revision {
	struct str rev, date, author, email, committer, committer_email, commit_date, log;
};
struct change {
	char action; /* only for the log: 'A', 'M', 'D' ... */
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
	const struct step_input *in;
	struct step_result *result;
	struct arena *arena;
	const struct vcs *vcs;
	struct str tool; /* the system's command */
	struct str source;
	struct match_set *patterns;
	const char *const *environment; /* for its commands */
	command_runner *run; /* calls them */
	struct buf log; /* LastUpdate.log */
	struct atomic_file log_file; /* its file */
	bool has_log_file;
	struct str command; /* the update's command, as in Update.xml */
	struct str old_rev, new_rev; /* "": not known */
	struct revision prior; /* the old revision, for files */
	int64_t started_s;
	VEC(struct updated_file) files;
	struct map files_by_place;
	void *state; /* private to the system; NULL at first */
};

/* A version control system. A function may be NULL if there is nothing to do. */
struct vcs {
	const char *name; /* "GIT": the type, and the prefix of its keys */
	const char *word; /* "git": names the type, in the command or in UpdateType */
	const char *markers[2]; /* in the source directory, or NULL */
	const char *dot_is; /* the meaning of a progress dot: "revision" */
	void (*cleanup)(struct update *u);
	/* The work tree's revision: for update_note_old and update_note_new. */
	struct str (*revision)(struct update *u);
	/* Sets and prints old_rev, new_rev. */
	bool (*note_old)(struct update *u);
	bool (*update)(struct update *u);
	bool (*note_new)(struct update *u);
	/* Loads the changes between the old and the new revision. */
	bool (*load_revisions)(struct update *u);
	/* Loads the changes of the work tree. */
	bool (*load_local)(struct update *u);
	struct str (*path)(const struct update *u); /* <SVNPath> */
};
extern const struct vcs vcs_bzr, vcs_cvs, vcs_git, vcs_hg, vcs_p4, vcs_svn;

/* ---- files and revisions (update.c) ---------------------------------------------- */

/* Call it first, with arena, in, result, source, tool and patterns set. */
void update_begin(struct update *u);
/* "directory/name" */
struct str update_path(const struct update *u, const struct updated_file *f);
/* path as a word of a command that does not look like an option. */
struct str update_operand(const struct update *u, struct str path);
/* The file with this path gets the state. A new file has unknown revisions. */
void update_state(struct update *u, enum file_state state, struct str path);
/* Records a change of the work tree: the file's base is the old revision. */
void update_local(struct update *u, enum file_state state, struct str path);
/* Records a revision, with a progress dot; files that it changes count as updated. The
 * old revision is only recorded as known. */
void update_revision(
	struct update *u, const struct revision *rev, const change_vec *changes);
/* Sorts by directory and name; indices into the vector change. */
void update_sort(struct update *u);
/* Writes "Found revision ..." to the log. */
void update_log_revision(struct update *u, const struct revision *rev);
void update_note_prior(struct update *u, struct str rev);
/* Reads the work tree's revision, records and prints it. */
bool update_note_old(struct update *u);
bool update_note_new(struct update *u);
/* "   Old revision of repository is: R" */
void update_say_revision(struct update *u, const char *which, struct str rev);
void update_gathering(struct update *u);
void update_dot(struct update *u);

const char *update_tool(const struct update *u);
struct str update_key(const struct update *u, const char *key);
/* The words of the update options. */
struct str_list update_options(struct update *u);
/* The start time of a nightly dashboard, in UTC; "" for other models. */
struct str update_nightly(struct update *u, const char *format);
/* Matches the pattern, in CMake's dialect, and sets its groups. */
bool update_match(
	struct update *u, struct str line, const char *pattern, struct match *match);

/* ---- the report (update_report.c) ------------------------------------------------ */

extern const struct revision update_unknown;
/* Update.xml. failure: "", or UpdateReturnStatus. */
struct str update_report(struct update *u, int64_t ended_s, struct str failure);

#endif
