/*
 * Replaces a script's prelude and its cmake: keeps the variables, includes the files that
 * a command names, and raises errors, which belong to no file. See script_client.h.
 */
#include "compat/dashboard/client/script_client.h"

#include <string.h>
#include <time.h>

#include "compat/dashboard/script/script.h"
#include "compat/dashboard/script/script_keys.h"
#include "compat/dashboard/script/script_start.h"
#include "compat/dashboard/script/script_steps.h"
#include "compat/format/regex.h"
#include "compat/format/secrets.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"
#include "runner/cmakelang/cmake_text.h"

struct script_client {
	struct arena *arena;
	struct scripts scripts;
	struct script_listener listener;
	struct map names; /* index into variables */
	VEC(struct variable) variables;
	struct str value; /* RETURN_VALUE of the running command, or "" */
	struct str_list files; /* named by the running command */
	size_t errors; /* raised by commands */
	bool is_ended; /* after a fatal error no command runs */
	struct diag diag; /* of all files */
};

/* ---- variables ------------------------------------------------------------------- */

static void
set_variable(struct script_client *c, struct str name, struct str value)
{
	uint32_t at = map_number(&c->names, name);

	if (at == c->variables.n)
		VEC_PUSH(c->arena, &c->variables, (struct variable){name, STR("")});
	c->variables.v[at].value = value;
}

/* The key that the variable sets, or NULL. */
static const char *
key_of(struct str variable)
{
	for (const struct script_key *k = script_keys; k->key; k++)
		if (str_is(variable, k->variable))
			return k->key;
	return str_is(variable, "CTEST_CHANGE_ID") ? "ChangeId" : NULL;
}

SORT_BY(sort_variables, struct variable, TEXTUAL(name))

/* The last of definitions with the same name, in their order. */
static struct variable *
sort_definitions(const struct script_client *c, size_t *n)
{
	const struct options *o = c->scripts.options;
	struct variable *all =
		NEW_ARRAY(c->arena, struct variable, o->script.definitions.n);
	struct map names = map_in(c->arena);

	for (size_t i = 0; i < o->script.definitions.n; i++) {
		struct variable v = o->script.definitions.v[i];

		all[map_number(&names, v.name)] = v;
	}
	*n = names.n;
	sort_variables(all, *n);
	return all;
}

void
script_client_define_keys(struct script_client *c, struct configuration *configuration)
{
	struct dashboard *d = script_dashboard(&c->scripts);
	size_t n;
	const struct variable *all = sort_definitions(c, &n);

	if (!c->scripts.dialect->has[DIALECT_DEFINITION_BEATS_CONFIGURATION])
		return;
	d->defined.n = 0;
	for (size_t i = 0; i < n; i++) {
		const char *key = key_of(all[i].name);

		if (!key)
			continue;
		console_fmt(c->scripts.console, CHANNEL_VERBOSE,
			"SetCTestConfiguration:%s:%.*s\n", key,
			STR_ARG(secrets_masked_value(
				c->arena, str_of(key), all[i].value)));
		configuration_set(configuration,
			str_fmt(c->arena, "%s=%.*s", key, STR_ARG(all[i].value)));
		VEC_PUSH(c->arena, &d->defined,
			(struct variable){str_of(key), all[i].value});
	}
}

/* The dialect's command line hands the key to commands. */
static bool
is_variable(const struct dialect *dialect, const struct script_key *k)
{
	if (strcmp(k->key, "TimeOut") == 0)
		return dialect->has[DIALECT_CLIENT_KNOWS_LIMIT];
	return !k->is_later || dialect->has[DIALECT_MORE_KEYS_ARE_VARIABLES];
}

static void
take_key(struct script_client *c, const struct configuration *configuration,
	const struct script_key *k)
{
	struct str value = configuration_get(configuration, k->key);

	if (!value.n || !is_variable(c->scripts.dialect, k))
		return;
	console_fmt(c->scripts.console, CHANNEL_VERBOSE, "SetCMakeVariable:%s:%.*s\n",
		k->variable,
		STR_ARG(secrets_masked_value(c->arena, str_of(k->variable), value)));
	set_variable(c, str_of(k->variable), value);
}

void
script_client_take(struct script_client *c, const struct configuration *configuration)
{
	for (const struct script_key *k = script_keys; k->key; k++)
		take_key(c, configuration, k);
}

/* ---- files ----------------------------------------------------------------------- */

/* Later commands see the variables that the file sets. */
static void
include_file(struct script_client *c, struct str file, bool is_custom)
{
	const struct test_inputs *inputs = c->scripts.inputs;
	bool is_starting = script_is_starting(&c->scripts);
	struct match_set *patterns = match_set_open(c->arena, regex_parse);
	struct settings_file found = {0};
	struct source_request r = {
		.path = inputs->path.n ? inputs->path : path_here(c->arena),
		.configuration = c->scripts.options->configuration,
		.share = inputs->share,
		.dialect = c->scripts.dialect,
		.patterns = patterns,
		.file = is_custom ? STR("") : file,
		.variables = c->variables.v,
		.variables_n = c->variables.n,
		.is_called = is_starting,
		.shows_status = true,
	};

	if (is_starting && is_custom)
		r.path = path_parent(file);
	if (inputs->custom)
		(void)inputs->custom(c->arena, &r, &found, &c->diag);
	console_diag(c->scripts.console, &c->diag);
	if (is_custom && found.is_stopped)
		console_note_loss(c->scripts.console);
	for (size_t i = 0; i < found.n; i++)
		set_variable(c, found.variables[i].name, found.variables[i].value);
	match_set_close(patterns);
}

/* Definitions do not come from the file. */
bool
script_client_begin(struct script_client *c)
{
	size_t n;
	const struct variable *all = sort_definitions(c, &n);

	include_file(c, STR(""), true);
	if (!c->scripts.dialect->has[DIALECT_DEFINITION_BEATS_CONFIGURATION])
		n = 0;
	for (size_t i = 0; i < n; i++)
		set_variable(c, all[i].name, all[i].value);
	return !c->diag.unreadable;
}

/* ---- commands -------------------------------------------------------------------- */

static void
note_set(void *context, struct str name, struct str value)
{
	struct script_client *c = context;

	(void)name;
	c->value = value;
}

static void
note_error(void *context, struct str text)
{
	struct script_client *c = context;
	struct diag_entry e = {.kind = DIAG_CMAKE_ERROR, .at = NO_PLACE, .text = text};
	struct str said = console_cmake_message(c->arena, c->scripts.dialect, &e);

	c->errors++;
	console_raise(c->scripts.console,
		str_fmt(c->arena, "CMake Error in %s%.*s",
			c->scripts.dialect->has[DIALECT_CLIENT_ERRORS_NAME_DOT] ? "."
										: "",
			STR_ARG(str_from(said, strlen("CMake Error")))));
}

static void
note_files(void *context, const struct str_list *files)
{
	struct script_client *c = context;
	struct str *copy = NEW_ARRAY(c->arena, struct str, files->n);

	for (size_t i = 0; i < files->n; i++)
		copy[i] = files->v[i];
	c->files = (struct str_list){copy, files->n};
}

static void
note_end(void *context)
{
	struct script_client *c = context;

	c->is_ended = true;
}

static void
answer_command(struct script_client *c, struct str command, struct str_list words)
{
	struct script_call call = {.command = command,
		.words = words,
		.variables = c->variables.v,
		.variables_n = c->variables.n};
	struct script_reply reply = {
		.text = {.arena = c->arena}, .listener = &c->listener};
	struct script_command asked = {&c->scripts, &call, &reply, false};

	c->files = (struct str_list){0};
	script_answer(&asked);
	while (c->scripts.waiting)
		script_answer_go_on(&asked);
}

struct script_client *
script_client_new(struct arena *a, const struct options *options,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs)
{
	struct script_client *c = NEW(a, struct script_client);

	*c = (struct script_client){.arena = a,
		.scripts = {.arena = a,
			.options = options,
			.dialect = dialect,
			.console = console,
			.inputs = inputs,
			.frame.started_s = time(NULL)},
		.listener = {note_set, note_error, note_files, note_end, c},
		.names = map_in(a),
		.value = STR(""),
		.diag = diag_in(a)};
	return c;
}

struct dashboard *
script_client_dashboard(struct script_client *c)
{
	return script_dashboard(&c->scripts);
}

/* STR_NONE: it is not set. */
static struct str
find_variable(const struct script_client *c, const char *name)
{
	uint32_t at = map_get(&c->names, str_of(name));

	return at == MAP_NONE ? STR_NONE : c->variables.v[at].value;
}

static struct str
get_variable(const struct script_client *c, const char *name)
{
	struct str value = find_variable(c, name);

	return value.p ? value : STR("");
}

struct str
script_client_limit(
	const struct script_client *c, const struct configuration *configuration)
{
	struct str limit = find_variable(c, "CTEST_TIME_LIMIT"),
		   key = configuration_get(configuration, "TimeLimit");

	if (!limit.p && key.n && c->scripts.dialect->has[DIALECT_MORE_KEYS_ARE_VARIABLES])
		return key;
	return limit;
}

bool
script_client_preset_build(struct script_client *c, struct str *build)
{
	struct str file = get_variable(c, "CTEST_PRESETS_FILE");
	struct preset_wish wish = {.name = get_variable(c, "CTEST_CONFIGURE_PRESET"),
		.file = STR(""),
		.source = get_variable(c, "CTEST_SOURCE_DIRECTORY")};
	struct preset_found found;

	INVARIANT(build);
	*build = STR("");
	if (!wish.name.n)
		wish.name = get_variable(c, "CTEST_PRESET");
	if (!wish.name.n || !c->scripts.dialect->has[DIALECT_COMMANDS_TAKE_PRESETS])
		return true;
	if (file.n)
		wish.file = path_join(c->arena, wish.source, file);
	found = preset_for_step(
		c->arena, c->scripts.dialect, PRESET_STEP_CONFIGURE, &wish, NULL);
	if (found.wrong.n)
		console_fmt(c->scripts.console, CHANNEL_ERROR, "%.*s\n",
			STR_ARG(str_trim(found.wrong)));
	*build = found.build;
	return !found.wrong.n;
}

/* Does what ctest_start does in a script: includes the files that each of its parts
 * names, before the next part. */
bool
script_client_start(struct script_client *c)
{
	struct str group = c->scripts.options->dashboard.group;
	struct str model = str_of(model_name(c->scripts.options->dashboard.model));
	struct str words[] = {model, STR("GROUP"), group.n ? group : model};
	struct str_list none = {0}, files;
	size_t errors = c->errors;

	answer_command(c, STR("_cctr_ctest_start"), (struct str_list){words, 3});
	files = c->files;
	for (size_t i = 0; i < files.n; i++)
		include_file(c, files.v[i], false);
	answer_command(c, STR("_cctr_ctest_configured"), none);
	files = c->files;
	for (size_t i = 0; i < files.n; i++) {
		include_file(c, files.v[i], true);
		answer_command(c, STR("_cctr_ctest_read_custom_file"), none);
	}
	answer_command(c, STR("_cctr_ctest_customized"), none);
	return c->errors == errors && !c->diag.unreadable;
}

/* The words with which the command is called. */
static struct str_list
words_of(struct script_client *c, enum part part)
{
	struct str_list parts =
		cmake_list_split(c->arena, get_variable(c, "CTEST_SUBMIT_PARTS"), false);
	bool has_parts = part == PART_SUBMIT && parts.n &&
			 c->scripts.dialect->has[DIALECT_SUBMIT_PARTS_VARIABLE];
	str_vec words = {0};

	VEC_PUSH(c->arena, &words, STR("RETURN_VALUE"));
	VEC_PUSH(c->arena, &words, STR("value"));
	if (has_parts) {
		VEC_PUSH(c->arena, &words, STR("PARTS"));
		VEC_PUSH_ALL(c->arena, &words, parts);
	}
	return str_vec_list(&words);
}

bool
script_client_run(struct script_client *c, enum part part, int *value)
{
	struct str name = str_lower(c->arena, str_of(part_name(part)));
	size_t errors = c->errors;

	INVARIANT(value);
	if (!c->is_ended) {
		c->value = STR("");
		answer_command(c, str_fmt(c->arena, "ctest_%.*s", STR_ARG(name)),
			words_of(c, part));
		*value = str_int(c->value);
	}
	/* A failed update shows only in its messages. */
	return c->errors == errors && (*value >= 0 || part == PART_UPDATE);
}
