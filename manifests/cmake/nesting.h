/* How many commands are executed inside each other, and how many may be. */
#ifndef CCTR_MANIFESTS_CMAKE_NESTING_H
#define CCTR_MANIFESTS_CMAKE_NESTING_H

#include "runner/base/base.h"

struct evaluator;
struct nesting;
struct nesting *nesting_new(struct evaluator *e);
/* The outermost file: what is executed from here on uses the stack of the caller. */
void nesting_begin(struct nesting *n);
/* Before a command. false after a message: it is too deep inside others. */
bool nesting_enter(struct evaluator *e);
void nesting_leave(struct nesting *n);
/* Before the body of a block. It is executed even where the subset is left. */
void nesting_enter_body(struct evaluator *e);
void nesting_leave_body(struct nesting *n);
unsigned nesting_depth(const struct nesting *n);

#endif
