/* The names of parts and models. See dashboard_options.h. */
#include "compat/options/dashboard_options.h"

static const char *const part_names[PARTS] = {
	[PART_START] = "Start",
	[PART_UPDATE] = "Update",
	[PART_CONFIGURE] = "Configure",
	[PART_BUILD] = "Build",
	[PART_TEST] = "Test",
	[PART_COVERAGE] = "Coverage",
	[PART_MEMCHECK] = "MemCheck",
	[PART_SUBMIT] = "Submit",
	[PART_NOTES] = "Notes",
	[PART_EXTRA_FILES] = "ExtraFiles",
	[PART_UPLOAD] = "Upload",
	[PART_DONE] = "Done",
};

enum part
part_parse(struct str name)
{
	int i = 0;

	while (i < PARTS && !str_eq_nocase(name, str_of(part_names[i])))
		i++;
	return (enum part)i;
}

const char *
part_name(enum part part)
{
	INVARIANT(part < PARTS);
	return part_names[part];
}

static const char *const model_names[MODELS] = {
	[MODEL_EXPERIMENTAL] = "Experimental",
	[MODEL_NIGHTLY] = "Nightly",
	[MODEL_CONTINUOUS] = "Continuous",
};

enum model
model_parse(struct str name)
{
	int i = 0;

	while (i < MODELS && !str_eq_nocase(name, str_of(model_names[i])))
		i++;
	return (enum model)i;
}

enum model
model_guess(struct str name)
{
	if (name.n >= 4 && str_eq_nocase(str_cut(name.p, 4), STR("cont")))
		return MODEL_CONTINUOUS;
	if (name.n >= 4 && str_eq_nocase(str_cut(name.p, 4), STR("nigh")))
		return MODEL_NIGHTLY;
	return MODEL_EXPERIMENTAL;
}

const char *
model_name(enum model model)
{
	INVARIANT(model < MODELS);
	return model_names[model];
}
