/*
 * Files: a large file is executed piece by piece while it is read.
 *
 * In CMake a syntax error anywhere prevents a file's first command from running. Since
 * all effects of a command can be undone here, pieces are executed before the rest of the
 * file is checked. When a later piece has a syntax error or warning, the file is undone
 * and read again as a whole. Only effects of other files cannot be undone: before a
 * subdirectory or an include is read, the rest of the file is checked.
 */
#include "manifests/cmake/cmake_commands.h"

#include <errno.h>

#include "runner/base/files.h"

struct reading {
	struct reading *outer;
	struct cmake_lexer lexer;
	struct arena *tables;
	struct arena *piece; /* for everything else that ends with the piece */
	struct cmake_file file; /* the piece */
	struct diag d;
	size_t declared_before;
	bool is_sure; /* the rest of the file is checked: no error, no warning */
	bool is_refused;
};

/* ---- pieces ---------------------------------------------------------------------- */

/* Takes the next piece, which ends outside of all blocks. false after recording why not;
 * is_nested: because of the blocks. */
static bool
take_piece(struct evaluator *e, struct reading *r, size_t most, bool *is_nested)
{
	struct blocks blocks = {0};

	*is_nested = false;
	arena_rewind(r->piece, (struct arena_mark){0});
	r->file.calls.n = r->file.arguments.n = 0;
	do {
		if (!cmake_lexer_take(&r->lexer, r->tables, &r->file, most))
			return false;
		*is_nested = true;
		if (!blocks_link(e, &blocks, &r->file, r->piece, &r->d))
			return false;
		*is_nested = false;
	} while (blocks.open.n && !cmake_lexer_at_end(&r->lexer));
	*is_nested = true;
	return blocks_are_closed(&blocks, &r->file, &r->d);
}

/* Takes the next piece; false: it has an error or warning. */
static bool
take_good_piece(struct evaluator *e, struct reading *r)
{
	bool is_nested;

	return take_piece(e, r, e->piece, &is_nested) && r->d.entries.n == 0;
}

/* Checks the rest of the file, between two pieces or while a piece is executed, without
 * changing r. */
static bool
rest_is_good(struct evaluator *e, const struct reading *r)
{
	struct reading rest = {.lexer = r->lexer,
		.tables = arena_open(),
		.piece = arena_open(),
		.file = {.path = r->file.path},
		.d = diag_in(r->d.arena)};
	bool is_good = true;

	rest.lexer.d = &rest.d;
	rest.lexer.tokens.a = rest.piece;
	while (is_good && !cmake_lexer_at_end(&rest.lexer))
		is_good = take_good_piece(e, &rest);
	arena_close(rest.piece);
	arena_close(rest.tables);
	return is_good;
}

bool
reading_is_sure(struct evaluator *e)
{
	struct reading *r = e->reading;

	if (!r || r->is_sure)
		return true;
	r->is_sure = rest_is_good(e, r);
	r->is_refused = !r->is_sure;
	return r->is_sure || leave_subset(e, "the file has a syntax error");
}

/* ---- messages -------------------------------------------------------------------- */

/* Reports the lexer's messages as messages of the file that is being read. */
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
		e->out->v[e->out->n - 1].is_syntax = !e->frame;
	}
}

/* ---- variables that belong to the file, given back when it ends ------------------ */

struct list_file {
	struct str current, directory, parent;
};

static struct str
copy_of(struct evaluator *e, const char *name)
{
	struct str value = variable_get(e->variables, str_of(name));

	return value.n ? str_dup(e->scratch, value) : STR("");
}

static struct list_file
enter_file(struct evaluator *e, struct str shown)
{
	struct list_file outer = {copy_of(e, "CMAKE_CURRENT_LIST_FILE"),
		copy_of(e, "CMAKE_CURRENT_LIST_DIR"),
		copy_of(e, "CMAKE_PARENT_LIST_FILE")};

	variable_set(e->variables, STR("CMAKE_CURRENT_LIST_FILE"), shown);
	variable_set(e->variables, STR("CMAKE_CURRENT_LIST_DIR"), path_parent(shown));
	return outer;
}

/* Variables that were unset before are left empty, as CMake leaves them. */
static void
leave_file(struct evaluator *e, struct list_file outer)
{
	if (!e->frame)
		return;
	variable_set(e->variables, STR("CMAKE_PARENT_LIST_FILE"), outer.parent);
	variable_set(e->variables, STR("CMAKE_CURRENT_LIST_FILE"), outer.current);
	variable_set(e->variables, STR("CMAKE_CURRENT_LIST_DIR"), outer.directory);
}

/* ---- execution ------------------------------------------------------------------- */

/* Makes room for all declarations of a large file at once: doubling would copy half of
 * them. */
static void
make_room(struct evaluator *e, const struct reading *r)
{
	enum { MANY = 500 };
	const struct tokenizer *t = &r->lexer.tokens;
	size_t read = (size_t)(t->at - t->from), rest = (size_t)(t->end - t->at);
	size_t n = e->out->n - r->declared_before, cap = e->out->cap * 2;
	struct declaration *v;

	if (n < MANY || !read)
		return;
	n = e->out->n + (size_t)((double)n / (double)read * (double)rest * 1.02) + MANY;
	if (n <= e->out->cap)
		return;
	cap = cap < n ? n : cap;
	v = NEW_ARRAY(e->lists, struct declaration, cap);
	if (e->out->n)
		memcpy(v, e->out->v, e->out->n * sizeof *v);
	e->out->v = v;
	e->out->cap = cap;
}

static void
execute_pieces(struct evaluator *e, struct reading *r)
{
	struct arena_mark m = arena_mark(e->scratch);

	execute(e, &r->file);
	while (!cmake_lexer_at_end(&r->lexer) && e->flow == FLOW_ON && !is_halted(e)) {
		e->frame->call = NULL;
		e->frame->place = NULL;
		if (!take_good_piece(e, r)) {
			r->is_refused = true;
			return;
		}
		make_room(e, r);
		execute(e, &r->file);
		arena_rewind(e->scratch, m);
	}
	if (!r->is_sure && !r->is_refused && !cmake_lexer_at_end(&r->lexer))
		r->is_refused = !rest_is_good(e, r);
}

/* Executes from the current piece to the end; false: it must be undone. */
static bool
execute_file(struct evaluator *e, struct reading *r)
{
	struct frame frame = {.outer = e->frame,
		.file = r->file.path,
		.loops = e->frame ? e->frame->loops : 0};
	struct list_file old = enter_file(e, r->file.path);
	struct policy_scope scope = policies_enter(e->policies, false);

	e->frame = &frame;
	r->outer = e->reading;
	e->reading = r;
	execute_pieces(e, r);
	e->reading = r->outer;
	e->flow = FLOW_ON;
	policy_scope_end(e, &scope);
	e->frame = frame.outer;
	leave_file(e, old);
	return !r->is_refused;
}

/* ---- reading --------------------------------------------------------------------- */

static bool
reading_open(
	struct reading *r, struct evaluator *e, struct str shown, const struct str *text)
{
	bool is_open;

	*r = (struct reading){.tables = arena_open(),
		.piece = arena_open(),
		.file = {.path = shown},
		.d = diag_in(e->scratch),
		.declared_before = e->out->n};
	is_open = cmake_lexer_open(&r->lexer, r->tables, shown, *text, &r->d);
	r->lexer.shows_nul = evaluator_has(e, DIALECT_NUL_IN_ERRORS);
	r->lexer.tokens.a = r->piece;
	return is_open;
}

static void
reading_close(struct reading *r)
{
	arena_close(r->piece);
	arena_close(r->tables);
}

/* false: nothing was done, and the file must be read as a whole. */
static bool
read_in_pieces(struct evaluator *e, struct str shown, struct str text)
{
	struct reading r;
	uint64_t steps_left = e->steps_left;
	struct evaluator_mark *mark = NULL;
	bool is_done = reading_open(&r, e, shown, &text) && take_good_piece(e, &r);

	if (is_done) {
		r.is_sure = cmake_lexer_at_end(&r.lexer);
		if (!r.is_sure)
			mark = evaluator_mark(e);
		is_done = execute_file(e, &r);
	}
	if (!is_done && mark) {
		evaluator_rewind(e, mark);
		e->steps_left = steps_left;
	}
	reading_close(&r);
	return is_done;
}

/* Returns whether anything was executed. */
static bool
read_as_a_whole(struct evaluator *e, struct str shown, struct str text)
{
	struct reading r;
	bool is_nested = false;
	bool is_good = reading_open(&r, e, shown, &text) &&
		       take_piece(e, &r, SIZE_MAX, &is_nested);

	if (!is_good && (is_nested || r.lexer.is_fatal))
		e->is_stopped = true;
	r.is_sure = true;
	say_diag(e, &r.d);
	if (is_good)
		(void)execute_file(e, &r);
	reading_close(&r);
	return is_good;
}

/* The includer keeps the variable until 4.1: CMake restores only variables that it sets
 * after this one. */
static struct str
enter_parent(struct evaluator *e)
{
	struct str old = variable_get(e->variables, STR("CMAKE_PARENT_LIST_FILE"));

	if (old.p)
		old = str_dup(e->scratch, old);
	if (e->frame)
		variable_set(e->variables, STR("CMAKE_PARENT_LIST_FILE"),
			copy_of(e, "CMAKE_CURRENT_LIST_FILE"));
	return old;
}

static void
leave_parent(struct evaluator *e, struct str old)
{
	if (!e->frame || !evaluator_has(e, DIALECT_PARENT_FILE_RESTORED))
		return;
	if (old.p)
		variable_set(e->variables, STR("CMAKE_PARENT_LIST_FILE"), old);
	else
		variable_unset(e->variables, STR("CMAKE_PARENT_LIST_FILE"));
}

static bool
read_text(struct evaluator *e, struct str shown, const char *path)
{
	struct arena *a;
	struct str text;
	int at;

	e->is_unreadable = true;
	e->read_error = 0;
	if (!spend(e, 1))
		return false;
	a = arena_open();
	at = deep_path_at(e->places.deep, path, &path);
	if (!file_read_at(a, at, path, &text)) {
		e->read_error = errno;
		arena_close(a);
		return false;
	}
	shown = str_dup(e->a, shown);
	e->is_unreadable =
		!read_in_pieces(e, shown, text) && !read_as_a_whole(e, shown, text);
	e->read_error = 0;
	arena_close(a);
	return true;
}

bool
read_file(struct evaluator *e, struct str shown, const char *path)
{
	struct str parent = enter_parent(e);
	bool is_there = read_text(e, shown, path);

	INVARIANT(path);
	leave_parent(e, parent);
	return is_there;
}
