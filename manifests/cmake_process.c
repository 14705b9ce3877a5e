/*
 * Asks cmake in a folder of its own under TMPDIR: the script goes in, the record, the
 * environment and both streams come out as files, so that nothing can block. See
 * cmake_process.h; cmake/CctrManifest.cmake describes the record.
 */
#include "manifests/cmake_process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manifests/cmake_frames.h"

extern char **environ;

/* ---- which cmake ----------------------------------------------------------------------
 */

static bool
is_program(const char *path)
{
	return access(path, X_OK) == 0 && !path_is_directory(path);
}

/* CMAKE_COMMAND:INTERNAL=/usr/bin/cmake */
static struct str
cached_cmake(struct arena *a, struct str build_directory)
{
	const struct str key = STR("\nCMAKE_COMMAND:INTERNAL=");
	struct str text, value;
	size_t at;

	if (!file_read(a, path_join(a, build_directory, STR("CMakeCache.txt")).p, &text))
		return STR_NONE;
	at = str_search(text, key);
	if (at == text.n)
		return STR_NONE;
	value = str_from(text, at + key.n);
	value = str_trim(str_cut(value.p, str_find(value, '\n')));
	return is_program(str_z(a, value)) ? str_dup(a, value) : STR_NONE;
}

static struct str
program_in_path(struct arena *a, struct str name)
{
	struct str path = str_of(getenv("PATH"));

	while (path.n) {
		size_t n = str_find(path, ':');
		struct str full = path_join(a, n ? str_cut(path.p, n) : STR("."), name);

		if (is_program(full.p))
			return full;
		path = str_from(path, n < path.n ? n + 1 : n);
	}
	return STR_NONE;
}

/* Absolute, since it is started in another directory. */
static struct str
choose_cmake(struct arena *a, const struct source_request *r)
{
	struct str found = r->cmake;

	if (found.n && str_find(found, '/') == found.n)
		found = program_in_path(a, found);
	if (!found.n)
		found = cached_cmake(a, r->path);
	if (!found.n)
		found = program_in_path(a, STR("cmake"));
	return found.n ? path_join(a, path_here(a), found) : STR_NONE;
}

/* ---- the script
 * -------------------------------------------------------------------------- */

/* A quoted argument that every CMake reads as s, whatever the policies. */
static void
add_quoted(struct buf *b, struct str s)
{
	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '"' || c == '\\' || c == '$' || c == '@')
			buf_char(b, '\\');
		if (c == '\r')
			buf_z(b, "\\r");
		else
			buf_char(b, c);
	}
	buf_char(b, '"');
}

/* set(X PARENT_SCOPE) would mean something else. */
static void
add_set(struct buf *b, const struct variable *v)
{
	bool is_keyword = str_is(v->value, "PARENT_SCOPE");

	buf_z(b, "set(");
	add_quoted(b, v->name);
	buf_char(b, ' ');
	add_quoted(b, is_keyword ? STR("") : v->value);
	buf_z(b, ")\n");
	if (is_keyword) {
		buf_z(b, "string(APPEND ");
		add_quoted(b, v->name);
		buf_z(b, " \"PARENT_SCOPE\")\n");
	}
}

static void
add_include(struct buf *b, struct str file)
{
	buf_z(b, "include(");
	add_quoted(b, file);
	buf_z(b, " NO_POLICY_SCOPE)\n");
}

/* The files of one question. */
struct folder {
	struct str path, script, record, environment, out, err;
};

static struct str
script_text(struct arena *a, const struct cmake_question *q, const struct folder *f,
	struct str driver)
{
	struct buf b = {.arena = a};

	if (q->has_tests)
		buf_z(&b, "set(_cctr_commands add_test set_tests_properties "
			  "set_directory_properties subdirs add_subdirectory)\n");
	add_include(&b, driver);
	for (size_t i = 0; i < q->variables_n; i++)
		if (!cmake_process_owns(q->variables[i].name))
			add_set(&b, &q->variables[i]);
	add_include(&b, q->file);
	buf_z(&b, "_cctr_finish(");
	add_quoted(&b, f->record);
	buf_char(&b, ' ');
	add_quoted(&b, f->environment);
	buf_z(&b, ")\n");
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

/* ---- the environment
 * ----------------------------------------------------------------------- */

/* The value of "NAME=value" entries by name; later ones replace earlier ones. */
struct environment {
	struct map names;
	VEC(struct environment_change) v;
};

static void
environment_put(struct arena *a, struct environment *e, struct environment_change change)
{
	uint32_t *at = map_at(&e->names, change.name);

	if (*at != MAP_NONE) {
		e->v.v[*at] = change;
		return;
	}
	*at = (uint32_t)e->v.n;
	VEC_PUSH(a, &e->v, change);
}

static void
environment_put_entry(struct arena *a, struct environment *e, struct str entry)
{
	size_t n = str_find(entry, '=');

	if (n < entry.n)
		environment_put(a, e,
			(struct environment_change){.name = str_cut(entry.p, n),
				.value = str_from(entry, n + 1)});
}

/* This process's own, with what test files have changed so far. */
static struct environment
environment_before(struct arena *a, const struct cmake_question *q)
{
	struct environment e = {.names = map_in(a)};

	for (char **entry = environ; *entry; entry++)
		environment_put_entry(a, &e, str_of(*entry));
	for (size_t i = 0; i < q->environment_n; i++)
		environment_put(a, &e, q->environment[i]);
	return e;
}

static char **
environment_array(struct arena *a, const struct environment *e)
{
	char **array = NEW_ARRAY(a, char *, e->v.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < e->v.n; i++) {
		const struct environment_change *c = &e->v.v[i];

		if (!c->unset)
			array[n++] = (char *)str_fmt(
				a, "%.*s=%.*s", STR_ARG(c->name), STR_ARG(c->value))
					     .p;
	}
	return array;
}

/* What is different in the NUL-ended entries of text. */
static void
environment_compare(struct arena *a, const struct environment *before, struct str text,
	struct cmake_answer *answer)
{
	struct environment after = {.names = map_in(a)};
	VEC(struct environment_change) changes = {0};

	for (; text.n; text = str_from(text, str_find(text, '\0') + 1))
		environment_put_entry(a, &after, str_cut(text.p, str_find(text, '\0')));
	for (size_t i = 0; i < after.v.n; i++) {
		uint32_t old = map_get(&before->names, after.v.v[i].name);

		if (old == MAP_NONE || before->v.v[old].unset ||
			!str_eq(before->v.v[old].value, after.v.v[i].value))
			VEC_PUSH(a, &changes, after.v.v[i]);
	}
	for (size_t i = 0; i < before->v.n; i++)
		if (!before->v.v[i].unset &&
			map_get(&after.names, before->v.v[i].name) == MAP_NONE)
			VEC_PUSH(a, &changes,
				(struct environment_change){.name = before->v.v[i].name,
					.value = STR(""),
					.unset = true});
	answer->environment = changes.v;
	answer->environment_n = changes.n;
}

/* ---- the record
 * ------------------------------------------------------------------------------ */

/* Takes digits and the byte behind them. */
static bool
take_number(struct str *text, char end, size_t *value)
{
	size_t n = str_find(*text, end);
	uint64_t v;

	if (n == text->n || !str_unsigned(str_cut(text->p, n), SIZE_MAX, &v))
		return false;
	*value = (size_t)v;
	*text = str_from(*text, n + 1);
	return true;
}

static bool
take_field(struct str *text, struct str *field)
{
	size_t n;

	if (!take_number(text, ':', &n) || n > text->n)
		return false;
	*field = str_cut(text->p, n);
	*text = str_from(*text, n);
	return true;
}

/* Takes one byte. */
static bool
take(struct str *text, char c)
{
	if (!text->n || *text->p != c)
		return false;
	*text = str_from(*text, 1);
	return true;
}

/* "a;b\;c" as exactly n words. */
static bool
unpack(struct arena *a, struct str packed, struct str *words, size_t n)
{
	struct buf b = {.arena = a};
	size_t done = 0;

	for (size_t i = 0; i < packed.n; i++) {
		char c = packed.p[i];

		if (c == '\\' && i + 1 < packed.n && packed.p[i + 1] == ';') {
			buf_char(&b, packed.p[++i]);
		} else if (c != ';') {
			buf_char(&b, c);
		} else {
			if (done == n)
				return false;
			words[done++] = str_dup(a, buf_as_str(&b));
			b.n = 0;
		}
	}
	if (n == 0)
		return packed.n == 0;
	if (done != n - 1)
		return false;
	words[done] = str_dup(a, buf_as_str(&b));
	return true;
}

static bool
take_words(struct arena *a, struct str *text, struct str *words, size_t n)
{
	struct str packed;

	if (take(text, 'P'))
		return take(text, ' ') && take_field(text, &packed) &&
		       unpack(a, packed, words, n);
	if (!take(text, 'N'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!take(text, ' ') || !take_field(text, &words[i]))
			return false;
	return true;
}

/* One line of the record. */
static bool
take_call(struct arena *a, struct str *text, struct cmake_call *call)
{
	size_t space = str_find(*text, ' '), n;

	call->command = str_cut(text->p, space);
	if (space == text->n)
		return false;
	*text = str_from(*text, space + 1);
	/* Every word takes a byte at least, its comma or semicolon. */
	if (!take_number(text, ' ', &n) || n > text->n + 1)
		return false;
	call->words = (struct str_list){NEW_ARRAY(a, struct str, n), n};
	return take_words(a, text, call->words.v, n) && take(text, '\n');
}

bool
cmake_process_parse(struct arena *a, struct str record, struct cmake_answer *answer)
{
	VEC(struct cmake_call) calls = {0};
	VEC(struct variable) variables = {0};
	struct cmake_call call;
	bool is_whole = false;

	while (!is_whole && record.n && take_call(a, &record, &call)) {
		is_whole = str_is(call.command, "end");
		if (str_is(call.command, "variable") && call.words.n == 2)
			VEC_PUSH(a, &variables,
				(struct variable){call.words.v[0], call.words.v[1]});
		else if (!is_whole)
			VEC_PUSH(a, &calls, call);
	}
	answer->calls = calls.v;
	answer->calls_n = calls.n;
	answer->variables = variables.v;
	answer->variables_n = variables.n;
	return is_whole && record.n == 0;
}

/* ---- the process
 * ------------------------------------------------------------------------------- */

static bool
open_folder(struct arena *a, struct folder *f)
{
	const char *base = getenv("TMPDIR");
	char *path =
		(char *)str_fmt(a, "%s/cctr-XXXXXX", base && *base ? base : "/tmp").p;

	if (!mkdtemp(path))
		return false;
	f->path = path_join(a, path_here(a), str_of(path));
	f->script = path_join(a, f->path, STR("script.cmake"));
	f->record = path_join(a, f->path, STR("record"));
	f->environment = path_join(a, f->path, STR("environment"));
	f->out = path_join(a, f->path, STR("out"));
	f->err = path_join(a, f->path, STR("err"));
	return true;
}

static void
close_folder(const struct folder *f)
{
	const struct str files[] = {f->script, f->record, f->environment, f->out, f->err};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(files[i].p);
	rmdir(f->path.p);
}

/* An errno, 0 when it ran; *status as waitpid gives it. */
static int
run(struct arena *a, const struct cmake_question *q, const struct folder *f,
	struct str cmake, char **environment, int *status)
{
	char *argv[] = {(char *)str_z(a, cmake), "--log-level=NOTICE", "-P",
		(char *)f->script.p, NULL};
	const int flags = O_WRONLY | O_CREAT | O_TRUNC;
	posix_spawn_file_actions_t actions;
	int error;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, f->out.p, flags, 0600);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, f->err.p, flags, 0600);
	posix_spawn_file_actions_addchdir_np(&actions, str_z(a, q->directory));
	error = posix_spawn(&pid, argv[0], &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	while (error == 0 && waitpid(pid, status, 0) < 0)
		error = errno == EINTR ? 0 : errno;
	return error;
}

static struct str
read_or_empty(struct arena *a, struct str path)
{
	struct str text;

	return file_read(a, path.p, &text) ? text : STR("");
}

static void
collect(struct arena *a, const struct cmake_question *q, const struct folder *f,
	struct str driver, const struct environment *before, struct cmake_answer *answer)
{
	struct cmake_frames frames = {.directory = q->directory,
		.file = q->file,
		.spelled = q->spelled,
		.ours = {driver, f->script},
		.caller = q->caller};
	bool is_whole = cmake_process_parse(a, read_or_empty(a, f->record), answer);

	answer->output = read_or_empty(a, f->out);
	answer->messages = cmake_frames_restore(a, &frames, read_or_empty(a, f->err));
	answer->is_cut_off = !is_whole;
	answer->failed = answer->failed || !is_whole;
	if (is_whole)
		environment_compare(a, before, read_or_empty(a, f->environment), answer);
}

static bool
ask_in(struct arena *a, const struct cmake_question *q, const struct folder *f,
	struct str cmake, struct cmake_answer *answer, struct diag *d)
{
	struct str driver = path_join(a, q->request->share, STR("CctrManifest.cmake"));
	struct environment before = environment_before(a, q);
	int error, status = 0;

	if (!file_write(a, f->script.p, ".tmp", script_text(a, q, f, driver)))
		return diag_error(
			d, NO_PLACE, "cannot write %s: %s", f->script.p, strerror(errno));
	error = run(a, q, f, cmake, environment_array(a, &before), &status);
	if (error)
		return diag_error(d, NO_PLACE, "cannot run %.*s: %s", STR_ARG(cmake),
			strerror(error));
	answer->failed = status != 0;
	collect(a, q, f, driver, &before, answer);
	if (WIFSIGNALED(status))
		return diag_error(d, NO_PLACE,
			"%.*s was ended by signal %d while it read %.*s", STR_ARG(cmake),
			WTERMSIG(status), STR_ARG(q->file));
	return true;
}

bool
cmake_process_ask(struct arena *a, const struct cmake_question *q,
	struct cmake_answer *answer, struct diag *d)
{
	struct str cmake = choose_cmake(a, q->request);
	const struct place *at = &q->needed_by;
	struct folder f;
	bool asked;

	*answer = (struct cmake_answer){0};
	if (!cmake.n)
		return diag_error(d, *at,
			"%.*s needs cmake to be evaluated, and none was found",
			STR_ARG(at->command.n ? at->command : q->file));
	if (!open_folder(a, &f))
		return diag_error(d, NO_PLACE, "cannot make a temporary folder: %s",
			strerror(errno));
	asked = ask_in(a, q, &f, cmake, answer, d);
	close_folder(&f);
	return asked;
}
