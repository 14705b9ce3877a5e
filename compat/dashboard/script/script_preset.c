/* PRESET and PRESETS_FILE of the commands that take them. See script_steps.h. */
#include "compat/dashboard/script/script_steps.h"

#include "runner/base/files.h"

static const struct {
	const char *name, *variable, *command;
} steps[] = {
	[PRESET_STEP_CONFIGURE] = {"configure", "CTEST_CONFIGURE_PRESET",
		"CTEST_CONFIGURE_COMMAND"},
	[PRESET_STEP_BUILD] = {"build", "CTEST_BUILD_PRESET", "CTEST_BUILD_COMMAND"},
	[PRESET_STEP_TEST] = {"test", "CTEST_TEST_PRESET", NULL},
};

struct str
request_preset_name(const struct step_request *r, enum preset_step step)
{
	struct str name = request_value_or(r, "PRESET", steps[step].variable);

	if (!request_input(r)->dialect->has[DIALECT_COMMANDS_TAKE_PRESETS])
		return STR("");
	return name.n ? name : request_variable(r, "CTEST_PRESET");
}

static struct str
presets_file(const struct step_request *r, struct str source)
{
	struct str file = request_value_or(r, "PRESETS_FILE", "CTEST_PRESETS_FILE");
	struct str here = path_here(request_arena(r));

	return file.n ? path_join(request_arena(r),
				path_join(request_arena(r), here, source), file)
		      : STR("");
}

/* With a preset the script's own command is not run. */
static void
ignore_command(const struct step_request *r, enum preset_step step, struct str preset)
{
	const char *command = steps[step].command;

	if (command && request_variable(r, command).n)
		step_fmt(request_input(r), CHANNEL_VERBOSE,
			"Ignoring %s because preset \"%.*s\" is in use.\n", command,
			STR_ARG(preset));
}

/* Only ctest_configure uses SOURCE, and requires the preset that CTEST_PRESET names. */
static struct preset_wish
wish_of(const struct step_request *r, enum preset_step step)
{
	bool is_configure = step == PRESET_STEP_CONFIGURE;
	struct preset_wish wish = {.name = request_preset_name(r, step),
		.source = request_variable(r, "CTEST_SOURCE_DIRECTORY")};

	if (is_configure)
		wish.source = request_value_or(r, "SOURCE", "CTEST_SOURCE_DIRECTORY");
	else
		wish.may_lack = !request_value_or(r, "PRESET", steps[step].variable).n;
	wish.file = presets_file(r, wish.source);
	return wish;
}

bool
request_take_preset(struct step_request *r, enum preset_step step, struct options *o,
	struct step_preset *taken)
{
	struct preset_wish wish = wish_of(r, step);
	struct preset_found found;
	bool has_generator = request_variable(r, "CTEST_CMAKE_GENERATOR").n > 0;

	*taken = (struct step_preset){STR(""), STR(""), false};
	if (!wish.name.n)
		return true;
	if (!wish.may_lack)
		ignore_command(r, step, wish.name);
	found = preset_for_step(
		request_arena(r), request_input(r)->dialect, step, &wish, o);
	if (found.wrong.n)
		return request_refuse(r, found.wrong);
	if (found.is_there && wish.may_lack)
		ignore_command(r, step, wish.name);
	if (found.is_there)
		*taken = (struct step_preset){
			wish.name, wish.file, has_generator || found.has_generator};
	else
		console_fmt(request_input(r)->console, CHANNEL_WARNING,
			"No %s preset named \"%.*s\" found, ignoring CTEST_PRESET.\n",
			steps[step].name, STR_ARG(wish.name));
	return true;
}
