/*
 * The pool is made when the run begins, with the types that tests ask for, because the
 * scheduler assigns numbers to them then. Instances are added when the file exists; of
 * several attempts the last one that wrote a valid file counts.
 */
#include "compat/resources/dynamic_spec.h"

#include "compat/resources/resource_spec.h"
#include "runner/model/select.h"
#include "runner/resources/pool_sources.h"

#define PROPERTY "GENERATED_RESOURCE_SPEC_FILE"

/* ---- finding --------------------------------------------------------------------- */

static bool
check_maker(const struct properties *p, struct diag *d)
{
	if (p->fixtures_setup.n != 1)
		return diag_error(d, NO_PLACE,
			"Test that defines " PROPERTY
			" must have exactly one FIXTURES_SETUP");
	/* ctest accepts "~" at the beginning of an absolute path, and does not expand
	 * it. */
	return p->generated_resource_spec_file.p[0] == '/' ||
	       p->generated_resource_spec_file.p[0] == '~' ||
	       diag_error(d, NO_PLACE, PROPERTY " must be an absolute path");
}

bool
dynamic_spec_is_wanted(const struct selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (selected_test(s, i)->properties->generated_resource_spec_file.n)
			return true;
	return false;
}

/* *maker: MAP_NONE if there is none. */
static bool
find_maker(const struct selection *s, node_id *maker, struct diag *d)
{
	*maker = MAP_NONE;
	for (size_t i = 0; i < s->n; i++) {
		const struct properties *p = selected_test(s, i)->properties;

		if (!p->generated_resource_spec_file.n)
			continue;
		if (*maker != MAP_NONE)
			return diag_error(d, NO_PLACE,
				"Only one test may define the " PROPERTY " property");
		if (!check_maker(p, d))
			return false;
		*maker = (node_id)i;
	}
	return true;
}

static bool
all_require(const struct selection *s, struct str fixture, struct diag *d)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct properties *p = selected_test(s, i)->properties;

		if (p->resource_groups.n && !str_list_has(p->fixtures_required, fixture))
			return diag_error(d, NO_PLACE,
				"All tests that have RESOURCE_GROUPS must include the "
				"resource spec generator fixture in their "
				"FIXTURES_REQUIRED");
	}
	return true;
}

static struct pool
awaited_pool(struct arena *a, const struct dynamic_spec_options *o)
{
	const struct selection *s = o->selection;
	const struct resource_groups **asked =
		NEW_ARRAY(a, const struct resource_groups *, s->n);
	struct pool p;

	for (size_t i = 0; i < s->n; i++)
		asked[i] = &selected_test(s, i)->properties->resource_groups;
	p = pool_awaited(a, asked, s->n);
	p.placement = o->placement;
	return p;
}

/* ---- looking --------------------------------------------------------------------- */

static bool
read_pool(struct pool_maker *m)
{
	struct dynamic_spec *g = (struct dynamic_spec *)m;
	struct pool read;
	struct str why;
	struct diag d = diag_in(g->arena);

	g->why_not = STR("");
	if (!resource_spec_load(g->arena, g->options.dialect, g->options.directory,
		    g->path, &read, &d)) {
		g->why_not = d.entries.v[d.entries.n - 1].text;
		return false;
	}
	if (!resource_teller_can_tell(g->arena,
		    &(struct resource_teller){&read, NULL, g->options.telling}, &why)) {
		g->why_not = str_fmt(g->arena, "cctr: --gpu-visible: %.*s", STR_ARG(why));
		return false;
	}
	pool_fill(&g->pool, &read);
	m->is_made = true;
	return true;
}

static void
report_pool(struct pool_maker *m)
{
	struct dynamic_spec *g = (struct dynamic_spec *)m;

	if (g->why_not.n)
		console_fmt(
			g->options.console, CHANNEL_ERROR, "%.*s\n", STR_ARG(g->why_not));
	else
		console_fmt(g->options.console, CHANNEL_VERBOSE,
			"Using generated resource spec file %.*s\n", STR_ARG(g->path));
}

bool
dynamic_spec_find(struct arena *a, const struct dynamic_spec_options *o,
	struct dynamic_spec **found, struct diag *d)
{
	const struct properties *p;
	struct dynamic_spec *g;
	node_id maker;

	INVARIANT(found && d);
	*found = NULL;
	if (!find_maker(o->selection, &maker, d))
		return false;
	if (maker == MAP_NONE)
		return true;
	p = selected_test(o->selection, maker)->properties;
	if (!all_require(o->selection, p->fixtures_setup.v[0], d))
		return false;
	if (o->has_pool)
		return diag_error(d, NO_PLACE,
			PROPERTY " test property cannot be used in conjunction with "
				 "ResourceSpecFile option");
	g = NEW(a, struct dynamic_spec);
	*g = (struct dynamic_spec){
		.maker = {.node = maker, .look = read_pool, .say = report_pool},
		.arena = a,
		.options = *o,
		.path = p->generated_resource_spec_file,
		.pool = awaited_pool(a, o)};
	*found = g;
	return true;
}
