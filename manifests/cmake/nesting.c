/*
 * Every command that is executed counts for the recursion limit, as in CMake. Nested
 * commands also use our stack, which has a limit of its own, as have nested blocks. See
 * nesting.h.
 */
#include "manifests/cmake/nesting.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The limit of depth. */
#define DEPTH_VARIABLE "CMAKE_MAXIMUM_RECURSION_DEPTH"

enum {
	DEPTH_LIMIT = 1000, /* unless a variable or the environment has another */
	BODY_LIMIT = 4000,
};
struct nesting {
	const struct dialect *dialect;
	struct variables *variables;
	const struct environment *environment;
	unsigned depth, bodies;
	uint32_t variable; /* the number of DEPTH_VARIABLE */
	struct str text; /* DEPTH_VARIABLE of the environment */
	uint64_t changes; /* of the environment, when text was read; 0: never */
	uintptr_t stack_from; /* and how much of it may be used: */
	size_t stack_most;
};

struct nesting *
nesting_new(struct arena *a, const struct dialect *dialect, struct variables *variables,
	const struct environment *environment)
{
	struct nesting *n = NEW(a, struct nesting);

	*n = (struct nesting){.dialect = dialect,
		.variables = variables,
		.environment = environment,
		.variable = variable_number(variables, STR(DEPTH_VARIABLE))};
	return n;
}

/* Three quarters of what the system allows. */
static size_t
stack_most(void)
{
	enum { LARGEST = 1 << 26 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > LARGEST)
		return LARGEST / 4 * 3;
	return (size_t)limit.rlim_cur / 4 * 3;
}

void
nesting_begin(struct nesting *n)
{
	n->stack_from = (uintptr_t)__builtin_frame_address(0);
	n->stack_most = stack_most();
}

/* Before 3.27 the number at the beginning of the text, within an int; since then the
 * whole text as strtoul(3) reads it, for which "-1" is a large number. */
static bool
is_depth(
	const struct nesting *n, struct arena *scratch, struct str text, long long *depth)
{
	const char *z = str_z(scratch, text);
	unsigned long large;
	char *end;

	errno = 0;
	if (!n->dialect->has[DIALECT_DEPTH_IS_WHOLE_TEXT]) {
		*depth = strtol(z, &end, 10);
		return end != z && !errno && *depth >= INT_MIN && *depth <= INT_MAX;
	}
	large = strtoul(z, &end, 10);
	*depth = large > LLONG_MAX ? LLONG_MAX : (long long)large;
	return end != z && !*end && !errno;
}

/* How many commands may be executed inside each other. */
static long long
depth_limit(struct nesting *n, struct arena *scratch)
{
	struct str text = variable_at(n->variables, n->variable);
	long long depth;

	if (!text.p) {
		uint64_t changes = environment_changes_n(n->environment);

		if (n->changes != changes)
			n->text = environment_get(
				n->environment, scratch, STR(DEPTH_VARIABLE));
		n->changes = changes;
		if (n->dialect->has[DIALECT_DEPTH_IN_ENVIRONMENT])
			text = n->text;
	}
	return text.p && is_depth(n, scratch, text, &depth) ? depth : DEPTH_LIMIT;
}

/* Commands inside each other use our stack. */
static size_t
stack_used(const struct nesting *n)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return here < n->stack_from ? n->stack_from - here : here - n->stack_from;
}

bool
nesting_enter(struct nesting *n, struct arena *scratch, struct str *why)
{
	long long limit = depth_limit(n, scratch);

	if (n->depth >= limit)
		*why = str_fmt(
			scratch, "Maximum recursion depth of %lld exceeded", limit);
	else if (stack_used(n) >= n->stack_most)
		*why = str_fmt(scratch, "The stack has no room for %u nested commands",
			n->depth);
	else
		return ++n->depth;
	return false;
}

void
nesting_leave(struct nesting *n)
{
	INVARIANT(n->depth);
	n->depth--;
}

bool
nesting_enter_body(struct nesting *n)
{
	return n->bodies++ != BODY_LIMIT;
}

void
nesting_leave_body(struct nesting *n)
{
	INVARIANT(n->bodies);
	n->bodies--;
}
