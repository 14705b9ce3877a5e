/*
 * Whether one test passes the filter: expressions on names and labels, and ranges of
 * numbers.
 */
#include "runner/model/filter.h"

bool
filter_meets(const struct pattern *p, struct str s)
{
	return p->matcher && match_has(p->matcher, s);
}

static bool
some_label_matches(const struct properties *p, const struct pattern *pattern)
{
	for (size_t i = 0; i < p->labels.n; i++)
		if (filter_meets(pattern, p->labels.v[i]))
			return true;
	return false;
}

static bool
every_pattern_meets_a_label(const struct properties *p, const struct pattern_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!some_label_matches(p, l->v[i]))
			return false;
	return true;
}

bool
filter_passes(const struct filter *f, const struct test *t)
{
	const struct properties *p = t->properties;

	if (f->include_name && !filter_meets(f->include_name, t->name))
		return false;
	if (f->include_name && f->exclude_name && filter_meets(f->exclude_name, t->name))
		return false;
	if (!every_pattern_meets_a_label(p, &f->include_labels))
		return false;
	return !f->exclude_labels.n ||
	       !every_pattern_meets_a_label(p, &f->exclude_labels);
}

bool
filter_leaves_out(const struct filter *f, const struct test *t)
{
	if (f->exclude_name && filter_meets(f->exclude_name, t->name))
		return true;
	return f->exclude_labels.n &&
	       every_pattern_meets_a_label(t->properties, &f->exclude_labels);
}

struct filter_numbers
filter_numbers(struct arena *a, const struct number_range *r, size_t n)
{
	struct filter_numbers v = {.extra = NEW_ARRAY(a, bool, n + 1)};

	INVARIANT(r);
	if (!r->is_given)
		return v;
	v.start = r->start == RANGE_DEFAULT ? 1 : r->start;
	v.end = r->end == RANGE_DEFAULT ? (double)n : r->end;
	v.stride = r->stride == RANGE_DEFAULT ? 1 : r->stride;
	v.has_any = r->extra_n > 0 || (v.stride > 0 && v.start <= v.end);
	for (size_t i = 0; i < r->extra_n; i++)
		if (r->extra[i] > 0 && (size_t)r->extra[i] <= n)
			v.extra[r->extra[i]] = true;
	return v;
}

/* Whether there is an i with floor(start + i * stride) == number. Only the steps around
 * the first that reaches number are candidates. */
static bool
in_range(const struct filter_numbers *v, size_t number)
{
	/* larger numbers are all integers */
	static const double EXACT = 9007199254740992.0;
	double k = (double)number, i;

	if (!(v->stride > 0) || v->start > v->end)
		return false;
	i = (k - v->start) / v->stride;
	if (i > -EXACT && i < EXACT)
		i = (double)(int64_t)i;
	i -= 1;
	for (int step = 0; step < 4; step++, i++) {
		double x = v->start + i * v->stride;

		if (i >= 0 && x <= v->end && x >= k && x < k + 1)
			return true;
	}
	return false;
}

bool
filter_has_number(const struct filter_numbers *v, size_t number)
{
	return v->extra[number] || in_range(v, number);
}
