/* The start step: sets the tag of all later results. See step.h. */
#include "compat/dashboard/step/step.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "compat/dashboard/step/tag.h"
#include "compat/settings/settings.h"
#include "runner/base/files.h"

enum { DAY_S = 24 * 60 * 60 };

bool
step_has_moment(const struct dashboard *d)
{
	return d->model != MODEL_NIGHTLY || d->is_resuming ||
	       configuration_get(&d->configuration, "NightlyStartTime").n;
}

static bool
say_no_moment(const struct dashboard *d)
{
	step_say(d, CHANNEL_WARNING,
		STR("WARNING: No nightly start time found please set in "
		    "CTestConfig.cmake or DartConfig.cmake\n"));
	return false;
}

bool
step_moment(struct dashboard *d, int64_t *seconds)
{
	struct str said = configuration_get(&d->configuration, "NightlyStartTime");
	struct str nightly = said;
	bool tomorrow = d->options->dashboard.tomorrow;

	*seconds = time(NULL);
	if (d->model != MODEL_NIGHTLY) {
		*seconds += tomorrow ? DAY_S : 0;
		return true;
	}
	if (!step_has_moment(d))
		return say_no_moment(d);
	if (!nightly.n)
		nightly = STR("00:00:00 UTC");
	console_fmt(d->console, CHANNEL_OUTPUT,
		"Determine Nightly Start Time\n   Specified time: %.*s\n", STR_ARG(said));
	if (!tag_nightly(nightly, *seconds, seconds)) {
		console_fmt(d->console, CHANNEL_WARNING,
			"cctr: \"%.*s\" is not a time of day\n", STR_ARG(nightly));
		return false;
	}
	if (tomorrow) {
		console_say(d->console, CHANNEL_OUTPUT,
			STR("   Use future tag, Add a day\n"));
		*seconds += DAY_S;
	}
	return true;
}

/* The words differ since ctest has a new implementation of the step. */
static bool
refuse_directory(const struct dashboard *d, struct str directory, int error)
{
	if (error && d->dialect->has[DIALECT_LINE_IS_SCRIPT])
		console_fmt(d->console, CHANNEL_ERROR,
			"Cannot create directory \"%s\": %s\n", directory.p,
			strerror(error));
	else
		console_fmt(d->console, CHANNEL_ERROR, "Cannot create directory %s\n",
			directory.p);
	return false;
}

/* Testing/TAG gets a new tag. */
static bool
begin(struct dashboard *d)
{
	struct str directory = path_join(d->arena, d->binary, STR("Testing"));
	struct tag tag;
	int64_t seconds;

	if (!d->group.n) {
		d->group = str_of(model_name(d->model));
		d->is_group_the_model = true;
	}
	if (!step_moment(d, &seconds))
		return false;
	d->tag = tag_stamp(d->arena, seconds);
	d->files.n = 0;
	tag = (struct tag){d->tag, d->group, str_of(model_name(d->model))};
	if (!directory_make(d->arena, directory.p))
		return refuse_directory(d, directory, errno);
	if (!tag_write(d->arena, d->binary, &tag))
		return refuse_directory(d, directory, 0);
	if (!d->is_script)
		console_fmt(d->console, CHANNEL_PROGRAM, "Create new tag: %.*s - %.*s\n",
			STR_ARG(d->tag), STR_ARG(d->group));
	return true;
}

static bool
is_of_today(const struct dashboard *d, struct str stamp)
{
	int64_t day = time(NULL) + (d->options->dashboard.tomorrow ? DAY_S : 0);

	return stamp.n > 8 &&
	       str_eq(str_cut(stamp.p, 8), str_cut(tag_stamp(d->arena, day).p, 8));
}

static bool
say_tag_unreadable(const struct dashboard *d, int error)
{
	return settings_say_unreadable(d->arena, d->console,
		path_join(d->arena, d->binary, STR("Testing/TAG")), error);
}

/* Uses the tag of an earlier start, if the dialect continues it. The model of that start
 * is not checked before. */
bool
step_resume(struct dashboard *d)
{
	struct tag tag;

	if (!d->is_script && !step_has_moment(d))
		return say_no_moment(d);
	d->is_resuming = true;
	if (!tag_read(d->arena, d->binary, &tag))
		return say_tag_unreadable(d, errno);
	d->model = tag.model.n ? model_guess(tag.model) : d->model;
	if (tag.group.n && !(d->is_script && d->group.n))
		d->group = tag.group;
	d->tag = tag.stamp;
	if (tag.stamp.n &&
		(d->dialect->has[DIALECT_TAG_KEPT] || is_of_today(d, tag.stamp))) {
		if (!d->group.n)
			d->group = str_of(model_name(d->model));
		return true;
	}
	return begin(d);
}

/* Since 4.0 QUIET silences it. */
static bool
say_no_tag(const struct dashboard *d)
{
	if (!d->is_quiet || !d->dialect->has[DIALECT_LINE_IS_SCRIPT])
		console_fmt(d->console, CHANNEL_ERROR,
			"Cannot read existing TAG file in %.*s/Testing\n",
			STR_ARG(d->binary));
	return false;
}

/* APPEND: results are added under the existing tag. */
static bool
take_tag(struct dashboard *d)
{
	struct tag tag;

	if (!tag_read(d->arena, d->binary, &tag) || !tag.stamp.n)
		return say_no_tag(d);
	if (!d->model_is_known && !tag.model.n) {
		console_say(d->console, CHANNEL_ERROR,
			STR("TAG file does not contain model and no model specified in "
			    "start command\n"));
		return false;
	}
	if (!d->model_is_known)
		d->model = model_guess(tag.model);
	else if (tag.model.n && model_guess(tag.model) != d->model)
		step_say(d, CHANNEL_WARNING,
			STR("Model given in TAG does not match model given in "
			    "ctest_start()\n"));
	if (d->group.n && tag.group.n && !str_eq(d->group, tag.group))
		step_say(d, CHANNEL_WARNING,
			STR("Group given in TAG does not match group given in "
			    "ctest_start()\n"));
	if (!d->group.n && tag.group.n)
		d->asked_group = tag.group;
	if (!d->group.n)
		d->group = tag.group.n ? tag.group : str_of(model_name(d->model));
	d->tag = tag.stamp;
	step_fmt(d, CHANNEL_OUTPUT, "  Use existing tag: %.*s - %.*s\n", STR_ARG(d->tag),
		STR_ARG(d->group));
	return true;
}

bool
step_begin(struct dashboard *d)
{
	d->files.n = 0;
	if (!(d->appends ? take_tag(d) : begin(d)))
		return false;
	step_fmt(d, CHANNEL_OUTPUT, "   Use %.*s tag: %.*s\n", STR_ARG(d->group),
		STR_ARG(d->tag));
	return true;
}

/* Until 4.0; since then a command line starts as scripts do. */
bool
step_start(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	(void)c;
	return begin(d) || step_fail(r);
}
