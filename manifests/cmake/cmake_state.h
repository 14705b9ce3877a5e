/*
 * The evaluator's state: what commands share, and where the evaluation is. Private to the
 * evaluator's files.
 */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_STATE_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_STATE_H

#include "manifests/cmake/cmake_environment.h"
#include "manifests/cmake/cmake_eval.h"
#include "manifests/cmake/cmake_lex.h"
#include "manifests/cmake/cmake_variables.h"
#include "manifests/cmake/function_table.h"
#include "manifests/cmake/nesting.h"
#include "manifests/cmake/policies.h"
#include "manifests/cmake/recent_words.h"

/* A file, function or macro whose commands are being executed. */
struct frame {
	struct frame *outer;
	struct str file; /* its name in messages */
	const struct cmake_invocation *call;
	const struct place *place; /* the place of call, made when it is first needed */
	/* The place of all calls of one command, without the line: large files consist of
	 * such calls. */
	struct {
		uint16_t command;
		const struct place *place;
	} common[2];
	unsigned loops; /* foreach and while around call */
};

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

struct evaluator {
	struct arena *a;
	struct arena *scratch; /* for one command; only while a file is read */
	const struct source_request *request;
	declaration_vec *out;
	struct arena *lists; /* for out, and for words that live as long as the list */
	eval_directory *subdirectory;
	void *context;

	struct recent_words *words;
	struct variables *variables;
	struct environment *environment;
	struct function_table *functions;
	struct policies *policies;
	struct nesting *nesting;
	struct map builtins;

	struct reading *reading; /* the innermost file that is being read */
	size_t piece; /* how many of its commands are read at once */

	struct frame *frame;
	/* the caller of the file that is read next, or NULL */
	const struct place *caller;
	struct directory_names places;
	struct str directory;
	enum flow flow;
	bool has_failed; /* the last command has failed */
	bool is_stopped; /* after a fatal error: nothing more is read */
	/* of the last file: it does not exist, or has a syntax error */
	bool is_unreadable;
	int read_error; /* errno of the last file; 0: it was read */
	struct eval_outside outside;
	uint64_t steps_left; /* loop iterations and calls that may still come */
};

struct str env_get(struct evaluator *e, struct str name); /* p NULL: unset */
void env_set(struct evaluator *e, struct str name, struct str value); /* p NULL: unset */

/* Whether the release of the dialect has the behaviour. */
static inline bool
evaluator_has(const struct evaluator *e, enum dialect_feature f)
{
	return e->request->dialect->has[f];
}

/* As cmake_policy(VERSION): policies of that version are NEW, newer ones are unset. */
void policies_of_version(struct evaluator *e, unsigned version);
/* false after leaving the subset. */
bool policy_exists(struct evaluator *e, struct str name, bool *exists);

/* A copy that lives as long as the arena. */
static inline struct str
keep(struct evaluator *e, struct str s)
{
	return recent_words_keep(e->words, s);
}

/* ---- what a command may say ------------------------------------------------------ */

/* The call that a frame executes, with its call stack; f may be NULL. */
const struct place *call_place(struct evaluator *e, struct frame *f);
/* The call being executed. */
const struct place *place_here(struct evaluator *e);
bool is_halted(const struct evaluator *e);
/* The directory must be evaluated by cmake. Always returns false. */
bool leave_subset(struct evaluator *e, const char *fmt, ...) CCTR_PRINTF(2, 3);
/* Counts towards steps_most; false: the limit is reached and the subset is left. */
bool spend(struct evaluator *e, uint64_t steps);
/* Adds a message of the call that is being executed. */
void say(struct evaluator *e, enum diag_kind kind, struct str text);
/* "<command> <text>": the command failed, reading goes on. Always returns false. */
bool command_fails(struct evaluator *e, const char *fmt, ...) CCTR_PRINTF(2, 3);
/* A fatal error: reading stops. Always returns false. */
bool stop_reading(struct evaluator *e, const char *fmt, ...) CCTR_PRINTF(2, 3);
void say_at(struct evaluator *e, enum diag_kind kind, const struct place *at,
	struct str text);
void declare(struct evaluator *e, enum declaration_kind kind, struct str_list words);
/* Called before something that cannot be undone. false when the rest of the file has an
 * error: then nothing of the file may be executed, and what was executed is undone. */
bool reading_is_sure(struct evaluator *e);

#endif
