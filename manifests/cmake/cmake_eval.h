/*
 * Native evaluation of the CMake language as test files use it. Nothing outside happens
 * while evaluating: environment changes and messages are declarations, so that a
 * directory that turns out to leave the subset can be given to cmake instead.
 */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_EVAL_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_EVAL_H

#include "manifests/cmake/subdirectory.h"
#include "runner/model/model.h"
#include "runner/model/source.h"

struct evaluator;

/* Why a file cannot be evaluated natively: "needs cmake" is not an error. */
struct eval_outside {
	bool is_outside;
	struct place place; /* where, with the command */
	struct str why;
};

enum eval_result {
	EVAL_DONE, /* errors, if any, are declared messages */
	EVAL_UNREADABLE, /* the same, and nothing of the file was executed */
	EVAL_OUTSIDE, /* see evaluator_outside; declarations must be rewound */
};

/* Reads a subdirectory named by subdirs(), which has a test file. */
typedef enum eval_result eval_directory(
	void *context, struct evaluator *e, const struct subdirectory *sub);

struct evaluator *evaluator_new(struct arena *a, const struct source_request *r,
	struct declarations *out, eval_directory *subdirectory, void *context);
/* The file is read in the directory: relative paths resolve against it. */
enum eval_result evaluator_read(
	struct evaluator *e, struct str file, struct str directory, bool is_top);
/* What is read from now on has been called from there, as far as messages tell; NULL:
 * from whatever the evaluator is executing. Returns what was said before. */
const struct place *evaluator_called_from(
	struct evaluator *e, const struct place *caller);
/* Why the file read last cannot be opened or read: an errno; 0: it was read. */
int evaluator_read_error(const struct evaluator *e);
struct eval_outside evaluator_outside(const struct evaluator *e);
/* A fatal error: nothing more is read, here or in the files around. */
bool evaluator_stopped(const struct evaluator *e);
/* Steps (loop iterations, calls, files, 1024 bytes of values) after which it leaves the
 * subset; unlimited unless set. */
void evaluator_limit(struct evaluator *e, uint64_t steps);

/* How many commands of a file are read before the first of them is executed: it changes
 * what a file costs, and nothing else. */
void evaluator_piece(struct evaluator *e, size_t calls);

/* State, for rewinding and for handing down to cmake. A mark costs O(what changed since).
 */
struct evaluator_mark;
struct evaluator_mark *evaluator_mark(struct evaluator *e);
void evaluator_rewind(struct evaluator *e, struct evaluator_mark *m);
struct str evaluator_get(
	const struct evaluator *e, struct str variable); /* p NULL: unset */
void evaluator_set(struct evaluator *e, struct str variable, struct str value);
/* As set(ENV{name} value): declared, and seen by what is read next; value.p NULL unsets.
 */
void evaluator_set_environment(struct evaluator *e, struct str name, struct str value);
/* All variables of the current scope. */
struct variable *evaluator_variables(
	const struct evaluator *e, struct arena *a, size_t *n);

#endif
