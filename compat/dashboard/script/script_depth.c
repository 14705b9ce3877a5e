/*
 * CMake's property LISTFILE_STACK tells the prelude how deep it is: one entry for each
 * file that is being read, function and macro, the first one for none. Only commands that
 * call another one by name (cmake_language(CALL), variable_watch) are not among them.
 */
#include "compat/dashboard/script/script_depth.h"

#include "compat/dashboard/script/script_state.h"

/* So many commands deeper works the prelude when a file asks for something. */
enum { PRELUDE_DEPTH = 5, DEFAULT_LIMIT = 1000 };

static const char variable[] = "CMAKE_MAXIMUM_RECURSION_DEPTH";

/* What is put back when they were read. */
struct depth_files {
	const struct depth_files *outer;
	struct str value; /* STR_NONE: the variable was not set */
	struct cmake_limit limit;
	uint64_t set; /* 0: it was left alone */
};

static uint64_t
number_of(struct str value, uint64_t otherwise)
{
	uint64_t n;

	return str_unsigned(value, UINT32_MAX, &n) ? n : otherwise;
}

static uint64_t
count_of(const struct script_call *call, const char *name)
{
	return number_of(script_variable(call, name), 0);
}

/* Of those around the command itself, as ctest counts them: all but the first entry and
 * the script of cctr. */
static uint64_t
depth_of(const struct script_command *c)
{
	uint64_t n = count_of(c->call, "_cctr_depth_foreign");

	return c->scripts->depth.around + (n > 2 ? n - 2 : 0);
}

/* Where no variable sets it. */
static uint64_t
common_limit(const struct script_call *call)
{
	return number_of(script_variable(call, "_cctr_depth_limit"), DEFAULT_LIMIT);
}

/* As ctest would have it for the command. */
static uint64_t
limit_of(const struct script_command *c)
{
	const struct cmake_limit *ours = &c->scripts->depth.limit;
	uint64_t limit =
		number_of(script_variable(c->call, variable), common_limit(c->call));

	return ours->set && limit == ours->set ? ours->named : limit;
}

bool
script_depth_exceeded(struct script_command *c)
{
	uint64_t limit = limit_of(c);

	if (depth_of(c) <= limit)
		return false;
	script_reply_error(c->reply,
		str_fmt(c->scripts->arena, "Maximum recursion depth of %llu exceeded",
			(unsigned long long)limit));
	script_reply_end(c->reply);
	return true;
}

/* ---- scripts ---------------------------------------------------------------------- */

/* The last one counts. */
static struct str
defined(const struct options *o)
{
	struct str value = STR_NONE;

	for (size_t i = 0; i < o->definitions.n; i++)
		if (str_is(o->definitions.v[i].name, variable))
			value = o->definitions.v[i].value;
	return value;
}

struct script_depth
script_depth_below(const struct script_command *c)
{
	struct script_depth below = {.around = depth_of(c)};
	uint64_t limit = number_of(defined(c->scripts->options), common_limit(c->call));

	if (below.around >= limit)
		below.limit = (struct cmake_limit){1, limit};
	return below;
}

/* ---- files ------------------------------------------------------------------------ */

/* For files whose commands are so deep in cmake, and in ctest; 0: it may stay. */
static uint64_t
raised(uint64_t limit, uint64_t ours, uint64_t theirs)
{
	if (theirs > limit)
		return ours - 1;
	if (2 * ours <= limit && ours + PRELUDE_DEPTH <= limit)
		return 0;
	return limit + (ours > theirs ? ours - theirs : 0) + PRELUDE_DEPTH;
}

void
script_depth_enter(struct script_command *c, bool any, uint64_t deeper)
{
	struct scripts *s = c->scripts;
	struct depth_files *files = NEW(s->arena, struct depth_files);
	uint64_t limit = limit_of(c);
	uint64_t n = count_of(c->call, "_cctr_depth_all");

	*files = (struct depth_files){.outer = s->depth.files,
		.value = script_variable(c->call, variable),
		.limit = s->depth.limit};
	if (any && n > 1)
		files->set = raised(limit, n - 1 + deeper, depth_of(c) + 1);
	s->depth.files = files;
	s->depth.left = 0;
	if (!files->set)
		return;
	s->depth.limit = (struct cmake_limit){files->set, limit};
	script_reply_set(c->reply, str_of(variable),
		str_fmt(s->arena, "%llu", (unsigned long long)files->set));
}

/* Unless the files have set another one. What inner ones have raised was put back in
 * another scope, when a function of the prelude has included them. */
void
script_depth_leave(struct script_command *c)
{
	struct script_depth *depth = &c->scripts->depth;
	const struct depth_files *files = depth->files;
	uint64_t now = count_of(c->call, variable), inner = depth->left;

	if (!files)
		return;
	depth->files = files->outer;
	depth->left = files->set;
	depth->limit = files->limit;
	if (!now || (now != files->set && now != inner))
		return;
	if (files->value.p)
		script_reply_set(c->reply, str_of(variable), files->value);
	else
		script_reply_unset(c->reply, str_of(variable));
}
