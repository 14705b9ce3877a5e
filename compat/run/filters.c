/* See filters.h. */
#include "compat/run/filters.h"

#include "compat/format/number_range.h"
#include "compat/records/last_failed.h"
#include "compat/run/name_lists.h"

/* A pattern that does not compile, or that is empty, never matches. */
static const struct pattern *
read_pattern(struct run_context *c, struct str text)
{
	static const struct pattern never = {STR_NONE, NULL};
	const struct pattern *p;
	struct str why = STR_NONE;

	if (text.n == 0)
		return &never;
	p = match_set_get(c->patterns, text, &why);
	console_raw(c->console, why);
	return p;
}

static struct pattern_list
read_patterns(struct run_context *c, const str_vec *texts)
{
	struct pattern_list l = {
		NEW_ARRAY(c->arena, const struct pattern *, texts->n), 0};

	for (size_t i = 0; i < texts->n; i++)
		if (texts->v[i].n)
			l.v[l.n++] = read_pattern(c, texts->v[i]);
	return l;
}

void
filters_read_labels(
	struct run_context *c, const struct selection_options *o, struct filter *f)
{
	f->include_labels = read_patterns(c, &o->include_labels);
	f->exclude_labels = read_patterns(c, &o->exclude_labels);
}

void
filters_read_names(
	struct run_context *c, const struct selection_options *o, struct filter *f)
{
	if (o->has_include_name)
		f->include_name = read_pattern(c, o->include_name);
	if (o->has_exclude_name)
		f->exclude_name = read_pattern(c, o->exclude_name);
}

/* -FA applies to setup and cleanup. With -FS or -FC ctest joins the two patterns so that
 * the first alternative contains the -FA pattern twice. NULL: neither is given. */
static const struct pattern *
fixture_pattern(struct run_context *c, struct str any, struct str one, struct buf *about)
{
	struct str text = any.n ? any : one, why = STR_NONE;
	const struct pattern *p;

	if (any.n && one.n)
		text = str_fmt(c->arena, "%.*s(%.*s)|(%.*s)", STR_ARG(any), STR_ARG(any),
			STR_ARG(one));
	if (text.n == 0)
		return NULL;
	p = match_set_get(c->patterns, text, &why);
	buf_str(about, why);
	return p;
}

static bool
read_names(struct run_context *c, const struct selection_options *o, struct filter *f)
{
	f->has_only_names = o->tests_from_file.n > 0;
	if (o->tests_from_file.n &&
		!name_list_read(c->arena, o->tests_from_file, &f->only_names, &c->diag))
		return false;
	return !o->exclude_from_file.n || name_list_read(c->arena, o->exclude_from_file,
						  &f->without_names, &c->diag);
}

bool
filters_read_others(struct run_context *c, const struct run_settings *s, bool has_file,
	struct filter *f, struct str *about_fixtures)
{
	const struct selection_options *o = &s->options.selection;
	struct buf about = {.arena = c->arena};

	f->use_union = o->use_union;
	f->with_depends = o->with_depends;
	f->ignore_names = s->custom->ignore;
	f->tests = str_vec_list(&o->tests);
	if (!number_range_parse(c->arena, o->range, &f->range, &c->diag))
		return false;
	f->exclude_fixture_setup =
		fixture_pattern(c, o->exclude_fixture, o->exclude_fixture_setup, &about);
	f->exclude_fixture_cleanup = fixture_pattern(
		c, o->exclude_fixture, o->exclude_fixture_cleanup, &about);
	*about_fixtures = buf_as_str(&about);
	/* The lists must exist even if --rerun-failed decides. */
	if (has_file && !read_names(c, o, f))
		return false;
	if (!o->rerun_failed)
		return true;
	f->only_numbers = true;
	return last_failed_read(
		c->arena, s->temporary, &f->numbers, &f->numbers_n, &c->diag);
}
