/* See config.h. */
#include "compat/command_line/config.h"

#include "compat/command_line/own_settings.h"
#include "runner/base/files.h"
#include "runner/base/json_line.h"
#include "runner/base/streams.h"

static void
say_errors(struct option_parse *p, const struct diag *d)
{
	for (size_t i = 0; i < d->entries.n; i++) {
		const struct diag_entry *e = &d->entries.v[i];
		struct str place = own_setting_place(p->a, e->at.file, e->at.line);

		if (!diag_is_error(e->kind))
			continue;
		option_say(p, true,
			str_fmt(p->a, "cctr: %.*s%s%.*s\n", STR_ARG(place),
				place.n ? ": " : "", STR_ARG(e->text)));
	}
}

/* Standard output is for one report, also where a file or a variable asks for it. */
static bool
check_output(struct option_parse *p)
{
	const struct options *o = p->o;

	return !streams_is_output(o->report.events) ||
	       !streams_is_output(o->report.tap) ||
	       option_error(
		       p, "'--events -' and '--tap -' cannot both have standard output");
}

/* As the run opens it. "-" stays: it is standard output. */
static struct str
whole_path(struct arena *a, struct str folder, struct str path)
{
	if (!path.n || streams_is_output(path))
		return path;
	return path_normal(a, path_join(a, folder, path));
}

/* Of two reports in one file one would be lost. A device keeps nothing that could be.
 * --output-junit and --output-log, the first two, are ctest's, and may have one file. */
static bool
check_files(struct option_parse *p, struct str tree)
{
	const struct report_options *r = &p->o->report;
	struct arena *a = p->a;
	const struct {
		const char *option;
		struct str path;
	} files[] = {{"--output-junit", whole_path(a, tree, r->junit)},
		{"--output-log", whole_path(a, path_here(a), p->o->console.output_log)},
		{"--html", whole_path(a, tree, r->html)},
		{"--trace", whole_path(a, tree, r->trace)},
		{"--events", whole_path(a, tree, r->events)},
		{"--tap", whole_path(a, tree, r->tap)},
		{"--plan-json", whole_path(a, tree, p->o->schedule.plan_json)}};

	for (size_t i = 2; i < sizeof files / sizeof *files; i++)
		for (size_t k = 0; k < i && files[i].path.n; k++)
			if (str_eq(files[i].path, files[k].path) &&
				!str_begins(files[i].path, STR("/dev/")))
				return option_error(p,
					"'%s' and '%s' name the same file: %.*s",
					files[k].option, files[i].option,
					STR_ARG(files[i].path));
	return true;
}

/* Options that do nothing unless others are there. What a run alone knows is checked
 * there: whether there are nodes (compat/run/run_settings.c) and a pool
 * (compat/run/run_tests.c). */
static bool
check_companions(struct option_parse *p)
{
	const struct options *o = p->o;
	bool has_script = o->script.requests.n > 0;
	bool is_plain = !o->dashboard.is_on && !has_script;
	bool is_pressure = o->schedule.order == SCHEDULE_PRESSURE;
	const struct {
		const char *option;
		bool works;
		const char *why; /* it does nothing */
	} companions[] = {
		{"--build", is_plain, "in a dashboard or a script"},
		{"--script-host", has_script, "without '-S' or '-SP'"},
		{"--history-keep", o->run.keeps_history, "without '--history=on'"},
		{"--plan-json", o->schedule.simulate || o->schedule.explain.n,
			"without '--simulate' or '--explain'"},
		{"--reserve", is_pressure, "without '--schedule=pressure'"},
		{"--schedule", !is_pressure || !o->schedule.random,
			"with '--schedule-random'"},
	};

	for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
		if (options_have_own(o, companions[i].option) && !companions[i].works)
			return option_error(p, "'%s' does nothing %s",
				companions[i].option, companions[i].why);
	return true;
}

bool
config_read(struct arena *a, const struct dialect *dialect, bool is_ctest,
	struct options *o, options_messages *messages)
{
	struct option_parse p = {
		.a = a, .dialect = dialect, .o = o, .messages = messages};
	struct diag d = diag_in(a);
	struct default_files files;
	struct str tree = path_join(a, path_here(a), o->tree.test_dir);
	str_vec read = {0};
	bool is_right;

	o->own_keys = own_setting_keys(a);
	is_right = default_files_load(a, tree, o->own_keys, &files, &d) &&
		   own_settings_take(&p, &files, is_ctest, &d);
	for (size_t i = 0; i < files.n; i++)
		VEC_PUSH(a, &read, files.v[i].path);
	o->own_files = str_vec_list(&read);
	o->has_wrong_defaults = !is_right;
	say_errors(&p, &d);
	return is_right && check_companions(&p) && check_output(&p) &&
	       check_files(&p, tree);
}

/* ---- cctr config ----------------------------------------------------------------- */

static struct str
values_of(struct arena *a, const struct own_setting *s)
{
	struct buf all = {.arena = a};

	buf_z(&all, s->values.n ? "" : "-");
	buf_join(&all, s->values, STR(", "));
	return buf_as_str(&all);
}

static struct str
text_for_people(struct arena *a, const struct options *o)
{
	struct buf b = {.arena = a};
	size_t names = 0, values = 0;

	for (size_t i = 0; i < o->own_settings.n; i++) {
		const struct own_setting *s = &o->own_settings.v[i];
		size_t n = values_of(a, s).n;

		names = s->name.n > names ? s->name.n : names;
		values = n > values && n <= 32 ? n : values;
	}
	if (o->profile.n)
		buf_fmt(&b, "profile: %.*s\n", STR_ARG(o->profile));
	for (size_t i = 0; i < o->own_files.n; i++)
		buf_fmt(&b, "file: %.*s\n", STR_ARG(o->own_files.v[i]));
	for (size_t i = 0; i < o->own_settings.n; i++) {
		const struct own_setting *s = &o->own_settings.v[i];

		buf_fmt(&b, "%-*.*s  %-*s  %s", (int)names, STR_ARG(s->name), (int)values,
			str_z(a, values_of(a, s)), s->source);
		if (s->profile.n)
			buf_fmt(&b, ", profile %.*s", STR_ARG(s->profile));
		if (s->place.n)
			buf_fmt(&b, ": %.*s", STR_ARG(s->place));
		buf_char(&b, '\n');
	}
	return buf_as_str(&b);
}

static void
add_list(struct buf *b, const char *key, struct str_list l)
{
	json_line_open(b, key, '[');
	for (size_t i = 0; i < l.n; i++)
		json_line_text(b, NULL, l.v[i]);
	json_line_close(b, ']');
}

static struct str
text_as_json(struct arena *a, const struct options *o)
{
	struct buf b = {.arena = a};

	json_line_open(&b, NULL, '{');
	json_line_count(&b, "version", 1);
	if (o->profile.n)
		json_line_text(&b, "profile", o->profile);
	add_list(&b, "files", o->own_files);
	json_line_open(&b, "settings", '[');
	for (size_t i = 0; i < o->own_settings.n; i++) {
		const struct own_setting *s = &o->own_settings.v[i];

		json_line_open(&b, NULL, '{');
		json_line_text(&b, "name", s->name);
		add_list(&b, "values", s->values);
		json_line_text(&b, "source", str_of(s->source));
		if (s->place.n)
			json_line_text(&b, "place", s->place);
		if (s->profile.n)
			json_line_text(&b, "profile", s->profile);
		json_line_close(&b, '}');
	}
	json_line_close(&b, ']');
	json_line_close(&b, '}');
	buf_char(&b, '\n');
	return buf_as_str(&b);
}

struct str
config_text(struct arena *a, const struct options *o)
{
	return (o->show_settings == SHOW_SETTINGS_JSON ? text_as_json : text_for_people)(
		a, o);
}
