/* Query files. See instrumentation.h. */
#include "compat/instrument/instrumentation.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>

#include "compat/format/json_place.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

/* The folder of a release in which instrumentation is an experiment ends with the UUID
 * that switches it on. */
#define UUID_4_0 "a37d1069-1972-4901-b9c9-f194aaf2b6e0"
enum { FOLDER, FOLDER_4_2, FOLDER_4_0, FOLDERS };
static const char *const folders[FOLDERS] = {
	"instrumentation/v1",
	"instrumentation-ec7aa2dc-b87f-45a3-8022-fe01c5f59984/v1",
	"instrumentation-" UUID_4_0 "/v1",
};

static const char *
release_folder(const struct dialect *dialect)
{
	if (!dialect->has[DIALECT_INSTRUMENTATION_OPTIONS])
		return folders[FOLDER_4_0];
	return folders[dialect->has[DIALECT_INSTRUMENTATION_FOLDER] ? FOLDER
								    : FOLDER_4_2];
}

/* "": the release has no such hook. */
static const char *const *
hook_names(const struct dialect *dialect)
{
	static const char *const latest[INSTRUMENT_HOOKS] = {"postGenerate", "preBuild",
		"postBuild", "preCMakeBuild", "postCMakeBuild", "postCTest",
		"postCMakeInstall", "postCMakeWorkflow", "prepareForCDash", "manual"};
	static const char *const in_4_2[INSTRUMENT_HOOKS] = {"postGenerate", "preBuild",
		"postBuild", "preCMakeBuild", "postCMakeBuild", "postCTest",
		"postCMakeInstall", "", "prepareForCDash", "manual"};
	static const char *const in_4_0[INSTRUMENT_HOOKS] = {"postGenerate", "preBuild",
		"postBuild", "preCMakeBuild", "postCMakeBuild", "postTest", "postInstall",
		"", "prepareForCDash", "manual"};

	if (!dialect->has[DIALECT_INSTRUMENTATION_OPTIONS])
		return in_4_0;
	return dialect->has[DIALECT_INSTRUMENTATION_FOLDER] ? latest : in_4_2;
}

const char *
instrument_hook_name(const struct dialect *dialect, enum instrument_hook hook)
{
	return hook_names(dialect)[hook];
}

/* "": the release has no such option. */
static const char *const *
option_names(const struct dialect *dialect)
{
	static const char *const latest[INSTRUMENT_OPTIONS] = {"staticSystemInformation",
		"dynamicSystemInformation", "captureOutput", "compileTrace",
		"cdashSubmit", "cdashVerbose", "trace"};
	static const char *const in_4_2[INSTRUMENT_OPTIONS] = {"staticSystemInformation",
		"dynamicSystemInformation", "", "", "cdashSubmit", "cdashVerbose",
		"trace"};
	static const char *const in_4_0[INSTRUMENT_OPTIONS] = {"staticSystemInformation",
		"dynamicSystemInformation", "", "", "", "", ""};

	if (!dialect->has[DIALECT_INSTRUMENTATION_OPTIONS])
		return in_4_0;
	return dialect->has[DIALECT_INSTRUMENTATION_DATA_1_1] ? latest : in_4_2;
}

/* ---- one query ------------------------------------------------------------------- */

struct query {
	struct arena *arena;
	struct instrumentation *to;
	struct json_document document;
	/* What the query asks for; it counts if the query has no fault. */
	bool hooks[INSTRUMENT_HOOKS], options[INSTRUMENT_OPTIONS];
	str_vec callbacks;
	struct buf faults; /* in the form of the document, in CMake's words */
};

/* value: NULL where CMake knows no place. */
static void
add_fault(struct query *q, const struct json_value *value, const char *fmt, ...)
{
	struct str text;
	va_list args;

	va_start(args, fmt);
	text = str_vfmt(q->arena, fmt, args);
	va_end(args);
	if (q->faults.n)
		buf_char(&q->faults, '\n');
	buf_str(&q->faults,
		json_place_text(q->arena, q->to->dialect, &q->document, value, text));
}

/* Sets the flag whose name the value is. */
static void
set_flag(struct query *q, const struct json_value *value, const char *what, bool *flags,
	const char *const *names, size_t n)
{
	struct str text = json_value_text(q->arena, value);

	for (size_t k = 0; k < n; k++)
		if (text.n && str_is(text, names[k])) {
			flags[k] = true;
			return;
		}
	add_fault(q, value, "Not a valid %s: \"%.*s\"", what, STR_ARG(text));
}

static void
add_hook(struct query *q, const struct json_value *value, size_t at)
{
	(void)at;
	set_flag(
		q, value, "hook", q->hooks, hook_names(q->to->dialect), INSTRUMENT_HOOKS);
}

static void
add_option(struct query *q, const struct json_value *value, size_t at)
{
	const struct dialect *dialect = q->to->dialect;

	(void)at;
	set_flag(q, value,
		dialect->has[DIALECT_INSTRUMENTATION_OPTIONS] ? "option" : "query",
		q->options, option_names(dialect), INSTRUMENT_OPTIONS);
}

static void
add_callback(struct query *q, const struct json_value *value, size_t at)
{
	bool is_container = json_is(value, JSON_ARRAY) || json_is(value, JSON_OBJECT);
	struct str got = json_value_text(q->arena, value);

	if (json_is(value, JSON_STRING))
		VEC_PUSH(q->arena, &q->callbacks, str_dup(q->arena, value->text));
	else
		add_fault(q, value, "\"$vector_item_%zu\" expected a string%s%.*s", at,
			is_container ? "" : ", got: ", STR_ARG(got));
}

static void
add_list(struct query *q, const struct json_value *list,
	void (*add)(struct query *q, const struct json_value *value, size_t at))
{
	size_t at = 0;

	if (!json_is(list, JSON_ARRAY)) {
		add_fault(q, list, "Invalid Array");
		return;
	}
	for (const struct json_value *v = json_first(list); v; v = v->next)
		add(q, v, at++);
}

static void
check_whole(struct query *q, const struct json_value *value, const char *name)
{
	struct str got = json_value_text(q->arena, value);

	if (!json_is_whole(value, INT_MIN, INT_MAX))
		add_fault(q, value, "\"%s\" expected an integer, got: %.*s", name,
			STR_ARG(got));
}

static void
check_version_object(struct query *q, const struct json_value *version)
{
	const struct json_value *major = json_member(version, "major");
	const struct json_value *minor = json_member(version, "minor");

	if (major)
		check_whole(q, major, "major");
	else
		add_fault(
			q, version, "Missing required field \"major\" in version object");
	if (minor)
		check_whole(q, minor, "minor");
	for (const struct json_value *v = json_first(version); v; v = v->next)
		if (v != major && v != minor)
			add_fault(q, v, "Invalid extra field \"%.*s\" in version object",
				STR_ARG(v->name));
}

static void
check_version(struct query *q, const struct json_value *version)
{
	bool may_be_object = q->to->dialect->has[DIALECT_INSTRUMENTATION_DATA_1_1];

	if (may_be_object && json_is(version, JSON_OBJECT))
		check_version_object(q, version);
	else if (may_be_object && !json_is_whole(version, INT_MIN, INT_MAX))
		add_fault(q, version, "Version must be an integer or object");
	else
		check_whole(q, version, "version");
}

/* A query for data of another version is ignored since 4.4; before, the number does not
 * matter. */
static bool
is_of_our_version(const struct query *q, const struct json_value *version)
{
	bool is_object = json_is(version, JSON_OBJECT);
	const struct json_value *major =
		is_object ? json_member(version, "major") : version;
	const struct json_value *minor = json_member(version, "minor");

	return !q->to->dialect->has[DIALECT_INSTRUMENTATION_DATA_1_1] ||
	       (json_number_int(major) == 1 && (!minor || json_number_int(minor) <= 1));
}

/* In CMake's order, which the messages show. */
static void
read_members(struct query *q)
{
	const struct json_value *root = q->document.root, *version, *list;
	const char *options = q->to->dialect->has[DIALECT_INSTRUMENTATION_OPTIONS]
				      ? "options"
				      : "queries";

	version = json_member(root, "version");
	if (version)
		check_version(q, version);
	else
		add_fault(q, root, "Missing required field \"version\" in root object");
	if (version && !q->faults.n && !is_of_our_version(q, version))
		return;
	if ((list = json_member(root, options)))
		add_list(q, list, add_option);
	if ((list = json_member(root, "hooks")))
		add_list(q, list, add_hook);
	if ((list = json_member(root, "callbacks")))
		add_list(q, list, add_callback);
	for (const struct json_value *v = json_first(root); v; v = v->next)
		if (!str_is(v->name, "version") && !str_is(v->name, options) &&
			!str_is(v->name, "hooks") && !str_is(v->name, "callbacks"))
			add_fault(q, v, "Invalid extra field \"%.*s\" in root object",
				STR_ARG(v->name));
}

static void
take_query(const struct query *q)
{
	struct instrumentation *i = q->to;

	for (size_t k = 0; k < INSTRUMENT_HOOKS; k++)
		i->hooks[k] |= q->hooks[k];
	for (size_t k = 0; k < INSTRUMENT_OPTIONS; k++)
		i->options[k] |= q->options[k];
	VEC_PUSH_ALL(q->arena, &i->callbacks, q->callbacks);
}

/* A file that is no JSON is only complained of; another wrong query stops the tests. */
static void
read_query(struct query *q, struct buf *complaints, struct buf *messages,
	struct str folder, struct str name)
{
	struct instrumentation *i = q->to;
	struct str path = str_fmt(q->arena, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name));
	struct str text, missing;
	struct str_list whys = {0};
	bool is_checked = i->dialect->has[DIALECT_INSTRUMENTATION_QUERY_CHECKS];

	i->is_asked = true;
	if (file_read(q->arena, path.p, &text)) {
		q->document = json_read(q->arena, i->dialect, JSON_STRICT, text);
		q->document.path = path;
		if (!q->document.root)
			whys = json_refusal(q->arena, i->dialect, &q->document);
		else if (json_is(q->document.root, JSON_OBJECT))
			read_members(q);
		else
			add_fault(q, q->document.root, "Invalid root object");
	} else {
		whys.v = &missing;
		whys.n = 1;
		missing = str_fmt(q->arena, "File not found: %.*s", STR_ARG(path));
	}
	for (size_t k = 0; k < whys.n; k++) {
		buf_fmt(complaints, "%s%.*s\n", is_checked ? "" : "\n",
			STR_ARG(whys.v[k]));
		buf_fmt(messages, "%s%.*s\n", is_checked ? "" : "\n", STR_ARG(whys.v[k]));
	}
	if (!q->faults.n)
		take_query(q);
	if (!q->faults.n || !is_checked)
		return;
	i->is_refused = true;
	buf_fmt(messages,
		"CMake Error: Could not load instrumentation queries from %.*s:\n%.*s\n",
		STR_ARG(folder), STR_ARG(buf_as_str(&q->faults)));
}

struct messages {
	struct buf all, complaints;
};

/* In the order of the directory, as CMake reads them. */
static void
read_folder(
	struct arena *a, struct instrumentation *i, struct str folder, struct messages *m)
{
	str_vec names = {0};

	if (!path_is_directory(folder.p) || !directory_read(a, folder.p, &names))
		return;
	for (size_t k = 0; k < names.n; k++) {
		struct query q = {.arena = a, .to = i, .faults = {.arena = a}};

		if (str_ends(names.v[k], STR(".json")))
			read_query(&q, &m->complaints, &m->all, folder, names.v[k]);
	}
}

/* ---- all queries ----------------------------------------------------------------- */

/* cmake-env-variables(7), CMAKE_CONFIG_DIR. STR_NONE: there is none. */
static struct str
user_folder(struct arena *a)
{
	const char *cmake = getenv("CMAKE_CONFIG_DIR"),
		   *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (cmake)
		return str_of(cmake);
	if (config)
		return str_fmt(a, "%s/cmake", config);
	return home ? str_fmt(a, "%s/.config/cmake", home) : STR_NONE;
}

struct dialect
instrument_dialect(struct arena *a, struct str build)
{
	struct diag d = diag_in(a);
	struct dialect dialect;

	if (!dialect_choose(
		    &dialect, a, STR_NONE, getenv("CCTR_COMPAT_VERSION"), build, &d))
		dialect = dialect_of(UINT_MAX);
	return dialect;
}

static bool
is_on(const char *variable)
{
	return variable && !cmake_is_off(str_of(variable));
}

/* Until 4.1 ctest itself looks at the variables by which a dashboard asks for the data,
 * and at the one that switches the experiment on. */
static bool
is_asked_by_dashboard(void)
{
	return is_on(getenv("CTEST_USE_INSTRUMENTATION")) &&
	       str_is(str_of(getenv("CTEST_EXPERIMENTAL_INSTRUMENTATION")), UUID_4_0);
}

bool
instrumentation_may_exist(struct arena *a, struct str build)
{
	struct str user = user_folder(a);

	if (is_asked_by_dashboard())
		return true;

	for (int f = 0; f < FOLDERS; f++)
		if (path_may_exist(str_fmt_z(
			    a, "%.*s/.cmake/%s/query", STR_ARG(build), folders[f])) ||
			(user.p && path_may_exist(str_fmt_z(a, "%.*s/%s/query",
					   STR_ARG(user), folders[f]))))
			return true;
	return false;
}

static void
add_implied_options(struct instrumentation *i)
{
	if (i->options[OPTION_CDASH_VERBOSE])
		i->options[OPTION_CDASH_SUBMIT] = true;
	if (i->options[OPTION_CDASH_SUBMIT]) {
		i->options[OPTION_DYNAMIC_SYSTEM_INFORMATION] = true;
		i->hooks[HOOK_PREPARE_FOR_CDASH] = true;
	}
}

static void
add_dashboard_of_4_0(struct instrumentation *i)
{
	if (is_asked_by_dashboard()) {
		i->is_asked = true;
		i->options[OPTION_DYNAMIC_SYSTEM_INFORMATION] = true;
		i->hooks[HOOK_PREPARE_FOR_CDASH] = true;
	}
	i->options[OPTION_CDASH_SUBMIT] = i->hooks[HOOK_PREPARE_FOR_CDASH];
	i->options[OPTION_CDASH_VERBOSE] =
		is_on(getenv("CTEST_USE_VERBOSE_INSTRUMENTATION"));
}

struct instrumentation *
instrumentation_read(struct arena *a, const struct dialect *dialect, struct str build)
{
	struct instrumentation *i = NEW(a, struct instrumentation);
	const char *folder = release_folder(dialect);
	struct str user = user_folder(a);
	struct messages m = {{.arena = a}, {.arena = a}};

	*i = (struct instrumentation){.dialect = dialect, .build = build};
	i->root = str_fmt(a, "%.*s/.cmake/%s", STR_ARG(build), folder);
	i->data = str_fmt(a, "%.*s/data", STR_ARG(i->root));
	i->cdash = str_fmt(a, "%.*s/cdash", STR_ARG(i->root));
	read_folder(a, i, str_fmt(a, "%.*s/query", STR_ARG(i->root)), &m);
	read_folder(a, i, str_fmt(a, "%.*s/query/generated", STR_ARG(i->root)), &m);
	if (user.p)
		read_folder(a, i, str_fmt(a, "%.*s/%s/query", STR_ARG(user), folder), &m);
	if (dialect->has[DIALECT_INSTRUMENTATION_OPTIONS])
		add_implied_options(i);
	else
		add_dashboard_of_4_0(i);
	i->messages = buf_as_str(&m.all);
	i->complaints = buf_as_str(&m.complaints);
	return i;
}
