/*
 * The table of scripts' commands that are steps, and how a call runs: arguments, keys and
 * options, the step, its result. Texts are ctest's. See script_steps.h.
 *
 * If arguments are wrong but the step still runs, the script gets two replies: its cmake
 * raises the errors, and then asks to continue.
 */
#include "compat/dashboard/script/script_steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/dashboard/step_table.h"
#include "compat/settings/settings.h"
#include "runner/base/environment.h"
#include "runner/base/caller.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_program.h"

struct step_request {
	struct scripts *scripts;
	struct arena *arena;
	struct script_call words; /* of the script, including its variables */
	struct script_reply *reply;
	const struct script_step *row;
	struct dashboard *d;
	struct step_input in; /* of the step; its stamp and files are set at the end */
	struct step_argument *arguments; /* of the call */
	struct options options; /* from the command line; the call may change them */
	struct custom custom;
	struct step_result result; /* of the step */
	struct str failure; /* request_fail; STR_NONE: it was not called */
	bool has_error; /* CMake's own error was raised */
	bool is_after_error; /* of the script */
	struct str refusal; /* error in the arguments, or STR_NONE */
	size_t errors; /* of the console at the beginning */
	struct str here; /* where the script runs */
};

/* ---- the call -------------------------------------------------------------------- */

struct arena *
request_arena(const struct step_request *r)
{
	return r->arena;
}

const struct step_input *
request_input(const struct step_request *r)
{
	return &r->in;
}

struct options *
request_options(struct step_request *r)
{
	return &r->options;
}

struct dashboard *
request_dashboard(struct step_request *r)
{
	return r->d;
}

void
request_set_source(struct step_request *r, struct str source)
{
	r->in.source = source;
}

void
request_fail(struct step_request *r, struct str message)
{
	INVARIANT(message.n);
	r->failure = message;
}

void
request_end(struct step_request *r)
{
	r->result.ends = true;
}

bool
request_has_error(const struct step_request *r)
{
	return r->has_error;
}

struct str
request_value(const struct step_request *r, const char *keyword)
{
	INVARIANT(*keyword);
	return step_value(&r->in.call, keyword);
}

bool
request_has(const struct step_request *r, const char *keyword)
{
	return step_has(&r->in.call, keyword);
}

struct str
request_variable(const struct step_request *r, const char *name)
{
	return script_variable(&r->words, name);
}

const char *
request_environment(const struct step_request *r, const char *name)
{
	return r->words.environment ? environment_find(r->words.environment, name)
				    : getenv(name);
}

struct str
request_value_or(const struct step_request *r, const char *keyword, const char *variable)
{
	struct str value = request_value(r, keyword);

	return value.n ? value : request_variable(r, variable);
}

void
request_set(struct step_request *r, const char *keyword, struct str value)
{
	struct str variable = request_value(r, keyword);

	INVARIANT(*keyword);
	if (variable.n)
		script_reply_set(r->reply, variable, value);
}

bool
request_output(const struct step_request *r, const char *name, struct str *value)
{
	INVARIANT(value);
	for (size_t i = 0; i < r->result.outputs.n; i++)
		if (str_is(r->result.outputs.v[i].name, name)) {
			*value = r->result.outputs.v[i].value;
			return true;
		}
	return false;
}

void
request_set_output(struct step_request *r, const char *keyword)
{
	struct str value;

	if (request_output(r, keyword, &value))
		request_set(r, keyword, value);
}

void
request_key(struct step_request *r, const char *key, struct str value)
{
	script_set_key(r->d, &r->in, key, value);
}

void
request_key_silently(struct step_request *r, const char *key, struct str value)
{
	configuration_set(
		&r->d->configuration, str_fmt(r->arena, "%s=%.*s", key, STR_ARG(value)));
}

void
request_key_of(struct step_request *r, const char *key)
{
	script_take_key(r->d, &r->in, &r->words, key, script_key_variable(key));
}

void
request_keys(struct step_request *r)
{
	for (const struct script_key *k = script_keys; k->key; k++)
		if (k->part == r->in.call.part)
			request_key_of(r, k->key);
}

void
request_add_values(struct step_request *r, const char *keyword, struct str_list values)
{
	struct step_argument *all =
		NEW_ARRAY(r->arena, struct step_argument, r->in.call.n + 1);

	for (size_t i = 0; i < r->in.call.n; i++)
		all[i] = r->arguments[i];
	all[r->in.call.n++] = (struct step_argument){str_of(keyword), values.v, values.n};
	r->arguments = all;
	r->in.call.arguments = all;
}

void
request_keep_values(struct step_request *r, const char *keyword,
	bool (*keep)(struct step_request *r, struct str value))
{
	for (size_t i = 0; i < r->in.call.n; i++) {
		struct step_argument *argument = &r->arguments[i];
		struct str *kept = NEW_ARRAY(r->arena, struct str, argument->n);
		size_t n = 0;

		if (!str_is(argument->name, keyword))
			continue;
		for (size_t k = 0; k < argument->n; k++)
			if (keep(r, argument->values[k]))
				kept[n++] = argument->values[k];
		argument->values = kept;
		argument->n = n;
	}
}

static bool
is_there(struct step_request *r, struct str file)
{
	if (path_exists(str_z(r->arena, file)))
		return true;
	request_error(r, str_fmt(r->arena,
				 "File \"%.*s\" does not exist.  Cannot submit a "
				 "non-existent file.",
				 STR_ARG(file)));
	return false;
}

void
request_check_files(struct step_request *r, const char *keyword)
{
	request_keep_values(r, keyword, is_there);
}

struct str
request_build_directory(const struct step_request *r)
{
	return configuration_get(&r->d->configuration, "BuildDirectory");
}

struct str
request_cmake(const struct step_request *r)
{
	struct str cmake = cmake_program_for(r->arena, STR_NONE, r->here);

	return cmake.n ? cmake : STR("cmake");
}

/* ---- errors ---------------------------------------------------------------------- */

static bool
is_captured(const struct step_request *r)
{
	return request_value(r, "CAPTURE_CMAKE_ERROR").n > 0;
}

/* The command in messages that are not CMake's. */
static const char *
own_name(const struct step_request *r)
{
	if (r->row->part == PART_MEMCHECK &&
		r->scripts->dialect->has[DIALECT_MEMCHECK_CALLED_TEST])
		return "ctest_test";
	return r->row->command;
}

static const char *
captured_end(const struct step_request *r)
{
	return r->scripts->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND]
		       ? ""
		       : " error from command";
}

void
request_error(struct step_request *r, struct str text)
{
	r->has_error = true;
	script_reply_error(r->reply, text);
}

/* Raises one error of CMake's own per command; errors in arguments do not count. */
static void
raise_error(struct step_request *r, struct str text)
{
	if (!r->has_error)
		request_error(
			r, str_fmt(r->arena, "%s %.*s", r->row->command, STR_ARG(text)));
}

static void
set_captured(struct step_request *r, bool is_bad)
{
	request_set(r, "CAPTURE_CMAKE_ERROR", is_bad ? STR("-1") : STR("0"));
}

static void
refuse_call(struct step_request *r, struct str text)
{
	if (!is_captured(r))
		raise_error(r, text);
	else if (text.n)
		console_fmt(r->in.console, CHANNEL_ERROR, "%s %.*s%s\n", own_name(r),
			STR_ARG(text), captured_end(r));
	set_captured(r, true);
}

/* true: ctest 4 has a new implementation of the command. */
static bool
is_new_implementation(const struct step_request *r)
{
	return r->row->is_new_implementation &&
	       r->scripts->dialect->has[DIALECT_CONFIGURE_MAKES_DIRECTORY];
}

/* before() has reported why. */
static void
refuse_step(struct step_request *r)
{
	struct str why = r->result.errors.n ? r->result.errors.v[0] : STR_NONE;
	bool names = r->scripts->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND];

	if (!is_new_implementation(r))
		console_fmt(r->in.console, CHANNEL_ERROR,
			"Cannot instantiate test handler %s\n", own_name(r));
	if (!is_captured(r))
		raise_error(r, why.n ? why : STR("unknown error."));
	else if (why.n || names)
		console_fmt(r->in.console, CHANNEL_ERROR, "%s%s%.*s%s\n",
			names ? own_name(r) : "", names ? " " : "",
			STR_ARG(why.n ? why : STR("unknown error.")), captured_end(r));
	set_captured(r, true);
}

bool
request_refuse(struct step_request *r, struct str text)
{
	VEC_PUSH(r->arena, &r->result.errors, text);
	return false;
}

/* ---- arguments ------------------------------------------------------------------- */

static const struct keyword common[] = {
	{"APPEND", TAKES_NONE, 0},
	{"QUIET", TAKES_NONE, 0},
	{"RETURN_VALUE", TAKES_VALUE, 0},
	{"CAPTURE_CMAKE_ERROR", TAKES_VALUE, 0},
	{"SOURCE", TAKES_VALUE, 0},
	{"BUILD", TAKES_VALUE, 0},
	{"SUBMIT_INDEX", TAKES_VALUE, 0},
	{NULL, TAKES_NONE, 0},
};
static const struct keyword few[] = {
	{"QUIET", TAKES_NONE, 0},
	{"CAPTURE_CMAKE_ERROR", TAKES_VALUE, 0},
	{NULL, TAKES_NONE, 0},
};
static const struct keyword fewer_now[] = {
	{"QUIET", TAKES_NONE, 0},
	{"RETURN_VALUE", TAKES_VALUE, 0},
	{"CAPTURE_CMAKE_ERROR", TAKES_VALUE, 0},
	{"SOURCE", TAKES_VALUE, 0},
	{NULL, TAKES_NONE, 0},
};

static struct keyword_tables
tables_of(const struct step_request *r)
{
	const struct script_step *row = r->row;
	const struct str_list *words = &r->words.words;
	const struct dialect *dialect = r->scripts->dialect;
	struct keyword_tables t = {row->keywords, row->more, common, dialect};

	if (row->others && words->n && str_is(words->v[0], row->others->name))
		t = (struct keyword_tables){row->others, row->more, common, dialect};
	if (row->is_alone)
		t.common = few;
	if (row->is_alone_now && dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND])
		t.common = fewer_now;
	return t;
}

/* Reports all of them in one message, captured or not. */
static void
raise_missing(struct step_request *r, str_vec *missing)
{
	bool repeats = r->scripts->dialect->has[DIALECT_KEYWORD_ERRORS_REPEAT];
	struct buf text = {.arena = r->arena};

	str_list_sort(str_vec_list(missing));
	for (size_t i = 0; i < missing->n; i++) {
		bool is_first = i == 0 || !str_eq(missing->v[i], missing->v[i - 1]);

		if (is_first)
			buf_fmt(&text, "Error after keyword \"%.*s\":\n",
				STR_ARG(missing->v[i]));
		if (is_first || repeats)
			buf_z(&text, "  missing required value\n");
	}
	request_error(r, buf_as_str(&text));
	set_captured(r, true);
}

static void
check_args_strict(struct step_request *r, struct arguments_wrong *wrong)
{
	if (wrong->missing.n) {
		raise_missing(r, &wrong->missing);
		r->refusal = STR("");
	} else if (wrong->twice.p) {
		r->refusal = str_fmt(r->arena, "called with more than one value for %.*s",
			STR_ARG(wrong->twice));
	}
}

static void
check_args_lenient(struct step_request *r, const struct arguments_wrong *wrong)
{
	if (r->row->check)
		r->row->check(r);
	if (wrong->twice.p && !r->row->is_alone)
		request_error(
			r, str_fmt(r->arena, "Called with more than one value for %.*s",
				   STR_ARG(wrong->twice)));
}

static void
check_args(struct step_request *r, struct arguments_wrong *wrong)
{
	bool is_strict = r->scripts->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND];

	if (is_strict)
		check_args_strict(r, wrong);
	else
		check_args_lenient(r, wrong);
	if (!r->refusal.p && wrong->unknown.p)
		r->refusal = str_fmt(r->arena, "called with unknown argument \"%.*s\".",
			STR_ARG(wrong->unknown));
	if (is_strict && !r->refusal.p && r->row->check)
		r->row->check(r);
}

static void
parse_arguments(struct step_request *r)
{
	struct keyword_tables tables = tables_of(r);
	struct arguments_wrong wrong;

	r->arguments =
		script_arguments(r->arena, &tables, &r->words.words, &r->in.call, &wrong);
	r->in.call.append = request_has(r, "APPEND");
	r->in.is_quiet = request_has(r, "QUIET");
	check_args(r, &wrong);
}

/* ---- the step -------------------------------------------------------------------- */

static key_setter *
setter_of(const struct step_request *r)
{
	return is_new_implementation(r) ? request_key_silently : request_key;
}

static void
set_directories(struct step_request *r)
{
	struct scripts *s = r->scripts;
	struct str build = request_value_or(r, "BUILD", "CTEST_BINARY_DIRECTORY");
	struct str source = request_value_or(r, "SOURCE", "CTEST_SOURCE_DIRECTORY");
	key_setter *set = setter_of(r);

	if (build.n || is_new_implementation(r))
		set(r, "BuildDirectory", build.n ? script_path(s, build) : STR(""));
	else
		console_say(s->console, CHANNEL_ERROR,
			STR("CTEST_BINARY_DIRECTORY not set\n"));
	set(r, "SourceDirectory", script_path(s, source));
	/* Files go where ctest_start said, even if the step works elsewhere. */
	if (!r->d->stamp.tag.n)
		r->d->binary = request_build_directory(r);
	r->in.binary = r->d->binary;
	r->in.source = configuration_get(&r->d->configuration, "SourceDirectory");
}

static void
set_keys(struct step_request *r)
{
	struct str change = request_variable(r, "CTEST_CHANGE_ID");

	r->in.subproject = request_variable(r, "_cctr_property_SubProject");
	r->in.subproject_labels = request_variable(r, "_cctr_property_SubProjectLabels");
	r->in.label = request_variable(r, "_cctr_property_Label");
	if (change.p)
		setter_of(r)(r, "ChangeId", change);
}

static struct str
not_entered(struct step_request *r, struct str directory, int error)
{
	return str_fmt(r->arena,
		r->scripts->dialect->has[DIALECT_ERROR_QUOTES_DIRECTORY]
			? "Failed to change working directory to \"%.*s\": %s"
			: "failed to change directory to %.*s : %s",
		STR_ARG(directory), strerror(error));
}

/* The build tree as ctest names it. Until 3.31 a link keeps its name only where it is
 * given as an absolute path without "..". */
static struct str
named_directory(const struct step_request *r, struct str binary, const char *path)
{
	struct str spelled = request_value_or(r, "BUILD", "CTEST_BINARY_DIRECTORY");
	struct caller_names names;

	if (r->scripts->dialect->has[DIALECT_DIRECTORY_NAMES_AS_GIVEN] ||
		(str_begins(spelled, STR("/")) && !str_has(spelled, STR(".."))))
		return binary;
	names = caller_names(r->arena);
	return caller_name_at(r->arena, &names, path);
}

/* The step works in the build tree. No release adds " error from command" here. */
static bool
take_directory(struct step_request *r)
{
	struct str binary = request_build_directory(r), why;
	const char *path;
	int error;

	if (is_new_implementation(r)) {
		r->in.directory = r->here;
		return true;
	}
	path = path_in(r->arena, r->here, binary);
	error = binary.n ? path_why_not_entered(path) : ENOENT;
	if (!error) {
		r->in.directory = named_directory(r, binary, path);
		r->in.binary = str_of(step_path(&r->in, r->in.binary));
		return true;
	}
	why = not_entered(r, binary, error);
	if (is_captured(r)) {
		console_fmt(r->in.console, CHANNEL_ERROR, "%s %.*s\n", own_name(r),
			STR_ARG(why));
		set_captured(r, true);
	} else {
		raise_error(r, why);
	}
	return false;
}

/* true: there was an error, from any source. */
static bool
has_gone_wrong(const struct step_request *r)
{
	return r->has_error || console_errors(r->scripts->console) > r->errors;
}

static void
end_call(struct step_request *r)
{
	bool is_bad = has_gone_wrong(r);

	request_set(r, "RETURN_VALUE", str_fmt(r->arena, "%d", r->result.value));
	if (r->row->after)
		r->row->after(r);
	if (is_captured(r))
		set_captured(r, is_bad);
}

static void
run_step(struct step_request *r)
{
	bool ends = r->result.ends;

	r->result = step_run(&r->in);
	r->result.ends = r->result.ends || ends;
	dashboard_fold(r->d, &r->result);
}

/* Runs the step in the environment. Returns what it changes there: by set(ENV{X}) of a
 * test file, by a build. */
static environment_changes
run_in_environment(struct step_request *r, const struct own_environment *own,
	const char *const *environment)
{
	const char *const *ours = environment_copy(r->arena, environment_own());
	const char *const *before;
	const char *const *after;

	own->own_replace(r->arena, environment);
	before = environment_copy(r->arena, environment_own());
	run_step(r);
	after = environment_copy(r->arena, environment_own());
	own->own_replace(r->arena, ours);
	if (r->result.unset)
		after = environment_without(r->arena, after, r->result.unset);
	return environment_compare(r->arena, before, after);
}

/* The step and its processes get the environment of the script, and the script gets the
 * changes. */
static void
run_as_script(struct step_request *r)
{
	environment_changes changes;

	if (!r->words.environment) {
		run_step(r);
		return;
	}
	changes = run_in_environment(
		r, r->scripts->inputs->environment, r->words.environment);
	script_reply_environment(r->reply, &changes);
}

static void
fail_step(struct step_request *r)
{
	console_say(r->scripts->console, CHANNEL_ERROR, r->failure);
	r->result.value = -1;
}

static void
run_call(struct step_request *r)
{
	if (!take_directory(r))
		return;
	if (r->failure.n)
		fail_step(r);
	else
		run_as_script(r);
	for (size_t i = 0; i < r->result.errors.n; i++)
		raise_error(r, r->result.errors.v[i]);
	if (r->result.refusal.n)
		refuse_call(r, r->result.refusal);
	end_call(r);
}

/* CTEST_CONFIGURATION_TYPE counts for later commands, too, even if it is empty, and is
 * set in the environment of the script. The new implementation does not read it here. */
static void
take_configuration(struct step_request *r)
{
	struct scripts *s = r->scripts;
	struct str value = request_variable(r, "CTEST_CONFIGURATION_TYPE");
	environment_changes changes = {0};

	if (value.p && !is_new_implementation(r)) {
		value = str_replace(r->arena, value, STR(".\\"), STR(""));
		s->configuration = value;
		VEC_PUSH(r->arena, &changes,
			(struct environment_change){
				STR("CMAKE_CONFIG_TYPE"), value, false});
		script_reply_environment(r->reply, &changes);
		if (r->words.environment)
			r->words.environment = environment_changed(
				r->arena, r->words.environment, changes.v, changes.n);
	}
	r->options.configuration = script_configuration(s);
}

/* Counted from the begin of the script. */
static void
take_limit(struct step_request *r)
{
	struct str limit = request_variable(r, "CTEST_TIME_LIMIT");

	if (limit.p)
		r->options.run.limit_end_s =
			r->scripts->frame.started_s + whole_seconds(str_double(limit));
}

/* Before 4.0 a number is used until another one is given. */
static void
take_index(struct step_request *r)
{
	struct str index = request_value(r, "SUBMIT_INDEX");
	int *kept = &r->d->indices[r->in.call.part];

	if (index.n)
		*kept = str_int(index) > 0 ? str_int(index) : -1;
	r->in.call.submit_index = *kept;
	if (r->scripts->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND])
		*kept = 0;
}

/* Keys that the new implementation of a command does not change for others. */
static const char *const own_keys[] = {
	"BuildDirectory", "SourceDirectory", "Site", "BuildName"};

enum { OWN_KEYS = sizeof own_keys / sizeof *own_keys };

static void
note_keys(const struct step_request *r, struct str values[OWN_KEYS])
{
	for (size_t i = 0; i < OWN_KEYS; i++)
		values[i] = configuration_get(&r->d->configuration, own_keys[i]);
}

static void
restore_keys(struct step_request *r, const struct str values[OWN_KEYS])
{
	for (size_t i = 0; i < OWN_KEYS && is_new_implementation(r); i++)
		request_key_silently(r, own_keys[i], values[i]);
}

void
request_take_names(struct step_request *r)
{
	struct str site = request_variable(r, "CTEST_SITE");
	struct str build = request_variable(r, "CTEST_BUILD_NAME");

	if (!is_new_implementation(r))
		return;
	request_key_silently(r, "Site", site.p ? site : STR(""));
	request_key_silently(r, "BuildName", build.p ? build : STR(""));
}

/* Until 4.0 the handlers of these two steps do not forget what they were told. */
static void
take_custom(struct step_request *r)
{
	const struct variable *v = r->words.variables;
	struct dashboard *d = r->d;
	enum part part = r->in.call.part;

	r->custom = custom_of(r->arena, v, r->words.variables_n);
	if (!r->scripts->dialect->has[DIALECT_COVERAGE_EXCLUDE_LINE])
		return;
	if (part == PART_COVERAGE)
		custom_keep_coverage(d->arena, &d->custom, v, r->words.variables_n);
	if (part == PART_MEMCHECK)
		custom_keep_memcheck(d->arena, &d->custom, v, r->words.variables_n);
	r->custom.coverage_globs = d->custom.coverage_globs;
	r->custom.memcheck.before = d->custom.before_memcheck;
	r->custom.memcheck.after = d->custom.after_memcheck;
}

static void
run_request(struct step_request *r)
{
	struct scripts *s = r->scripts;
	struct str keys[OWN_KEYS];

	note_keys(r, keys);
	r->options.dashboard.is_quiet = r->in.is_quiet;
	take_configuration(r);
	take_limit(r);
	take_index(r);
	set_directories(r);
	r->options.has_error = has_gone_wrong(r);
	set_keys(r);
	take_custom(r);
	if (r->row->before && !r->row->before(r))
		refuse_step(r);
	else
		run_call(r);
	restore_keys(r, keys);
	s->interrupted = r->d->interrupted ? r->d->interrupted : s->interrupted;
}

static void
go_on(struct step_request *r)
{
	if (r->refusal.p)
		refuse_call(r, r->refusal);
	else
		run_request(r);
	if (r->row->always)
		r->row->always(r);
}

/* An error that is not captured is an error of the script. After an earlier error of the
 * script the end is not taken back, either. */
static void
conclude_call(struct step_request *r)
{
	r->reply->has_error = has_gone_wrong(r) && !is_captured(r);
	if (r->result.ends && (!is_captured(r) || r->is_after_error))
		script_reply_end(r->reply);
}

/* ---- steps with few keywords ----------------------------------------------------- */

static const struct keyword coverage_keywords[] = {
	{"LABELS", TAKES_VALUES, 0},
	{NULL, TAKES_NONE, 0},
};

static bool
prepare_coverage(struct step_request *r)
{
	request_keys(r);
	if (!r->in.is_quiet)
		custom_show_coverage(&r->custom, r->in.console);
	return true;
}

static const struct script_step coverage_row = {
	.command = "ctest_coverage",
	.part = PART_COVERAGE,
	.keywords = coverage_keywords,
	.before = prepare_coverage,
};

static const struct keyword upload_keywords[] = {
	{"FILES", TAKES_VALUES, 0},
	{NULL, TAKES_NONE, 0},
};

static void
sort_values(struct step_request *r, const char *keyword)
{
	for (size_t i = 0; i < r->in.call.n; i++) {
		struct step_argument *argument = &r->arguments[i];
		struct str_list sorted = {
			NEW_ARRAY(r->arena, struct str, argument->n), argument->n};

		if (!str_is(argument->name, keyword))
			continue;
		for (size_t k = 0; k < argument->n; k++)
			sorted.v[k] = argument->values[k];
		str_list_make_set(&sorted);
		argument->values = sorted.v;
		argument->n = sorted.n;
	}
}

static void
check_upload(struct step_request *r)
{
	if (r->scripts->dialect->has[DIALECT_UPLOADS_SORTED])
		sort_values(r, "FILES");
	request_check_files(r, "FILES");
}

static bool
prepare_upload(struct step_request *r)
{
	request_take_names(r);
	return true;
}

static const struct script_step upload_row = {
	.command = "ctest_upload",
	.part = PART_UPLOAD,
	.keywords = upload_keywords,
	.is_alone = true,
	.is_new_implementation = true,
	.check = check_upload,
	.before = prepare_upload,
};

/* ---- the table ------------------------------------------------------------------- */

static const struct script_step *const steps[] = {
	&script_step_update,
	&script_step_configure,
	&script_step_build,
	&script_step_test,
	&coverage_row,
	&script_step_memcheck,
	&script_step_submit,
	&upload_row,
};

static const struct script_step *
row_of(struct str command)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (str_is(command, steps[i]->command))
			return steps[i];
	return NULL;
}

static struct step_input
input_of(const struct step_request *r)
{
	struct step_input in = dashboard_input(r->d, &r->options);

	in.custom = &r->custom;
	in.is_script = true;
	in.call.part = r->row->part;
	return in;
}

bool
request_is_of_client(const struct step_request *r)
{
	return r->reply->listener != NULL;
}

bool
script_answer_step(struct script_command *c)
{
	const struct script_step *row = row_of(c->call->command);
	struct step_request *r;

	if (!row)
		return false;
	r = NEW(c->scripts->arena, struct step_request);
	*r = (struct step_request){.scripts = c->scripts,
		.arena = c->scripts->arena,
		.words = *c->call,
		.reply = c->reply,
		.row = row,
		.d = script_dashboard(c->scripts),
		.options = *c->scripts->options,
		.is_after_error = c->is_after_error,
		.errors = console_errors(c->scripts->console),
		.here = path_here(c->scripts->arena)};
	r->in = input_of(r);
	parse_arguments(r);
	if (r->has_error) {
		c->scripts->waiting = r;
		script_reply_go_on(r->reply);
	} else {
		go_on(r);
	}
	conclude_call(r);
	return true;
}

void
script_answer_go_on(struct script_command *c)
{
	struct step_request *r = c->scripts->waiting;

	c->scripts->waiting = NULL;
	if (!r)
		return;
	r->reply = c->reply;
	go_on(r);
	conclude_call(r);
}
