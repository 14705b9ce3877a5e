/*
 * Where tests come from. A source yields declarations: the calls of a test file as data,
 * in order. suite_build (suite.h) gives them their meaning, so that every source (native
 * evaluator, cmake process, json-v1) has the same one.
 */
#ifndef CCTR_RUNNER_MODEL_SOURCE_H
#define CCTR_RUNNER_MODEL_SOURCE_H

#include "runner/base/base.h"
#include "runner/base/diag.h"
#include "runner/cmakelang/dialect.h"

enum declaration_kind {
	DECLARE_TEST, /* words: the arguments of add_test */
	DECLARE_PROPERTIES, /* words: the arguments of set_tests_properties */
	DECLARE_DIRECTORY_LABELS, /* words: one LABELS list of set_directory_properties */
	DECLARE_ENVIRONMENT, /* words: name, and value unless it is unset */
	DECLARE_MESSAGE, /* words: one text; message says its kind */
	/* words: name, value, ... for the test declared last; the name of a test is not
	 * needed */
	DECLARE_OWN_PROPERTIES,
};

struct declaration {
	enum declaration_kind kind : 8;
	enum diag_kind message : 8; /* of DECLARE_MESSAGE */
	bool is_syntax; /* a message of the first file, before anything is executed */
	/* the line of the call, when several calls share a place; else 0 */
	unsigned line;
	struct str_list words; /* evaluated arguments, byte exact */
	struct str directory; /* the directory whose test file is read, absolute */
	const struct place *place; /* of the call; never NULL */
};
typedef VEC(struct declaration) declaration_vec;

static inline struct place
declaration_place(const struct declaration *d)
{
	struct place p = *d->place;

	if (d->line)
		p.line = d->line;
	return p;
}

/* A variable that the file set and that ctest reads afterwards. */
struct variable {
	struct str name, value;
};

/* What a file of settings changes. */
struct environment_change;
struct settings_file {
	struct variable *variables; /* that are set after it */
	size_t n;
	const struct environment_change *environment; /* in the order of the file */
	size_t environment_n;
	bool is_stopped; /* by a fatal error: no other file may be evaluated */
};

struct declarations {
	declaration_vec list;
	/* Owns the list and whatever else only suite_build reads, which closes it:
	 * everything except the texts and the words of tests. NULL: there is no separate
	 * arena. */
	struct arena *arena;
	bool has_file; /* there was something to read, even if it is empty */
	bool is_stopped; /* by a fatal error: no other file may be evaluated */
	struct str
		resource_spec_file; /* CTEST_RESOURCE_SPEC_FILE of the top scope, or "" */
};

/* The texts and the words of tests stay. */
static inline void
declarations_close(struct declarations *d)
{
	arena_close(d->arena);
	d->arena = NULL;
	d->list = (declaration_vec){0};
}

/* What a source is asked to read. */
struct source_request {
	struct str path; /* build directory, or manifest file ("-": standard input) */
	/* In which a manifest declares tests; "": the working directory. */
	struct str directory;
	struct str configuration; /* -C, or "" */
	struct str cmake; /* the cmake to evaluate with; "": look for one */
	struct str share; /* where cctr's own .cmake files are */
	const struct dialect *dialect; /* the dialect of the files */
	struct match_set *patterns; /* for MATCHES and string(REGEX) */
	/* For a file of settings: file, or "" for the directory's own; the variables that
	 * are set before; and the command that reads it, which messages show. */
	struct str file;
	const struct variable *variables;
	size_t variables_n;
	bool is_called;
	bool shows_status; /* message(STATUS) is printed */
};

struct source {
	const char *name;
	/* Appends to out. Errors of the file are declarations (DECLARE_MESSAGE), since
	 * reading goes on. false when no test may run; the reason is in d or among the
	 * messages (text of cmake itself is a DIAG_NOTE, not an error). */
	bool (*load)(struct arena *a, const struct source_request *r,
		struct declarations *out, struct diag *d);
};

#endif
