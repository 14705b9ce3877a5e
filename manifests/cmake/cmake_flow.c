/*
 * Control flow: blocks are linked once, when the file is read; execution jumps.
 *
 * The body of a loop or function is a range of the same table, so nothing is copied until
 * a function is defined (the table of its file ends with the reading).
 */
#include "manifests/cmake/cmake_commands.h"

/* ---- linking --------------------------------------------------------------------- */

static enum block_word
word_that_ends(enum block_word opener)
{
	switch (opener) {
	case WORD_IF:
	case WORD_ELSEIF:
	case WORD_ELSE:
		return WORD_ENDIF;
	case WORD_FOREACH:
		return WORD_ENDFOREACH;
	case WORD_WHILE:
		return WORD_ENDWHILE;
	case WORD_FUNCTION:
		return WORD_ENDFUNCTION;
	case WORD_MACRO:
		return WORD_ENDMACRO;
	case WORD_BLOCK:
		return WORD_ENDBLOCK;
	case WORD_NONE:
	case WORD_ENDIF:
	case WORD_ENDFOREACH:
	case WORD_ENDWHILE:
	case WORD_ENDFUNCTION:
	case WORD_ENDMACRO:
	case WORD_ENDBLOCK:
		break;
	}
	return WORD_NONE;
}

/* Whether word may follow the open part (WORD_NONE: nothing is open). */
static bool
may_follow(enum block_word open, enum block_word word)
{
	if (word == WORD_ELSEIF || word == WORD_ELSE)
		return open == WORD_IF || open == WORD_ELSEIF;
	return word_that_ends(open) == word;
}

static bool
badly_nested(const struct cmake_file *f, uint32_t call, struct diag *d)
{
	const struct cmake_invocation *c = &f->calls.v[call];

	diag_add(d, DIAG_CMAKE_FATAL,
		(struct place){.file = f->path, .line = c->line, .command = c->name},
		STR("Flow control statements are not properly nested."));
	return false;
}

static bool
link_part(struct blocks *b, struct cmake_file *f, struct arena *a, struct block_part p)
{
	struct block_part top =
		b->open.n ? b->open.v[b->open.n - 1] : (struct block_part){0, WORD_NONE};
	bool is_opener = p.word == WORD_IF || p.word == WORD_FOREACH ||
			 p.word == WORD_WHILE || p.word == WORD_FUNCTION ||
			 p.word == WORD_MACRO || p.word == WORD_BLOCK;

	if (!is_opener) {
		if (!b->open.n || !may_follow(top.word, p.word))
			return false;
		f->calls.v[top.call].next = p.call - top.call;
		b->open.n--;
	}
	if (is_opener || p.word == WORD_ELSEIF || p.word == WORD_ELSE)
		VEC_PUSH(a, &b->open, p);
	return true;
}

/* A call often has the same command as one of the two calls before it. */
static uint16_t
command_of(struct evaluator *e, const struct cmake_file *f, uint32_t i, struct arena *a)
{
	struct str name = f->calls.v[i].name;
	uint32_t command;

	for (uint32_t back = 1; back <= 2 && back <= i; back++)
		if (str_eq(name, f->calls.v[i - back].name))
			return f->calls.v[i - back].command;
	command = map_get(&e->builtins, str_lower(a, name));
	return command == MAP_NONE ? INVOCATION_UNRESOLVED : (uint16_t)command;
}

bool
blocks_link(struct evaluator *e, struct blocks *b, struct cmake_file *f, struct arena *a,
	struct diag *d)
{
	INVARIANT(b->linked <= f->calls.n);
	for (; b->linked < f->calls.n; b->linked++) {
		struct cmake_invocation *c = &f->calls.v[b->linked];
		struct block_part p = {b->linked, WORD_NONE};

		c->command = command_of(e, f, b->linked, a);
		if (c->command != INVOCATION_UNRESOLVED)
			p.word = commands[c->command].word;
		if (p.word != WORD_NONE && !link_part(b, f, a, p))
			return badly_nested(f, b->linked, d);
	}
	return true;
}

bool
blocks_are_closed(const struct blocks *b, const struct cmake_file *f, struct diag *d)
{
	INVARIANT(b->linked == f->calls.n);
	return b->open.n == 0 || badly_nested(f, b->open.v[b->open.n - 1].call, d);
}

/* ---- execution ------------------------------------------------------------------- */

static void execute_range(
	struct evaluator *e, const struct cmake_file *f, uint32_t from, uint32_t to);

static void
execute_body(struct evaluator *e, const struct cmake_file *f, uint32_t from, uint32_t to)
{
	const struct cmake_invocation *call = e->frame->call;

	if (!nesting_enter_body(e->nesting))
		leave_subset(e, "blocks nested too deeply");
	execute_range(e, f, from, to);
	nesting_leave_body(e->nesting);
	e->frame->call = call;
	e->frame->place = NULL;
}

bool
execute_loop_body(
	struct evaluator *e, const struct cmake_file *f, uint32_t from, uint32_t to)
{
	struct arena_mark m = arena_mark(e->scratch);

	INVARIANT(e->frame && from <= to && to <= f->calls.n);
	e->frame->loops++;
	execute_body(e, f, from, to);
	e->frame->loops--;
	arena_rewind(e->scratch, m);
	spend(e, 1);
	if (e->flow == FLOW_CONTINUE)
		e->flow = FLOW_ON;
	if (e->flow == FLOW_BREAK) {
		e->flow = FLOW_ON;
		return false;
	}
	return e->flow == FLOW_ON && !is_halted(e);
}

static bool
condition_of(struct evaluator *e, const struct cmake_file *f, uint32_t i, bool *result)
{
	struct condition c;

	return expand_condition(e, &f->calls.v[i], f->arguments.v, &c) &&
	       condition_evaluate(e, c, result);
}

/* Sets the command that is being executed, for messages. */
static void
stand_at(struct evaluator *e, const struct cmake_invocation *c)
{
	e->frame->call = c;
	e->frame->place = NULL;
}

/*
 * The arguments of an end, if it has any, must repeat those of its beginning; with
 * only_first only the first argument. CMake warns where they do not.
 */
static bool
ends_match(struct evaluator *e, const struct cmake_file *f, uint32_t begin, uint32_t end,
	bool only_first)
{
	const struct cmake_invocation *b = &f->calls.v[begin], *c = &f->calls.v[end];
	uint32_t n = only_first ? 1 : b->n;

	if (c->n == 0)
		return true;
	if (b->n < n || c->n < n || (!only_first && c->n != n))
		return leave_subset(e, "an end with other arguments than its beginning");
	for (uint32_t i = 0; i < n; i++) {
		const struct cmake_argument *x = &f->arguments.v[b->first + i];
		const struct cmake_argument *y = &f->arguments.v[c->first + i];

		if (x->kind != y->kind || !str_eq(x->text, y->text) ||
			(only_first && !x->is_plain))
			return leave_subset(
				e, "an end with other arguments than its beginning");
	}
	return true;
}

/* Executes from if() to its endif(); returns the index after that. */
static uint32_t
execute_if(struct evaluator *e, const struct cmake_file *f, uint32_t i)
{
	uint32_t begin = i, from = 0, to = 0;

	for (;;) {
		const struct cmake_invocation *c = &f->calls.v[i];
		enum block_word word = commands[c->command].word;
		bool holds = word == WORD_ELSE;

		if (word == WORD_ENDIF)
			break;
		stand_at(e, c);
		if (!to && word != WORD_ELSE && !condition_of(e, f, i, &holds))
			return i + 1;
		if (!to && holds) {
			from = i + 1;
			to = i + c->next;
		}
		i += c->next;
	}
	if (ends_match(e, f, begin, i, false) && to)
		execute_body(e, f, from, to);
	return i + 1;
}

static uint32_t
execute_while(struct evaluator *e, const struct cmake_file *f, uint32_t i)
{
	uint32_t end = i + f->calls.v[i].next;
	bool holds;

	if (f->calls.v[i].n == 0) {
		command_fails(e, "called with incorrect number of arguments");
		return i + 1;
	}
	if (!ends_match(e, f, i, end, false))
		return i + 1;
	do {
		struct arena_mark m = arena_mark(e->scratch);

		if (!condition_of(e, f, i, &holds))
			break;
		arena_rewind(e->scratch, m);
	} while (holds && execute_loop_body(e, f, i + 1, end));
	return end + 1;
}

/* ---- foreach --------------------------------------------------------------------- */

static uint32_t
execute_foreach(struct evaluator *e, const struct cmake_file *f, uint32_t i)
{
	const struct cmake_invocation *c = &f->calls.v[i];
	struct loop l = {e, f, i + 1, i + c->next};
	struct str_list args;

	if (!ends_match(e, f, i, i + c->next, true) ||
		!expand_arguments(e, c, f->arguments.v, &args) || !foreach_run(&l, args))
		return i + 1;
	return i + c->next + 1;
}

/* ---- function, macro, block ------------------------------------------------------ */

static uint32_t
execute_definition(
	struct evaluator *e, const struct cmake_file *f, uint32_t i, bool is_macro)
{
	return ends_match(e, f, i, i + f->calls.v[i].next, true) &&
			       function_new(e, f, i, is_macro)
		       ? i + f->calls.v[i].next + 1
		       : i + 1;
}

/* "[SCOPE_FOR VARIABLES] [PROPAGATE names...]" and nothing else. */
static bool
block_arguments(struct evaluator *e, struct str_list *args)
{
	if (args->n >= 2 && str_is(args->v[0], "SCOPE_FOR") &&
		str_is(args->v[1], "VARIABLES") &&
		(args->n == 2 || str_is(args->v[2], "PROPAGATE")))
		*args = list_from(*args, 2);
	else if (args->n && !str_is(args->v[0], "PROPAGATE"))
		return leave_subset(e, "this form of block");
	if (!evaluator_has(e, DIALECT_BLOCK_COMMAND))
		return leave_subset(e, "block before CMake 3.25");
	*args = list_from(*args, args->n > 0);
	return !str_list_has(*args, STR("SCOPE_FOR")) ||
	       leave_subset(e, "this form of block");
}

static uint32_t
execute_block(struct evaluator *e, const struct cmake_file *f, uint32_t i)
{
	const struct cmake_invocation *c = &f->calls.v[i];
	struct policy_scope policies;
	struct str_list names;
	bool is_of_all;

	if (!expand_arguments(e, c, f->arguments.v, &names))
		return i + 1;
	is_of_all = !names.n || !str_is(names.v[0], "SCOPE_FOR");
	if (!block_arguments(e, &names))
		return i + 1;
	variables_enter(e->variables);
	policies = policies_enter(e->policies, false);
	execute_body(e, f, i + 1, i + c->next);
	policy_scope_end(e, &policies);
	/* Unless only variables are asked for, policies have a scope, too. */
	if (is_of_all)
		policies_put(e->policies, policies.policies);
	for (size_t k = 0; k < names.n; k++)
		variable_raise(
			e->variables, names.v[k], variable_get(e->variables, names.v[k]));
	variables_leave(e->variables);
	return i + c->next + 1;
}

/* ---- one command ----------------------------------------------------------------- */

static bool
execute_plain(struct evaluator *e, const struct cmake_file *f,
	const struct cmake_invocation *c, const struct command *builtin)
{
	const struct function *fn = NULL;
	struct str_list args;

	if (!builtin) {
		fn = function_get(e->functions, str_lower(e->scratch, c->name));
		if (!fn)
			return stop_reading(
				e, "Unknown CMake command \"%.*s\".", STR_ARG(c->name));
	} else if (builtin->kind == COMMAND_OUTSIDE) {
		return leave_subset(e, "%s is not evaluated natively", builtin->name);
	}
	if (!expand_arguments(e, c, f->arguments.v, &args))
		return false;
	return fn ? call_function(e, fn, args) : builtin->run(e, args);
}

/* An end without its block: the command that would open it has failed. */
static void
lonely_end(struct evaluator *e, const char *opener)
{
	struct str upper = str_upper(e->scratch, str_of(opener));

	command_fails(e,
		"An END%.*s command was found outside of a proper %.*s END%.*s "
		"structure.  Or "
		"its arguments did not match the opening %.*s command.",
		STR_ARG(upper), STR_ARG(upper), STR_ARG(upper), STR_ARG(upper));
}

static uint32_t
execute_part(struct evaluator *e, const struct cmake_file *f, uint32_t i)
{
	switch (commands[f->calls.v[i].command].word) {
	case WORD_IF:
		return execute_if(e, f, i);
	case WORD_FOREACH:
		return execute_foreach(e, f, i);
	case WORD_WHILE:
		return execute_while(e, f, i);
	case WORD_FUNCTION:
		return execute_definition(e, f, i, false);
	case WORD_MACRO:
		return execute_definition(e, f, i, true);
	case WORD_BLOCK:
		return execute_block(e, f, i);
	case WORD_ENDFOREACH:
		lonely_end(e, "foreach");
		break;
	case WORD_ENDWHILE:
		lonely_end(e, "while");
		break;
	case WORD_ENDFUNCTION:
		lonely_end(e, "function");
		break;
	case WORD_ENDMACRO:
		lonely_end(e, "macro");
		break;
	case WORD_NONE:
	case WORD_ELSEIF:
	case WORD_ELSE:
	case WORD_ENDIF:
	case WORD_ENDBLOCK:
		BUG("a block's part without the block");
	}
	return i + 1;
}

/* Returns the index of the next command. */
static uint32_t
execute_one(struct evaluator *e, const struct cmake_file *f, uint32_t i)
{
	const struct cmake_invocation *c = &f->calls.v[i];
	const struct command *builtin = NULL;
	struct arena_mark m = arena_mark(e->scratch);
	struct str why;

	stand_at(e, c);
	if (!nesting_enter(e->nesting, e->scratch, &why)) {
		stop_reading(e, "%.*s", STR_ARG(why));
		return i + 1;
	}
	if (c->command != INVOCATION_UNRESOLVED)
		builtin = &commands[c->command];
	if (builtin && !command_exists(e, builtin))
		builtin = NULL;
	if (builtin && builtin->kind == COMMAND_BLOCK) {
		uint32_t next;

		nesting_leave(e->nesting);
		next = execute_part(e, f, i);
		/* A failure inside a block is not a failure of the block. */
		e->has_failed = next == i + 1;
		i = next;
	} else {
		e->has_failed = !execute_plain(e, f, c, builtin);
		nesting_leave(e->nesting);
		i++;
	}
	e->is_stopped |=
		e->has_failed && evaluator_has(e, DIALECT_FAILED_COMMAND_IS_FATAL);
	arena_rewind(e->scratch, m);
	return i;
}

static void
execute_range(struct evaluator *e, const struct cmake_file *f, uint32_t from, uint32_t to)
{
	while (from < to && e->flow == FLOW_ON && !is_halted(e))
		from = execute_one(e, f, from);
}

void
execute(struct evaluator *e, const struct cmake_file *f)
{
	uint32_t i = 0;

	while (i < f->calls.n && e->flow == FLOW_ON && !is_halted(e)) {
		i = execute_one(e, f, i);
		/* In a file that is read inside a loop, break() and continue() leave the
		 * blocks of the file, but neither the file nor the loop. */
		if (e->flow != FLOW_RETURN)
			e->flow = FLOW_ON;
	}
}

bool
execute_until_failure(struct evaluator *e, const struct cmake_file *f)
{
	uint32_t i = 0;

	e->has_failed = false;
	while (i < f->calls.n && !e->has_failed && e->flow == FLOW_ON && !is_halted(e))
		i = execute_one(e, f, i);
	return !e->has_failed;
}
