/*
 * Turns property texts into data. See properties.h.
 *
 * Lists grow in powers of two, so that setting a list again and again is linear. A
 * repeated text is split again for each test, but a pattern is compiled only once.
 */
#include "compat/resources/properties.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "compat/resources/resource_groups.h"
#include "runner/base/nearest.h"
#include "runner/base/sort.h"
#include "runner/cmakelang/cmake_text.h"

enum {
	SIGNAL_GRACE_MOST_S = 60,
	EXIT_CODE_MOST = 255,
	SECONDS_MOST = 1000000000,
	PMIX_MOST = 65536
};

#define AT(field) offsetof(struct properties, field)
#define ROW(name, kind, field)                                                           \
	{                                                                                \
		name, PROPERTY_##kind, AT(field), DIALECT_FEATURES, DIALECT_FEATURES     \
	}

static const struct property_row rows[] = {
	ROW("ATTACHED_FILES_ON_FAIL", LIST, attached_files_on_fail),
	ROW("ATTACHED_FILES", LIST, attached_files),
	ROW("CCTR_EXPECTED_SECONDS", SECONDS, expected_s),
	ROW("CCTR_NODES", NODES, nodes),
	ROW("CCTR_PMIX", PMIX, pmix),
	ROW("COST", COST, cost),
	ROW("DEPENDS", LIST, depends),
	ROW("DISABLED", FLAG, disabled),
	ROW("ENVIRONMENT", LIST, environment),
	ROW("ENVIRONMENT_MODIFICATION", LIST, environment_modification),
	ROW("FAIL_REGULAR_EXPRESSION", PATTERNS, fail),
	ROW("SKIP_REGULAR_EXPRESSION", PATTERNS, skip),
	ROW("FIXTURES_CLEANUP", SET, fixtures_cleanup),
	ROW("FIXTURES_REQUIRED", SET, fixtures_required),
	ROW("FIXTURES_SETUP", SET, fixtures_setup),
	{"GENERATED_RESOURCE_SPEC_FILE", PROPERTY_TEXT, AT(generated_resource_spec_file),
		DIALECT_GENERATED_SPEC_PROPERTY, DIALECT_JSON_TIMEOUT_SIGNAL},
	ROW("LABELS", SET, labels),
	ROW("MEASUREMENT", MEASUREMENT, measurements),
	ROW("PASS_REGULAR_EXPRESSION", PATTERNS, pass),
	ROW("RESOURCE_GROUPS", GROUPS, resource_groups),
	ROW("PROCESSOR_AFFINITY", FLAG, processor_affinity),
	ROW("PROCESSORS", PROCESSORS, processors),
	ROW("REQUIRED_FILES", LIST, required_files),
	ROW("RESOURCE_LOCK", SET, resource_locks),
	ROW("RUN_SERIAL", FLAG, run_serial),
	ROW("SKIP_RETURN_CODE", SKIP_CODE, skip_return_code),
	ROW("TIMEOUT", TIMEOUT, timeout_s),
	{"TIMEOUT_SIGNAL_NAME", PROPERTY_SIGNAL, AT(timeout_signal_name),
		DIALECT_TIMEOUT_SIGNAL, DIALECT_JSON_TIMEOUT_SIGNAL},
	{"TIMEOUT_SIGNAL_GRACE_PERIOD", PROPERTY_GRACE, AT(timeout_grace_s),
		DIALECT_TIMEOUT_SIGNAL, DIALECT_JSON_TIMEOUT_SIGNAL},
	ROW("TIMEOUT_AFTER_MATCH", AFTER_MATCH, timeout_after_match),
	ROW("WILL_FAIL", FLAG, will_fail),
	{"WORKING_DIRECTORY", PROPERTY_DIRECTORY, 0, DIALECT_FEATURES, DIALECT_FEATURES},
	{"_BACKTRACE_TRIPLES", PROPERTY_BACKTRACE, 0, DIALECT_FEATURES, DIALECT_FEATURES},
};

const struct property_row *
property_rows(size_t *n)
{
	INVARIANT(n);
	*n = sizeof rows / sizeof *rows;
	return rows;
}

bool
property_holds(const struct dialect *dialect, enum dialect_feature since)
{
	return since == DIALECT_FEATURES || dialect->has[since];
}

/* ---- values --------------------------------------------------------------------- */

bool
property_is_set(enum property_kind kind, const struct properties *p, const void *field)
{
	switch (kind) {
	case PROPERTY_LIST:
	case PROPERTY_SET:
	case PROPERTY_MEASUREMENT:
		return ((const struct str_list *)field)->n > 0;
	case PROPERTY_PATTERNS:
		return ((const struct pattern_list *)field)->n > 0;
	case PROPERTY_FLAG:
		return *(const bool *)field;
	case PROPERTY_TEXT:
	case PROPERTY_SIGNAL:
	case PROPERTY_DIRECTORY:
		return ((const struct str *)field)->n > 0;
	case PROPERTY_COST:
		return *(const double *)field != 0;
	case PROPERTY_PROCESSORS:
		return *(const int *)field != 1;
	case PROPERTY_SKIP_CODE:
		return *(const int *)field != -1;
	case PROPERTY_TIMEOUT:
		return p->has_timeout;
	case PROPERTY_GRACE:
		return p->has_timeout_grace;
	case PROPERTY_AFTER_MATCH:
		return ((const struct timeout_after_match *)field)->patterns.n > 0;
	case PROPERTY_GROUPS:
		return ((const struct resource_groups *)field)->n > 0;
	case PROPERTY_BACKTRACE:
	case PROPERTY_NODES:
	case PROPERTY_PMIX:
	case PROPERTY_SECONDS:
	case PROPERTY_KINDS:
		break;
	}
	return false;
}

/* Shown as the custom property that it is. */
static bool
is_own(enum property_kind kind)
{
	return kind == PROPERTY_NODES || kind == PROPERTY_PMIX ||
	       kind == PROPERTY_SECONDS;
}

static struct str_list
one_text(struct arena *a, struct str text)
{
	struct str_list l = {NEW(a, struct str), 1};

	l.v[0] = text;
	return l;
}

static struct str_list
texts_of_patterns(struct arena *a, const struct pattern_list *patterns)
{
	struct str_list l = {NEW_ARRAY(a, struct str, patterns->n), patterns->n};

	for (size_t i = 0; i < l.n; i++)
		l.v[i] = patterns->v[i]->text;
	return l;
}

static struct str_list
texts_of_groups(struct arena *a, const struct resource_groups *groups)
{
	str_vec texts = {0};

	for (size_t g = 0; g < groups->n; g++)
		for (size_t i = 0; i < groups->v[g].n; i++)
			VEC_PUSH(a, &texts,
				str_fmt(a, "%.*s:%llu", STR_ARG(groups->v[g].v[i].type),
					(unsigned long long)groups->v[g].v[i].slots));
	return str_vec_list(&texts);
}

struct str_list
property_texts(struct arena *a, const struct property_row *row, const struct test *t)
{
	const void *field = row->kind == PROPERTY_DIRECTORY
				    ? (const void *)&t->directory
				    : (const char *)t->properties + row->offset;

	if (!is_own(row->kind) && !property_is_set(row->kind, t->properties, field))
		return (struct str_list){0};
	switch (row->kind) {
	case PROPERTY_LIST:
	case PROPERTY_SET:
	case PROPERTY_MEASUREMENT:
		return *(const struct str_list *)field;
	case PROPERTY_PATTERNS:
		return texts_of_patterns(a, field);
	case PROPERTY_FLAG:
		return one_text(a, STR("TRUE"));
	case PROPERTY_TEXT:
	case PROPERTY_SIGNAL:
	case PROPERTY_DIRECTORY:
		return one_text(a, *(const struct str *)field);
	case PROPERTY_COST:
	case PROPERTY_TIMEOUT:
	case PROPERTY_GRACE:
		return one_text(a, str_fmt(a, "%g", *(const double *)field));
	case PROPERTY_PROCESSORS:
	case PROPERTY_SKIP_CODE:
		return one_text(a, str_fmt(a, "%d", *(const int *)field));
	case PROPERTY_AFTER_MATCH:
		return texts_of_patterns(
			a, &((const struct timeout_after_match *)field)->patterns);
	case PROPERTY_GROUPS:
		return texts_of_groups(a, field);
	case PROPERTY_NODES:
		if (t->properties->nodes > 1)
			return one_text(a, str_fmt(a, "%d", t->properties->nodes));
		return (struct str_list){0};
	case PROPERTY_PMIX:
		if (t->properties->pmix > 0)
			return one_text(a, str_fmt(a, "%d", t->properties->pmix));
		return (struct str_list){0};
	case PROPERTY_SECONDS:
		if (t->properties->expected_s > 0)
			return one_text(a, str_fmt(a, "%g", t->properties->expected_s));
		return (struct str_list){0};
	case PROPERTY_BACKTRACE:
	case PROPERTY_KINDS:
		break;
	}
	return (struct str_list){0};
}

/* ---- setting -------------------------------------------------------------------- */

/* One property that is being set. */
struct setting {
	const struct property_reader *reader;
	struct arena *a;
	struct properties *p;
	void *field;
	struct str name, value;
	struct diag *d;
};

/* ---- lists ----------------------------------------------------------------------- */

static size_t
room_for(size_t n)
{
	size_t cap = 1;

	while (cap < n)
		cap *= 2;
	return cap;
}

/* The array of n elements with room for more; the same array if it has the room. */
static void *
grow_list(struct arena *a, void *v, size_t size, size_t n, size_t more)
{
	void *grown;

	if (n && room_for(n) >= n + more)
		return v;
	grown = arena_alloc_array(a, size, room_for(n + more));
	if (n)
		memcpy(grown, v, n * size);
	return grown;
}

static void
list_append(struct arena *a, struct str_list *l, struct str_list more)
{
	if (more.n == 0)
		return;
	l->v = grow_list(a, l->v, sizeof *l->v, l->n, more.n);
	memcpy(l->v + l->n, more.v, more.n * sizeof *l->v);
	l->n += more.n;
}

/* ---- numbers --------------------------------------------------------------------- */

/* Like ctest's atoi: a long whose lower bits become the int. */
static int
int_of(struct setting *s)
{
	return (int)strtol(str_z(s->a, s->value), NULL, 10);
}

/* ---- setters --------------------------------------------------------------------- */

static bool
set_list(struct setting *s)
{
	list_append(s->a, s->field, cmake_list_split(s->a, s->value, false));
	return true;
}

static void
add_patterns(struct setting *s, struct pattern_list *l, struct str text)
{
	struct str_list more = cmake_list_split(s->a, text, false);

	if (more.n == 0)
		return;
	l->v = grow_list(s->a, (void *)l->v, sizeof *l->v, l->n, more.n);
	for (size_t i = 0; i < more.n; i++) {
		struct str why;

		l->v[l->n++] = match_set_get(s->reader->patterns, more.v[i], &why);
		if (why.n)
			diag_add(s->d, DIAG_OUTPUT, NO_PLACE, why);
	}
}

static bool
set_patterns(struct setting *s)
{
	add_patterns(s, s->field, s->value);
	return true;
}

static bool
set_flag(struct setting *s)
{
	*(bool *)s->field = cmake_is_on(s->value);
	return true;
}

static bool
set_text(struct setting *s)
{
	*(struct str *)s->field = s->value;
	return true;
}

static bool
set_cost(struct setting *s)
{
	*(double *)s->field = (float)str_double(s->value);
	return true;
}

static bool
set_processors(struct setting *s)
{
	int n = int_of(s);

	*(int *)s->field = n < 1 ? 1 : n;
	return true;
}

static bool
set_skip_code(struct setting *s)
{
	int code = int_of(s);

	s->p->has_skip_return_code = code >= 0 && code <= EXIT_CODE_MOST;
	*(int *)s->field = s->p->has_skip_return_code ? code : -1;
	return true;
}

static bool
set_timeout(struct setting *s)
{
	s->p->has_timeout = true;
	*(double *)s->field = str_double(s->value);
	return true;
}

static void
add_defect(struct setting *s, const char *what)
{
	struct str *all = &s->p->defect;

	*all = str_fmt(s->a, "%.*s%s%.*s \"%.*s\" %s", STR_ARG(*all), all->n ? "\n" : "",
		STR_ARG(s->name), STR_ARG(s->value), what);
}

static bool
set_seconds(struct setting *s)
{
	const char *z = str_z(s->a, s->value);
	char *end;
	double seconds = strtod(z, &end);

	if (end == z || *end || !(seconds > 0) || seconds > SECONDS_MOST)
		add_defect(s, "is not a number of seconds above 0.");
	else
		*(double *)s->field = seconds;
	return true;
}

static bool
set_grace(struct setting *s)
{
	double seconds = str_double(s->value);

	if (!(seconds > 0)) {
		add_defect(s, "is not greater than \"0\" seconds.");
	} else if (seconds > SIGNAL_GRACE_MOST_S) {
		add_defect(s, "is not less than the maximum of \"60\" seconds.");
	} else {
		s->p->has_timeout_grace = true;
		*(double *)s->field = seconds;
	}
	return true;
}

static bool
set_signal(struct setting *s)
{
	static const char *const known[] = {
		"SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(s->value, known[i]))
			return set_text(s);
	add_defect(s, "not supported on this platform.");
	return true;
}

static bool
set_after_match(struct setting *s)
{
	struct timeout_after_match *t = s->field;
	struct str_list two = cmake_list_split(s->a, s->value, false);

	if (two.n != 2) {
		diag_warning(s->d, NO_PLACE,
			"TIMEOUT_AFTER_MATCH expects two arguments, found %zu", two.n);
		return true;
	}
	t->is_set = true;
	t->seconds = str_double(two.v[0]);
	add_patterns(s, &t->patterns, two.v[1]);
	return true;
}

static bool
set_groups(struct setting *s)
{
	switch (resource_groups_parse(s->a, s->value, s->field)) {
	case GROUPS_RIGHT:
		return true;
	case GROUPS_TOO_LARGE:
		add_defect(s, "has a number that is too large.");
		return true;
	case GROUPS_MALFORMED:
		break;
	}
	return diag_error(s->d, NO_PLACE, "RESOURCE_GROUPS \"%.*s\" is malformed",
		STR_ARG(s->value));
}

/* cctr's own: to ctest it is a custom property. */
static bool
set_nodes(struct setting *s)
{
	uint64_t n;

	if (str_unsigned(s->value, INT_MAX, &n) && n)
		*(int *)s->field = (int)n;
	else
		add_defect(s, "is not a number of nodes.");
	return true;
}

static bool
set_pmix(struct setting *s)
{
	uint64_t n;

	if (str_unsigned(s->value, PMIX_MOST, &n) && n)
		*(int *)s->field = (int)n;
	else
		add_defect(s, "is not a number of processes.");
	return true;
}

static bool
set_measurement(struct setting *s)
{
	list_append(s->a, s->field, (struct str_list){&s->value, 1});
	return true;
}

/* suite_build reads the other kinds itself. */
static bool (*const setters[PROPERTY_KINDS])(struct setting *) = {
	[PROPERTY_LIST] = set_list,
	[PROPERTY_SET] = set_list,
	[PROPERTY_PATTERNS] = set_patterns,
	[PROPERTY_FLAG] = set_flag,
	[PROPERTY_TEXT] = set_text,
	[PROPERTY_COST] = set_cost,
	[PROPERTY_PROCESSORS] = set_processors,
	[PROPERTY_SKIP_CODE] = set_skip_code,
	[PROPERTY_TIMEOUT] = set_timeout,
	[PROPERTY_GRACE] = set_grace,
	[PROPERTY_SIGNAL] = set_signal,
	[PROPERTY_AFTER_MATCH] = set_after_match,
	[PROPERTY_GROUPS] = set_groups,
	[PROPERTY_MEASUREMENT] = set_measurement,
	[PROPERTY_NODES] = set_nodes,
	[PROPERTY_PMIX] = set_pmix,
	[PROPERTY_SECONDS] = set_seconds,
};

/* ---- the reader ------------------------------------------------------------------ */

const struct property_row *
property_row_named(struct str name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

/* NULL: this release does not read the property. */
static const struct property_row *
row_of(const struct dialect *dialect, struct str name)
{
	const struct property_row *row = property_row_named(name);

	return row && property_holds(dialect, row->read_since) ? row : NULL;
}

/* A property may have any name. One that is nearly ctest's was meant to be ctest's. */
static void
check_spelling(
	const struct dialect *dialect, struct arena *a, struct str name, struct diag *d)
{
	struct str known[sizeof rows / sizeof *rows], meant;
	struct str_list list = {known, 0};

	if (property_row_named(name)) {
		diag_error(d, NO_PLACE,
			"--strict: this release of ctest ignores the property %.*s",
			STR_ARG(name));
		return;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (property_holds(dialect, rows[i].read_since))
			known[list.n++] = str_of(rows[i].name);
	meant = nearest_word(str_upper(a, name), list);
	if (meant.n)
		diag_error(d, NO_PLACE,
			"--strict: ctest ignores the property %.*s; did you mean %.*s?",
			STR_ARG(name), STR_ARG(meant));
}

static bool
set_property(const struct property_reader *r, struct arena *a, struct properties *p,
	struct str name, struct str value, struct diag *d)
{
	const struct property_rules *rules = r->context;
	const struct property_row *row = row_of(rules->dialect, name);
	struct setting s = {r, a, p, NULL, name, value, d};

	if (!row && rules->refuses_misspelled)
		check_spelling(rules->dialect, a, name, d);
	if (r->keep_unknown && (!row || is_own(row->kind))) {
		p->custom = grow_list(a, p->custom, sizeof *p->custom, p->custom_n, 1);
		p->custom[p->custom_n++] = (struct custom_property){name, value};
	}
	if (!row || (row->kind == PROPERTY_SECONDS && rules->is_called_ctest))
		return true;
	INVARIANT(setters[row->kind]);
	s.field = (char *)p + row->offset;
	return setters[row->kind](&s);
}

/* A custom property, and its position among those of its test. */
struct placed {
	struct custom_property is;
	size_t at;
};

SORT_BY(sort_placed, struct placed, TEXTUAL(is.name) ASCENDING(at))

/* Sorts by name; of properties with the same name the last one stays. */
static void
finish_custom(struct arena *a, struct properties *p)
{
	struct placed *v;
	size_t kept = 0;

	if (p->custom_n < 2)
		return;
	v = NEW_ARRAY(a, struct placed, p->custom_n);
	for (size_t i = 0; i < p->custom_n; i++)
		v[i] = (struct placed){p->custom[i], i};
	sort_placed(v, p->custom_n);
	for (size_t i = 0; i < p->custom_n; i++)
		if (i + 1 == p->custom_n || !str_eq(v[i].is.name, v[i + 1].is.name))
			p->custom[kept++] = v[i].is;
	p->custom_n = kept;
}

static void
finish_properties(const struct property_reader *r, struct arena *a, struct properties *p)
{
	(void)r;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].kind == PROPERTY_SET)
			str_list_make_set(
				(struct str_list *)((char *)p + rows[i].offset));
	finish_custom(a, p);
}

struct property_reader
properties_reader(struct match_set *patterns, const struct property_rules *rules)
{
	const struct dialect *dialect = rules->dialect;
	static const struct suite_words words = {
		.properties = "PROPERTIES",
		.directory = "WORKING_DIRECTORY",
		.backtrace = "_BACKTRACE_TRIPLES",
		.labels = "LABELS",
		.bad_test = "add_test called with incorrect number of arguments",
		.bad_properties = "set_tests_properties unknown error.",
	};

	return (struct property_reader){
		.patterns = patterns,
		.words = &words,
		.keep_unknown = dialect->has[DIALECT_UNKNOWN_PROPERTIES_KEPT],
		.refusal_ends = dialect->has[DIALECT_FAILED_COMMAND_IS_FATAL],
		.context = rules,
		.set = set_property,
		.finish = finish_properties,
	};
}
