/* See filters.h. */
#include "compat/run/filters.h"

#include <errno.h>

#include "compat/records/last_failed.h"
#include "compat/run/name_lists.h"
#include "runner/base/files.h"

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
	if (o->tests_from_file.n && !name_list_read(c->arena, c->start,
					    o->tests_from_file, &f->only_names, &c->diag))
		return false;
	return !o->exclude_from_file.n ||
	       name_list_read(c->arena, c->start, o->exclude_from_file, &f->without_names,
		       &c->diag);
}

/* ---- the value of -I ------------------------------------------------------------- */

/* "Start,End,Stride,n,n,...", of which every part may be empty. Numbers are read as atoi
 * and atof do; an empty part counts as not given. */
struct parts {
	struct str rest;
	bool is_more; /* another part follows, even if it is empty */
};

/* The part before the next comma. */
static struct str
next_part(struct parts *p)
{
	size_t comma = str_find(p->rest, ',');
	struct str part = {p->rest.p, comma};

	p->is_more = comma < p->rest.n;
	p->rest = str_from(p->rest, p->is_more ? comma + 1 : comma);
	return part;
}

/* The first line without its end. As in ctest, a line without a newline loses its last
 * byte. */
static struct str
first_line(struct str content)
{
	size_t end = str_find(content, '\n');

	return str_cut(content.p, end < content.n || !end ? end : end - 1);
}

static int
number_of(struct str part)
{
	return part.n ? str_int(part) : RANGE_DEFAULT;
}

/* If text names a file, replaces it by the file's first line. A name that is too long for
 * a file is not one. */
static bool
read_named(struct run_context *c, struct str *text)
{
	struct str content;

	if (!text->n)
		return true;
	if (file_read_named(c->arena, run_path(c, *text), &content)) {
		*text = first_line(content);
		return true;
	}
	return error_is_no_file(errno) || errno == ENAMETOOLONG ||
	       diag_unreadable(&c->diag, *text, errno);
}

/* false after diag_error: text names a file that cannot be read. */
static bool
read_range(struct run_context *c, struct str text, struct number_range *r)
{
	VEC(int) extra = {0};
	struct str stride;
	struct parts parts;

	*r = (struct number_range){.is_given = text.n > 0};
	if (!read_named(c, &text))
		return false;
	parts = (struct parts){text, true};
	r->start = number_of(next_part(&parts));
	r->end = number_of(next_part(&parts));
	stride = next_part(&parts);
	r->stride = stride.n ? (float)str_double(stride) : RANGE_DEFAULT;
	while (parts.is_more)
		VEC_PUSH(c->arena, &extra, str_int(next_part(&parts)));
	r->extra = extra.v;
	r->extra_n = extra.n;
	return true;
}

/* ---------------------------------------------------------------------------------- */

bool
filters_read_others(struct run_context *c, const struct run_settings *s, bool has_file,
	struct filter *f, struct str *about_fixtures)
{
	const struct selection_options *o = &s->options.selection;
	struct buf about = {.arena = c->arena};
	struct last_failed list;

	f->use_union = o->use_union;
	f->with_depends = o->with_depends;
	f->ignore_names = s->custom->ignore;
	f->tests = str_vec_list(&o->tests);
	if (!read_range(c, o->range, &f->range))
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
	if (!last_failed_read(c->arena, s->temporary, &list, &c->diag))
		return false;
	f->numbers = list.numbers;
	f->numbers_n = list.n;
	if (list.missing.n && s->options.show_only == SHOW_NOTHING &&
		!s->options.print_labels)
		console_fmt(c->console, CHANNEL_ERROR, "%.*s does not exist!\n",
			STR_ARG(list.missing));
	return true;
}
