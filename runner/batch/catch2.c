/*
 * Catch2, versions 2 and 3. Its report is that of the XML reporter, which has what a case
 * wrote by C++ streams. What it wrote otherwise cannot be told apart, so that a process
 * that wrote anything proves nothing.
 */
#include "runner/batch/framework.h"

#include "runner/base/files.h"
#include "runner/base/xml_read.h"

/* In the program of every test with Catch2: the namespace in names of C++. */
#define NAMESPACE "5Catch"

/* ---- the case of a test ---------------------------------------------------------- */

/* Without the backslashes. */
static struct str
name_of_choice(struct arena *a, struct str choice)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < choice.n; i++) {
		if (choice.p[i] == '\\' && i + 1 < choice.n)
			i++;
		buf_char(&b, choice.p[i]);
	}
	return buf_as_str(&b);
}

/* A name, and no expression that may choose several cases. */
static bool
is_one_case(struct str choice)
{
	if (!choice.n || strchr("~-[", choice.p[0]) ||
		str_begins(choice, STR("exclude:")) || choice.p[choice.n - 1] == '\\')
		return false;
	for (size_t i = 0; i < choice.n; i++) {
		if (choice.p[i] == '\\')
			i++;
		else if (strchr("*\"[],", choice.p[i]))
			return false;
	}
	return str_eq(str_trim(choice), choice);
}

/* catch_discover_tests() names a test as its case, with a prefix and a suffix. */
static bool
find_case(struct arena *a, const struct test *t, struct batch_case *c)
{
	if (t->command.n != 2 || !is_one_case(t->command.v[1]))
		return false;
	c->at = 1;
	c->choice = t->command.v[1];
	c->name = name_of_choice(a, c->choice);
	return str_has(t->name, c->name);
}

static bool
is_program(const char *path)
{
	struct arena *scratch = arena_open();
	struct str text;
	bool is = file_read(scratch, path, &text) && str_has(text, STR(NAMESPACE));

	arena_close(scratch);
	return is;
}

static struct str
choose(struct arena *a, struct str_list choices)
{
	INVARIANT(choices.n);
	return str_join(a, choices, STR(","));
}

static struct str_list
report_words(struct arena *a, struct str path)
{
	const struct str words[] = {STR("--reporter"), STR("xml"), STR("--durations"),
		STR("yes"), STR("--out"), path};

	return str_list_dup(
		a, (struct str_list){drop_const(words), sizeof words / sizeof *words});
}

/* ---- the report ------------------------------------------------------------------ */

struct reading {
	struct arena *a;
	struct batch_report *r;
	struct case_report now;
	struct buf text;
	unsigned depth, case_depth; /* case_depth: 0: outside of cases */
	bool is_result, is_text;
	bool is_closed; /* the outermost element has ended */
};

static void
begin_element(void *context, struct str name)
{
	struct reading *x = context;

	x->depth++;
	if (str_is(name, "TestCase") && !x->case_depth) {
		x->case_depth = x->depth;
		x->now = (struct case_report){.name = STR("")};
		x->text = (struct buf){.arena = x->a};
	}
	x->is_result = x->case_depth && str_is(name, "OverallResult");
	x->is_text = x->case_depth && (str_is(name, "StdOut") || str_is(name, "StdErr"));
}

static void
read_attribute(void *context, struct str name, struct str value)
{
	struct reading *x = context;
	double seconds;

	if (x->case_depth == x->depth && str_is(name, "name"))
		x->now.name = str_dup(x->a, value);
	if (!x->is_result)
		return;
	if (str_is(name, "success"))
		x->now.passed = str_is(value, "true");
	else if (str_is(name, "skips") && !str_is(value, "0"))
		x->now.passed = x->is_result = false;
	if (!str_is(name, "durationInSeconds"))
		return;
	seconds = str_double(value);
	if (seconds > 0 && seconds < 1e9)
		x->now.duration_ns = (uint64_t)(seconds * 1e9);
}

static void
read_text(void *context, struct str text)
{
	struct reading *x = context;

	if (x->is_text)
		buf_str(&x->text, text);
}

/* The reporter has trimmed the text, and put blanks around it. */
static void
end_text(struct reading *x)
{
	struct str text = str_trim(buf_as_str(&x->text));
	struct buf b = {.arena = x->a};

	buf_str(&b, x->now.output);
	buf_str(&b, text);
	if (text.n)
		buf_char(&b, '\n');
	x->now.output = buf_as_str(&b);
	x->text.n = 0;
	x->is_text = false;
}

static void
end_element(void *context, struct str name)
{
	struct reading *x = context;

	(void)name;
	if (x->is_text)
		end_text(x);
	x->is_result = false;
	if (x->case_depth == x->depth) {
		VEC_PUSH(x->a, &x->r->v, x->now);
		x->case_depth = 0;
	}
	x->is_closed = --x->depth == 0;
}

static bool
read_report(struct arena *a, struct str report, struct str output, struct batch_report *r)
{
	struct reading x = {.a = a, .r = r};
	struct xml_events events = {.context = &x,
		.begin = begin_element,
		.attribute = read_attribute,
		.text = read_text,
		.end = end_element};
	struct xml_fault fault = xml_read(report, &events);

	return !fault.text && x.is_closed && !output.n;
}

static struct str
last_begun(struct str output)
{
	(void)output;
	return STR_NONE;
}

const struct framework catch2 = {
	.name = "Catch2",
	.variables = "CATCH_",
	.find_case = find_case,
	.is_program = is_program,
	.choose = choose,
	.report_words = report_words,
	.read = read_report,
	.last_begun = last_begun,
};
