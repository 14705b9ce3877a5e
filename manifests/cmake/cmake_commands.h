/* The builtin commands of the evaluator, by subject. Private to the evaluator's files. */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_COMMANDS_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_COMMANDS_H

#include "manifests/cmake/cmake_state.h"

/* false: the command failed or reading stops; the function that found out has reported
 * it. */
typedef bool command_run(struct evaluator *e, struct str_list args);

enum command_kind {
	COMMAND_NATIVE, /* run evaluates it */
	COMMAND_BLOCK, /* part of a block: cmake_flow.c */
	COMMAND_OUTSIDE, /* exists in CMake, is not evaluated here */
};
enum block_word {
	WORD_NONE,
	WORD_IF,
	WORD_ELSEIF,
	WORD_ELSE,
	WORD_ENDIF,
	WORD_FOREACH,
	WORD_ENDFOREACH,
	WORD_WHILE,
	WORD_ENDWHILE,
	WORD_FUNCTION,
	WORD_ENDFUNCTION,
	WORD_MACRO,
	WORD_ENDMACRO,
	WORD_BLOCK,
	WORD_ENDBLOCK,
};
struct command {
	const char *name;
	enum command_kind kind;
	command_run *run;
	enum block_word word;
	enum dialect_feature since; /* DIALECT_FEATURES: always */
};
extern const struct command commands[];
extern const size_t commands_n;
/* false: the dialect's release does not have the command. */
bool command_exists(const struct evaluator *e, const struct command *c);

/* cmake_commands.c, cmake_tests.c */
command_run run_add_test, run_set_tests_properties, run_set_directory_properties;
command_run run_subdirs, run_add_subdirectory, run_include;
command_run run_cmake_policy, run_cmake_minimum_required;
command_run run_list, run_string, run_math;

/* cmake_expand.c: the values of a call's arguments, in scratch; false: see is_halted. */
bool expand_arguments(struct evaluator *e, const struct cmake_invocation *c,
	const struct cmake_argument *args, struct str_list *out);
/* As expand_arguments, with the information which of them were quoted. */
struct condition_word {
	struct str text;
	bool is_quoted;
};
struct condition {
	struct condition_word *v;
	size_t n;
};
bool expand_condition(struct evaluator *e, const struct cmake_invocation *c,
	const struct cmake_argument *args, struct condition *out);

/* cmake_condition.c: false after reporting why; is_fatal tells whether if() ends
 * reading. */
bool condition_evaluate(struct evaluator *e, struct condition c, bool *result);

/* cmake_flow.c */
/*
 * The blocks of a file that is read in pieces: links the calls that were appended since
 * the last time. is_open: a block continues after the last call. false after recording
 * what is not properly nested.
 */
struct block_part {
	uint32_t call;
	enum block_word word;
};
struct blocks {
	VEC(struct block_part) open;
	uint32_t linked; /* calls */
};
bool blocks_link(struct evaluator *e, struct blocks *b, struct cmake_file *f,
	struct arena *a, struct diag *d);
/* No call follows: false after recording the block that is still open. */
bool blocks_are_closed(
	const struct blocks *b, const struct cmake_file *f, struct diag *d);
void execute(struct evaluator *e, const struct cmake_file *f);
/* Executes the body of a function or macro: it ends with the first of its commands that
 * fails. */
bool execute_until_failure(struct evaluator *e, const struct cmake_file *f);
/* Executes one round; false: the loop is over. */
bool execute_loop_body(
	struct evaluator *e, const struct cmake_file *f, uint32_t from, uint32_t to);
/* cmake_foreach.c: false: the command failed, and its body is executed as if there were
 * no loop. */
struct loop {
	struct evaluator *e;
	const struct cmake_file *f;
	uint32_t from, to;
};
bool foreach_run(struct loop *l, struct str_list args);
/*
 * cmake_reading.c: reads and executes a file in the current directory; shown is its name
 * in messages and CMAKE_CURRENT_LIST_FILE. false: it cannot be opened. Afterwards
 * is_unreadable tells whether nothing of it was executed.
 */
bool read_file(struct evaluator *e, struct str shown, const char *path);
/* cmake_functions.c: function() or macro() at index i; false: it failed. */
bool function_new(
	struct evaluator *e, const struct cmake_file *f, uint32_t i, bool is_macro);
/* Executes the body of a user's function or macro. */
bool call_function(struct evaluator *e, const struct function *f, struct str_list args);

/* cmake_policy.c: complains of what is left on the stack of policies, or missing. */
void policy_scope_end(struct evaluator *e, const struct policy_scope *s);

/* cmake_regex.c */
/* NULL: the subset is left */
const struct matcher *regex_get(struct evaluator *e, struct str pattern);
void regex_clear(struct evaluator *e); /* CMAKE_MATCH_* */
void regex_store(struct evaluator *e, const struct match *m);
bool run_string_regex(struct evaluator *e, struct str_list args);
/* Replaces every match, into b; false after reporting why. */
struct replacement;
struct replacement *replacement_new(
	struct evaluator *e, struct str pattern, struct str with, const char *who);
bool replacement_apply(
	struct evaluator *e, const struct replacement *r, struct str in, struct buf *b);

/* The elements of a variable's list. */
struct str_list list_of(struct evaluator *e, struct str value, bool keep_empty);
struct str_list list_from(struct str_list l, size_t at);
/* A path relative to the directory that is being read. */
const char *path_seen(struct evaluator *e, struct str path);

#endif
