/* The evaluator's life: the predefined variables, one file after the other, messages. */
#include "manifests/cmake_commands.h"

#include <string.h>

#include "runner/files.h"

/* ---- messages -------------------------------------------------------------------- */

/* The name of a builtin that is written as usual needs no copy. */
static struct str
command_name(struct evaluator *e, const struct cmake_invocation *c)
{
	if (c->command != INVOCATION_UNRESOLVED &&
		str_is(c->name, commands[c->command].name))
		return str_of(commands[c->command].name);
	return str_dup(e->a, c->name);
}

static const struct place *
place_of(struct evaluator *e, struct frame *f)
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
	/* Recursion is limited to 1000 frames, and a frame's place is made once. */
	if (f->outer)
		p->caller = place_of(e, f->outer);
	f->place = p;
	return p;
}

const struct place *
place_here(struct evaluator *e)
{
	return place_of(e, e->frame);
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

void
say_at(struct evaluator *e, enum diag_kind kind, const struct place *at, struct str text)
{
	struct str *word = NEW(e->a, struct str);

	*word = str_dup(e->a, text);
	VEC_PUSH(e->a, e->out,
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

void
declare(struct evaluator *e, enum declaration_kind kind, struct str_list words)
{
	struct str *kept = NEW_ARRAY(e->a, struct str, words.n);

	for (size_t i = 0; i < words.n; i++)
		kept[i] = keep(e, words.v[i]);
	VEC_PUSH(e->a, e->out,
		(struct declaration){.kind = kind,
			.words = {kept, words.n},
			.directory = e->directory,
			.place = place_here(e)});
}

/* ---- files ----------------------------------------------------------------------- */

/* What the lexer found, as messages of the file that is being read. */
static void
say_diag(struct evaluator *e, const struct diag *d)
{
	for (size_t i = 0; i < d->entries.n; i++) {
		const struct diag_entry *entry = &d->entries.v[i];
		struct place *p = NEW(e->a, struct place);

		*p = entry->at;
		p->command = str_dup(e->a, p->command);
		if (e->frame)
			p->caller = place_here(e);
		say_at(e, entry->kind, p, entry->text);
	}
}

/* Variables that belong to the file; given back when it ends. */
struct list_file {
	struct str current, directory, parent;
};

static struct str
copy_of(struct evaluator *e, const char *name)
{
	struct str value = variable_get(e, str_of(name));

	return value.n ? str_dup(e->scratch, value) : STR("");
}

static struct list_file
enter_file(struct evaluator *e, struct str shown)
{
	struct list_file outer = {copy_of(e, "CMAKE_CURRENT_LIST_FILE"),
		copy_of(e, "CMAKE_CURRENT_LIST_DIR"),
		copy_of(e, "CMAKE_PARENT_LIST_FILE")};

	variable_set(e, STR("CMAKE_CURRENT_LIST_FILE"), shown);
	variable_set(e, STR("CMAKE_CURRENT_LIST_DIR"), path_parent(shown));
	return outer;
}

/* What was unset before is left empty, as CMake leaves it. */
static void
leave_file(struct evaluator *e, struct list_file outer)
{
	if (!e->frame)
		return;
	variable_set(e, STR("CMAKE_PARENT_LIST_FILE"), outer.parent);
	variable_set(e, STR("CMAKE_CURRENT_LIST_FILE"), outer.current);
	variable_set(e, STR("CMAKE_CURRENT_LIST_DIR"), outer.directory);
}

/* The declarations of a large file get their room at once, without half of it twice. */
static void
make_room(struct evaluator *e, const struct cmake_file *f)
{
	size_t n = 0, cap = e->out->cap * 2;
	struct declaration *v;

	for (size_t i = 0; i < f->calls.n; i++) {
		uint16_t c = f->calls.v[i].command;

		n += c != INVOCATION_UNRESOLVED &&
		     (commands[c].run == run_add_test ||
			     commands[c].run == run_set_tests_properties);
	}
	n += e->out->n;
	if (n <= e->out->cap || n < 1000)
		return;
	cap = cap < n ? n : cap;
	v = NEW_ARRAY(e->a, struct declaration, cap);
	if (e->out->n)
		memcpy(v, e->out->v, e->out->n * sizeof *v);
	e->out->v = v;
	e->out->cap = cap;
}

static void
execute_file(struct evaluator *e, const struct cmake_file *f, struct str text)
{
	struct frame frame = {.outer = e->frame, .file = f->path, .text = text};
	size_t floor = e->policy_stack_floor;
	struct list_file old = enter_file(e, f->path);

	e->policy_stack_floor = e->policy_stack.n;
	e->frame = &frame;
	make_room(e, f);
	execute(e, f);
	e->flow = FLOW_ON;
	if (e->policy_stack.n > e->policy_stack_floor && !is_halted(e)) {
		struct place *p = NEW(e->a, struct place);

		p->file = f->path;
		if (frame.outer)
			p->caller = place_of(e, frame.outer);
		say_at(e, DIAG_CMAKE_FATAL, p,
			STR("cmake_policy PUSH without matching POP"));
		e->policies = e->policy_stack.v[e->policy_stack_floor];
		e->policy_stack.n = e->policy_stack_floor;
	}
	e->frame = frame.outer;
	e->policy_stack_floor = floor;
	leave_file(e, old);
}

bool
read_file(struct evaluator *e, struct str shown, const char *path)
{
	struct arena *tables;
	struct diag d = diag_in(e->scratch);
	struct cmake_file file;
	struct str text;
	bool is_good = false;

	/* The includer keeps this: CMake gives back only what it finds behind this point.
	 */
	if (e->frame)
		variable_set(e, STR("CMAKE_PARENT_LIST_FILE"),
			copy_of(e, "CMAKE_CURRENT_LIST_FILE"));
	e->is_unreadable = true;
	if (!spend(e, 1) || !file_read(e->a, path, &text))
		return false;
	tables = arena_open();
	shown = str_dup(e->a, shown);
	if (cmake_lex(tables, shown, text, &file, &d)) {
		is_good = blocks_link(e, &file, tables, &d);
		if (!is_good)
			e->is_stopped = true;
	}
	say_diag(e, &d);
	if (is_good)
		execute_file(e, &file, text);
	e->is_unreadable = !is_good;
	arena_close(tables);
	return true;
}

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
	struct frame calling = {.outer = frame, .place = e->caller, .file = STR("")};

	if (is_outermost)
		e->scratch = arena_open();
	e->directory = str_dup(e->a, directory);
	if (e->caller)
		e->frame = &calling;
	e->caller = NULL;
	(void)read_file(e, is_top ? path_name(file) : file, str_z(e->scratch, file));
	e->caller = calling.place;
	e->frame = frame;
	e->directory = outer;
	if (is_outermost) {
		arena_close(e->scratch);
		e->scratch = NULL;
	}
	return e->outside.is_outside ? EVAL_OUTSIDE : EVAL_DONE;
}

/* ---- the beginning --------------------------------------------------------------- */

static void
set_version_variables(struct evaluator *e, unsigned version)
{
	/* 3.25 is known to the patch; of others a test file sees what the request says.
	 */
	const char *patch = version == 3025 ? "1" : "0";

	variable_set(e, STR("CMAKE_VERSION"),
		str_fmt(e->a, "%u.%u.%s", version / 1000, version % 1000, patch));
	variable_set(e, STR("CMAKE_MAJOR_VERSION"), str_fmt(e->a, "%u", version / 1000));
	variable_set(e, STR("CMAKE_MINOR_VERSION"), str_fmt(e->a, "%u", version % 1000));
	variable_set(e, STR("CMAKE_PATCH_VERSION"), str_of(patch));
	variable_set(e, STR("CMAKE_TWEAK_VERSION"), STR("0"));
}

struct evaluator *
evaluator_new(struct arena *a, const struct source_request *r, declaration_vec *out,
	eval_directory *subdirectory, void *context)
{
	struct evaluator *e = NEW(a, struct evaluator);

	*e = (struct evaluator){.a = a,
		.request = r,
		.out = out,
		.subdirectory = subdirectory,
		.context = context,
		.names = map_in(a),
		.functions_by_name = map_in(a),
		.builtins = map_in(a),
		.env_names = map_in(a),
		.directory = STR(""),
		.epoch = 1,
		.newest_epoch = 1,
		.steps_left = UINT64_MAX};
	for (size_t i = 0; i < commands_n; i++)
		map_set(&e->builtins, str_of(commands[i].name), (uint32_t)i);
	policies_of_version(e, 0);
	if (r->cmake_version < 4000) {
		variable_set(e, STR("CMAKE_BINARY_DIR"), STR(""));
		variable_set(e, STR("CMAKE_SOURCE_DIR"), STR(""));
	}
	variable_set(e, STR("CMAKE_FILES_DIRECTORY"), STR("/CMakeFiles"));
	variable_set(e, STR("CMAKE_HOST_SYSTEM_NAME"), STR("Linux"));
	variable_set(e, STR("CMAKE_HOST_UNIX"), STR("1"));
	variable_set(e, STR("UNIX"), STR("1"));
	if (r->cmake_version >= 3025) {
		variable_set(e, STR("CMAKE_HOST_LINUX"), STR("1"));
		variable_set(e, STR("LINUX"), STR("1"));
	}
	set_version_variables(e, r->cmake_version);
	variable_set(e, STR("CTEST_CONFIGURATION_TYPE"), r->configuration);
	return e;
}
