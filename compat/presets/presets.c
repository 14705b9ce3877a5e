/*
 * Finds the requested preset, and reports why it cannot be used. The preset options of a
 * command line are read before anything else, wherever they are. See presets.h.
 */
#include "compat/presets/presets.h"

#include <ctype.h>

#include "compat/presets/preset_options.h"
#include "compat/presets/preset_set.h"
#include "runner/base/files.h"

/* ---- what is requested ----------------------------------------------------------- */

struct preset_request {
	struct str name; /* --preset */
	struct str file; /* --presets-file, or "" */
	bool has_name, has_file, is_list; /* --list-presets */
};

static bool
take_value(int argc, char *const *argv, int i, const char *name, struct str *value)
{
	struct str word = str_of(argv[i]), key = str_of(name);

	if (str_eq(word, key)) {
		*value = i + 1 < argc ? str_of(argv[i + 1]) : STR_NONE;
		return true;
	}
	if (!str_begins(word, key) || word.p[key.n] != '=')
		return false;
	*value = str_from(word, key.n + 1);
	return true;
}

static struct preset_request
request_of_old(int argc, char *const *argv)
{
	struct preset_request r = {.name = STR_NONE, .file = STR_NONE};

	for (int i = 1; i < argc; i++)
		if (str_is(str_of(argv[i]), "--list-presets"))
			r.is_list = true;
		else if (!r.has_name && take_value(argc, argv, i, "--preset", &r.name))
			r.has_name = true;
	return r;
}

/* --name VALUE, --name=VALUE or "--name VALUE". STR_NONE: no value; an option, or nothing
 * after '=', is not a value. */
static bool
take_new_value(int argc, char *const *argv, int *i, const char *name, struct str *value)
{
	struct str word = str_of(argv[*i]), key = str_of(name), v;
	const char *next = *i + 1 < argc ? argv[*i + 1] : "-";

	if (!str_begins(word, key))
		return false;
	if (word.n == key.n) {
		bool is_value = next[0] != '-' || isdigit((unsigned char)next[1]);

		*value = is_value ? str_of(argv[++*i]) : STR_NONE;
		return true;
	}
	if (word.p[key.n] != '=' && word.p[key.n] != ' ')
		return false;
	v = str_from(word, word.p[key.n] == '=' ? key.n + 1 : key.n);
	*value = v.n ? str_from(v, *v.p == ' ') : STR_NONE;
	return true;
}

/* Stops at the first option without a value. Words after "--" are for the tests. */
static struct preset_request
request_of_new(const struct dialect *dialect, int argc, char *const *argv)
{
	struct preset_request r = {.name = STR_NONE, .file = STR_NONE};
	bool has_file = dialect->has[DIALECT_DIRECTORY_OPTIONS];

	for (int i = 1; i < argc; i++) {
		if (has_file && str_is(str_of(argv[i]), "--"))
			break;
		if (str_is(str_of(argv[i]), "--list-presets"))
			r.is_list = true;
		else if (take_new_value(argc, argv, &i, "--preset", &r.name))
			r.has_name = true;
		else if (has_file &&
			 take_new_value(argc, argv, &i, "--presets-file", &r.file))
			r.has_file = true;
		if ((r.has_name && !r.name.p) || (r.has_file && !r.file.p))
			break;
	}
	if (r.name.p && !r.name.n)
		r.has_name = false;
	return r;
}

/* Until 4.3 the first --preset counts, and its value is the next word, whatever it is;
 * since 4.4 the last one counts, in the forms that all options have. */
static struct preset_request
request_of(const struct dialect *dialect, int argc, char *const *argv)
{
	return dialect->has[DIALECT_PRESET_IS_OPTION]
		       ? request_of_new(dialect, argc, argv)
		       : request_of_old(argc, argv);
}

/* ---- what is read ---------------------------------------------------------------- */

struct presets {
	struct preset_request request;
	struct dialect dialect;
	const struct preset_set *set; /* NULL: the request is wrong */
};

static bool
is_complete(const struct dialect *dialect, const struct preset_request *r)
{
	if (r->has_file && !r->file.p)
		return false;
	return !r->has_name || r->name.p ||
	       (r->is_list && !dialect->has[DIALECT_PRESET_IS_OPTION]);
}

static bool
is_same_release(const struct dialect *a, const struct dialect *b)
{
	return a->version == b->version && a->patch == b->patch;
}

const struct presets *
presets_read(struct arena *a, const struct dialect *dialect, int argc, char *const *argv,
	const struct presets *earlier)
{
	struct presets *p = NEW(a, struct presets);
	struct preset_source source = {
		.directory = path_here(a), .earlier = earlier ? earlier->set : NULL};

	INVARIANT(argc >= 0);
	if (earlier && is_same_release(&earlier->dialect, dialect))
		return earlier;
	*p = (struct presets){
		.request = request_of(dialect, argc, argv), .dialect = *dialect};
	source.named = p->request.file;
	if (!p->request.is_list && !p->request.has_name && !p->request.has_file)
		return NULL;
	if ((p->request.is_list || p->request.has_name) &&
		is_complete(dialect, &p->request))
		p->set = preset_set_read(a, &p->dialect, &source);
	return p;
}

/* ---- the list -------------------------------------------------------------------- */

static bool
is_listed(const struct preset *p)
{
	return !p->is_hidden && p->is_evaluated && p->is_enabled;
}

static size_t
widest_name(struct preset_list list)
{
	size_t width = 0;

	for (size_t i = 0; i < list.n; i++)
		if (is_listed(list.v[i]) && list.v[i]->name.n > width)
			width = list.v[i]->name.n;
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
print_list(struct option_parse *p, const struct preset_set *s, enum preset_kind kind)
{
	struct preset_list list = preset_list(s, kind);
	struct buf out = {.arena = p->a};
	size_t width = widest_name(list);

	for (size_t i = 0; i < list.n; i++) {
		if (!is_listed(list.v[i]))
			continue;
		if (!out.n)
			buf_fmt(&out, "Available %s presets:\n\n",
				preset_words[kind].name);
		list_one(&out, list.v[i], width);
	}
	option_say(p, false, buf_as_str(&out));
}

/* ---- the choice ------------------------------------------------------------------ */

/* Why the preset cannot be used, or "". */
static struct str
find_obstacle(struct arena *a, enum preset_kind kind, const struct preset *p,
	struct str name, struct str directory)
{
	const char *kind_name = preset_words[kind].name, *why = NULL;

	if (!p)
		why = "No such";
	else if (p->is_hidden)
		why = "Cannot use hidden";
	else if (!p->is_evaluated)
		return str_fmt(a,
			"Could not evaluate %s preset \"%.*s\": Invalid macro expansion",
			kind_name, STR_ARG(name));
	else if (!p->is_enabled)
		why = "Cannot use disabled";
	if (!why)
		return STR("");
	return str_fmt(a, "%s %s preset in %.*s: \"%.*s\"", why, kind_name,
		STR_ARG(directory), STR_ARG(name));
}

/* The preset, or NULL after a message why it cannot be used. */
static const struct preset *
choose_preset(struct option_parse *p, const struct preset_set *s, enum preset_kind kind,
	struct str name)
{
	const struct preset *preset = preset_find(s, kind, name);
	struct str why = find_obstacle(p->a, kind, preset, name, preset_set_directory(s));
	bool is_usable = preset && !preset->is_hidden && preset->is_evaluated;

	/* A disabled configure preset still says where the build tree is. */
	if (!why.n || (is_usable && kind == PRESET_CONFIGURE))
		return preset;
	option_error(p, "%.*s", STR_ARG(why));
	if (kind == PRESET_TEST || !preset || preset->is_hidden)
		print_list(p, s, kind);
	return NULL;
}

static bool
say_fault(struct option_parse *p, const struct preset_set *s)
{
	bool has_details = p->dialect->has[DIALECT_PRESET_ERROR_DETAILS];

	return option_error(p, "Could not read presets from %.*s:%s%s",
		STR_ARG(preset_set_directory(s)), has_details ? "\n" : " ",
		preset_set_fault(s));
}

static struct str_list
environment_of(struct arena *a, const struct preset *p)
{
	str_vec variables = {0};

	for (size_t i = 0; i < p->environment.v.n; i++) {
		const struct preset_pair *pair = &p->environment.v.v[i];

		if (!json_is(pair->value, JSON_NULL))
			VEC_PUSH(a, &variables,
				str_fmt(a, "%.*s=%.*s", STR_ARG(pair->name),
					STR_ARG(p->values[i])));
	}
	return str_vec_list(&variables);
}

static struct str
build_directory(
	struct arena *a, const struct preset_set *s, const struct preset *configure)
{
	struct str given = configure->texts[CONFIGURE_BINARY_DIRECTORY];

	return given.n ? path_join(a, preset_set_directory(s), given) : STR("");
}

static const struct preset *
configure_of(const struct preset_set *s, const struct preset *test)
{
	const struct json_value *name = test ? test->fields[TEST_CONFIGURE_PRESET] : NULL;

	return name ? preset_find(s, PRESET_CONFIGURE, name->text) : NULL;
}

struct str
presets_build_directory(struct arena *a, const struct presets *p)
{
	const struct preset *configure = NULL;

	if (p && p->set && p->request.has_name && !preset_set_fault(p->set))
		configure = configure_of(
			p->set, preset_find(p->set, PRESET_TEST, p->request.name));
	return configure ? build_directory(a, p->set, configure) : STR("");
}

static bool
apply_named(struct option_parse *p, const struct preset_set *s, struct str name)
{
	const struct preset *test = choose_preset(p, s, PRESET_TEST, name), *configure;

	if (!test)
		return false;
	configure = choose_preset(
		p, s, PRESET_CONFIGURE, test->fields[TEST_CONFIGURE_PRESET]->text);
	if (!configure)
		return false;
	p->o->environment = environment_of(p->a, test);
	preset_set_options(p, test, build_directory(p->a, s, configure));
	return true;
}

bool
presets_apply(struct option_parse *p, const struct presets *presets)
{
	const struct preset_request *r = presets ? &presets->request : NULL;
	const struct preset_set *s = presets ? presets->set : NULL;

	if (!r)
		return true;
	if (r->has_file && !r->file.p)
		return option_error(p, "'--presets-file' requires an argument");
	if (!is_complete(p->dialect, r))
		return option_error(p, "'--preset' requires an argument");
	if (!s)
		return true;
	if (preset_set_fault(s)) {
		option_say(p, false, preset_set_noise(s));
		return say_fault(p, s);
	}
	if (!r->is_list)
		return apply_named(p, s, r->name);
	p->o->help = HELP_PRESETS;
	print_list(p, s, PRESET_TEST);
	return true;
}

/* ---- commands of scripts --------------------------------------------------------- */

static const enum preset_kind kinds[] = {
	[PRESET_STEP_CONFIGURE] = PRESET_CONFIGURE,
	[PRESET_STEP_BUILD] = PRESET_BUILD,
	[PRESET_STEP_TEST] = PRESET_TEST,
};

static struct str
unreadable_text(struct arena *a, const struct preset_set *s, const struct preset_wish *w)
{
	const char *first = w->may_lack ? "" : " ", *second = w->may_lack ? "  " : " ";

	return str_fmt(a, "\n%sCould not read presets from \"%.*s\":\n%s%s", first,
		STR_ARG(w->source), second, preset_set_fault(s));
}

struct preset_found
preset_for_step(struct arena *a, const struct dialect *dialect, enum preset_step step,
	const struct preset_wish *w, struct options *o)
{
	const struct preset_source source = {
		.directory = path_join(a, path_here(a), w->source), .named = w->file};
	const struct preset_set *s = preset_set_read(a, dialect, &source);
	struct option_parse parse = {.a = a, .dialect = dialect, .o = o};
	enum preset_kind kind = kinds[step];
	struct preset_found found = {.wrong = STR(""), .build = STR("")};
	const struct preset *p;

	INVARIANT(step <= PRESET_STEP_TEST);
	if (preset_set_fault(s)) {
		found.wrong = unreadable_text(a, s, w);
		return found;
	}
	p = preset_find(s, kind, w->name);
	found.wrong = find_obstacle(a, kind, p, w->name, w->source);
	found.is_there = !found.wrong.n;
	if (w->may_lack)
		found.wrong = STR("");
	if (found.is_there && kind == PRESET_CONFIGURE) {
		found.build = build_directory(a, s, p);
		found.has_generator = p->fields[CONFIGURE_GENERATOR] != NULL;
	}
	if (found.is_there && kind == PRESET_TEST && o)
		preset_set_step_options(&parse, p);
	return found;
}
