/* See partition_text.h. */
#include "compat/options/partition_text.h"

#include "compat/options/engine_options.h"
#include "compat/options/test_predicates.h"

#define NAME_EACH "all"
enum { PARALLEL_MOST = 65536 };

static bool
refuse(struct str *why, struct str text)
{
	*why = text;
	return false;
}

static bool
is_name(struct str s)
{
	return s.n > 0 && s.p[0] != '-' && str_is_of(s, STR_ALNUM "_-.") &&
	       !str_is(s, NAME_EACH);
}

/* ---- words ----------------------------------------------------------------------- */

/* The next word, without its quotes. false: a quote is not closed. */
static bool
take_word(struct arena *a, struct str *text, struct str *word)
{
	struct buf b = {.arena = a};
	char quote = '\0';
	size_t i = 0;

	buf_z(&b, "");
	for (; i < text->n; i++) {
		char c = text->p[i];

		if (quote ? c == quote : c == '\'' || c == '"')
			quote = quote ? '\0' : c;
		else if (!quote && (c == ' ' || c == '\t'))
			break;
		else
			buf_char(&b, c);
	}
	*text = str_trim(str_from(*text, i));
	*word = buf_as_str(&b);
	return !quote;
}

/* ---- options --------------------------------------------------------------------- */

static bool
set_label(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	(void)why;
	VEC_PUSH(a, &t->filters.include_labels, value);
	return true;
}

static bool
set_other_label(
	struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	(void)why;
	VEC_PUSH(a, &t->filters.exclude_labels, value);
	return true;
}

static bool
set_include(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	(void)a, (void)why;
	t->filters.has_include_name = true;
	t->filters.include_name = value;
	return true;
}

static bool
set_exclude(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	(void)a, (void)why;
	t->filters.has_exclude_name = true;
	t->filters.exclude_name = value;
	return true;
}

static bool
set_filter(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	struct diag d = diag_in(a);
	struct filter_expression *e = filter_expression_parse(
		a, value, test_predicate_rows, TEST_PREDICATES, &d);

	if (!e)
		return refuse(why, d.entries.v[0].text);
	VEC_PUSH(a, &t->filters.filters, e);
	return true;
}

static bool
set_parallel(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	uint64_t n;

	if (!str_unsigned(value, PARALLEL_MOST, &n) || !n)
		return refuse(
			why, str_fmt(a, "-j %.*s is no number of tests", STR_ARG(value)));
	t->parallel = (size_t)n;
	return true;
}

static bool
set_order(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	if (str_is(value, "ctest"))
		t->order = PARTITION_ORDER_CTEST;
	else if (str_is(value, "pressure"))
		t->order = PARTITION_ORDER_PRESSURE;
	else
		return refuse(why, str_fmt(a,
					   "--schedule %.*s is neither ctest nor "
					   "pressure",
					   STR_ARG(value)));
	return true;
}

static bool
set_random(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	(void)a, (void)value, (void)why;
	t->order = PARTITION_ORDER_RANDOM;
	return true;
}

static bool
set_engine(struct arena *a, struct partition_text *t, struct str value, struct str *why)
{
	const char *wrong = NULL;

	t->engine = value;
	return engine_is_name(a, value, &wrong) ||
	       refuse(why, str_fmt(a, "--engine %.*s: %s", STR_ARG(value), wrong));
}

static const struct {
	const char *names[2];
	bool (*set)(struct arena *a, struct partition_text *t, struct str value,
		struct str *why);
	bool is_filter, has_no_value;
} rows[] = {
	{{"-L", "--label-regex"}, set_label, true, false},
	{{"-LE", "--label-exclude"}, set_other_label, true, false},
	{{"-R", "--tests-regex"}, set_include, true, false},
	{{"-E", "--exclude-regex"}, set_exclude, true, false},
	{{"-f", "--filter"}, set_filter, true, false},
	{{"-j", "--parallel"}, set_parallel, false, false},
	{{"--schedule", "--schedule"}, set_order, false, false},
	{{"--schedule-random", "--schedule-random"}, set_random, false, true},
	{{"--engine", "--engine"}, set_engine, false, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

static size_t
find_row(struct str word)
{
	size_t i = 0;

	while (i < ROWS && !str_is(word, rows[i].names[0]) &&
		!str_is(word, rows[i].names[1]))
		i++;
	return i;
}

static bool
refuse_word(struct arena *a, struct str word, struct str *why)
{
	return refuse(why, str_fmt(a,
				   "%.*s is none of -L, -LE, -R, -E, -f, -j, --schedule, "
				   "--schedule-random and --engine",
				   STR_ARG(word)));
}

/* The value is a word of its own, or comes after the '=' of a long name. */
static bool
read_option(struct arena *a, struct str *text, struct partition_text *t, struct str *why)
{
	struct str word, value = STR_NONE;
	size_t i, equals;

	if (!take_word(a, text, &word))
		return refuse(why, STR("a quote is not closed"));
	equals = str_begins(word, STR("--")) ? str_find(word, '=') : word.n;
	if (equals < word.n)
		value = str_from(word, equals + 1);
	word = str_cut(word.p, equals);
	i = find_row(word);
	if (i == ROWS)
		return refuse_word(a, word, why);
	if (rows[i].has_no_value && value.p)
		return refuse(why, str_fmt(a, "%.*s has no value", STR_ARG(word)));
	if (!rows[i].has_no_value && !value.p) {
		if (!text->n)
			return refuse(
				why, str_fmt(a, "%.*s lacks its value", STR_ARG(word)));
		if (!take_word(a, text, &value))
			return refuse(why, STR("a quote is not closed"));
	}
	t->has_filters = t->has_filters || rows[i].is_filter;
	return rows[i].set(a, t, value, why);
}

/* SIZES:OPTIONS */
static bool
read_rest(struct arena *a, struct str rest, struct partition_text *t, struct str *why)
{
	struct str sizes = str_trim(str_take(&rest, ':'));
	const char *wrong = NULL;

	rest = str_trim(rest);
	if (!partition_sizes_read(a, sizes, &t->sizes, &wrong))
		return refuse(why, str_of(wrong));
	while (rest.n)
		if (!read_option(a, &rest, t, why))
			return false;
	return true;
}

bool
partition_text_read(
	struct arena *a, struct str text, struct partition_text *t, struct str *why)
{
	struct str rest = text;

	INVARIANT(t && why);
	*t = (struct partition_text){.text = text};
	t->name = str_trim(str_take(&rest, ':'));
	if (!is_name(t->name))
		return refuse(why,
			str_fmt(a, "'%.*s' is no name of a partition", STR_ARG(t->name)));
	return read_rest(a, rest, t, why);
}

bool
partition_text_read_unnamed(
	struct arena *a, struct str text, struct partition_text *t, struct str *why)
{
	struct str rest = text, name = STR("");

	if (str_find(text, ':') < text.n)
		name = str_trim(str_take(&rest, ':'));
	if (name.n)
		return partition_text_read(a, text, t, why);
	*t = (struct partition_text){.text = text, .name = STR("")};
	return read_rest(a, rest, t, why);
}
