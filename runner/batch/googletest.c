/*
 * GoogleTest. Its report is the JSON of --gtest_output, which is written when all cases
 * have ended. The output of a case is what standard output has from the line that begins
 * it to the line that ends it; both are flushed, so that they are in order with what the
 * case writes.
 */
#include "runner/batch/framework.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "runner/base/json_members.h"

#define FILTER "--gtest_filter="
#define BEGIN "[ RUN      ] "
#define OK "[       OK ] "
#define SKIPPED "[  SKIPPED ] "

/* The name of one case has none of the characters that are special in a filter. */
static bool
is_one_case(struct str name)
{
	if (str_find(name, '.') == name.n)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (strchr("*?:-", name.p[i]))
			return false;
	return true;
}

static bool
find_case(struct arena *a, const struct test *t, struct batch_case *c)
{
	size_t found = 0;

	(void)a;
	for (uint32_t i = 1; i < t->command.n; i++) {
		struct str word = t->command.v[i];

		if (str_begins(word, STR(FILTER))) {
			found++;
			c->at = i;
			c->name = c->choice = str_from(word, sizeof FILTER - 1);
		} else if (str_begins(word, STR("--gtest_")) &&
			   !str_is(word, "--gtest_also_run_disabled_tests")) {
			return false;
		}
	}
	return found == 1 && is_one_case(c->name);
}

static struct str
choose(struct arena *a, struct str_list choices)
{
	struct buf b = {.arena = a};

	INVARIANT(choices.n);
	buf_z(&b, FILTER);
	buf_join(&b, choices, STR(":"));
	return buf_as_str(&b);
}

static struct str_list
report_words(struct arena *a, struct str path)
{
	struct str *v = NEW(a, struct str);

	*v = str_fmt(a, "--gtest_output=json:%.*s", STR_ARG(path));
	return (struct str_list){v, 1};
}

/* ---- the output ------------------------------------------------------------------ */

/* Where mark and name are followed by the end of a line, or of a word. output.n: nowhere.
 */
static size_t
find_mark(struct str output, size_t from, const char *mark, struct str name)
{
	struct str head = str_of(mark);

	while (from < output.n) {
		size_t at = from + str_search(str_from(output, from), head);
		struct str rest;

		if (at >= output.n)
			break;
		rest = str_from(output, at + head.n);
		if (str_begins(rest, name) && rest.n > name.n &&
			(rest.p[name.n] == '\n' || rest.p[name.n] == ' '))
			return at;
		from = at + head.n;
	}
	return output.n;
}

static size_t
end_of_line(struct str output, size_t at)
{
	at += str_find(str_from(output, at), '\n');
	return at < output.n ? at + 1 : at;
}

/* Takes what the case wrote, with the lines around it, and moves *from after it. false:
 * it is not there. */
static bool
take_output(struct str output, size_t *from, const char *mark, struct case_report *c)
{
	size_t begin = find_mark(output, *from, BEGIN, c->name), end;

	if (begin == output.n)
		return false;
	end = find_mark(output, begin, mark, c->name);
	if (end == output.n)
		return false;
	*from = end_of_line(output, end);
	c->output = str_cut(output.p + begin, *from - begin);
	return true;
}

static struct str
last_begun(struct str output)
{
	struct str head = STR(BEGIN), name = STR_NONE, line;

	while (str_take_line(&output, &line))
		if (str_begins(line, head))
			name = str_from(line, head.n);
		else if (str_begins(line, STR(OK)))
			name = STR_NONE;
	return name;
}

/* ---- the report ------------------------------------------------------------------ */

static bool
has_passed(const cJSON *test)
{
	return json_is_text(test, "status", "RUN") &&
	       !cJSON_HasObjectItem(test, "failures") &&
	       (json_is_text(test, "result", "COMPLETED") ||
		       json_is_text(test, "result", "SKIPPED"));
}

static void
add_case(struct arena *a, const cJSON *suite, const cJSON *test, struct str output,
	size_t *from, struct batch_report *r)
{
	struct case_report c = {
		.name = str_fmt(a, "%s.%s", json_text_of(suite, "name"),
			json_text_of(test, "name")),
		.passed = has_passed(test),
	};
	const char *mark = json_is_text(test, "result", "SKIPPED") ? SKIPPED : OK;
	double seconds = strtod(json_text_of(test, "time"), NULL);

	if (json_is_text(test, "status", "NOTRUN"))
		return;
	if (seconds > 0 && seconds < 1e9)
		c.duration_ns = (uint64_t)(seconds * 1e9);
	c.passed = c.passed && take_output(output, from, mark, &c);
	VEC_PUSH(a, &r->v, c);
}

static bool
read_report(struct arena *a, struct str report, struct str output, struct batch_report *r)
{
	cJSON *root = cJSON_ParseWithLength(report.p, report.n);
	const cJSON *suites = json_value_of(root, "testsuites");
	const cJSON *suite, *test;
	bool is_whole = cJSON_IsArray(suites);
	size_t from = 0;

	cJSON_ArrayForEach(suite, suites)
	{
		const cJSON *tests = json_value_of(suite, "testsuite");

		cJSON_ArrayForEach(test, tests)
			add_case(a, suite, test, output, &from, r);
	}
	cJSON_Delete(root);
	return is_whole;
}

const struct framework googletest = {
	.name = "GoogleTest",
	.variables = "GTEST_",
	.skip_text = "\\[  SKIPPED \\]",
	.find_case = find_case,
	.choose = choose,
	.report_words = report_words,
	.read = read_report,
	.last_begun = last_begun,
};
