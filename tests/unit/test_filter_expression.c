/* filter_expression: what is parsed, what is refused and where, and what it means. */
#include "compat/format/regex.h"
#include "runner/filter/filter_expression.h"
#include "tests/unit/unit.h"

static const struct filter_row rows[] = {{"name", ARGUMENT_WORD},
	{"label", ARGUMENT_WORD}, {"property", ARGUMENT_FIELD}, {"cost", ARGUMENT_NUMBER},
	{"time", ARGUMENT_SECONDS}, {"yes", ARGUMENT_NONE}, {"no", ARGUMENT_NONE}};
enum { YES = 5 };

static struct filter_expression *
parse(struct arena *a, const char *text, struct diag *d)
{
	return filter_expression_parse(a, str_of(text), rows, ROWS(rows), d);
}

/* ---- operators ------------------------------------------------------------------- */

struct asking {
	const struct filter_expression *e;
	struct buf asked; /* the columns of the predicates that were asked */
};

static bool
is_yes(void *context, size_t predicate, uint32_t item)
{
	struct asking *asking = context;

	(void)item;
	buf_fmt(&asking->asked, " %zu", asking->e->predicates[predicate].column);
	return asking->e->predicates[predicate].row == YES;
}

static const struct {
	const char *text;
	bool is_true;
	const char *asked;
} meanings[] = {
	{"yes()", true, " 1"},
	{"no()", false, " 1"},
	{"!yes()", false, " 2"},
	{"not no()", true, " 5"},
	{"!!yes()", true, " 3"},
	{"! not !no()", true, " 8"},
	/* what cannot change the result is not asked */
	{"yes() & no()", false, " 1 9"},
	{"no() & yes()", false, " 1"},
	{"yes()|no()", true, " 1"},
	{"no()|yes()", true, " 1 6"},
	{"no()+yes()", true, " 1 6"},
	{"yes() and yes() or no()", true, " 1 11"},
	{"no() && yes() || yes()", true, " 1 18"},
	{"yes() - no()", true, " 1 9"},
	{"yes() - yes()", false, " 1 9"},
	{"no() - no()", false, " 1"},
	/* "!" before "&" and "-", these before "|", from the left */
	{"yes() | no() & no()", true, " 1"},
	{"no() & no() | yes()", true, " 1 15"},
	{"!no() & no()", false, " 2 9"},
	{"!yes() | yes()", true, " 2 10"},
	{"yes() - yes() - yes()", false, " 1 9"},
	{"yes() - (yes() - yes())", true, " 1 10 18"},
	{"yes() - no() & no()", false, " 1 9 16"},
	{"yes() & yes() - no()", true, " 1 9 17"},
	{"!(yes() & no())", true, " 3 11"},
	{"!(no() | no()) & yes()", true, " 3 10 18"},
	{"(yes() | yes()) & no()", false, " 2 19"},
	{"((((yes()))))", true, " 5"},
	{"no() | (no() | (no() | yes()))", true, " 1 9 17 24"},
	{"not(no())and(yes())or(no())", true, " 5 14"},
	{"\n\tyes ( ) \r\n", true, " 3"},
};

static void
operators_join_predicates(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(meanings); i++) {
		struct diag d = diag_in(a);
		struct asking asking = {parse(a, meanings[i].text, &d), {.arena = a}};
		bool is_true;

		if (!asking.e)
			fail_msg("\"%s\": %s", meanings[i].text, d.entries.v[0].text.p);
		is_true = filter_expression_accepts(asking.e, is_yes, &asking, 0);
		if (is_true != meanings[i].is_true)
			fail_msg("\"%s\" is %d", meanings[i].text, is_true);
		if (!str_is(buf_as_str(&asking.asked), meanings[i].asked))
			fail_msg("\"%s\" asks%s", meanings[i].text, asking.asked.p);
	}
}

/* ---- random expressions ---------------------------------------------------------- */

struct random_text {
	uint64_t seed;
	struct buf out;
};

static unsigned
draw(struct random_text *r, unsigned n)
{
	r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(r->seed >> 33) % n;
}

/* Writes an expression in parentheses where they are needed; returns its value. */
static bool
write_expression(struct random_text *r, unsigned depth)
{
	unsigned way = depth ? draw(r, 6) : draw(r, 2);
	bool left, right;

	if (way < 2) {
		buf_z(&r->out, way ? "yes()" : "no()");
		return way;
	}
	buf_z(&r->out, way == 2 ? "!(" : "(");
	left = write_expression(r, depth - 1);
	buf_z(&r->out, way == 2 ? ")" : way == 3 ? " & " : way == 4 ? " | " : " - ");
	if (way == 2)
		return !left;
	right = write_expression(r, depth - 1);
	buf_char(&r->out, ')');
	return way == 3 ? left && right : way == 4 ? left || right : left && !right;
}

static void
random_expressions_have_their_value(void **state)
{
	struct arena *a = *state;

	for (unsigned i = 0; i < 2000; i++) {
		struct random_text r = {.seed = i, .out = {.arena = a}};
		bool value = write_expression(&r, 1 + i % 7);
		struct diag d = diag_in(a);
		struct asking asking = {parse(a, r.out.p, &d), {.arena = a}};

		if (!asking.e ||
			filter_expression_accepts(asking.e, is_yes, &asking, 0) != value)
			fail_msg("seed %u: %s", i, r.out.p);
	}
}

/* Neither the parser nor the machine calls itself. */
static void
depth_is_not_limited(void **state)
{
	struct arena *a = *state;
	struct buf text = {.arena = a};
	struct diag d = diag_in(a);
	struct asking asking = {NULL, {.arena = a}};

	buf_fill(&text, '!', 100001);
	buf_fill(&text, '(', 100000);
	buf_z(&text, "yes()");
	buf_fill(&text, ')', 100000);
	asking.e = parse(a, text.p, &d);
	assert_non_null(asking.e);
	assert_false(filter_expression_accepts(asking.e, is_yes, &asking, 0));
}

/* ---- arguments ------------------------------------------------------------------- */

static const struct {
	const char *text, *shown;
} arguments[] = {
	{"name(a.b)", "equal <a.b>"},
	{"name( two words )", "equal <two words>"},
	{"name(a*)", "glob <a*>"},
	{"name(#a?)", "glob <a?>"},
	{"name(#a)", "equal <a>"},
	{"name(a\\*)", "equal <a*>"},
	{"name(=a*)", "equal <a*> exactly"},
	{"name(= a )", "equal <a> exactly"},
	{"name(~a*)", "part <a*>"},
	{"name(f\\(x\\))", "equal <f(x)>"},
	{"name(a\\ )", "equal <a >"},
	{"name(a\\\\ )", "equal <a\\>"},
	{"name(\" a) \\\"b\\\" \")", "equal < a) \"b\" >"},
	{"name(=\"\")", "equal <> exactly"},
	{"name(\"a*\")", "glob <a*>"},
	{"name(\\=a)", "equal <=a>"},
	{"name(/^a(b|c)$/)", "regex <^a(b|c)$>"},
	{"name(/a\\/b\\.c/)", "regex <a/b\\.c>"},
	{"name(/a\\\\/)", "regex <a\\\\>"},
	{"name([ab)", "equal <[ab>"},
	{"name([ab]c)", "glob <[ab]c>"},
	{"property(COST)", "COST"},
	{"property( LABELS = x )", "LABELS equal <x> exactly"},
	{"property(LABELS~x)", "LABELS part <x>"},
	{"property(LABELS#x*)", "LABELS glob <x*>"},
	{"property(LABELS/x/)", "LABELS regex <x>"},
	{"cost(2)", "[2, 2]"},
	{"cost(=2)", "[2, 2]"},
	{"cost(<2)", "[-inf, 2)"},
	{"cost(<=2)", "[-inf, 2]"},
	{"cost(> -1.5)", "(-1.5, inf]"},
	{"cost(>=0)", "[0, inf]"},
	{"cost(1..3)", "[1, 3]"},
	{"cost(1.5..)", "[1.5, inf]"},
	{"cost(..3)", "[-inf, 3]"},
	{"time(>10s)", "(10, inf]"},
	{"time(>=1.5m)", "[90, inf]"},
	{"time(250ms..1h)", "[0.25, 3600]"},
	{"time(5)", "[5, 5]"},
};

static void
show_predicate(struct buf *out, const struct filter_predicate *p)
{
	static const char *const ways[] = {[WORD_EQUAL] = "equal",
		[WORD_PART] = "part",
		[WORD_GLOB] = "glob",
		[WORD_REGEX] = "regex"};
	const struct filter_interval *i = &p->interval;

	buf_z(out, "");
	buf_str(out, p->field);
	if (p->has_word)
		buf_fmt(out, "%s%s <%.*s>%s", p->field.n ? " " : "", ways[p->word.way],
			STR_ARG(p->word.text), p->is_exact ? " exactly" : "");
	else if (!p->field.n)
		buf_fmt(out, "%c%g, %g%c", i->low_is_open ? '(' : '[', i->low, i->high,
			i->high_is_open ? ')' : ']');
}

static void
arguments_are_read(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(arguments); i++) {
		struct diag d = diag_in(a);
		struct filter_expression *e = parse(a, arguments[i].text, &d);
		struct buf shown = {.arena = a};

		if (!e)
			fail_msg("%s: %s", arguments[i].text, d.entries.v[0].text.p);
		show_predicate(&shown, &e->predicates[0]);
		if (!str_is(buf_as_str(&shown), arguments[i].shown))
			fail_msg("%s is %s", arguments[i].text, shown.p);
	}
}

static void
limits_count_unless_they_are_open(void **state)
{
	struct filter_interval i = {.low = 1, .high = 2};

	(void)state;
	assert_true(filter_interval_has(&i, 1));
	assert_true(filter_interval_has(&i, 2));
	assert_false(filter_interval_has(&i, 2.5));
	assert_false(filter_interval_has(&i, 0.5));
	i.low_is_open = i.high_is_open = true;
	assert_false(filter_interval_has(&i, 1));
	assert_true(filter_interval_has(&i, 1.5));
	assert_false(filter_interval_has(&i, 2));
}

/* ---- errors ---------------------------------------------------------------------- */

static const struct {
	const char *text, *message;
} errors[] = {
	{"", "column 1: a predicate such as label(x) is expected, not the end"},
	{"  ", "column 3: a predicate such as label(x) is expected, not the end"},
	{"yes() &", "column 8: a predicate such as label(x) is expected, not the end"},
	{"& yes()", "column 1: a predicate such as label(x) is expected, not '&'"},
	{"()", "column 2: a predicate such as label(x) is expected, not ')'"},
	{"(yes()", "column 1: '(' has no ')'"},
	{"yes() & ((no() | yes())", "column 9: '(' has no ')'"},
	{"yes())", "column 6: ')' has no '('"},
	{"yes() no()", "column 7: an operator, & or | or -, is expected, not 'n'"},
	{"yes() é", "column 7: an operator, & or | or -, is expected, not 'é'"},
	{"name(é) é", "column 9: an operator, & or | or -, is expected, not 'é'"},
	{"gpu", "column 1: 'gpu' is no predicate; did you mean name(~gpu)?"},
	{"yes() | lable(x)", "column 9: no such predicate 'lable'; did you mean label?"},
	{"xyz(x)", "column 1: no such predicate 'xyz'; there are name, label, property, "
		   "cost, time, yes, no"},
	{"name", "column 5: '(' expected after 'name', not the end"},
	{"name x", "column 6: '(' expected after 'name', not 'x'"},
	{"yes(x)", "column 5: ')' expected, not 'x'"},
	{"name()", "column 6: a text is expected before ')'"},
	{"name(a", "column 6: ')' expected after the text"},
	{"name(\"a)", "column 6: the text in quotes does not end"},
	{"name(\"a\" b)", "column 10: ')' expected, not 'b'"},
	{"name(~\"\")", "column 7: every text has an empty part"},
	{"name(/a)", "column 6: the regular expression does not end with '/'"},
	{"name(//)", "column 6: the regular expression is empty"},
	{"name(/a/i)", "column 9: ')' expected, not 'i'"},
	{"property()", "column 10: a name is expected, not ')'"},
	{"property(A B)", "column 12: ')', '=', '~', '#' or '/' expected, not 'B'"},
	{"cost()", "column 6: a number is expected, not ')'"},
	{"cost(x)", "column 6: a number is expected, not 'x'"},
	{"cost(=>2)", "column 7: a number is expected, not '>'"},
	{"cost(3..2)", "column 6: the range is empty"},
	{"cost(1s)", "column 7: ')' expected, not 's'"},
	{"time(1d)", "column 7: no such unit 'd'; there are ms, s, m and h"},
};

static void
errors_say_where(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(errors); i++) {
		struct diag d = diag_in(a);

		if (parse(a, errors[i].text, &d))
			fail_msg("\"%s\" is parsed", errors[i].text);
		assert_int_equal(d.entries.n, 1);
		if (!str_is(d.entries.v[0].text, errors[i].message))
			fail_msg("\"%s\": %s", errors[i].text, d.entries.v[0].text.p);
	}
}

static void
wrong_regular_expressions_are_errors(void **state)
{
	struct arena *a = *state;
	struct match_set *patterns = match_set_open(a, regex_parse);
	struct diag d = diag_in(a);
	struct filter_expression *e = parse(a, "name(/a/) & name(/[/) | name(/(/)", &d);

	assert_non_null(e);
	assert_false(filter_expression_compile(e, patterns, NO_PLACE, &d));
	assert_int_equal(d.entries.n, 2);
	assert_true(str_begins(d.entries.v[0].text,
		STR("column 13: the regular expression \"[\" is wrong: ")));
	assert_true(str_begins(d.entries.v[1].text, STR("column 25: ")));
	assert_true(str_find(d.entries.v[0].text, '\n') == d.entries.v[0].text.n);
	match_set_close(patterns);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			operators_join_predicates, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			random_expressions_have_their_value, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			depth_is_not_limited, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			arguments_are_read, open_arena, close_arena),
		cmocka_unit_test(limits_count_unless_they_are_open),
		cmocka_unit_test_setup_teardown(
			errors_say_where, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			wrong_regular_expressions_are_errors, open_arena, close_arena),
	};

	return run_unit_tests("filter_expression", tests, NULL, NULL);
}
