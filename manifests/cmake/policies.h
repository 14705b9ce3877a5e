/* The policies of the file that is being read, and the stack that cmake_policy(PUSH) and
 * calls of functions keep of them. */
#ifndef CCTR_MANIFESTS_CMAKE_POLICIES_H
#define CCTR_MANIFESTS_CMAKE_POLICIES_H

#include "runner/base/base.h"

/* Policies that change what is evaluated here. */
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
typedef uint32_t policy_set; /* a bit for each policy that is NEW */

struct policies;
struct policies *policies_new(struct arena *a);
bool policy_is_new(const struct policies *p, enum policy policy);
void policy_put(struct policies *p, enum policy policy, bool is_new);
policy_set policies_get(const struct policies *p);
void policies_put(struct policies *p, policy_set set);

void policies_push(struct policies *p);
/* false: nothing was pushed in this scope. */
bool policies_pop(struct policies *p);

/* A file, block, function or macro takes from the stack what it has put there, and a
 * function or macro also the policies of its caller. */
struct policy_scope {
	policy_set policies; /* when it began */
	size_t floor;
	bool is_of_call;
};
struct policy_scope policies_enter(struct policies *p, bool is_of_call);
/* How many more were pushed than popped. */
ptrdiff_t policies_leave(struct policies *p, const struct policy_scope *s);

/* Whether changes reach the includer: CMP0011. Returns what was set before. */
bool policies_set_weak(struct policies *p, bool is_weak);
/* A change would reach the includer now. */
bool policies_reach_includer(const struct policies *p);

struct policies_mark {
	policy_set now;
	size_t stack_n, floor;
	bool is_weak;
};
struct policies_mark policies_mark(const struct policies *p);
void policies_rewind(struct policies *p, const struct policies_mark *m);

#endif
