/*
 * Policies: cmake_policy() and cmake_minimum_required().
 *
 * Before CMake 4.0 a test file starts with every policy unset; since 4.0 the policies up
 * to CMP0065 are always NEW. Where the old and the new behaviour would differ and the
 * policy is not NEW, the evaluator leaves the subset: CMake warns there.
 */
#include "manifests/cmake/cmake_commands.h"

static const struct {
	enum policy policy;
	uint32_t number, since;
} policies[] = {
	{POLICY_LIST_EMPTY, 7, 2006},
	{POLICY_REFERENCE_ERROR, 10, 2006},
	{POLICY_INCLUDE_SCOPE, 11, 2006},
	{POLICY_IF_CONSTANTS, 12, 2008},
	{POLICY_REFERENCES, 53, 3001},
	{POLICY_IF_QUOTED, 54, 3001},
	{POLICY_BREAK, 55, 3002},
	{POLICY_IN_LIST, 57, 3003},
	{POLICY_IF_TEST, 64, 3004},
	{POLICY_LIST_INDEX, 121, 3021},
	{POLICY_FOREACH_SCOPE, 124, 3021},
	{POLICY_WHILE_ERRORS, 130, 3024},
	{POLICY_IF_PATH_EQUAL, 139, 3024},
	{POLICY_RETURN, 140, 3025},
	{POLICY_REGEX_ANCHOR, 186, 4001},
	{POLICY_MACRO_BACKSLASHES, 219, 4004},
};
enum {
	POLICY_ROWS = sizeof policies / sizeof *policies,
	NEWEST_KNOWN = 142, /* the last one of CMake 3.25 */
	ALWAYS_NEW = 65 /* since CMake 4.0 */
};

void
policies_of_version(struct evaluator *e, unsigned version)
{
	for (size_t i = 0; i < POLICY_ROWS; i++)
		policy_put(e->policies, policies[i].policy,
			policies[i].since <= version ||
				(evaluator_has(e, DIALECT_OLD_POLICIES_NEW) &&
					policies[i].number <= ALWAYS_NEW));
}

/* The number of "CMP0054"; MAP_NONE when it is no name of a policy. */
static uint32_t
policy_number(struct str name)
{
	uint64_t n;

	if (name.n != 7 || !str_begins(name, STR("CMP")) ||
		!str_unsigned(str_from(name, 3), 9999, &n))
		return MAP_NONE;
	return (uint32_t)n;
}

/* POLICIES: the policy changes nothing here. */
static enum policy
policy_known(uint32_t number)
{
	for (size_t i = 0; i < POLICY_ROWS; i++)
		if (policies[i].number == number)
			return policies[i].policy;
	return POLICIES;
}

bool
policy_exists(struct evaluator *e, struct str name, bool *exists)
{
	uint32_t number = policy_number(name);

	INVARIANT(exists);
	if (number != MAP_NONE && number > NEWEST_KNOWN &&
		evaluator_has(e, DIALECT_NEWER_POLICIES))
		return leave_subset(
			e, "%.*s is newer than the policies known here", STR_ARG(name));
	*exists = number != MAP_NONE && number <= NEWEST_KNOWN;
	return true;
}

/* "3.10", "3.10.2": 3010. */
static bool
parse_version(struct str s, unsigned *version)
{
	size_t dot = str_find(s, '.'), second;
	uint64_t major, minor;
	struct str rest;

	if (dot == s.n || !str_unsigned(str_cut(s.p, dot), 99, &major))
		return false;
	rest = str_from(s, dot + 1);
	second = str_find(rest, '.');
	if (!str_unsigned(str_cut(rest.p, second), 999, &minor))
		return false;
	*version = (unsigned)(major * 1000 + minor);
	return true;
}

/* The oldest version that CMake does not report as deprecated. */
static unsigned
oldest_quiet_version(const struct evaluator *e)
{
	if (evaluator_has(e, DIALECT_DEPRECATES_BELOW_3_10))
		return 3010;
	return evaluator_has(e, DIALECT_DEPRECATES_BELOW_3_5) ? 3005 : 2009;
}

/* "<min>[...<max>]": sets the policies to those of max, but of no release newer than the
 * dialect's. */
static bool
set_version(struct evaluator *e, struct str text)
{
	size_t dots = str_search(text, STR("..."));
	unsigned least, most, now = e->request->dialect->version;

	if (!parse_version(str_cut(text.p, dots), &least) || least > now ||
		least < oldest_quiet_version(e))
		return leave_subset(e, "policy version %.*s", STR_ARG(text));
	most = least;
	if (dots < text.n &&
		(!parse_version(str_from(text, dots + 3), &most) || most < least))
		return leave_subset(e, "policy version %.*s", STR_ARG(text));
	policies_of_version(e, most < now ? most : now);
	return true;
}

bool
run_cmake_minimum_required(struct evaluator *e, struct str_list args)
{
	struct str version;

	if (args.n < 2 || args.n > 3 || !str_is(args.v[0], "VERSION") ||
		(args.n == 3 && !str_is(args.v[2], "FATAL_ERROR")))
		return leave_subset(e, "unusual arguments of cmake_minimum_required");
	version = args.v[1];
	if (!set_version(e, version))
		return false;
	variable_set(e->variables, STR("CMAKE_MINIMUM_REQUIRED_VERSION"),
		str_cut(version.p, str_search(version, STR("..."))));
	return true;
}

static bool
policy_set_one(struct evaluator *e, struct str name, struct str state)
{
	uint32_t number = policy_number(name);
	enum policy p;

	if (!str_is(state, "NEW") || number == MAP_NONE || number > NEWEST_KNOWN)
		return leave_subset(
			e, "cmake_policy(SET %.*s %.*s)", STR_ARG(name), STR_ARG(state));
	p = policy_known(number);
	if (p != POLICIES)
		policy_put(e->policies, p, true);
	return true;
}

/* The file that is being executed, without a line. */
static const struct place *
place_of_file(struct evaluator *e)
{
	struct place *p = NEW(e->a, struct place);

	p->file = e->frame->file;
	if (e->frame->outer)
		p->caller = call_place(e, e->frame->outer);
	return p;
}

void
policy_scope_end(struct evaluator *e, const struct policy_scope *s)
{
	ptrdiff_t left = policies_leave(e->policies, s);

	INVARIANT(e->frame);
	if (left && !is_halted(e))
		say_at(e, DIAG_CMAKE_FATAL,
			s->is_of_call ? place_here(e) : place_of_file(e),
			left > 0 ? STR("cmake_policy PUSH without matching POP")
				 : STR("cmake_policy POP without matching PUSH"));
}

bool
run_cmake_policy(struct evaluator *e, struct str_list args)
{
	if (args.n == 1 && str_is(args.v[0], "PUSH")) {
		policies_push(e->policies);
		return true;
	}
	if (args.n == 1 && str_is(args.v[0], "POP"))
		return policies_pop(e->policies) ||
		       command_fails(e, "POP without matching PUSH");
	/* Such a change reaches the includer, with a warning. */
	if (policies_reach_includer(e->policies))
		return leave_subset(e, "cmake_policy in an included file");
	if (args.n == 2 && str_is(args.v[0], "VERSION"))
		return set_version(e, args.v[1]);
	if (args.n == 3 && str_is(args.v[0], "SET"))
		return policy_set_one(e, args.v[1], args.v[2]);
	return leave_subset(e, "this form of cmake_policy");
}
