/*
 * An expression, a newline, a text: any bytes are parsed or refused with a column that is
 * in the expression, on one line. What is parsed has an answer, and in parentheses, or
 * denied twice, the same one.
 */
#include "compat/format/regex.h"
#include "compat/options/test_predicates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct asking {
	const struct filter_expression *e;
	struct str text;
};

/* Some answer that the argument decides. */
static bool
answer(void *context, size_t predicate, uint32_t item)
{
	const struct asking *asking = context;
	const struct filter_predicate *p = &asking->e->predicates[predicate];

	(void)item;
	INVARIANT(p->row < TEST_PREDICATES && p->column);
	if (p->has_word)
		return filter_word_matches(&p->word, asking->text);
	if (p->field.n)
		return str_eq(p->field, asking->text);
	return filter_interval_has(&p->interval, (double)asking->text.n) ||
	       p->row == PREDICATE_ALL;
}

static struct filter_expression *
parse(struct arena *a, struct str text, struct diag *d)
{
	return filter_expression_parse(a, text, test_predicate_rows, TEST_PREDICATES, d);
}

static void
check_refusal(struct str text, const struct diag *d)
{
	struct str line = d->entries.v[0].text;

	INVARIANT(d->entries.n == 1 && str_begins(line, STR("column ")));
	INVARIANT((size_t)str_int(str_from(line, 7)) <= text.n + 1);
}

static bool
ask(struct arena *a, struct match_set *patterns, struct str expression, struct str text,
	bool *is_right)
{
	struct diag d = diag_in(a);
	struct asking asking = {parse(a, expression, &d), text};

	*is_right = asking.e && filter_expression_compile(
					drop_const(asking.e), patterns, NO_PLACE, &d);
	if (!asking.e)
		check_refusal(expression, &d);
	return *is_right && filter_expression_accepts(asking.e, answer, &asking, 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct match_set *patterns = match_set_open(a, regex_parse);
	struct str text = str_cut((const char *)data, size);
	struct str expression = str_take(&text, '\n');
	struct buf inner = {.arena = a}, denied = {.arena = a};
	bool is_right, is_still_right, holds;

	buf_char(&inner, '(');
	buf_str(&inner, expression);
	buf_char(&inner, ')');
	buf_z(&denied, "!!");
	buf_str(&denied, buf_as_str(&inner));
	holds = ask(a, patterns, expression, text, &is_right);
	if (is_right) {
		INVARIANT(ask(a, patterns, buf_as_str(&inner), text, &is_still_right) ==
			  holds);
		INVARIANT(is_still_right);
		INVARIANT(ask(a, patterns, buf_as_str(&denied), text, &is_still_right) ==
			  holds);
	}
	match_set_close(patterns);
	arena_close(a);
	return 0;
}
