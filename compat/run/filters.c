/* See filters.h. */
#include "compat/run/filters.h"

#include "compat/format/number_range.h"
#include "compat/records/last_failed.h"
#include "compat/run/name_lists.h"
#include "runner/regex/match.h"

/* A pattern that does not compile, or that is empty, never matches. */
static const struct pattern *
pattern_of(struct filters *f, bool is_given, struct str text)
{
	static const struct pattern never = {STR_NONE, NULL};
	const struct pattern *p;
	struct str why = STR_NONE;

	if (!is_given)
		return NULL;
	if (text.n == 0)
		return &never;
	p = match_set_get(f->patterns, text, &why);
	console_raw(f->console, why);
	return p;
}

static const struct pattern *
fixture_pattern(struct filters *f, struct str text)
{
	const struct pattern *p;
	struct str why = STR_NONE;

	if (text.n == 0)
		return NULL;
	p = match_set_get(f->patterns, text, &why);
	f->about_fixtures =
		str_fmt(f->arena, "%.*s%.*s", STR_ARG(f->about_fixtures), STR_ARG(why));
	return p;
}

static struct pattern_list
patterns_of(struct filters *f, const str_vec *texts)
{
	struct pattern_list l = {
		NEW_ARRAY(f->arena, const struct pattern *, texts->n), 0};

	for (size_t i = 0; i < texts->n; i++)
		if (texts->v[i].n)
			l.v[l.n++] = pattern_of(f, true, texts->v[i]);
	return l;
}

void
filters_read_labels(struct filters *f)
{
	f->include_labels = patterns_of(f, &f->options->include_labels);
	f->exclude_labels = patterns_of(f, &f->options->exclude_labels);
}

void
filters_read_patterns(struct filters *f)
{
	const struct options *o = f->options;

	f->include_name = pattern_of(f, o->has_include_name, o->include_name);
	f->exclude_name = pattern_of(f, o->has_exclude_name, o->exclude_name);
}

const struct pattern *
filters_dropped(const struct filters *f)
{
	return f->include_name ? NULL : f->exclude_name;
}

/* -FA applies to setup and cleanup. With -FS or -FC ctest joins the two patterns so that
 * the first alternative contains the -FA pattern twice. */
static struct str
fixture_text(struct arena *a, struct str any, struct str one)
{
	if (any.n && one.n)
		return str_fmt(
			a, "%.*s(%.*s)|(%.*s)", STR_ARG(any), STR_ARG(any), STR_ARG(one));
	return any.n ? any : one;
}

static void
read_fixtures(struct filters *f, struct filter *filter)
{
	const struct options *o = f->options;
	struct str setup =
		fixture_text(f->arena, o->exclude_fixture, o->exclude_fixture_setup);
	struct str cleanup =
		fixture_text(f->arena, o->exclude_fixture, o->exclude_fixture_cleanup);

	filter->exclude_fixture_setup = fixture_pattern(f, setup);
	filter->exclude_fixture_cleanup = fixture_pattern(f, cleanup);
}

static bool
read_names(struct filters *f, struct filter *filter, struct diag *d)
{
	const struct options *o = f->options;

	filter->has_only_names = o->tests_from_file.n > 0;
	if (o->tests_from_file.n &&
		!name_list_read(f->arena, o->tests_from_file, &filter->only_names, d))
		return false;
	return !o->exclude_from_file.n ||
	       name_list_read(f->arena, o->exclude_from_file, &filter->without_names, d);
}

bool
filters_read(
	struct filters *f, struct filter *filter, struct str temporary, struct diag *d)
{
	const struct options *o = f->options;

	*filter = (struct filter){
		.include_labels = f->include_labels,
		.exclude_labels = f->exclude_labels,
		.include_name = f->include_name,
		.exclude_name = f->exclude_name,
		.use_union = o->use_union,
	};
	if (!number_range_parse(f->arena, o->range, &filter->range, d))
		return false;
	read_fixtures(f, filter);
	/* The lists must exist even if --rerun-failed decides. */
	if (f->has_tests && !read_names(f, filter, d))
		return false;
	if (!o->rerun_failed)
		return true;
	filter->only_numbers = true;
	return last_failed_read(
		f->arena, temporary, &filter->numbers, &filter->numbers_n, d);
}
