/*
 * Native evaluation of the CMake language as test files use it. Evaluating has no effect
 * outside: environment changes and messages are declarations, so that a directory that
 * leaves the subset can be given to cmake instead.
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
	struct place place; /* the place, with the command */
	struct str why;
};

enum eval_result {
	EVAL_DONE, /* errors, if any, are declared messages */
	EVAL_UNREADABLE, /* as EVAL_DONE, and nothing of the file was executed */
	EVAL_OUTSIDE, /* see evaluator_outside; declarations must be rewound */
};

/* Reads a subdirectory named by subdirs(), which has a test file. */
typedef enum eval_result eval_directory(
	void *context, struct evaluator *e, const struct subdirectory *sub);

struct evaluator_settings {
	eval_directory *subdirectory;
	void *context; /* of subdirectory */
	/* Steps (loop iterations, calls, files, 1024 bytes of values) after which the
	 * evaluator leaves the subset; 0: no limit. */
	uint64_t steps_most;
	/* How many commands of a file are read before the first of them is executed. This
	 * affects speed and memory only. 0: the usual number. */
	size_t piece;
};
struct evaluator *evaluator_new(struct arena *a, const struct source_request *r,
	struct declarations *out, const struct evaluator_settings *settings);
/* The file is read as one of the directory: relative paths are relative to it. */
enum eval_result evaluator_read(
	struct evaluator *e, struct str file, struct str directory, bool is_top);
/* For messages, files that are read from now on have this caller; NULL: the command that
 * the evaluator is executing. Returns the previous caller. */
const struct place *evaluator_called_from(
	struct evaluator *e, const struct place *caller);
/* Why the last file could not be opened or read: an errno; 0: it was read. */
int evaluator_read_error(const struct evaluator *e);
struct eval_outside evaluator_outside(const struct evaluator *e);
/* After a fatal error nothing more is read, neither here nor in the files around. */
bool evaluator_stopped(const struct evaluator *e);

/* State, for rewinding and for passing to cmake. A mark costs O(changes since). */
struct evaluator_mark;
struct evaluator_mark *evaluator_mark(struct evaluator *e);
void evaluator_rewind(struct evaluator *e, struct evaluator_mark *m);
struct str evaluator_get(
	const struct evaluator *e, struct str variable); /* p NULL: unset */
void evaluator_set(struct evaluator *e, struct str variable, struct str value);
/* As set(ENV{name} value): declared, and visible to files that are read next; value.p
 * NULL unsets. */
void evaluator_set_environment(struct evaluator *e, struct str name, struct str value);
/* All variables of the current scope. */
struct variable *evaluator_variables(
	const struct evaluator *e, struct arena *a, size_t *n);

#endif
