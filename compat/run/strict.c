/* Names that mean nothing. See strict.h. */
#include "compat/run/strict.h"

#include "runner/base/nearest.h"
#include "runner/resources/pool_request.h"

struct checking {
	struct arena *a;
	const struct suite *suite;
	struct map tests, labels, provided, required; /* provided, required: fixtures */
	str_vec test_names, label_names, fixture_names; /* each once */
	struct diag *d;
};

static struct str
hint_of(struct arena *a, struct str name, const str_vec *known)
{
	return nearest_question(a, nearest_word(name, str_vec_list(known)), "\"");
}

/* ---- what the suite has ---------------------------------------------------------- */

static void
gather_names(struct checking *c, struct map *names, str_vec *list, struct str_list more)
{
	for (size_t i = 0; i < more.n; i++)
		if (map_add(names, more.v[i]))
			VEC_PUSH(c->a, list, more.v[i]);
}

static void
gather_suite(struct checking *c)
{
	str_vec unused = {0};
	struct map fixtures = map_in(c->a);

	for (size_t i = 0; i < c->suite->n; i++) {
		struct test *t = drop_const(&c->suite->tests[i]);
		const struct properties *p = t->properties;

		gather_names(
			c, &c->tests, &c->test_names, (struct str_list){&t->name, 1});
		gather_names(c, &c->labels, &c->label_names, p->labels);
		gather_names(c, &c->provided, &unused, p->fixtures_setup);
		gather_names(c, &c->provided, &unused, p->fixtures_cleanup);
		gather_names(c, &c->required, &unused, p->fixtures_required);
		gather_names(c, &fixtures, &c->fixture_names, p->fixtures_setup);
		gather_names(c, &fixtures, &c->fixture_names, p->fixtures_cleanup);
		gather_names(c, &fixtures, &c->fixture_names, p->fixtures_required);
	}
}

/* ---- tests ----------------------------------------------------------------------- */

static void
check_repeated(struct checking *c)
{
	struct map first = map_in(c->a);

	for (uint32_t i = 0; i < c->suite->n; i++) {
		struct str name = c->suite->tests[i].name;
		uint32_t *at = map_at(&first, name);

		if (*at == MAP_NONE)
			*at = i;
		else
			diag_error(c->d, NO_PLACE,
				"--strict: two tests are called \"%.*s\", in %.*s and "
				"%.*s",
				STR_ARG(name), STR_ARG(c->suite->tests[*at].declared_in),
				STR_ARG(c->suite->tests[i].declared_in));
	}
}

static void
check_depends(struct checking *c, const struct test *t)
{
	const struct str_list *depends = &t->properties->depends;

	for (size_t i = 0; i < depends->n; i++) {
		struct str name = depends->v[i], hint;

		if (map_has(&c->tests, name))
			continue;
		hint = hint_of(c->a, name, &c->test_names);
		diag_error(c->d, NO_PLACE,
			"--strict: test \"%.*s\" DEPENDS on \"%.*s\", and there is no "
			"such test%.*s",
			STR_ARG(t->name), STR_ARG(name), STR_ARG(hint));
	}
}

/* known: those of the other tests. */
static void
check_fixtures(struct checking *c, const struct test *t, struct str_list fixtures,
	const struct map *known, const char *property, const char *why)
{
	for (size_t i = 0; i < fixtures.n; i++) {
		struct str name = fixtures.v[i], hint;
		str_vec others = {0};

		if (map_has(known, name))
			continue;
		for (size_t k = 0; k < c->fixture_names.n; k++)
			if (map_has(known, c->fixture_names.v[k]))
				VEC_PUSH(c->a, &others, c->fixture_names.v[k]);
		hint = hint_of(c->a, name, &others);
		diag_error(c->d, NO_PLACE,
			"--strict: test \"%.*s\" has %s \"%.*s\", which no test %s%.*s",
			STR_ARG(t->name), property, STR_ARG(name), why, STR_ARG(hint));
	}
}

static void
check_test(struct checking *c, const struct test *t)
{
	const struct properties *p = t->properties;

	check_depends(c, t);
	check_fixtures(c, t, p->fixtures_required, &c->provided, "FIXTURES_REQUIRED",
		"sets up or cleans up");
	check_fixtures(
		c, t, p->fixtures_setup, &c->required, "FIXTURES_SETUP", "requires");
	check_fixtures(
		c, t, p->fixtures_cleanup, &c->required, "FIXTURES_CLEANUP", "requires");
}

/* ---- options --------------------------------------------------------------------- */

static void
check_pattern(struct checking *c, const char *option, const char *what, struct str text,
	const struct pattern *p, const str_vec *names)
{
	struct str hint;

	if (!p)
		return;
	for (size_t i = 0; i < names->n; i++)
		if (filter_meets(p, names->v[i]))
			return;
	hint = hint_of(c->a, text, names);
	diag_error(c->d, NO_PLACE, "--strict: no %s matches %s %.*s%.*s", what, option,
		STR_ARG(text), STR_ARG(hint));
}

static void
check_label_patterns(
	struct checking *c, const char *option, const struct pattern_list *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		check_pattern(c, option, "label", patterns->v[i]->text, patterns->v[i],
			&c->label_names);
}

static void
check_listed(struct checking *c, const char *option, struct str_list names)
{
	for (size_t i = 0; i < names.n; i++) {
		struct str hint;

		if (map_has(&c->tests, names.v[i]))
			continue;
		hint = hint_of(c->a, names.v[i], &c->test_names);
		diag_error(c->d, NO_PLACE,
			"--strict: %s names \"%.*s\", and there is no "
			"such test%.*s",
			option, STR_ARG(names.v[i]), STR_ARG(hint));
	}
}

static void
check_options(
	struct checking *c, const struct selection_options *o, const struct filter *f)
{
	check_pattern(c, "-R", "test", o->include_name, f->include_name, &c->test_names);
	check_pattern(c, "-E", "test", o->exclude_name, f->exclude_name, &c->test_names);
	check_label_patterns(c, "-L", &f->include_labels);
	check_label_patterns(c, "-LE", &f->exclude_labels);
	check_pattern(c, "-FA or -FS", "fixture",
		o->exclude_fixture.n ? o->exclude_fixture : o->exclude_fixture_setup,
		f->exclude_fixture_setup, &c->fixture_names);
	check_pattern(c, "-FA or -FC", "fixture",
		o->exclude_fixture.n ? o->exclude_fixture : o->exclude_fixture_cleanup,
		f->exclude_fixture_cleanup, &c->fixture_names);
	check_listed(c, "--tests-from-file", f->only_names);
	check_listed(c, "--exclude-from-file", f->without_names);
}

bool
strict_check_names(struct arena *a, const struct selection_options *o,
	const struct filter *f, const struct suite *s, struct diag *d)
{
	struct checking c = {.a = a,
		.suite = s,
		.tests = map_in(a),
		.labels = map_in(a),
		.provided = map_in(a),
		.required = map_in(a),
		.d = d};
	size_t errors = d->errors;

	INVARIANT(o && f);
	gather_suite(&c);
	check_repeated(&c);
	for (size_t i = 0; i < s->n; i++)
		check_test(&c, &s->tests[i]);
	check_options(&c, o, f);
	return d->errors == errors;
}

bool
strict_check_factors(struct arena *a, const struct limit_options *o, bool is_strict,
	const struct suite *s, struct diag *d)
{
	struct checking c = {.a = a, .labels = map_in(a), .d = d};
	size_t errors = d->errors;

	for (size_t i = 0; i < s->n && o->of_labels.n; i++)
		gather_names(
			&c, &c.labels, &c.label_names, s->tests[i].properties->labels);
	for (size_t i = 0; i < o->of_labels.n; i++) {
		struct str label = o->of_labels.v[i].label, hint;

		if (map_has(&c.labels, label))
			continue;
		hint = hint_of(a, label, &c.label_names);
		diag_add(d, is_strict ? DIAG_ERROR : DIAG_WARNING, NO_PLACE,
			str_fmt(a,
				"--timeout-multiplier: no test has the label "
				"\"%.*s\"%.*s",
				STR_ARG(label), STR_ARG(hint)));
	}
	return d->errors == errors;
}

/* ---- resources ------------------------------------------------------------------- */

static struct map
types_of(struct arena *a, const struct pool *p, str_vec *names)
{
	struct map types = map_in(a);

	for (size_t i = 0; i < p->n; i++)
		if (p->types[i].n && map_add(&types, p->types[i].name))
			VEC_PUSH(a, names, p->types[i].name);
	return types;
}

/* Whether the pool has all types that the test asks for. */
static bool
check_types(struct arena *a, const struct map *types, const str_vec *names,
	const struct test *t, struct diag *d)
{
	const struct resource_groups *g = &t->properties->resource_groups;
	struct map told = map_in(a);

	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			struct str type = g->v[i].v[k].type, hint;

			if (map_has(types, type) || !map_add(&told, type))
				continue;
			hint = hint_of(a, type, names);
			diag_error(d, NO_PLACE,
				"--strict: test \"%.*s\" asks for the resource type "
				"%.*s, of which there is none%.*s",
				STR_ARG(t->name), STR_ARG(type), STR_ARG(hint));
		}
	return told.n == 0;
}

bool
strict_check_resources(
	struct arena *a, const struct pool *p, const struct selection *s, struct diag *d)
{
	size_t errors = d->errors;
	str_vec names = {0};
	struct map types = types_of(a, p, &names);

	for (size_t i = 0; i < s->n && !p->is_awaited; i++) {
		const struct test *t = selected_test(s, i);
		struct resource_groups g = pool_request(a, p, t->properties);

		if (t->properties->disabled || !check_types(a, &types, &names, t, d))
			continue;
		if (g.n && pool_fit(p, a, &g) == POOL_FITS_NOWHERE)
			diag_error(d, NO_PLACE,
				"--strict: test \"%.*s\" asks for more resources than "
				"there are in all",
				STR_ARG(t->name));
	}
	return d->errors == errors;
}
