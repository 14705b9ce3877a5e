/*
 * Predicates about one test are asked test by test; those about other tests, or about
 * earlier runs, are sets that are made before.
 */
#include "compat/run/test_filters.h"

#include <string.h>

#include "compat/options/test_predicates.h"
#include "compat/records/last_failed.h"
#include "compat/resources/properties.h"
#include "compat/run/suite_times.h"
#include "runner/base/files.h"
#include "runner/base/nearest.h"
#include "runner/filter/needs.h"

struct evaluation {
	struct run_context *c;
	const struct run_settings *s;
	const struct suite *suite;
	const struct filter_expression *e;
	struct arena *scratch;
	struct needs *needs; /* NULL: not needed yet */
	const struct expected *times; /* the same */
	/* By predicate; NULL: it is asked test by test. */
	const bool **sets;
	const struct property_row **rows; /* NULL: not one of the table */
};

/* Places for messages. */
#define OPTION ((struct place){.file = STR("--filter")})

static enum test_predicate
kind_of(const struct filter_predicate *p)
{
	return (enum test_predicate)p->row;
}

/* ---- the words of a test --------------------------------------------------------- */

/* true: no more words are wanted. */
typedef bool visit_word(void *context, struct str word);

static bool
visit_list(struct str_list l, visit_word *visit, void *context)
{
	for (size_t i = 0; i < l.n; i++)
		if (visit(context, l.v[i]))
			return true;
	return false;
}

static bool
visit_types(const struct resource_groups *groups, visit_word *visit, void *context)
{
	for (size_t g = 0; g < groups->n; g++)
		for (size_t i = 0; i < groups->v[g].n; i++)
			if (visit(context, groups->v[g].v[i].type))
				return true;
	return false;
}

static bool
visit_program(const struct test *t, visit_word *visit, void *context)
{
	return t->command.n && (visit(context, t->command.v[0]) ||
				       visit(context, path_name(t->command.v[0])));
}

/* The directory that declares the test, "." for that of the build tree. A directory
 * elsewhere keeps its path. */
static struct str
directory_of(const struct evaluation *v, const struct test *t)
{
	struct str path = t->declared_in, top = v->s->directory;

	if (str_eq(path, top))
		return STR(".");
	if (str_begins(path, top) && path.p[top.n] == '/')
		return str_from(path, top.n + 1);
	return path;
}

/* A glob is for the directory and for those above it. */
static bool
visit_directories(const struct evaluation *v, const struct test *t, visit_word *visit,
	void *context)
{
	struct str path = directory_of(v, t);

	while (path.n)
		if (visit(context, path))
			return true;
		else
			path = path_parent(path);
	return false;
}

static bool
visit_property(struct evaluation *v, const struct filter_predicate *p,
	const struct test *t, visit_word *visit, void *context)
{
	const struct property_row *row = v->rows[p - v->e->predicates];
	struct arena_mark mark = arena_mark(v->scratch);
	bool is_over = false;

	if (row) {
		is_over = visit_list(property_texts(v->scratch, row, t), visit, context);
		arena_rewind(v->scratch, mark);
	}
	for (size_t i = 0; !row && i < t->properties->custom_n && !is_over; i++)
		if (str_eq(t->properties->custom[i].name, p->field))
			is_over = visit(context, t->properties->custom[i].value);
	return is_over;
}

static bool
visit_words(struct evaluation *v, const struct filter_predicate *p, const struct test *t,
	visit_word *visit, void *context)
{
	const struct properties *o = t->properties;
	enum test_predicate kind = kind_of(p);

	switch (kind) {
	case PREDICATE_NAME:
	case PREDICATE_DEPS:
	case PREDICATE_RDEPS:
		return visit(context, t->name);
	case PREDICATE_LABEL:
		return visit_list(o->labels, visit, context);
	case PREDICATE_DIR:
		return visit_directories(v, t, visit, context);
	case PREDICATE_FIXTURE:
		return visit_list(o->fixtures_setup, visit, context) ||
		       visit_list(o->fixtures_cleanup, visit, context) ||
		       visit_list(o->fixtures_required, visit, context);
	case PREDICATE_SETUP:
		return visit_list(o->fixtures_setup, visit, context);
	case PREDICATE_CLEANUP:
		return visit_list(o->fixtures_cleanup, visit, context);
	case PREDICATE_REQUIRES:
		return visit_list(o->fixtures_required, visit, context);
	case PREDICATE_PROGRAM:
		return visit_program(t, visit, context);
	case PREDICATE_COMMAND:
		return visit_list(t->command, visit, context);
	case PREDICATE_PROPERTY:
		return visit_property(v, p, t, visit, context);
	case PREDICATE_LOCK:
		return visit_list(o->resource_locks, visit, context);
	case PREDICATE_RESOURCE:
		return visit_types(&o->resource_groups, visit, context);
	case PREDICATE_ALL:
	case PREDICATE_NONE:
	case PREDICATE_PROCESSORS:
	case PREDICATE_NODES:
	case PREDICATE_COST:
	case PREDICATE_TIMEOUT:
	case PREDICATE_TIME:
	case PREDICATE_FAILED:
	case TEST_PREDICATES:
		break;
	}
	BUG("a predicate without a word");
}

static bool
match_word(void *context, struct str word)
{
	return filter_word_matches(context, word);
}

static bool
any_word(void *context, struct str word)
{
	(void)context, (void)word;
	return true;
}

static bool
has_word(struct evaluation *v, const struct filter_predicate *p, const struct test *t)
{
	/* "=" is for one directory. */
	if (kind_of(p) == PREDICATE_DIR && p->is_exact)
		return str_eq(p->word.text, directory_of(v, t));
	return visit_words(
		v, p, t, p->has_word ? match_word : any_word, drop_const(&p->word));
}

/* ---- predicates ------------------------------------------------------------------ */

static bool
holds_for(void *context, size_t predicate, uint32_t id)
{
	struct evaluation *v = context;
	const struct filter_predicate *p = &v->e->predicates[predicate];
	const struct test *t = &v->suite->tests[id];
	const struct properties *o = t->properties;

	if (v->sets[predicate])
		return v->sets[predicate][id];
	switch (kind_of(p)) {
	case PREDICATE_ALL:
		return true;
	case PREDICATE_NONE:
		return false;
	case PREDICATE_PROCESSORS:
		return filter_interval_has(&p->interval, o->processors);
	case PREDICATE_NODES:
		return filter_interval_has(&p->interval, o->nodes);
	case PREDICATE_COST:
		return filter_interval_has(&p->interval, o->cost);
	case PREDICATE_TIMEOUT:
		return o->has_timeout && filter_interval_has(&p->interval, o->timeout_s);
	case PREDICATE_TIME:
		return filter_interval_has(&p->interval, v->times[id].seconds);
	case PREDICATE_NAME:
	case PREDICATE_LABEL:
	case PREDICATE_DIR:
	case PREDICATE_FIXTURE:
	case PREDICATE_SETUP:
	case PREDICATE_CLEANUP:
	case PREDICATE_REQUIRES:
	case PREDICATE_PROGRAM:
	case PREDICATE_COMMAND:
	case PREDICATE_PROPERTY:
	case PREDICATE_LOCK:
	case PREDICATE_RESOURCE:
		return has_word(v, p, t);
	case PREDICATE_DEPS:
	case PREDICATE_RDEPS:
	case PREDICATE_FAILED:
	case TEST_PREDICATES:
		break;
	}
	BUG("a predicate without its set");
}

/* ---- sets ------------------------------------------------------------------------ */

static const bool *
find_needs(struct evaluation *v, const struct filter_predicate *p, bool by_others)
{
	bool *set = NEW_ARRAY(v->c->arena, bool, v->suite->n);

	if (!v->needs)
		v->needs = needs_build(v->c->arena, v->suite);
	for (test_id t = 0; t < v->suite->n; t++)
		set[t] = has_word(v, p, &v->suite->tests[t]);
	needs_add(v->needs, set, by_others);
	return set;
}

/* By name, since numbers change with the test files. NULL: the list cannot be read. */
static const bool *
find_failed(struct evaluation *v)
{
	bool *set = NEW_ARRAY(v->c->arena, bool, v->suite->n);
	struct str_list names;
	struct map failed;

	if (!last_failed_names(v->c->arena, v->s->temporary, &names, &v->c->diag))
		return NULL;
	failed = map_of(v->c->arena, names);
	for (test_id t = 0; t < v->suite->n; t++)
		set[t] = map_has(&failed, v->suite->tests[t].name);
	return set;
}

static bool
make_set(struct evaluation *v, size_t predicate)
{
	const struct filter_predicate *p = &v->e->predicates[predicate];
	enum test_predicate kind = kind_of(p);

	if (kind == PREDICATE_DEPS || kind == PREDICATE_RDEPS)
		v->sets[predicate] = find_needs(v, p, kind == PREDICATE_RDEPS);
	else if (kind == PREDICATE_FAILED)
		v->sets[predicate] = find_failed(v);
	else if (kind == PREDICATE_TIME && !v->times)
		v->times = suite_times(v->c, v->s, v->suite);
	if (kind == PREDICATE_TIME)
		return v->times != NULL;
	return kind != PREDICATE_FAILED || v->sets[predicate];
}

/* ---- properties ------------------------------------------------------------------ */

/* Names of the table, and of properties that tests of the suite have. */
static struct str_list
property_names(struct evaluation *v)
{
	struct map seen = map_in(v->c->arena);
	str_vec names = {0};
	size_t n;
	const struct property_row *rows = property_rows(&n);

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(v->c->arena, &names, str_of(rows[i].name));
	for (test_id t = 0; t < v->suite->n; t++) {
		const struct properties *p = v->suite->tests[t].properties;

		for (size_t i = 0; i < p->custom_n; i++)
			if (map_add(&seen, p->custom[i].name))
				VEC_PUSH(v->c->arena, &names, p->custom[i].name);
	}
	return str_vec_list(&names);
}

static bool
find_property(struct evaluation *v, size_t predicate)
{
	const struct filter_predicate *p = &v->e->predicates[predicate];
	struct str_list all;
	struct str hint;

	if (kind_of(p) != PREDICATE_PROPERTY)
		return true;
	v->rows[predicate] = property_row_named(p->field);
	if (v->rows[predicate])
		return true;
	all = property_names(v);
	if (str_list_has(all, p->field))
		return true;
	hint = nearest_question(v->c->arena, nearest_word(p->field, all), "");
	return diag_error(&v->c->diag, OPTION,
		"column %zu: no test has a property %.*s%.*s", p->column,
		STR_ARG(p->field), STR_ARG(hint));
}

/* ---- words that no test has ------------------------------------------------------ */

struct vocabulary {
	struct arena *a;
	struct map seen;
	str_vec words;
};

static bool
add_word(void *context, struct str word)
{
	struct vocabulary *v = context;

	if (map_add(&v->seen, word))
		VEC_PUSH(v->a, &v->words, word);
	return false;
}

static bool
is_in_some_test(struct evaluation *v, const struct filter_predicate *p)
{
	for (test_id t = 0; t < v->suite->n; t++)
		if (has_word(v, p, &v->suite->tests[t]))
			return true;
	return false;
}

/* The word of the tests that was probably meant, or STR_NONE. */
static struct str
find_meant(struct evaluation *v, const struct filter_predicate *p)
{
	struct vocabulary words = {.a = v->c->arena, .seen = map_in(v->c->arena)};

	for (test_id t = 0; t < v->suite->n; t++)
		visit_words(v, p, &v->suite->tests[t], add_word, &words);
	return nearest_word(p->word.text, str_vec_list(&words.words));
}

/* Predicates whose word can be misspelled. */
static bool
has_vocabulary(enum test_predicate kind)
{
	return kind != PREDICATE_PROPERTY && kind != PREDICATE_COMMAND;
}

/* A whole word that no test has is an error where it is a name, as of --test, and with
 * --strict; else a warning, since options of a build decide which labels and fixtures
 * there are. */
static bool
check_word(struct evaluation *v, const struct filter_predicate *p)
{
	enum test_predicate kind = kind_of(p);
	bool is_error = kind == PREDICATE_NAME || kind == PREDICATE_DEPS ||
			kind == PREDICATE_RDEPS || v->s->options.selection.strict;
	struct str hint, text;

	if (!p->has_word || p->word.way != WORD_EQUAL || !has_vocabulary(kind) ||
		is_in_some_test(v, p))
		return true;
	hint = nearest_question(v->c->arena, find_meant(v, p), "");
	text = str_fmt(v->c->arena, "column %zu: no test matches %s(%.*s)%.*s", p->column,
		test_predicate_rows[kind].name, STR_ARG(p->word.text), STR_ARG(hint));
	if (is_error)
		return diag_error(&v->c->diag, OPTION, "%.*s", STR_ARG(text));
	diag_warning(&v->c->diag, OPTION, "%.*s", STR_ARG(text));
	return true;
}

/* ---- expressions ----------------------------------------------------------------- */

static bool
prepare_predicates(struct evaluation *v)
{
	size_t n = v->e->predicates_n;
	bool all = true;

	v->sets = NEW_ARRAY(v->c->arena, const bool *, n);
	v->rows = NEW_ARRAY(v->c->arena, const struct property_row *, n);
	for (size_t i = 0; i < n; i++)
		all = find_property(v, i) && check_word(v, &v->e->predicates[i]) &&
		      make_set(v, i) && all;
	return all;
}

static bool
accept_by(struct evaluation *v, struct filter_expression *e, bool *accepted)
{
	v->e = e;
	if (!filter_expression_compile(e, v->c->patterns, OPTION, &v->c->diag) ||
		!prepare_predicates(v))
		return false;
	for (test_id t = 0; t < v->suite->n; t++)
		accepted[t] =
			accepted[t] && filter_expression_accepts(e, holds_for, v, t);
	return true;
}

bool
test_filters_accept_by(struct run_context *c, const struct run_settings *s,
	const struct suite *suite, const filter_vec *filters, const bool **accepted)
{
	struct evaluation v = {.c = c, .s = s, .suite = suite};
	bool *all = NEW_ARRAY(c->arena, bool, suite->n);
	bool is_good = true;

	INVARIANT(accepted);
	*accepted = NULL;
	if (!filters->n)
		return true;
	v.scratch = arena_open();
	memset(all, true, suite->n * sizeof *all);
	for (size_t i = 0; i < filters->n; i++)
		is_good = accept_by(&v, filters->v[i], all) && is_good;
	arena_close(v.scratch);
	*accepted = all;
	return is_good;
}

bool
test_filters_accept(struct run_context *c, const struct run_settings *s,
	const struct suite *suite, const bool **accepted)
{
	return test_filters_accept_by(
		c, s, suite, &s->options.selection.filters, accepted);
}
