/*
 * ctest_build: the command that builds the project, either CTEST_BUILD_COMMAND or "cmake
 * --build" for a generator. See script_steps.h.
 */
#include "compat/dashboard/script/script_steps.h"
#include "compat/format/secrets.h"

static const struct keyword keywords[] = {
	{"CONFIGURATION", TAKES_VALUE, 0},
	{"FLAGS", TAKES_VALUE, 0},
	{"NUMBER_ERRORS", TAKES_VALUE, 0},
	{"NUMBER_WARNINGS", TAKES_VALUE, 0},
	{"PARALLEL_LEVEL", TAKES_VALUE, 0},
	{"PROJECT_NAME", TAKES_VALUE, 0},
	{"TARGET", TAKES_VALUE, 0},
	{"PRESET", TAKES_VALUE, SINCE(DIALECT_COMMANDS_TAKE_PRESETS)},
	{"PRESETS_FILE", TAKES_VALUE, SINCE(DIALECT_COMMANDS_TAKE_PRESETS)},
	{NULL, TAKES_NONE, 0},
};

/* ---- generators ------------------------------------------------------------------ */

/* The generators that CMake has on Linux; for an IDE's generator the first word is
 * enough. */
static bool
is_generator(const struct dialect *dialect, struct str name)
{
	static const char *const own[] = {"Ninja", "Ninja Multi-Config", "Unix Makefiles",
		"Watcom WMake", "Green Hills MULTI"};
	static const char *const ides[] = {
		"CodeBlocks", "CodeLite", "Eclipse CDT4", "Kate", "Sublime Text 2"};
	static const char *const endings[] = {"", " - Ninja", " - Unix Makefiles"};
	struct str ide;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (str_is(name, own[i]))
			return true;
	for (size_t i = 0; i < sizeof ides / sizeof *ides; i++) {
		ide = str_of(ides[i]);
		for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
			if (str_begins(name, ide) &&
				str_is(str_from(name, ide.n), endings[k]))
				return true;
	}
	return (dialect->has[DIALECT_GENERATOR_KATE_MULTI_CONFIG] &&
		       str_is(name, "Kate - Ninja Multi-Config")) ||
	       (dialect->has[DIALECT_GENERATOR_FASTBUILD] && str_is(name, "FASTBuild"));
}

/* make continues after an error unless the script sets it otherwise: policy CMP0061. */
static bool
ignores_errors(const struct step_request *r, struct str generator)
{
	enum { SINCE_MAJOR = 3, SINCE_MINOR = 3 };
	struct str least = request_variable(r, "CMAKE_MINIMUM_REQUIRED_VERSION");
	size_t dot = str_find(least, '.');
	int major = str_int(least), minor = 0;

	if (!request_input(r)->dialect->has[DIALECT_BUILD_IGNORES_ERRORS] ||
		(!str_ends(generator, STR("Unix Makefiles")) &&
			!str_is(generator, "Watcom WMake")))
		return false;
	if (dot < least.n)
		minor = str_int(str_from(least, dot + 1));
	return major < SINCE_MAJOR || (major == SINCE_MAJOR && minor < SINCE_MINOR);
}

/* ---- the command ----------------------------------------------------------------- */

static void
add_quoted(struct buf *b, const char *option, struct str value)
{
	if (value.n)
		buf_fmt(b, " %s \"%.*s\"", option, STR_ARG(value));
}

/* "": none is requested. */
static struct str
build_configuration(const struct step_request *r)
{
	struct str c = request_value_or(r, "CONFIGURATION", "CTEST_BUILD_CONFIGURATION");

	return c.n ? c : request_input(r)->options->configuration;
}

/* The build command for what the preset leaves open. */
static struct str
preset_command(const struct step_request *r, const struct step_preset *preset)
{
	struct str flags = request_value_or(r, "FLAGS", "CTEST_BUILD_FLAGS");
	struct str level = request_value(r, "PARALLEL_LEVEL");
	struct buf b = {.arena = request_arena(r)};

	buf_fmt(&b, "\"%.*s\" --build .", STR_ARG(request_cmake(r)));
	add_quoted(&b, "--preset", preset->name);
	add_quoted(&b, "--presets-file", preset->file);
	add_quoted(&b, "--config", build_configuration(r));
	add_quoted(&b, "--target", request_value_or(r, "TARGET", "CTEST_BUILD_TARGET"));
	if (level.n)
		buf_fmt(&b, " --parallel %.*s", STR_ARG(level));
	if (flags.n)
		buf_fmt(&b, " -- %.*s", STR_ARG(flags));
	return buf_as_str(&b);
}

static struct str
generator_command(const struct step_request *r, struct str generator)
{
	struct str cmake = request_cmake(r);
	struct str flags = request_value_or(r, "FLAGS", "CTEST_BUILD_FLAGS");
	struct str configuration = build_configuration(r);
	bool has_blank = str_find(cmake, ' ') < cmake.n;
	bool ignores = ignores_errors(r, generator);
	struct buf b = {.arena = request_arena(r)};

	buf_fmt(&b, has_blank ? "\"%.*s\"" : "%.*s", STR_ARG(cmake));
	buf_z(&b, " --build .");
	add_quoted(&b, "--config", configuration.n ? configuration : STR("Release"));
	add_quoted(&b, "--parallel", request_value(r, "PARALLEL_LEVEL"));
	add_quoted(&b, "--target", request_value_or(r, "TARGET", "CTEST_BUILD_TARGET"));
	if (ignores || flags.n)
		buf_z(&b, " --");
	if (ignores)
		buf_z(&b, " -i");
	if (flags.n)
		buf_fmt(&b, " %.*s", STR_ARG(flags));
	return buf_as_str(&b);
}

static bool
has_command(const struct step_request *r)
{
	return request_variable(r, "CTEST_BUILD_COMMAND").n > 0;
}

static void
refuse_generator(struct step_request *r, struct str generator)
{
	request_error(
		r, str_fmt(request_arena(r), "could not create generator named \"%.*s\"",
			   STR_ARG(generator)));
}

/* An error of CMake's own, before ctest reports that there is no step. */
static void
check_call(struct step_request *r)
{
	struct str generator = request_variable(r, "CTEST_CMAKE_GENERATOR");

	if (!has_command(r) && generator.n &&
		!is_generator(request_input(r)->dialect, generator) &&
		!request_preset_name(r, PRESET_STEP_BUILD).n)
		refuse_generator(r, generator);
}

static void
set_make_command(struct step_request *r, struct str command)
{
	step_fmt(request_input(r), CHANNEL_VERBOSE, "SetMakeCommand:%.*s\n",
		STR_ARG(secrets_masked(request_arena(r), command)));
	request_key(r, "MakeCommand", command);
}

/* false after a message why there is no command. */
static bool
set_command(struct step_request *r)
{
	struct str generator = request_variable(r, "CTEST_CMAKE_GENERATOR");
	struct step_preset preset;

	if (!request_take_preset(r, PRESET_STEP_BUILD, NULL, &preset))
		return false;
	if (preset.name.n) {
		set_make_command(r, preset_command(r, &preset));
		return true;
	}
	if (has_command(r)) {
		request_key(r, "MakeCommand", request_variable(r, "CTEST_BUILD_COMMAND"));
		return true;
	}
	if (!generator.n)
		return request_refuse(r,
			STR("has no project to build. If this is a \"built with CMake\" "
			    "project, verify that CTEST_CMAKE_GENERATOR is set. "
			    "Otherwise, set CTEST_BUILD_COMMAND to build the project "
			    "with a custom command line."));
	if (!is_generator(request_input(r)->dialect, generator)) {
		if (!request_has_error(r))
			refuse_generator(r, generator);
		request_end(r);
		return false;
	}
	set_make_command(r, generator_command(r, generator));
	return true;
}

static void
set_counts_to_none(struct step_request *r)
{
	request_set(r, "NUMBER_ERRORS", STR("0"));
	request_set(r, "NUMBER_WARNINGS", STR("0"));
}

static bool
prepare_step(struct step_request *r)
{
	static const char *const keys[] = {"UseLaunchers", "LabelsForSubprojects"};

	if (request_input(r)->dialect->has[DIALECT_OUTPUTS_WITHOUT_STEP])
		set_counts_to_none(r);
	if (!set_command(r))
		return false;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct str value = request_variable(r, script_key_variable(keys[i]));

		if (value.p)
			request_key(r, keys[i], value);
	}
	return true;
}

static void
set_outputs(struct step_request *r)
{
	set_counts_to_none(r);
	request_set_output(r, "NUMBER_ERRORS");
	request_set_output(r, "NUMBER_WARNINGS");
}

const struct script_step script_step_build = {
	.command = "ctest_build",
	.part = PART_BUILD,
	.keywords = keywords,
	.check = check_call,
	.before = prepare_step,
	.after = set_outputs,
};
