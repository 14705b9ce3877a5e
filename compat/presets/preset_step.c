/* Reads the presets of a source directory, and finds one by name. See preset_step.h. */
#include "compat/presets/preset_step.h"

#include "compat/presets/preset_options.h"
#include "runner/base/files.h"

static const enum preset_kind kinds[] = {
	[PRESET_STEP_CONFIGURE] = PRESET_CONFIGURE,
	[PRESET_STEP_BUILD] = PRESET_BUILD,
	[PRESET_STEP_TEST] = PRESET_TEST,
};

/* Why the preset cannot be used, or "". */
static struct str
obstacle(const struct preset_set *s, enum preset_kind kind, const struct preset *p,
	const struct preset_wish *w)
{
	const char *kind_name = preset_kind_name(kind), *why = NULL;

	if (!p)
		why = "No such";
	else if (p->is_hidden)
		why = "Cannot use hidden";
	else if (!p->is_evaluated)
		return str_fmt(s->a,
			"Could not evaluate %s preset \"%.*s\": Invalid macro expansion",
			kind_name, STR_ARG(w->name));
	else if (!p->is_enabled)
		why = "Cannot use disabled";
	if (!why)
		return STR("");
	return str_fmt(s->a, "%s %s preset in %.*s: \"%.*s\"", why, kind_name,
		STR_ARG(w->source), STR_ARG(w->name));
}

static struct str
unreadable(const struct preset_set *s, const struct preset_wish *w)
{
	const char *first = w->may_lack ? "" : " ", *second = w->may_lack ? "  " : " ";

	return str_fmt(s->a, "\n%sCould not read presets from \"%.*s\":\n%s%.*s", first,
		STR_ARG(w->source), second, STR_ARG(buf_as_str(&s->fault)));
}

static struct str
build_directory(const struct preset_set *s, const struct preset *configure)
{
	struct str given = configure->texts[CONFIGURE_BINARY_DIRECTORY];

	return given.n ? path_join(s->a, s->directory, given) : STR("");
}

struct preset_found
preset_for_step(struct arena *a, const struct dialect *dialect, enum preset_step step,
	const struct preset_wish *w, struct options *o)
{
	struct preset_set s = preset_set_open(a, dialect);
	struct option_parse parse = {.a = a, .dialect = dialect, .o = o};
	enum preset_kind kind = kinds[step];
	struct preset_found found = {.wrong = STR(""), .build = STR("")};
	const struct preset *p;

	s.directory = path_join(a, path_here(a), w->source);
	if (!preset_files_read(&s, w->file) || !preset_set_finish(&s)) {
		found.wrong = unreadable(&s, w);
		preset_set_close(&s);
		return found;
	}
	p = preset_find(&s, kind, w->name);
	found.wrong = obstacle(&s, kind, p, w);
	found.is_there = !found.wrong.n;
	if (w->may_lack)
		found.wrong = STR("");
	if (found.is_there && kind == PRESET_CONFIGURE) {
		found.build = build_directory(&s, p);
		found.has_generator = p->fields[CONFIGURE_GENERATOR] != NULL;
	}
	if (found.is_there && kind == PRESET_TEST && o)
		preset_set_step_options(&parse, p);
	preset_set_close(&s);
	return found;
}
