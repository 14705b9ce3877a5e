/* How many commands are executed inside each other, and how many may be. */
#ifndef CCTR_MANIFESTS_CMAKE_NESTING_H
#define CCTR_MANIFESTS_CMAKE_NESTING_H

#include "manifests/cmake/cmake_environment.h"
#include "manifests/cmake/cmake_variables.h"
#include "runner/cmakelang/dialect.h"

struct nesting;
struct nesting *nesting_new(struct arena *a, const struct dialect *dialect,
	struct variables *variables, const struct environment *environment);
/* The outermost file: what is executed from here on uses the stack of the caller. */
void nesting_begin(struct nesting *n);
/* Before a command. false: it is too deep inside others; *why says so. */
bool nesting_enter(struct nesting *n, struct arena *scratch, struct str *why);
void nesting_leave(struct nesting *n);
/* Before the body of a block. false: one more than there may be. */
bool nesting_enter_body(struct nesting *n);
void nesting_leave_body(struct nesting *n);

#endif
