/*
 * The evaluator's state: variables, scopes, environment, functions, policies. Private to
 * the evaluator's files.
 *
 * There is one value per name. What can be undone (a function's scope, a mark) starts an
 * epoch; the first write to a name in an epoch puts the old value into a journal. Leaving
 * a scope and rewinding are the same: the journal is undone down to the entry where the
 * epoch began. So a lookup never walks a chain of scopes, and undoing costs only what
 * changed.
 */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_STATE_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_STATE_H

#include "manifests/cmake/cmake_eval.h"
#include "manifests/cmake/cmake_lex.h"

/* Policies that change what is evaluated here: two bits each in a word. */
enum policy {
	POLICY_LIST_EMPTY, /* CMP0007 */
	POLICY_REFERENCE_ERROR, /* CMP0010 */
	POLICY_INCLUDE_SCOPE, /* CMP0011 */
	POLICY_IF_CONSTANTS, /* CMP0012 */
	POLICY_REFERENCES, /* CMP0053 */
	POLICY_IF_QUOTED, /* CMP0054 */
	POLICY_BREAK, /* CMP0055 */
	POLICY_IN_LIST, /* CMP0057 */
	POLICY_IF_TEST, /* CMP0064 */
	POLICY_LIST_INDEX, /* CMP0121 */
	POLICY_FOREACH_SCOPE, /* CMP0124 */
	POLICY_WHILE_ERRORS, /* CMP0130 */
	POLICY_IF_PATH_EQUAL, /* CMP0139 */
	POLICY_RETURN, /* CMP0140 */
	POLICY_REGEX_ANCHOR, /* CMP0186 */
	POLICY_MACRO_BACKSLASHES, /* CMP0219 */
	POLICIES
};
enum policy_state { POLICY_UNSET, POLICY_OLD, POLICY_NEW };
typedef uint32_t policy_set;

/* ---- state ----------------------------------------------------------------------- */

struct var {
	struct str name, value; /* value.p NULL: unset */
	char *own; /* the buffer of value, where this epoch may overwrite it */
	size_t cap;
	uint32_t epoch; /* the epoch in which writes need no journal entry any more */
};
struct var_undo {
	uint32_t var, epoch;
	struct str value;
	char *own;
	size_t cap;
};

struct function {
	struct str name; /* as defined */
	struct cmake_file code; /* the commands of the body */
	struct str_list formals;
	unsigned line;
	struct str file;
	policy_set policies;
	bool is_macro;
};
struct function_undo {
	struct str key;
	uint32_t old;
};

struct env {
	struct str name, value;
	bool is_set;
};
struct env_undo {
	uint32_t env;
	struct env old;
	bool is_new; /* not known before: after undoing, the process is asked again */
};

/* A write to the enclosing scope, made when this scope ends. */
struct raise {
	struct str name, value; /* value.p NULL: unset */
};
/* function() or block(): writes inside are undone at its end. */
struct scope {
	struct scope *outer;
	size_t journal_n;
	uint32_t epoch;
	VEC(struct raise) raises;
};

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

/* The limit of depth. */
#define DEPTH_VARIABLE "CMAKE_MAXIMUM_RECURSION_DEPTH"

enum { RECENT = 256 };
struct evaluator {
	struct arena *a;
	struct arena *scratch; /* for one command; only while a file is read */
	const struct source_request *request;
	declaration_vec *out;
	struct arena *lists; /* for out, and for words that live as long as the list */
	eval_directory *subdirectory;
	void *context;

	struct map names, functions_by_name, builtins, env_names;
	struct map warned_macros; /* macros with a CMP0219 warning: each gets only one */
	str_vec warned; /* these in their order, to be undone */
	VEC(struct var) vars;
	VEC(struct var_undo) journal;
	VEC(const struct function *) functions;
	VEC(struct function_undo) functions_undo;
	VEC(struct env) envs;
	VEC(struct env_undo) envs_undo;
	uint32_t epoch, newest_epoch;

	struct str recent[RECENT]; /* kept words, found by their length and last bytes */
	struct reading *reading; /* the innermost file that is being read */
	size_t piece; /* how many of its commands are read at once */

	struct scope *scope; /* NULL: the outermost */
	struct frame *frame;
	/* the caller of the file that is read next, or NULL */
	const struct place *caller;
	struct directory_names places;
	struct str directory;
	policy_set policies;
	VEC(policy_set) policy_stack;
	size_t policy_stack_floor; /* its size when the current scope of policies began */
	bool has_weak_policies; /* changes reach the includer: CMP0011 */
	enum flow flow;
	unsigned depth; /* number of commands that are being executed inside each other */
	uint32_t depth_variable; /* the index of DEPTH_VARIABLE in vars */
	struct str depth_text; /* DEPTH_VARIABLE of the environment */
	bool has_depth_text; /* and it has not changed since */
	uintptr_t
		stack_from; /* the stack of the caller; and how much of it may be used */
	size_t stack_most;
	unsigned bodies; /* number of blocks that are being executed inside each other */
	bool has_failed; /* the last command has failed */
	bool is_stopped; /* after a fatal error: nothing more is read */
	/* of the last file: it does not exist, or has a syntax error */
	bool is_unreadable;
	int read_error; /* errno of the last file; 0: it was read */
	struct eval_outside outside;
	uint64_t steps_left; /* loop iterations and calls that may still come */
};

struct str variable_get(const struct evaluator *e, struct str name); /* p NULL: unset */
struct str variable_or_empty(const struct evaluator *e, struct str name);
void variable_set(struct evaluator *e, struct str name, struct str value);
void variable_unset(struct evaluator *e, struct str name);
/* Its place in vars, set or not. */
uint32_t variable_index(struct evaluator *e, struct str name);
/* Amortised cost: a loop that appends is linear. */
void variable_append(
	struct evaluator *e, struct str name, struct str separator, struct str value);

void scope_push(struct evaluator *e, struct scope *s);
void scope_pop(struct evaluator *e);
/* Sets the variable in the enclosing scope; false: there is none. value.p NULL unsets. */
bool variable_raise(struct evaluator *e, struct str name, struct str value);

struct str env_get(struct evaluator *e, struct str name); /* p NULL: unset */
void env_set(struct evaluator *e, struct str name, struct str value); /* p NULL: unset */

const struct function *function_get(struct evaluator *e, struct str lower);
void function_define(struct evaluator *e, struct str lower, const struct function *f);

/* Whether the release of the dialect has the behaviour. */
static inline bool
evaluator_has(const struct evaluator *e, enum dialect_feature f)
{
	return e->request->dialect->has[f];
}

bool policy_is_new(const struct evaluator *e, enum policy p);
/* As cmake_policy(VERSION): policies of that version are NEW, newer ones are unset. */
void policies_of_version(struct evaluator *e, unsigned version);
/* false after leaving the subset. */
bool policy_exists(struct evaluator *e, struct str name, bool *exists);

/* A copy that lives as long as the arena. A word that was kept recently is not copied
 * again. */
struct str keep(struct evaluator *e, struct str s);

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
