/* See step_start.h. */
#include "compat/dashboard/step/step_start.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "compat/dashboard/step/tag.h"
#include "compat/settings/settings.h"
#include "runner/base/files.h"

enum { DAY_S = 24 * 60 * 60 };

void
start_name_group(struct stamp *stamp)
{
	stamp->is_group_the_model = !stamp->asked_group.n;
	stamp->group = stamp->asked_group.n ? stamp->asked_group
					    : str_of(model_name(stamp->model));
}

bool
start_has_moment(const struct step_input *in, const struct stamp *stamp)
{
	return stamp->model != MODEL_NIGHTLY || stamp->is_resumed ||
	       step_key(in, "NightlyStartTime").n;
}

static bool
say_no_moment(const struct step_input *in)
{
	step_say(in, CHANNEL_WARNING,
		STR("WARNING: No nightly start time found please set in "
		    "CTestConfig.cmake or DartConfig.cmake\n"));
	return false;
}

bool
start_moment(const struct step_input *in, const struct stamp *stamp, int64_t *seconds)
{
	struct str said = step_key(in, "NightlyStartTime");
	struct str nightly = said;
	bool tomorrow = in->options->dashboard.tomorrow;

	*seconds = time(NULL);
	if (stamp->model != MODEL_NIGHTLY) {
		*seconds += tomorrow ? DAY_S : 0;
		return true;
	}
	if (!start_has_moment(in, stamp))
		return say_no_moment(in);
	if (!nightly.n)
		nightly = STR("00:00:00 UTC");
	console_fmt(in->console, CHANNEL_PROGRAM,
		"Determine Nightly Start Time\n   Specified time: %.*s\n", STR_ARG(said));
	if (!tag_nightly(nightly, *seconds, seconds)) {
		console_fmt(in->console, CHANNEL_WARNING,
			"cctr: \"%.*s\" is not a time of day\n", STR_ARG(nightly));
		return false;
	}
	if (tomorrow) {
		console_say(in->console, CHANNEL_PROGRAM,
			STR("   Use future tag, Add a day\n"));
		*seconds += DAY_S;
	}
	return true;
}

/* The words differ since ctest has a new implementation of the step. */
static bool
refuse_directory(const struct step_input *in, struct str directory, int error)
{
	if (error && in->dialect->has[DIALECT_STEPS_RUN_AS_SCRIPT])
		console_fmt(in->console, CHANNEL_ERROR,
			"Cannot create directory \"%s\": %s\n", directory.p,
			strerror(error));
	else
		console_fmt(in->console, CHANNEL_ERROR, "Cannot create directory %s\n",
			directory.p);
	return false;
}

static void
name_group(struct stamp *stamp)
{
	if (stamp->group.n)
		return;
	stamp->group = str_of(model_name(stamp->model));
	stamp->is_group_the_model = true;
}

bool
start_new(const struct step_input *in, struct stamp *stamp)
{
	struct str directory = path_join(in->arena, in->binary, STR("Testing"));
	struct tag tag;
	int64_t seconds;

	name_group(stamp);
	if (!start_moment(in, stamp, &seconds))
		return false;
	tag = (struct tag){tag_stamp(in->arena, seconds), stamp->group,
		str_of(model_name(stamp->model))};
	if (!directory_make(in->arena, directory.p))
		return refuse_directory(in, directory, errno);
	if (!tag_write(in->arena, in->binary, &tag))
		return refuse_directory(in, directory, 0);
	stamp->tag = tag.stamp;
	if (!in->is_script)
		console_fmt(in->console, CHANNEL_PROGRAM, "Create new tag: %.*s - %.*s\n",
			STR_ARG(stamp->tag), STR_ARG(stamp->group));
	return true;
}

static bool
is_of_today(const struct step_input *in, struct str stamp)
{
	int64_t day = time(NULL) + (in->options->dashboard.tomorrow ? DAY_S : 0);

	return stamp.n > 8 &&
	       str_eq(str_cut(stamp.p, 8), str_cut(tag_stamp(in->arena, day).p, 8));
}

static bool
say_tag_unreadable(const struct step_input *in, int error)
{
	return settings_say_unreadable(in->arena, in->console,
		path_join(in->arena, in->binary, STR("Testing/TAG")), error);
}

/* Uses the tag of an earlier start, if the dialect continues it. The model of that start
 * is not checked before. */
bool
start_resume(const struct step_input *in, struct stamp *stamp)
{
	struct tag tag;

	if (!in->is_script && !start_has_moment(in, stamp))
		return say_no_moment(in);
	stamp->is_resumed = true;
	if (!tag_read(in->arena, in->binary, &tag))
		return say_tag_unreadable(in, errno);
	stamp->model = tag.model.p ? model_guess(tag.model) : stamp->model;
	if (tag.group.n && !(in->is_script && stamp->group.n))
		stamp->group = tag.group;
	stamp->tag = tag.stamp;
	if (tag.stamp.n &&
		(in->dialect->has[DIALECT_OLD_TAG_KEPT] || is_of_today(in, tag.stamp))) {
		name_group(stamp);
		return true;
	}
	return start_new(in, stamp);
}

/* Since 4.0 QUIET silences it. */
static bool
say_no_tag(const struct step_input *in)
{
	if (!in->is_quiet || !in->dialect->has[DIALECT_STEPS_RUN_AS_SCRIPT])
		console_fmt(in->console, CHANNEL_ERROR,
			"Cannot read existing TAG file in %.*s/Testing\n",
			STR_ARG(in->binary));
	return false;
}

/* APPEND: results are added under the existing tag. */
static bool
continue_tag(const struct step_input *in, bool model_is_known, struct stamp *stamp)
{
	struct tag tag;

	if (!start_has_moment(in, stamp))
		return say_no_moment(in);
	if (!tag_read(in->arena, in->binary, &tag) || !tag.stamp.n)
		return say_no_tag(in);
	if (!model_is_known && !tag.model.p) {
		console_say(in->console, CHANNEL_ERROR,
			STR("TAG file does not contain model and no model specified in "
			    "start command\n"));
		return false;
	}
	if (!model_is_known)
		stamp->model = model_guess(tag.model);
	else if (tag.model.p && model_guess(tag.model) != stamp->model)
		step_say(in, CHANNEL_WARNING,
			STR("Model given in TAG does not match model given in "
			    "ctest_start()\n"));
	if (!stamp->asked_group.n)
		stamp->asked_group = tag.group;
	else if (!str_eq(stamp->asked_group, tag.group))
		step_say(in, CHANNEL_WARNING,
			STR("Group given in TAG does not match group given in "
			    "ctest_start()\n"));
	start_name_group(stamp);
	stamp->tag = tag.stamp;
	step_fmt(in, CHANNEL_PROGRAM, "  Use existing tag: %.*s - %.*s\n",
		STR_ARG(stamp->tag), STR_ARG(stamp->group));
	return true;
}

bool
start_script(const struct step_input *in, bool model_is_known, struct stamp *stamp)
{
	if (!(in->call.append ? continue_tag(in, model_is_known, stamp)
			      : start_new(in, stamp)))
		return false;
	step_fmt(in, CHANNEL_PROGRAM, "   Use %.*s tag: %.*s\n", STR_ARG(stamp->group),
		STR_ARG(stamp->tag));
	return true;
}
