/*
 * Chooses, directory by directory, between the native evaluator and cmake. See
 * testfile.h.
 *
 * A directory that cmake evaluates is replayed from its answers, one at each subdirectory
 * and one at the end: first the results (messages, environment, variables), then the
 * calls in their order. subdirs among them reads the subdirectory, natively again. cmake
 * goes on with the state after that.
 */
#include "manifests/bridge/testfile.h"

#include <stdlib.h>

#include "manifests/bridge/cmake_process.h"
#include "manifests/cmake/cmake_eval.h"
#include "manifests/cmake/subdirectory.h"
#include "runner/base/files.h"
#include "runner/model/model.h"

enum { DEEPEST_DIRECTORY = 1000 };

enum choice { CHOOSE_EACH, CHOOSE_CMAKE, CHOOSE_NATIVE };

struct reading {
	struct arena *a;
	const struct source_request *request;
	struct declarations *out;
	struct diag *d;
	struct evaluator *evaluator;
	struct directory_names places;
	enum choice choice;
	unsigned depth;
	bool has_tests; /* a test file, not a custom file */
	bool failed; /* and the reason is reported */
	bool has_asked; /* cmake has been asked */
	bool is_stopped; /* by a fatal error: nothing more is read, as in ctest */
	/* The environment's changes among the first declarations, and the index of each:
	 * every question to cmake includes them. */
	VEC(struct environment_change) changes;
	VEC(size_t) change_places;
	size_t scanned;
};

/* The file that is being read. */
struct unit {
	struct str directory, file, spelled;
	/* the file's caller, where cmake reports it; or NULL */
	const struct place *caller;
	bool is_top;
};

static enum choice
choice_of_user(void)
{
	struct str said = str_of(getenv("CCTR_MANIFEST"));

	if (str_is(said, "cmake"))
		return CHOOSE_CMAKE;
	return str_is(said, "native") ? CHOOSE_NATIVE : CHOOSE_EACH;
}

static bool
is_stopped(const struct reading *r)
{
	return r->is_stopped || evaluator_stopped(r->evaluator);
}

/* ---- replaying an answer --------------------------------------------------------- */

static void
pass_declaration(struct reading *r, const struct unit *u, struct declaration what)
{
	what.directory = u->directory;
	VEC_PUSH(r->out->arena ? r->out->arena : r->a, &r->out->list, what);
}

static struct str_list
one_word(struct arena *a, struct str word)
{
	struct str *v = NEW(a, struct str);

	*v = word;
	return (struct str_list){v, 1};
}

static const struct place *
place_of(struct reading *r, const struct unit *u, struct str command)
{
	struct place *p = NEW(r->a, struct place);

	*p = (struct place){.file = u->spelled, .command = command};
	return p;
}

static void
replay_text(struct reading *r, const struct unit *u, enum diag_kind kind, struct str text)
{
	if (text.n)
		pass_declaration(r, u,
			(struct declaration){.kind = DECLARE_MESSAGE,
				.message = kind,
				.words = one_word(r->a, text),
				.place = place_of(r, u, STR(""))});
}

static void
replay_environment(struct reading *r, const struct cmake_answer *answer)
{
	for (size_t i = 0; i < answer->environment_n; i++) {
		const struct environment_change *c = &answer->environment[i];

		evaluator_set_environment(
			r->evaluator, c->name, c->unset ? STR_NONE : c->value);
	}
}

/* Variables that the file did not change are not set, so that the evaluator's own
 * variables are not replaced by those of another cmake. */
static void
replay_variables(struct reading *r, const struct cmake_answer *answer)
{
	struct map left = map_in(r->a);
	size_t n;
	const struct variable *now = evaluator_variables(r->evaluator, r->a, &n);

	for (size_t i = 0; i < answer->variables_n; i++) {
		const struct variable *v = &answer->variables[i];
		struct str old = evaluator_get(r->evaluator, v->name);

		map_add(&left, v->name);
		if (!cmake_process_owns(v->name) && !(old.p && str_eq(old, v->value)))
			evaluator_set(r->evaluator, v->name, v->value);
	}
	for (size_t i = 0; i < n; i++)
		if (!cmake_process_owns(now[i].name) && !map_has(&left, now[i].name))
			evaluator_set(r->evaluator, now[i].name, STR_NONE);
}

static enum eval_result read_directory(struct reading *r, const struct unit *u);

static enum eval_result
read_subdirectory(
	struct reading *r, const struct subdirectory *sub, const struct place *at)
{
	struct unit u = {.directory = sub->directory,
		.file = sub->file,
		.spelled = sub->file,
		.caller = at};

	if (r->depth < DEEPEST_DIRECTORY)
		return read_directory(r, &u);
	diag_error(
		r->d, *at, "directories are nested more than %d deep", DEEPEST_DIRECTORY);
	r->failed = r->is_stopped = true;
	return EVAL_DONE;
}

/* false: the command fails. A subdirectory that does not exist, or has no test file, is
 * no error. */
static bool
replay_subdirectory(struct reading *r, const struct unit *u, struct str name,
	bool is_below, const struct place *at)
{
	struct subdirectory sub =
		subdirectory_find(r->a, &r->places, u->directory, name, is_below);
	struct str text;

	if (sub.file.n && !sub.complaint.n &&
		read_subdirectory(r, &sub, at) == EVAL_UNREADABLE)
		sub.complaint = subdirectory_unreadable(
			r->a, &sub, evaluator_read_error(r->evaluator));
	if (!sub.complaint.n)
		return true;
	text = str_fmt(r->a, "%.*s %.*s", STR_ARG(at->command), STR_ARG(sub.complaint));
	pass_declaration(r, u,
		(struct declaration){.kind = DECLARE_MESSAGE,
			.message = DIAG_CMAKE_FATAL,
			.words = one_word(r->a, text),
			.place = at});
	return false;
}

static void
replay_subdirs(struct reading *r, const struct unit *u, const struct cmake_call *call,
	const struct place *at)
{
	bool is_old = str_is(call->command, "subdirs"), all = true;
	struct str_list w = call->words;

	if (!at)
		at = place_of(r, u, call->command);
	if (!is_old && w.n > 1)
		w.n = 1;
	for (size_t i = 0; i < w.n && all && !is_stopped(r); i++)
		all = replay_subdirectory(r, u, w.v[i], !is_old, at);
	r->is_stopped |=
		!all && r->request->dialect->has[DIALECT_FAILED_COMMAND_IS_FATAL];
}

static void
replay_directory_labels(
	struct reading *r, const struct unit *u, const struct cmake_call *call)
{
	struct str_list w = call->words;
	size_t i = 0;

	while (i < w.n && !str_is(w.v[i], "PROPERTIES"))
		i++;
	for (i++; i + 1 < w.n; i += 2)
		if (str_is(w.v[i], "LABELS"))
			pass_declaration(r, u,
				(struct declaration){.kind = DECLARE_DIRECTORY_LABELS,
					.words = {w.v + i + 1, 1},
					.place = place_of(r, u, call->command)});
}

static void
replay_call(struct reading *r, const struct unit *u, const struct cmake_call *call,
	const struct place *at)
{
	enum declaration_kind kind =
		str_is(call->command, "add_test") ? DECLARE_TEST : DECLARE_PROPERTIES;

	if (str_is(call->command, "set_directory_properties"))
		replay_directory_labels(r, u, call);
	else if (kind == DECLARE_TEST || str_is(call->command, "set_tests_properties"))
		pass_declaration(r, u,
			(struct declaration){.kind = kind,
				.words = call->words,
				.place = place_of(r, u, call->command)});
	else
		replay_subdirs(r, u, call, at);
}

/* ---- asking ---------------------------------------------------------------------- */

static const struct environment_change *
environment_so_far(struct reading *r, size_t *n)
{
	for (; r->scanned < r->out->list.n; r->scanned++) {
		const struct declaration *d = &r->out->list.v[r->scanned];

		if (d->kind != DECLARE_ENVIRONMENT)
			continue;
		VEC_PUSH(r->a, &r->change_places, r->scanned);
		VEC_PUSH(r->a, &r->changes,
			(struct environment_change){.name = d->words.v[0],
				.value = d->words.n > 1 ? d->words.v[1] : STR(""),
				.unset = d->words.n < 2});
	}
	*n = r->changes.n;
	return r->changes.v;
}

/* Keeps only the first n declarations. */
static void
forget_declarations(struct reading *r, size_t n)
{
	r->out->list.n = n;
	if (r->scanned > n)
		r->scanned = n;
	while (r->change_places.n && r->change_places.v[r->change_places.n - 1] >= n) {
		r->change_places.n--;
		r->changes.n--;
	}
}

/* The call stack below this directory's own frames: its subdirs() and the callers of
 * that. */
static const struct place *
caller_of(const struct place *at)
{
	for (; at; at = at->caller)
		if (str_eq_nocase(at->command, STR("subdirs")) ||
			str_eq_nocase(at->command, STR("add_subdirectory")))
			return at;
	return NULL;
}

/* The file about which cmake is being asked. */
struct asking {
	struct reading *r;
	const struct unit *u;
};

static void
replay_answer(struct reading *r, const struct unit *u, const struct cmake_answer *answer)
{
	r->is_stopped = r->is_stopped || answer->is_cut_off;
	r->failed = r->failed || r->is_stopped || answer->failed;
	replay_text(r, u, DIAG_OUTPUT, answer->output);
	replay_text(r, u, DIAG_NOTE, answer->messages);
	if (r->is_stopped)
		return;
	replay_environment(r, answer);
	replay_variables(r, answer);
	for (size_t i = 0; i < answer->calls_n && !is_stopped(r); i++)
		replay_call(r, u, &answer->calls[i], answer->at);
}

static bool
at_subdirectory(void *context, const struct cmake_answer *so_far, struct cmake_state *now)
{
	const struct asking *asking = context;
	struct reading *r = asking->r;

	replay_answer(r, asking->u, so_far);
	now->variables = evaluator_variables(r->evaluator, r->a, &now->variables_n);
	now->environment = environment_so_far(r, &now->environment_n);
	return !is_stopped(r);
}

static void
ask_cmake(struct reading *r, const struct unit *u, struct place needed_by)
{
	struct asking asking = {r, u};
	struct cmake_question q = {.file = u->file,
		.spelled = u->spelled,
		.directory = u->directory,
		.caller = u->caller || u->is_top ? u->caller : caller_of(&needed_by),
		.needed_by = needed_by,
		.has_tests = r->has_tests,
		.is_first = !r->has_asked,
		.pause = r->has_tests ? at_subdirectory : NULL,
		.context = &asking,
		.request = r->request};
	struct cmake_answer answer;

	q.variables = evaluator_variables(r->evaluator, r->a, &q.variables_n);
	q.environment = environment_so_far(r, &q.environment_n);
	r->has_asked = true;
	if (!cmake_process_ask(r->a, &q, &answer, r->d))
		r->is_stopped = true;
	replay_answer(r, u, &answer);
}

static bool
declares_tests(const struct reading *r, size_t from)
{
	for (size_t i = from; i < r->out->list.n; i++) {
		enum declaration_kind kind = r->out->list.v[i].kind;

		if (kind != DECLARE_ENVIRONMENT && kind != DECLARE_MESSAGE)
			return true;
	}
	return false;
}

/* Keeps the result; for EVAL_OUTSIDE everything is undone. */
static enum eval_result
read_natively(struct reading *r, const struct unit *u, struct place *needed_by)
{
	struct evaluator_mark *mark = evaluator_mark(r->evaluator);
	size_t n = r->out->list.n;
	const struct place *old = evaluator_called_from(r->evaluator, u->caller);
	enum eval_result result =
		evaluator_read(r->evaluator, u->file, u->directory, u->is_top);

	(void)evaluator_called_from(r->evaluator, old);
	if (r->is_stopped)
		return EVAL_DONE;
	if (result != EVAL_OUTSIDE && (r->has_tests || !declares_tests(r, n)))
		return result;
	*needed_by = evaluator_outside(r->evaluator).place;
	evaluator_rewind(r->evaluator, mark);
	forget_declarations(r, n);
	return EVAL_OUTSIDE;
}

/* Never returns EVAL_OUTSIDE. */
static enum eval_result
read_directory(struct reading *r, const struct unit *u)
{
	struct place needed_by = {.file = u->spelled};
	enum eval_result result = EVAL_OUTSIDE;

	r->depth++;
	if (r->choice != CHOOSE_CMAKE)
		result = read_natively(r, u, &needed_by);
	if (result == EVAL_OUTSIDE && r->choice == CHOOSE_NATIVE)
		r->failed = !diag_error(r->d, needed_by,
			"%.*s needs cmake to be evaluated", STR_ARG(needed_by.command));
	else if (result == EVAL_OUTSIDE)
		ask_cmake(r, u, needed_by);
	r->depth--;
	return result == EVAL_OUTSIDE ? EVAL_DONE : result;
}

/* The evaluator has come to a subdirs(). EVAL_OUTSIDE makes the evaluator stop; the
 * caller of the evaluator finds the reason in r. */
static enum eval_result
enter_subdirectory(void *context, struct evaluator *e, const struct subdirectory *sub)
{
	struct reading *r = context;
	struct unit u = {
		.directory = sub->directory, .file = sub->file, .spelled = sub->file};
	enum eval_result result = read_directory(r, &u);

	(void)e;
	return r->is_stopped ? EVAL_OUTSIDE : result;
}

static struct reading
reading_open(struct arena *a, const struct source_request *request,
	struct declarations *out, struct diag *d)
{
	return (struct reading){.a = a,
		.request = request,
		.out = out,
		.d = d,
		.places = directory_names_of(a, request),
		.choice = choice_of_user()};
}

/* Reads the first file of a load. The file exists: when it cannot be opened, that is an
 * error. */
static void
read_first(struct reading *r, const struct unit *u)
{
	int error;

	if (read_directory(r, u) != EVAL_UNREADABLE)
		return;
	error = evaluator_read_error(r->evaluator);
	if (error)
		r->failed = !diag_unreadable(r->d, u->file, error);
}

static bool
testfile_load(struct arena *a, const struct source_request *request,
	struct declarations *out, struct diag *d)
{
	struct reading r = reading_open(a, request, out, d);
	struct unit top = {.directory = r.places.top, .is_top = true};
	struct str spec;

	top.file = first_file(a, top.directory, test_file_names);
	if (!top.file.n)
		return true;
	top.file = path_normal(a, top.file);
	top.spelled = path_name(top.file);
	out->has_file = true;
	if (path_is_directory(top.file.p))
		return false;
	out->arena = arena_open();
	r.has_tests = true;
	r.evaluator = evaluator_new(a, request, out,
		&(struct evaluator_settings){
			.subdirectory = enter_subdirectory, .context = &r});
	read_first(&r, &top);
	spec = evaluator_get(r.evaluator, STR("CTEST_RESOURCE_SPEC_FILE"));
	out->resource_spec_file = spec.p ? spec : STR("");
	out->is_stopped = is_stopped(&r);
	return !r.failed;
}

const struct source testfile_source = {.name = "testfile", .load = testfile_load};

/* ---- CTestCustom ----------------------------------------------------------------- */

/* Adds messages to d, and changes of the environment to found. */
static void
take_effects(struct arena *a, const struct declarations *from,
	struct settings_file *found, struct diag *d)
{
	VEC(struct environment_change) changes = {0};

	for (size_t i = 0; i < from->list.n; i++) {
		const struct declaration *what = &from->list.v[i];
		struct str_list w = what->words;

		if (what->kind == DECLARE_MESSAGE)
			diag_add(d, what->message, declaration_place(what), w.v[0]);
		else if (what->kind == DECLARE_ENVIRONMENT)
			VEC_PUSH(a, &changes,
				(struct environment_change){.name = w.v[0],
					.value = w.n > 1 ? w.v[1] : STR(""),
					.unset = w.n < 2});
	}
	found->environment = changes.v;
	found->environment_n = changes.n;
}

static void
keep_ctest_variables(struct variable *v, size_t *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (str_begins(v[i].name, STR("CTEST_")))
			v[kept++] = v[i];
	*n = kept;
}

bool
testfile_custom(struct arena *a, const struct source_request *request,
	struct settings_file *found, struct diag *d)
{
	static const char *const names[2] = {"CTestCustom.cmake", "CTestCustom.ctest"};
	static const struct place command[] = {{.file = {"", 0}}, {.file = {".", 1}}};
	bool names_dot = request->dialect->has[DIALECT_CLIENT_ERRORS_NAME_DOT];
	struct declarations out = {0};
	struct reading r = reading_open(a, request, &out, d);
	struct unit custom = {.directory = path_join(a, path_here(a), request->path),
		.caller = request->is_called ? &command[names_dot] : NULL};
	size_t errors = d->errors;

	INVARIANT(found && d);
	*found = (struct settings_file){0};
	custom.file =
		request->file.n ? request->file : first_file(a, custom.directory, names);
	custom.spelled = custom.file;
	if (!custom.file.n)
		return true;
	r.evaluator = evaluator_new(a, request, &out,
		&(struct evaluator_settings){
			.subdirectory = enter_subdirectory, .context = &r});
	evaluator_set(r.evaluator, STR("CTEST_CONFIGURATION_TYPE"), STR_NONE);
	for (size_t i = 0; i < request->variables_n; i++)
		evaluator_set(r.evaluator, request->variables[i].name,
			request->variables[i].value);
	r.failed = path_is_directory(custom.file.p);
	if (!r.failed)
		read_first(&r, &custom);
	take_effects(a, &out, found, d);
	found->variables = evaluator_variables(r.evaluator, a, &found->n);
	keep_ctest_variables(found->variables, &found->n);
	found->is_stopped = is_stopped(&r);
	if (!r.failed && d->errors == errors)
		return true;
	if (request->file.n)
		return false;
	return diag_error(d, NO_PLACE, "Problem reading custom configuration: %.*s",
		STR_ARG(custom.file));
}
