/*
 * function() and macro(): a function's variables are its own, a macro's arguments are
 * pasted into its text.
 *
 * The table of a file ends with its reading, so a definition copies its body.
 */
#include "manifests/cmake/cmake_commands.h"

#include "runner/base/files.h"

/* Copies a range of a file's table, with its texts, into the arena. */
static struct cmake_file
copy_body(struct evaluator *e, const struct cmake_file *f, uint32_t from, uint32_t to)
{
	struct cmake_file body = {.path = f->path};
	uint32_t first = from < to ? f->calls.v[from].first : 0, arguments_n = 0;

	if (from < to)
		arguments_n = f->calls.v[to - 1].first + f->calls.v[to - 1].n - first;
	body.calls.v = NEW_ARRAY(e->a, struct cmake_invocation, to - from);
	body.arguments.v = NEW_ARRAY(e->a, struct cmake_argument, arguments_n);
	body.calls.n = to - from;
	body.arguments.n = arguments_n;
	for (uint32_t i = from; i < to; i++) {
		struct cmake_invocation *c = &body.calls.v[i - from];

		*c = f->calls.v[i];
		c->name = keep(e, c->name);
		c->first -= first;
	}
	for (uint32_t i = 0; i < arguments_n; i++) {
		body.arguments.v[i] = f->arguments.v[first + i];
		body.arguments.v[i].text = keep(e, body.arguments.v[i].text);
	}
	return body;
}

bool
function_new(struct evaluator *e, const struct cmake_file *f, uint32_t i, bool is_macro)
{
	const struct cmake_invocation *c = &f->calls.v[i];
	struct function *fn = NEW(e->a, struct function);
	const struct function *old;
	struct str_list args;
	struct str lower;
	uint32_t builtin;

	INVARIANT(i < f->calls.n);
	if (!expand_arguments(e, c, f->arguments.v, &args))
		return false;
	if (args.n == 0)
		return command_fails(e, "called with incorrect number of arguments");
	lower = str_lower(e->scratch, args.v[0]);
	builtin = map_get(&e->builtins, lower);
	if (builtin != MAP_NONE)
		return leave_subset(e, "%.*s is defined anew", STR_ARG(args.v[0]));
	old = function_get(e->functions, lower);
	if (old)
		function_define(
			e->functions, str_fmt(e->scratch, "_%.*s", STR_ARG(lower)), old);
	fn->name = keep(e, args.v[0]);
	fn->code = copy_body(e, f, i + 1, i + c->next);
	fn->formals.n = args.n - 1;
	fn->formals.v = NEW_ARRAY(e->a, struct str, args.n);
	for (size_t k = 1; k < args.n; k++)
		fn->formals.v[k - 1] = keep(e, args.v[k]);
	fn->line = c->line;
	fn->file = e->frame->file;
	fn->policies = policies_get(e->policies);
	fn->is_macro = is_macro;
	function_define(e->functions, lower, fn);
	return true;
}

static void
set_fmt(struct evaluator *e, struct str value, const char *fmt, size_t n)
{
	variable_set(e->variables, str_fmt(e->scratch, fmt, n), value);
}

static void
set_function_variables(
	struct evaluator *e, const struct function *f, struct str_list args)
{
	struct str_list rest = list_from(args, f->formals.n);

	set_fmt(e, str_fmt(e->scratch, "%zu", args.n), "ARGC", 0);
	for (size_t i = 0; i < args.n; i++)
		set_fmt(e, args.v[i], "ARGV%zu", i);
	for (size_t i = 0; i < f->formals.n; i++)
		variable_set(e->variables, f->formals.v[i], args.v[i]);
	variable_set(e->variables, STR("ARGV"), str_join(e->scratch, args, STR(";")));
	variable_set(e->variables, STR("ARGN"), str_join(e->scratch, rest, STR(";")));
	variable_set(e->variables, STR("CMAKE_CURRENT_FUNCTION"), f->name);
	variable_set(e->variables, STR("CMAKE_CURRENT_FUNCTION_LIST_FILE"), f->file);
	variable_set(e->variables, STR("CMAKE_CURRENT_FUNCTION_LIST_DIR"),
		path_parent(f->file));
	variable_set(e->variables, STR("CMAKE_CURRENT_FUNCTION_LIST_LINE"),
		str_fmt(e->scratch, "%u", f->line));
}

/* What is pasted for a reference. */
struct pasted {
	struct str reference, value;
};

static struct pasted
pasted_for(struct evaluator *e, struct str name, struct str value)
{
	return (struct pasted){str_fmt(e->scratch, "${%.*s}", STR_ARG(name)), value};
}

/* For a call with these arguments, in their order: what is pasted may complete a later
 * reference, as in "${ARGV${n}}". */
static struct pasted *
list_pasted(struct evaluator *e, const struct function *f, struct str_list args)
{
	struct arena *a = e->scratch;
	struct pasted *v = NEW_ARRAY(a, struct pasted, f->formals.n + 3 + args.n), *p = v;
	struct str_list rest = list_from(args, f->formals.n);

	for (size_t i = 0; i < f->formals.n; i++)
		*p++ = pasted_for(e, f->formals.v[i], args.v[i]);
	*p++ = pasted_for(e, STR("ARGC"), str_fmt(a, "%zu", args.n));
	*p++ = pasted_for(e, STR("ARGN"), str_join(a, rest, STR(";")));
	*p++ = pasted_for(e, STR("ARGV"), str_join(a, args, STR(";")));
	for (size_t i = 0; i < args.n; i++)
		*p++ = pasted_for(e, str_fmt(a, "ARGV%zu", i), args.v[i]);
	return v;
}

static struct str
paste_all(struct evaluator *e, struct str text, const struct pasted *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		text = str_replace(e->scratch, text, v[i].reference, v[i].value);
	return text;
}

/* A macro's arguments are pasted as text before anything is expanded. */
static struct cmake_file
macro_body(struct evaluator *e, const struct function *f, struct str_list args)
{
	struct cmake_file body = f->code;
	size_t named = f->formals.n + 3;
	const struct pasted *pasted = list_pasted(e, f, args);

	body.arguments.v =
		NEW_ARRAY(e->scratch, struct cmake_argument, f->code.arguments.n);
	for (size_t i = 0; i < f->code.arguments.n; i++) {
		struct cmake_argument *a = &body.arguments.v[i];

		*a = f->code.arguments.v[i];
		if (a->kind == ARGUMENT_BRACKET || a->is_plain)
			continue;
		a->text = paste_all(e, a->text, pasted, named);
		if (str_has(a->text, STR("${ARGV")))
			a->text = paste_all(e, a->text, pasted + named, args.n);
	}
	return body;
}

/* ---- backslashes in a macro's arguments ------------------------------------------ */

static struct str
escape_backslashes(struct evaluator *e, struct str s)
{
	struct buf b = {.arena = e->scratch};

	buf_escaped(&b, s, "\\");
	return buf_as_str(&b);
}

static bool
has_backslash(struct str s)
{
	return str_find(s, '\\') < s.n;
}

/* The arguments with backslashes, each on a line of its own. */
static struct str
list_backslashes(struct evaluator *e, struct str_list args)
{
	struct buf b = {.arena = e->scratch};

	for (size_t i = 0; i < args.n; i++)
		if (has_backslash(args.v[i]))
			buf_fmt(&b, "%s \"%.*s\"", b.n ? "\n" : "", STR_ARG(args.v[i]));
	return buf_as_str(&b);
}

static void
warn_of_backslashes(struct evaluator *e, const struct function *f, struct str_list args)
{
	struct str now, then;

	if (!function_note_warning(e->functions, f->name))
		return;
	now = list_backslashes(e, args);
	then = escape_backslashes(e, now);
	say(e, DIAG_CMAKE_POLICY,
		str_fmt(e->scratch,
			"Policy CMP0219 is not set: Macro invocations preserve "
			"backslashes in arguments.  Run \"cmake --help-policy CMP0219\" "
			"for policy details.  Use the cmake_policy command to set the "
			"policy and suppress this warning.\n"
			"Command \"%.*s\" called with arguments containing "
			"backslashes.\n"
			"Since the policy is not set, backslashes in the arguments:\n"
			"%.*s\nwill be interpreted as escape sequences for "
			"compatibility.\n"
			"Set the policy to NEW to instead pass\n%.*s\n"
			"so that argument parsing will preserve the original values.",
			STR_ARG(f->name), STR_ARG(now), STR_ARG(then)));
}

/* Pasted text is evaluated once more, which removes backslashes: CMP0219. */
static struct str_list
macro_arguments(struct evaluator *e, const struct function *f, struct str_list args)
{
	struct str *kept;
	size_t i = 0;

	while (i < args.n && !has_backslash(args.v[i]))
		i++;
	if (i == args.n || !evaluator_has(e, DIALECT_MACRO_BACKSLASHES_WARN))
		return args;
	if (!policy_is_new(e->policies, POLICY_MACRO_BACKSLASHES)) {
		warn_of_backslashes(e, f, args);
		return args;
	}
	kept = NEW_ARRAY(e->scratch, struct str, args.n);
	for (i = 0; i < args.n; i++)
		kept[i] = escape_backslashes(e, args.v[i]);
	return (struct str_list){kept, args.n};
}

bool
call_function(struct evaluator *e, const struct function *f, struct str_list args)
{
	struct frame frame = {.outer = e->frame, .file = f->file};
	struct cmake_file body = f->code;
	struct policy_scope policies;
	bool succeeded;

	if (args.n < f->formals.n)
		return command_fails(e,
			"%s invoked with incorrect arguments for %s named: %.*s",
			f->is_macro ? "Macro" : "Function",
			f->is_macro ? "macro" : "function", STR_ARG(f->name));
	if (!spend(e, 1))
		return false;
	if (f->is_macro) {
		body = macro_body(e, f, macro_arguments(e, f, args));
		frame.loops = e->frame->loops;
	} else {
		variables_enter(e->variables);
		set_function_variables(e, f, args);
	}
	policies = policies_enter(e->policies, true);
	policies_put(e->policies, f->policies);
	e->frame = &frame;
	succeeded = execute_until_failure(e, &body);
	e->frame = frame.outer;
	policy_scope_end(e, &policies);
	policies_put(e->policies, policies.policies);
	if (f->is_macro)
		return succeeded;
	variables_leave(e->variables);
	e->flow = FLOW_ON;
	return succeeded;
}
