/*
 * Asks cmake in a separate folder under TMPDIR: the script goes in; the record, the
 * environment and both streams come out as files, so that nothing can block. See
 * cmake_process.h; cmake/CctrManifest.cmake describes the record.
 */
#include "manifests/bridge/cmake_process.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/scratch_folder.h"
#include "runner/cmakelang/cmake_child.h"
#include "runner/cmakelang/cmake_program.h"
#include "runner/cmakelang/cmake_frames.h"
#include "runner/cmakelang/cmake_text.h"

/* ---- the script ------------------------------------------------------------------ */

/* The files of one question. */
struct folder {
	struct scratch_folder own;
	struct str path, script, record, environment, reply, out, err;
};

static struct str
script_text(struct arena *a, const struct cmake_question *q, const struct folder *f,
	struct str driver)
{
	struct buf b = {.arena = a};

	if (q->has_tests)
		buf_z(&b, "set(_cctr_commands add_test set_tests_properties "
			  "set_directory_properties subdirs add_subdirectory)\n");
	buf_fmt(&b, "set_property(GLOBAL PROPERTY CCTR_REFUSAL %s)\n",
		q->request->dialect->has[DIALECT_FAILED_COMMAND_IS_FATAL] ? "FATAL_ERROR"
									  : "SEND_ERROR");
	if (q->pause)
		buf_z(&b, "set_property(GLOBAL PROPERTY CCTR_PAUSES ON)\n");
	buf_z(&b, "set_property(GLOBAL PROPERTY CCTR_FOLDER ");
	cmake_quote(&b, f->path);
	buf_z(&b, ")\n");
	cmake_include(&b, driver);
	for (size_t i = 0; i < q->variables_n; i++)
		if (!cmake_process_owns(q->variables[i].name))
			cmake_set(&b, q->variables[i].name, q->variables[i].value);
	cmake_include(&b, q->file);
	buf_z(&b, "_cctr_answer()\n");
	return buf_as_str(&b);
}

bool
cmake_process_owns(struct str variable)
{
	static const char *const names[] = {
		"CMAKE_CURRENT_LIST_FILE",
		"CMAKE_CURRENT_LIST_DIR",
		"CMAKE_CURRENT_LIST_LINE",
		"CMAKE_PARENT_LIST_FILE",
		"CMAKE_CURRENT_FUNCTION",
		"CMAKE_CURRENT_FUNCTION_LIST_DIR",
		"CMAKE_CURRENT_FUNCTION_LIST_FILE",
		"CMAKE_CURRENT_FUNCTION_LIST_LINE",
		"CMAKE_VERSION",
		"CMAKE_MAJOR_VERSION",
		"CMAKE_MINOR_VERSION",
		"CMAKE_PATCH_VERSION",
		"CMAKE_TWEAK_VERSION",
		"CMAKE_SOURCE_DIR",
		"CMAKE_BINARY_DIR",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(variable, names[i]))
			return true;
	return false;
}

/* ---- the process ----------------------------------------------------------------- */

static bool
open_folder(struct arena *a, struct folder *f)
{
	if (!scratch_folder_open(a, &f->own))
		return false;
	f->path = f->own.path;
	f->script = path_join(a, f->path, STR("script.cmake"));
	f->record = path_join(a, f->path, STR("record"));
	f->environment = path_join(a, f->path, STR("environment"));
	f->reply = path_join(a, f->path, STR("reply.cmake"));
	f->out = path_join(a, f->path, STR("out"));
	f->err = path_join(a, f->path, STR("err"));
	return true;
}

/* One question while it is being answered. */
struct talk {
	struct arena *a;
	const struct cmake_question *q;
	const struct folder *f;
	struct str driver;
	/* the child's environment when it last went on */
	const char *const *environment;
	size_t out_n, err_n; /* how much of its streams has been read */
	struct diag *d;
};

static struct str
read_or_empty(struct talk *t, struct str path)
{
	struct str text;

	if (file_read(t->a, path.p, &text))
		return text;
	if (!error_is_absence(errno))
		diag_unreadable(t->d, path, errno);
	return STR("");
}

/* What has been added to a file of a stream. The file is there, unless the test file has
 * removed it. */
static struct str
new_text(struct talk *t, struct str path, size_t *read_n)
{
	struct str text = STR("");

	if (!file_read(t->a, path.p, &text))
		diag_unreadable(t->d, path, errno);
	if (*read_n > text.n)
		return STR("");
	text = str_from(text, *read_n);
	*read_n += text.n;
	return text;
}

/* Notes what the file has changed. */
static void
read_environment(struct talk *t, struct cmake_answer *answer)
{
	struct str text = read_or_empty(t, t->f->environment);
	environment_changes changes =
		environment_compare(t->a, t->environment, environment_parse(t->a, text));

	answer->environment = changes.v;
	answer->environment_n = changes.n;
}

/* Reads what cmake has written since the last call. */
static void
read_output(struct talk *t, struct cmake_answer *answer)
{
	struct cmake_frames frames = {.directory = t->q->directory,
		.file = t->q->file,
		.spelled = t->q->spelled,
		.ours = {t->driver, t->f->script},
		.caller = t->q->caller};
	struct str messages;
	size_t unreadable = t->d->unreadable;
	bool is_whole = cmake_record_parse(t->a, read_or_empty(t, t->f->record), answer);

	unlink(t->f->record.p);
	messages = new_text(t, t->f->err, &t->err_n);
	if (t->d->unreadable == unreadable)
		answer->output = new_text(t, t->f->out, &t->out_n);
	if (cmake_frames_have_colours(environment_own()))
		messages = cmake_frames_uncolour(t->a, messages);
	answer->at =
		cmake_frames_take_mark(t->a, &frames, path_name(t->f->path), &messages);
	answer->messages = cmake_frames_restore(t->a, &frames, messages);
	answer->is_cut_off = !is_whole;
	answer->failed = answer->failed || !is_whole;
	if (is_whole)
		read_environment(t, answer);
	answer->failed = answer->failed || t->d->unreadable > unreadable;
}

/* ---- what a subdirectory changes ------------------------------------------------- */

static void
add_variables(struct talk *t, struct buf *b, const struct cmake_answer *before,
	const struct cmake_state *now)
{
	struct map old = map_in(t->a), kept = map_in(t->a);

	for (size_t i = 0; i < before->variables_n; i++)
		map_set(&old, before->variables[i].name, (uint32_t)i);
	for (size_t i = 0; i < now->variables_n; i++) {
		const struct variable *v = &now->variables[i];
		uint32_t at = map_get(&old, v->name);

		map_add(&kept, v->name);
		if (cmake_process_owns(v->name) ||
			(at != MAP_NONE && str_eq(before->variables[at].value, v->value)))
			continue;
		buf_z(b, "set(");
		cmake_quote(b, v->name);
		buf_char(b, ' ');
		cmake_quote(b, v->value);
		buf_z(b, " PARENT_SCOPE)\n");
	}
	for (size_t i = 0; i < before->variables_n; i++) {
		struct str name = before->variables[i].name;

		if (cmake_process_owns(name) || map_has(&kept, name))
			continue;
		buf_z(b, "unset(");
		cmake_quote(b, name);
		buf_z(b, " PARENT_SCOPE)\n");
	}
}

/* The child has come to a subdirectory. false: the child must not go on. */
static bool
take_turn(struct talk *t, struct cmake_child *child)
{
	struct cmake_answer so_far = {0};
	struct cmake_state now = {0};
	struct buf b = {.arena = t->a};
	size_t unreadable = t->d->unreadable;
	int error;

	read_output(t, &so_far);
	if (t->d->unreadable > unreadable || !t->q->pause(t->q->context, &so_far, &now))
		return false;
	add_variables(t, &b, &so_far, &now);
	cmake_set_environment(&b, now.environment, now.environment_n);
	t->environment = environment_changed(
		t->a, environment_own(), now.environment, now.environment_n);
	if (!file_write(t->a, t->f->reply.p, ".tmp", buf_as_str(&b)))
		return diag_error(t->d, NO_PLACE, "cannot write %s: %s", t->f->reply.p,
			strerror(errno));
	error = cmake_child_go_on(child, t->a);
	return !error || diag_error(t->d, NO_PLACE, "cannot lock a file in %s: %s",
				 t->f->path.p, strerror(error));
}

static bool
take_turns(struct talk *t, struct str cmake, struct cmake_answer *answer)
{
	char *argv[] = {drop_const(str_z(t->a, cmake)), "--log-level=NOTICE", "-P",
		str_own(t->f->script), NULL};
	struct cmake_command command = {.argv = argv,
		.environment = drop_const(t->environment),
		.directory = str_z(t->a, t->q->directory),
		.out = t->f->out.p,
		.err = t->f->err.p,
		.takes_turns = t->q->pause};
	struct cmake_child child;
	int error = cmake_child_start(&child, t->a, t->f->path, &command);
	bool goes_on = true;

	while (!error && goes_on && cmake_child_wait(&child) == CMAKE_WAITS)
		goes_on = take_turn(t, &child);
	cmake_child_close(&child);
	if (error)
		return diag_error(t->d, NO_PLACE, "cannot run %.*s: %s", STR_ARG(cmake),
			strerror(error));
	answer->failed = answer->is_cut_off = true;
	if (!goes_on)
		return true;
	answer->failed = child.status != 0;
	read_output(t, answer);
	if (WIFSIGNALED(child.status))
		return diag_error(t->d, NO_PLACE,
			"%.*s was ended by signal %d while it read %.*s", STR_ARG(cmake),
			WTERMSIG(child.status), STR_ARG(t->q->file));
	return true;
}

static bool
ask_in(struct arena *a, const struct cmake_question *q, const struct folder *f,
	struct str cmake, struct cmake_answer *answer, struct diag *d)
{
	struct talk t = {.a = a,
		.q = q,
		.f = f,
		.driver = path_join(a, q->request->share, STR("CctrManifest.cmake")),
		.environment = environment_changed(
			a, environment_own(), q->environment, q->environment_n),
		.d = d};

	if (!file_write(a, f->script.p, ".tmp", script_text(a, q, f, t.driver)))
		return diag_error(
			d, NO_PLACE, "cannot write %s: %s", f->script.p, strerror(errno));
	return take_turns(&t, cmake, answer);
}

bool
cmake_process_ask(struct arena *a, const struct cmake_question *q,
	struct cmake_answer *answer, struct diag *d)
{
	struct str cmake = cmake_program_for(a, q->request->cmake, q->request->path);
	const struct place *at = &q->needed_by;
	struct folder f;
	bool asked;

	INVARIANT(q->request && q->directory.n);
	*answer = (struct cmake_answer){0};
	if (!cmake.n)
		return diag_error(d, *at,
			"%.*s needs cmake to be evaluated, and none was found",
			STR_ARG(at->command.n ? at->command : q->file));
	if (q->is_first)
		scratch_folder_sweep(a);
	if (!open_folder(a, &f))
		return diag_error(d, NO_PLACE, "cannot make a temporary folder: %s",
			strerror(errno));
	asked = ask_in(a, q, &f, cmake, answer, d);
	scratch_folder_close(a, &f.own);
	return asked;
}
