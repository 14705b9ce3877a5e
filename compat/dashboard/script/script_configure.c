/*
 * ctest_configure: CTEST_CONFIGURE_COMMAND, or cmake for a generator. The order of its
 * words and the messages about a missing command differ between releases. See
 * script_steps.h.
 */
#include "compat/dashboard/script/script_steps.h"
#include "compat/format/unix_path.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

static const struct keyword keywords[] = {
	{"OPTIONS", TAKES_VALUE, 0},
	{"PRESET", TAKES_VALUE, SINCE(DIALECT_COMMANDS_TAKE_PRESETS)},
	{"PRESETS_FILE", TAKES_VALUE, SINCE(DIALECT_COMMANDS_TAKE_PRESETS)},
	{NULL, TAKES_NONE, 0},
};

/* ---- the command line ------------------------------------------------------------ */

static void
add_word(struct buf *b, const char *option, struct str value)
{
	if (value.n || !*option)
		buf_fmt(b, "%s\"%s%.*s\"", b->n ? " " : "", option, STR_ARG(value));
}

static bool
has_several_configurations(struct str generator)
{
	return str_has(generator, STR("Multi-Config"));
}

/* Since 4.0 only the variable counts. */
static struct str
build_type(const struct step_request *r)
{
	return request_input(r)->dialect->has[DIALECT_CONFIGURE_MAKES_DIRECTORY]
		       ? request_variable(r, "CTEST_CONFIGURATION_TYPE")
		       : request_input(r)->options->configuration;
}

static void
add_options(struct step_request *r, struct str generator, struct buf *b)
{
	struct str_list options =
		cmake_list_split(request_arena(r), request_value(r, "OPTIONS"), false);
	bool has_type = has_several_configurations(generator);

	for (size_t i = 0; i < options.n; i++) {
		add_word(b, "", options.v[i]);
		has_type = has_type || str_has(options.v[i], STR("CMAKE_BUILD_TYPE=")) ||
			   str_has(options.v[i], STR("CMAKE_BUILD_TYPE:STRING="));
	}
	if (!has_type)
		add_word(b, "-DCMAKE_BUILD_TYPE:STRING=", build_type(r));
}

static void
add_launchers(const struct step_request *r, struct buf *b)
{
	if (cmake_is_on(request_variable(r, "CTEST_USE_LAUNCHERS")))
		add_word(b, "-DCTEST_USE_LAUNCHERS:BOOL=", STR("TRUE"));
}

static void
add_platform(const struct step_request *r, struct buf *b)
{
	add_word(b, "-A", request_variable(r, "CTEST_CMAKE_GENERATOR_PLATFORM"));
	add_word(b, "-T", request_variable(r, "CTEST_CMAKE_GENERATOR_TOOLSET"));
}

/* Until 4.3: options first, directories last. */
static void
add_words_of_old(struct step_request *r, struct str generator, struct buf *b)
{
	add_options(r, generator, b);
	add_launchers(r, b);
	add_word(b, "-G", generator);
	add_platform(r, b);
	if (!request_input(r)->dialect->has[DIALECT_CONFIGURE_NAMES_DIRECTORIES]) {
		add_word(b, "", request_input(r)->source);
		return;
	}
	add_word(b, "-S", request_input(r)->source);
	add_word(b, "-B", request_build_directory(r));
}

static void
add_entry(
	const struct step_request *r, struct buf *text, const char *name, const char *key)
{
	struct str value = configuration_get(request_input(r)->configuration, key);

	if (!value.n)
		return;
	buf_fmt(text, "set(%s ", name);
	cmake_quote(text, value);
	buf_z(text, " CACHE STRING \"\")\n");
}

/* The names of site and build for the cache; "" if there are none. */
static struct str
initial_cache(struct step_request *r)
{
	struct arena *a = request_arena(r);
	struct str path = path_join(a, request_build_directory(r),
		STR("Testing/Temporary/CTestConfigureInitialCache.cmake"));
	struct buf text = {.arena = a};

	add_entry(r, &text, "SITE", "Site");
	add_entry(r, &text, "BUILDNAME", "BuildName");
	if (text.n && directory_make(a, str_z(a, path_parent(path))) &&
		file_write(a, path.p, ".tmp", buf_as_str(&text)))
		return path;
	return STR("");
}

static void
add_words(struct step_request *r, struct str generator, const struct step_preset *preset,
	struct buf *b)
{
	add_word(b, "-S", request_input(r)->source);
	add_word(b, "-B", request_build_directory(r));
	add_word(b, "-G", generator);
	if (preset->name.n) {
		add_word(b, "", STR("--preset"));
		add_word(b, "", preset->name);
	}
	if (preset->file.n) {
		add_word(b, "", STR("--presets-file"));
		add_word(b, "", preset->file);
	}
	add_launchers(r, b);
	add_word(b, "-C", initial_cache(r));
	add_platform(r, b);
	add_options(r, generator, b);
}

static struct str
command_for(
	struct step_request *r, struct str generator, const struct step_preset *preset)
{
	struct buf b = {.arena = request_arena(r)};

	add_word(&b, "", request_cmake(r));
	if (request_input(r)->dialect->has[DIALECT_CONFIGURE_OPTIONS_LAST])
		add_words(r, generator, preset, &b);
	else
		add_words_of_old(r, generator, &b);
	return buf_as_str(&b);
}

/* ---- requirements ---------------------------------------------------------------- */

static struct str
project_file(const struct step_request *r)
{
	return path_join(
		request_arena(r), request_input(r)->source, STR("CMakeLists.txt"));
}

static bool
are_settings_enough(struct step_request *r, bool has_command, struct str generator)
{
	if (!request_build_directory(r).n)
		return request_refuse(r,
			STR("Build directory not specified. Either use BUILD argument to "
			    "CTEST_CONFIGURE command or set CTEST_BINARY_DIRECTORY "
			    "variable"));
	if (has_command)
		return true;
	if (!generator.n)
		return request_refuse(
			r, STR("Configure command is not specified. If this is a \"built "
			       "with CMake\" project, set CTEST_CMAKE_GENERATOR. If not, "
			       "set CTEST_CONFIGURE_COMMAND."));
	if (!path_exists(project_file(r).p))
		return request_refuse(
			r, str_fmt(request_arena(r),
				   "CMakeLists.txt file does not exist [%.*s]",
				   STR_ARG(project_file(r))));
	return true;
}

static bool
is_source_there(struct step_request *r)
{
	return path_exists(project_file(r).p) ||
	       request_refuse(
		       r, STR("called with invalid source directory.  "
			      "CTEST_SOURCE_DIRECTORY must be set to a directory that "
			      "contains CMakeLists.txt."));
}

static bool
is_build_given(struct step_request *r)
{
	return request_build_directory(r).n ||
	       request_refuse(
		       r, STR("called with no build directory specified.  Either use the "
			      "BUILD argument or set the CTEST_BINARY_DIRECTORY "
			      "variable."));
}

static bool
is_generator_given(struct step_request *r, struct str generator)
{
	return generator.n ||
	       request_refuse(r,
		       STR("called with no configure command specified.  If this is a  "
			   "\"built with CMake\" project, set CTEST_CMAKE_GENERATOR. If "
			   "not, set CTEST_CONFIGURE_COMMAND."));
}

static bool
make_build_directory(struct step_request *r)
{
	const struct step_input *in = request_input(r);
	struct arena *a = request_arena(r);
	/* As the call spells it: "b/../c" makes b, too. */
	struct str spelled = request_value_or(r, "BUILD", "CTEST_BINARY_DIRECTORY");
	struct str build = unix_slashes(
		a, in->dialect, spelled.n ? spelled : request_build_directory(r));

	if (in->options->show_only != SHOW_NOTHING ||
		(build.n && directory_make(a, str_z(a, build))))
		return true;
	step_say(in, CHANNEL_OUTPUT, STR("Configure project\n"));
	return request_refuse(
		r, str_fmt(a, "cannot create directory %.*s", STR_ARG(spelled)));
}

/* Since 4.0 the command itself checks this and makes the build directory; since 4.4 it
 * checks the source first, whatever command it runs. */
static bool
are_settings_enough_now(struct step_request *r, bool has_command, struct str generator)
{
	if (request_input(r)->dialect->has[DIALECT_CONFIGURE_OPTIONS_LAST]) {
		if (!is_source_there(r) ||
			(!has_command && (!is_build_given(r) ||
						 !is_generator_given(r, generator))))
			return false;
	} else if (!is_build_given(r) ||
		   (!has_command &&
			   (!is_generator_given(r, generator) || !is_source_there(r)))) {
		return false;
	}
	return make_build_directory(r);
}

/* For a call with a preset that says how to configure. */
static bool
is_preset_enough(struct step_request *r, struct step_preset *preset)
{
	if (!is_source_there(r))
		return false;
	return request_take_preset(r, PRESET_STEP_CONFIGURE, NULL, preset) &&
	       is_generator_given(r, preset->has_generator ? preset->name : STR("")) &&
	       make_build_directory(r);
}

/* ctest_configure sets no keys if it only lists. */
static void
set_keys(struct step_request *r, key_setter *set)
{
	struct str change = request_variable(r, "CTEST_CHANGE_ID");
	struct str labels = request_variable(r, "CTEST_LABELS_FOR_SUBPROJECTS");

	if (request_input(r)->options->show_only != SHOW_NOTHING)
		return;
	if (change.p)
		set(r, "ChangeId", change);
	if (labels.p)
		set(r, "LabelsForSubprojects", labels);
}

static bool
prepare_step(struct step_request *r)
{
	struct str command = request_variable(r, "CTEST_CONFIGURE_COMMAND");
	struct str generator = request_variable(r, "CTEST_CMAKE_GENERATOR");
	struct str subprojects = request_variable(r, "CTEST_LABELS_FOR_SUBPROJECTS");
	struct str name = request_preset_name(r, PRESET_STEP_CONFIGURE);
	struct step_preset preset = {STR(""), STR(""), false};
	bool has_command = command.n > 0 && !name.n;

	if (name.n && !is_preset_enough(r, &preset))
		return false;
	if (!name.n && !(request_input(r)->dialect->has[DIALECT_CONFIGURE_MAKES_DIRECTORY]
				       ? are_settings_enough_now
				       : are_settings_enough)(r, has_command, generator))
		return false;
	if (!has_command)
		command = command_for(r, generator, &preset);
	if (request_input(r)->dialect->has[DIALECT_CONFIGURE_MAKES_DIRECTORY])
		request_key_silently(r, "ConfigureCommand", command);
	else
		request_key(r, "ConfigureCommand", command);
	if (request_input(r)->dialect->has[DIALECT_CONFIGURE_MAKES_DIRECTORY])
		set_keys(r, request_key_silently);
	else if (subprojects.p)
		request_key(r, "LabelsForSubprojects", subprojects);
	return true;
}

/* After the step ctest 4 reports what it has set. */
static void
set_outputs(struct step_request *r)
{
	if (request_input(r)->dialect->has[DIALECT_CONFIGURE_MAKES_DIRECTORY])
		set_keys(r, request_key);
}

const struct script_step script_step_configure = {
	.command = "ctest_configure",
	.part = PART_CONFIGURE,
	.keywords = keywords,
	.is_new_implementation = true,
	.before = prepare_step,
	.after = set_outputs,
};
