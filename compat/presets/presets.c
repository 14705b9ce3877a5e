/* Reads the presets, finds the requested one, and reports why it cannot be used. */
#include "compat/presets/presets.h"

#include <stdlib.h>

#include "compat/format/regex.h"
#include "compat/presets/preset_options.h"
#include "runner/base/files.h"

struct preset_set
preset_set_open(struct arena *a, const struct dialect *dialect)
{
	struct preset_set s = {.a = a,
		.dialect = dialect,
		.directory = path_here(a),
		.patterns = match_set_open(a, regex_parse),
		.paths = map_in(a),
		.fault = {.arena = a},
		.noise = {.arena = a}};

	for (int kind = 0; kind < PRESET_KINDS; kind++)
		s.kinds[kind].names = map_in(a);
	return s;
}

bool
preset_set_finish(struct preset_set *s)
{
	return preset_inherit_all(s) && preset_evaluate_all(s) &&
	       preset_workflows_check(s);
}

static bool
read_all(struct preset_set *s, struct str named)
{
	return preset_files_read(s, named) && preset_set_finish(s);
}

/* ---- the list -------------------------------------------------------------------- */

static bool
is_listed(const struct preset *p)
{
	return !p->is_hidden && p->is_evaluated && p->is_enabled;
}

static size_t
widest(const struct preset_set *s, enum preset_kind kind)
{
	size_t width = 0;

	for (size_t i = 0; i < s->kinds[kind].v.n; i++) {
		const struct preset *p = s->kinds[kind].v.v[i];

		if (is_listed(p) && p->name.n > width)
			width = p->name.n;
	}
	return width;
}

static void
list_one(struct buf *out, const struct preset *p, size_t width)
{
	const struct json_value *shown = json_member(p->json, "displayName");

	buf_fmt(out, "  \"%.*s\"", STR_ARG(p->name));
	if (json_is(shown, JSON_STRING) && shown->text.n) {
		buf_fill(out, ' ', width - p->name.n);
		buf_fmt(out, " - %.*s", STR_ARG(shown->text));
	}
	buf_char(out, '\n');
}

static void
list(struct option_parse *p, const struct preset_set *s, enum preset_kind kind)
{
	struct buf out = {.arena = p->a};
	size_t width = widest(s, kind);

	for (size_t i = 0; i < s->kinds[kind].v.n; i++) {
		const struct preset *preset = s->kinds[kind].v.v[i];

		if (!is_listed(preset))
			continue;
		if (!out.n)
			buf_fmt(&out, "Available %s presets:\n\n",
				preset_kind_name(kind));
		list_one(&out, preset, width);
	}
	option_say(p, false, buf_as_str(&out));
}

/* ---- the choice ------------------------------------------------------------------ */

static bool
refuse(struct option_parse *p, const struct preset_set *s, enum preset_kind kind,
	const char *why, struct str name)
{
	option_error(p, "%s %s preset in %.*s: \"%.*s\"", why, preset_kind_name(kind),
		STR_ARG(s->directory), STR_ARG(name));
	list(p, s, kind);
	return false;
}

/* The preset, or NULL after a message why it cannot be used. */
static struct preset *
choose(struct option_parse *p, const struct preset_set *s, enum preset_kind kind,
	struct str name)
{
	struct preset *preset = preset_find(s, kind, name);

	if (!preset) {
		refuse(p, s, kind, "No such", name);
		return NULL;
	}
	if (preset->is_hidden) {
		refuse(p, s, kind, "Cannot use hidden", name);
		return NULL;
	}
	if (!preset->is_evaluated) {
		option_error(p,
			"Could not evaluate %s preset \"%.*s\": Invalid macro expansion",
			preset_kind_name(kind), STR_ARG(name));
		if (kind == PRESET_TEST)
			list(p, s, kind);
		return NULL;
	}
	/* A disabled configure preset still says where the build tree is. */
	if (!preset->is_enabled && kind != PRESET_CONFIGURE) {
		refuse(p, s, kind, "Cannot use disabled", name);
		return NULL;
	}
	return preset;
}

static bool
say_fault(struct option_parse *p, const struct preset_set *s)
{
	bool has_details = p->dialect->has[DIALECT_PRESET_ERROR_DETAILS];

	return option_error(p, "Could not read presets from %.*s:%s%.*s",
		STR_ARG(s->directory), has_details ? "\n" : " ",
		STR_ARG(buf_as_str(&s->fault)));
}

/* Adds the preset's environment to cctr's own. */
static void
set_environment(const struct preset_set *s, const struct preset *p)
{
	for (size_t i = 0; i < p->environment.v.n; i++) {
		const struct preset_pair *pair = &p->environment.v.v[i];

		if (!json_is(pair->value, JSON_NULL))
			setenv(str_z(s->a, pair->name), str_z(s->a, p->values[i]), 1);
	}
}

static struct str
build_directory(const struct preset_set *s, const struct preset *configure)
{
	struct str given = configure->texts[CONFIGURE_BINARY_DIRECTORY];

	return given.n ? path_join(s->a, s->directory, given) : STR("");
}

static bool
apply(struct option_parse *p, struct preset_set *s, const struct preset_request *request)
{
	struct preset *test, *configure;

	if (!read_all(s, request->file)) {
		option_say(p, false, buf_as_str(&s->noise));
		return say_fault(p, s);
	}
	if (request->is_list) {
		p->o->help = HELP_PRESETS;
		list(p, s, PRESET_TEST);
		return true;
	}
	test = choose(p, s, PRESET_TEST, request->name);
	if (!test)
		return false;
	configure =
		choose(p, s, PRESET_CONFIGURE, test->fields[TEST_CONFIGURE_PRESET]->text);
	if (!configure)
		return false;
	set_environment(s, test);
	preset_set_options(p, test, build_directory(s, configure));
	return true;
}

bool
presets_apply(struct option_parse *p, const struct preset_request *request)
{
	struct preset_set s = preset_set_open(p->a, p->dialect);
	bool is_applied = apply(p, &s, request);

	preset_set_close(&s);
	return is_applied;
}

struct str
presets_build_directory(struct arena *a, const struct dialect *dialect,
	const struct preset_request *request)
{
	struct preset_set s = preset_set_open(a, dialect);
	const struct preset *test = NULL, *configure = NULL;
	struct str found = STR("");

	if (request->has_name && read_all(&s, request->file))
		test = preset_find(&s, PRESET_TEST, request->name);
	if (test && test->fields[TEST_CONFIGURE_PRESET])
		configure = preset_find(
			&s, PRESET_CONFIGURE, test->fields[TEST_CONFIGURE_PRESET]->text);
	if (configure)
		found = build_directory(&s, configure);
	preset_set_close(&s);
	return found;
}
