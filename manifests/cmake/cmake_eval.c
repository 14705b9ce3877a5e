/* The evaluator: the predefined variables, its messages and declarations. */
#include "manifests/cmake/cmake_commands.h"

#include "runner/base/files.h"

/* ---- messages -------------------------------------------------------------------- */

/* The name of a builtin in its usual spelling needs no copy. */
static struct str
command_name(struct evaluator *e, const struct cmake_invocation *c)
{
	if (c->command != INVOCATION_UNRESOLVED &&
		str_is(c->name, commands[c->command].name))
		return str_of(commands[c->command].name);
	return str_dup(e->a, c->name);
}

const struct place *
call_place(struct evaluator *e, struct frame *f)
{
	struct place *p;

	if (f && f->place)
		return f->place;
	p = NEW(e->a, struct place);
	if (!f)
		return p;
	p->file = f->file;
	if (f->call) {
		p->line = f->call->line;
		p->command = command_name(e, f->call);
	}
	/* The depth of commands is limited, and a frame's place is made once. */
	if (f->outer)
		p->caller = call_place(e, f->outer);
	f->place = p;
	return p;
}

const struct place *
place_here(struct evaluator *e)
{
	return call_place(e, e->frame);
}

bool
is_halted(const struct evaluator *e)
{
	return e->is_stopped || e->outside.is_outside;
}

bool
leave_subset(struct evaluator *e, const char *fmt, ...)
{
	va_list args;

	if (e->outside.is_outside)
		return false;
	va_start(args, fmt);
	e->outside =
		(struct eval_outside){true, *place_here(e), str_vfmt(e->a, fmt, args)};
	va_end(args);
	return false;
}

bool
spend(struct evaluator *e, uint64_t steps)
{
	if (steps > e->steps_left) {
		e->steps_left = 0;
		return leave_subset(e, "too many steps");
	}
	e->steps_left -= steps;
	return true;
}

/* Text that is doubled again and again fills any memory; such large values are left to
 * cmake. */
static bool
has_room(void *context, size_t n)
{
	enum { LARGEST = 1 << 26, BYTES_OF_A_STEP = 1024 };
	struct evaluator *e = context;

	if (n > LARGEST)
		return leave_subset(e, "a value of %zu bytes", n);
	return spend(e, n / BYTES_OF_A_STEP);
}

void
say_at(struct evaluator *e, enum diag_kind kind, const struct place *at, struct str text)
{
	struct str *word = NEW(e->a, struct str);

	*word = str_dup(e->a, text);
	VEC_PUSH(e->lists, e->out,
		(struct declaration){.kind = DECLARE_MESSAGE,
			.message = kind,
			.words = {word, 1},
			.directory = e->directory,
			.place = at});
}

void
say(struct evaluator *e, enum diag_kind kind, struct str text)
{
	say_at(e, kind, place_here(e), text);
}

bool
command_fails(struct evaluator *e, const char *fmt, ...)
{
	struct str text;
	va_list args;

	va_start(args, fmt);
	text = str_vfmt(e->scratch, fmt, args);
	va_end(args);
	say(e, DIAG_CMAKE_FATAL,
		str_fmt(e->scratch, "%.*s %.*s", STR_ARG(e->frame->call->name),
			STR_ARG(text)));
	return false;
}

bool
stop_reading(struct evaluator *e, const char *fmt, ...)
{
	struct str text;
	va_list args;

	va_start(args, fmt);
	text = str_vfmt(e->scratch, fmt, args);
	va_end(args);
	say(e, DIAG_CMAKE_FATAL, text);
	e->is_stopped = true;
	return false;
}

/* The place of all calls of this command in this frame, without the line. */
static const struct place *
common_place(struct evaluator *e, struct frame *f)
{
	uint16_t command = f->call->command;
	size_t i = 0;
	struct place *p;

	while (i < 2 && f->common[i].place && f->common[i].command != command)
		i++;
	if (i == 2)
		i = command % 2;
	else if (f->common[i].place)
		return f->common[i].place;
	p = NEW(e->a, struct place);
	*p = *call_place(e, f);
	p->line = 0;
	f->common[i].command = command;
	f->common[i].place = p;
	return p;
}

/* Whether all calls of this command have the same spelling. */
static bool
is_spelled_as_usual(const struct cmake_invocation *c)
{
	return c && c->command != INVOCATION_UNRESOLVED &&
	       str_is(c->name, commands[c->command].name);
}

void
declare(struct evaluator *e, enum declaration_kind kind, struct str_list words)
{
	struct arena *a = kind == DECLARE_TEST ? e->a : e->lists;
	struct declaration d = {.kind = kind, .directory = e->directory};
	struct str *kept = NEW_ARRAY(a, struct str, words.n);

	for (size_t i = 0; i < words.n; i++)
		kept[i] = keep(e, words.v[i]);
	d.words = (struct str_list){kept, words.n};
	if (e->frame && is_spelled_as_usual(e->frame->call)) {
		d.place = common_place(e, e->frame);
		d.line = e->frame->call->line;
	} else {
		d.place = place_here(e);
	}
	VEC_PUSH(e->lists, e->out, d);
}

/* ---- reading from outside -------------------------------------------------------- */

const struct place *
evaluator_called_from(struct evaluator *e, const struct place *caller)
{
	const struct place *old = e->caller;

	e->caller = caller;
	return old;
}

enum eval_result
evaluator_read(struct evaluator *e, struct str file, struct str directory, bool is_top)
{
	struct str outer = e->directory;
	bool is_outermost = !e->scratch;
	struct frame *frame = e->frame;
	enum eval_result result;
	struct frame calling = {.outer = frame, .place = e->caller, .file = STR("")};

	INVARIANT(file.n);
	if (is_outermost) {
		e->scratch = arena_open();
		deep_path_begin(e->places.deep);
		nesting_begin(e->nesting);
		/* So that not every command allocates the first block again. */
		(void)NEW(e->scratch, max_align_t);
	}
	e->directory = str_dup(e->a, directory);
	if (e->caller)
		e->frame = &calling;
	e->caller = NULL;
	e->is_unreadable = false;
	(void)read_file(e, is_top ? path_name(file) : file, str_z(e->scratch, file));
	result = e->is_unreadable ? EVAL_UNREADABLE : EVAL_DONE;
	e->caller = calling.place;
	e->frame = frame;
	e->directory = outer;
	if (is_outermost) {
		deep_path_close(e->places.deep);
		arena_close(e->scratch);
		e->scratch = NULL;
	}
	return e->outside.is_outside ? EVAL_OUTSIDE : result;
}

/* ---- the beginning --------------------------------------------------------------- */

static void
set_version_variables(struct evaluator *e, const struct dialect *d)
{
	variable_set(e->variables, STR("CMAKE_VERSION"), dialect_text(e->a, d));
	variable_set(e->variables, STR("CMAKE_MAJOR_VERSION"),
		str_fmt(e->a, "%u", d->version / 1000));
	variable_set(e->variables, STR("CMAKE_MINOR_VERSION"),
		str_fmt(e->a, "%u", d->version % 1000));
	variable_set(
		e->variables, STR("CMAKE_PATCH_VERSION"), str_fmt(e->a, "%u", d->patch));
	variable_set(e->variables, STR("CMAKE_TWEAK_VERSION"), STR("0"));
}

enum { PIECE = 1024 };

struct evaluator *
evaluator_new(struct arena *a, const struct source_request *r, struct declarations *out,
	const struct evaluator_settings *settings)
{
	struct evaluator *e = NEW(a, struct evaluator);

	INVARIANT(out && settings && settings->subdirectory);
	*e = (struct evaluator){.a = a,
		.request = r,
		.out = &out->list,
		.lists = out->arena ? out->arena : a,
		.subdirectory = settings->subdirectory,
		.context = settings->context,
		.words = recent_words_new(a),
		.functions = function_table_new(a),
		.policies = policies_new(a),
		.builtins = map_in(a),
		.places = directory_names_of(a, r),
		.directory = STR(""),
		.piece = settings->piece ? settings->piece : PIECE,
		.steps_left = settings->steps_most ? settings->steps_most : UINT64_MAX};
	e->variables = variables_new(a, e->words, has_room, e);
	e->environment = environment_new(a, e->words);
	e->places.deep = NEW(a, struct deep_path);
	for (size_t i = 0; i < commands_n; i++)
		map_set(&e->builtins, str_of(commands[i].name), (uint32_t)i);
	policies_of_version(e, 0);
	if (evaluator_has(e, DIALECT_EMPTY_DIRECTORY_VARIABLES)) {
		variable_set(e->variables, STR("CMAKE_BINARY_DIR"), STR(""));
		variable_set(e->variables, STR("CMAKE_SOURCE_DIR"), STR(""));
	}
	variable_set(e->variables, STR("CMAKE_FILES_DIRECTORY"), STR("/CMakeFiles"));
	variable_set(e->variables, STR("CMAKE_HOST_SYSTEM_NAME"), STR("Linux"));
	variable_set(e->variables, STR("CMAKE_HOST_UNIX"), STR("1"));
	variable_set(e->variables, STR("UNIX"), STR("1"));
	if (evaluator_has(e, DIALECT_LINUX_VARIABLES)) {
		variable_set(e->variables, STR("CMAKE_HOST_LINUX"), STR("1"));
		variable_set(e->variables, STR("LINUX"), STR("1"));
	}
	set_version_variables(e, r->dialect);
	e->nesting = nesting_new(a, r->dialect, e->variables, e->environment);
	variable_set(e->variables, STR("CTEST_CONFIGURATION_TYPE"), r->configuration);
	return e;
}
