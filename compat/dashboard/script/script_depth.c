/*
 * CMake's property LISTFILE_STACK tells the prelude its depth: one entry for each file,
 * function and macro in progress, and a first entry for none. Only commands that call
 * another command by name (cmake_language(CALL), variable_watch) do not count in it.
 */
#include "compat/dashboard/script/script_depth.h"

#include "compat/options/options.h"

/* The prelude works this many commands deeper when a file asks for something. */
enum { PRELUDE_DEPTH = 5, DEFAULT_LIMIT = 1000 };

static const char variable[] = "CMAKE_MAXIMUM_RECURSION_DEPTH";

/* What is restored after the files were read. */
struct depth_files {
	const struct depth_files *outer;
	struct str value; /* STR_NONE: the variable was not set */
	struct cmake_limit limit;
	uint64_t set; /* 0: the limit was not changed */
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

/* The depth of what surrounds the command, as ctest counts it: without the first entry
 * and cctr's script. */
static uint64_t
depth_of(const struct script_command *c)
{
	uint64_t n = count_of(c->call, "_cctr_depth_foreign");

	return c->scripts->frame.depth.around + (n > 2 ? n - 2 : 0);
}

/* The limit if no variable sets it. */
static uint64_t
common_limit(const struct script_call *call)
{
	return number_of(script_variable(call, "_cctr_depth_limit"), DEFAULT_LIMIT);
}

/* The limit that ctest would apply to the command. */
static uint64_t
limit_of(const struct script_command *c)
{
	const struct cmake_limit *ours = &c->scripts->frame.depth.limit;
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

/* ---- scripts --------------------------------------------------------------------- */

/* The last definition wins. */
static struct str
defined_limit(const struct options *o)
{
	struct str value = STR_NONE;

	for (size_t i = 0; i < o->script.definitions.n; i++)
		if (str_is(o->script.definitions.v[i].name, variable))
			value = o->script.definitions.v[i].value;
	return value;
}

struct script_depth
script_depth_below(const struct script_command *c)
{
	struct script_depth below = {.around = depth_of(c)};
	uint64_t limit =
		number_of(defined_limit(c->scripts->options), common_limit(c->call));

	if (below.around >= limit)
		below.limit = (struct cmake_limit){1, limit};
	return below;
}

/* ---- files ----------------------------------------------------------------------- */

/* The limit for files whose commands are `ours` deep in cmake and `theirs` deep in ctest;
 * 0: no change is needed. */
static uint64_t
raised_limit(uint64_t limit, uint64_t ours, uint64_t theirs)
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

	*files = (struct depth_files){.outer = s->frame.depth.files,
		.value = script_variable(c->call, variable),
		.limit = s->frame.depth.limit};
	if (any && n > 1)
		files->set = raised_limit(limit, n - 1 + deeper, depth_of(c) + 1);
	s->frame.depth.files = files;
	s->frame.depth.left = 0;
	if (!files->set)
		return;
	s->frame.depth.limit = (struct cmake_limit){files->set, limit};
	script_reply_set(c->reply, str_of(variable),
		str_fmt(s->arena, "%llu", (unsigned long long)files->set));
}

/* Restores the limit unless the files have set another one. A limit that inner files
 * raised was restored in another scope if a function of the prelude included them. */
void
script_depth_leave(struct script_command *c)
{
	struct script_depth *depth = &c->scripts->frame.depth;
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
