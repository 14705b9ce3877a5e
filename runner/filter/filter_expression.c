/*
 * The parser holds operators that wait for their right side in a stack of its own, so
 * that parentheses cost no calls. It makes steps for a machine with one truth value: "&"
 * jumps over its right side if the left side is false, "|" if it is true.
 */
#include "runner/filter/filter_expression.h"

#include <math.h>

#include "runner/base/nearest.h"
#include "runner/base/utf8.h"

enum step_kind { STEP_PREDICATE, STEP_NOT, STEP_IF_TRUE, STEP_IF_FALSE };
struct filter_step {
	enum step_kind kind;
	/* Of STEP_PREDICATE: which. Of STEP_IF_TRUE and STEP_IF_FALSE: the step that
	 * follows if the value is not so. */
	size_t at;
};

enum operator_kind { OPEN, OR, AND, MINUS, NOT };
struct pending {
	enum operator_kind kind;
	size_t step; /* of OR, AND and MINUS: the jump */
	size_t place; /* in the text */
};

struct parser {
	struct arena *a;
	struct str text;
	size_t at;
	const struct filter_row *rows;
	size_t rows_n;
	struct diag *d;
	VEC(struct pending) pending;
	VEC(struct filter_step) steps;
	VEC(struct filter_predicate) predicates;
};

/* ---- the text -------------------------------------------------------------------- */

static size_t
column_of(const struct parser *p, size_t place)
{
	size_t column = 1;

	/* Only the first byte of a character is none of 10xxxxxx. */
	for (size_t i = 0; i < place; i++)
		column += ((unsigned char)p->text.p[i] & 0xc0) != 0x80;
	return column;
}

#define FAIL(p, place, ...) fail_at((p), (place), str_fmt((p)->a, __VA_ARGS__))

static bool
fail_at(struct parser *p, size_t place, struct str text)
{
	return diag_error(
		p->d, NO_PLACE, "column %zu: %.*s", column_of(p, place), STR_ARG(text));
}

static struct str
rest_of(const struct parser *p)
{
	return str_from(p->text, p->at);
}

/* The next character, as messages show it. */
static struct str
shown_next(const struct parser *p)
{
	struct str rest = rest_of(p);
	uint32_t code;
	size_t n = utf8_next(rest, &code);

	if (!rest.n)
		return STR("the end");
	return str_fmt(p->a, "'%.*s'", STR_ARG(str_cut(rest.p, n ? n : 1)));
}

static void
skip_blanks(struct parser *p)
{
	while (p->at < p->text.n && strchr(" \t\r\n", p->text.p[p->at]) &&
		p->text.p[p->at])
		p->at++;
}

static bool
take_byte(struct parser *p, char c)
{
	if (p->at == p->text.n || p->text.p[p->at] != c)
		return false;
	p->at++;
	return true;
}

static bool
is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* The name at the place; "": none begins there. */
static struct str
name_at(const struct parser *p)
{
	struct str rest = rest_of(p);
	size_t n = 0;

	while (n < rest.n && is_of_name(rest.p[n]))
		n++;
	return str_cut(rest.p, n);
}

static bool
takes_name(struct parser *p, const char *name)
{
	struct str found = name_at(p);

	if (!str_is(found, name))
		return false;
	p->at += found.n;
	return true;
}

/* ---- words ----------------------------------------------------------------------- */

/* Takes the text up to the byte, without it. false: it does not come. A byte after a
 * backslash is none. */
static bool
take_up_to(struct parser *p, char end, struct str *text)
{
	size_t from = p->at;

	for (; p->at < p->text.n; p->at++) {
		if (p->text.p[p->at] == end) {
			*text = str_cut(p->text.p + from, p->at - from);
			return true;
		}
		if (p->text.p[p->at] == '\\' && p->at + 1 < p->text.n)
			p->at++;
	}
	return false;
}

/* Without blanks at the end, but for one after a backslash. */
static struct str
trim_end(struct str text)
{
	size_t n = text.n, slashes = 0;

	while (n && strchr(" \t\r\n", text.p[n - 1]))
		n--;
	while (slashes < n && text.p[n - 1 - slashes] == '\\')
		slashes++;
	return str_cut(text.p, slashes % 2 && n < text.n ? n + 1 : n);
}

/* Takes a text in quotes, or up to the ")". */
static bool
take_text(struct parser *p, struct str *text)
{
	size_t from;

	skip_blanks(p);
	from = p->at;
	if (take_byte(p, '"')) {
		if (!take_up_to(p, '"', text))
			return FAIL(p, from, "the text in quotes does not end");
		p->at++;
		return true;
	}
	if (!take_up_to(p, ')', text))
		return FAIL(p, from, "')' expected after the text");
	*text = trim_end(*text);
	return text->n || FAIL(p, from, "a text is expected before ')'");
}

/* A slash of the expression has a backslash before it, which is dropped. */
static struct str
without_slash_escapes(struct parser *p, struct str text)
{
	struct buf out = {.arena = p->a};

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] != '/')
			buf_char(&out, text.p[i++]);
		else if (text.p[i] == '\\' && i + 1 < text.n)
			i++;
		buf_char(&out, text.p[i]);
	}
	return buf_as_str(&out);
}

static bool
take_regex(struct parser *p, struct filter_word *w)
{
	size_t from = p->at - 1;
	struct str text;

	if (!take_up_to(p, '/', &text))
		return FAIL(p, from, "the regular expression does not end with '/'");
	p->at++;
	if (!text.n)
		return FAIL(p, from, "the regular expression is empty");
	*w = (struct filter_word){
		.way = WORD_REGEX, .text = without_slash_escapes(p, text)};
	return true;
}

static bool
take_plain(struct parser *p, enum word_way way, struct filter_word *w)
{
	size_t from = p->at;
	struct str text;

	if (!take_text(p, &text))
		return false;
	if (!text.n && way == WORD_PART)
		return FAIL(p, from, "every text has an empty part");
	*w = (struct filter_word){.way = way, .text = filter_word_plain(p->a, text)};
	return true;
}

static bool
take_glob(struct parser *p, struct filter_word *w)
{
	struct str text;

	if (!take_text(p, &text))
		return false;
	*w = filter_word_of_glob(p->a, text);
	return true;
}

static bool
take_word(struct parser *p, struct filter_predicate *made)
{
	made->has_word = true;
	if (take_byte(p, '/'))
		return take_regex(p, &made->word);
	made->is_exact = take_byte(p, '=');
	if (made->is_exact)
		return take_plain(p, WORD_EQUAL, &made->word);
	if (take_byte(p, '~'))
		return take_plain(p, WORD_PART, &made->word);
	take_byte(p, '#');
	return take_glob(p, &made->word);
}

/* A name, and a word that begins with a sign. */
static bool
take_field(struct parser *p, struct filter_predicate *made)
{
	made->field = name_at(p);
	if (!made->field.n)
		return FAIL(
			p, p->at, "a name is expected, not %.*s", STR_ARG(shown_next(p)));
	p->at += made->field.n;
	skip_blanks(p);
	if (p->at == p->text.n || p->text.p[p->at] == ')')
		return true;
	if (!strchr("=~#/", p->text.p[p->at]) || !p->text.p[p->at])
		return FAIL(p, p->at, "')', '=', '~', '#' or '/' expected, not %.*s",
			STR_ARG(shown_next(p)));
	return take_word(p, made);
}

/* ---- numbers --------------------------------------------------------------------- */

static void
take_digits(struct parser *p)
{
	while (p->at < p->text.n && p->text.p[p->at] >= '0' && p->text.p[p->at] <= '9')
		p->at++;
}

static bool
take_unit(struct parser *p, double *value)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
	struct str name = name_at(p);

	if (!name.n)
		return true;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (takes_name(p, units[i].name)) {
			*value *= units[i].seconds;
			return true;
		}
	return FAIL(
		p, p->at, "no such unit '%.*s'; there are ms, s, m and h", STR_ARG(name));
}

/* A "." that no digit follows is none of the number: "1..3". */
static bool
take_number(struct parser *p, bool is_time, double *value)
{
	size_t from = p->at, digits;

	take_byte(p, '-');
	digits = p->at;
	take_digits(p);
	if (p->at == digits) {
		p->at = from;
		return FAIL(p, from, "a number is expected, not %.*s",
			STR_ARG(shown_next(p)));
	}
	if (p->at + 1 < p->text.n && p->text.p[p->at] == '.' &&
		p->text.p[p->at + 1] >= '0' && p->text.p[p->at + 1] <= '9') {
		p->at++;
		take_digits(p);
	}
	*value = str_double(str_cut(p->text.p + from, p->at - from));
	if (!isfinite(*value))
		return FAIL(p, from, "the number is too large");
	return !is_time || take_unit(p, value);
}

static bool
takes_dots(struct parser *p)
{
	if (!str_begins(rest_of(p), STR("..")))
		return false;
	p->at += 2;
	return true;
}

/* N..N, N.., ..N or N. */
static bool
take_range(struct parser *p, bool is_time, struct filter_interval *i)
{
	size_t from = p->at;
	bool has_low = !takes_dots(p);

	if (has_low && !take_number(p, is_time, &i->low))
		return false;
	if (has_low && !takes_dots(p)) {
		i->high = i->low;
		return true;
	}
	skip_blanks(p);
	if (has_low && p->at < p->text.n && p->text.p[p->at] == ')')
		return true;
	if (!take_number(p, is_time, &i->high))
		return false;
	return i->low <= i->high || FAIL(p, from, "the range is empty");
}

static bool
take_interval(struct parser *p, bool is_time, struct filter_interval *i)
{
	char sign = p->at < p->text.n ? p->text.p[p->at] : '\0';
	bool is_below = sign == '<', is_open;

	*i = (struct filter_interval){.low = -INFINITY, .high = INFINITY};
	if (!is_below && sign != '>' && sign != '=')
		return take_range(p, is_time, i);
	p->at++;
	is_open = sign != '=' && !take_byte(p, '=');
	skip_blanks(p);
	if (!take_number(p, is_time, is_below ? &i->high : &i->low))
		return false;
	if (sign == '=')
		i->high = i->low;
	i->low_is_open = is_open && !is_below;
	i->high_is_open = is_open && is_below;
	return true;
}

bool
filter_interval_has(const struct filter_interval *i, double value)
{
	INVARIANT(i);
	return (i->low_is_open ? value > i->low : value >= i->low) &&
	       (i->high_is_open ? value < i->high : value <= i->high);
}

/* ---- predicates ------------------------------------------------------------------ */

static struct str_list
names_of_rows(const struct parser *p)
{
	struct str_list l = {NEW_ARRAY(p->a, struct str, p->rows_n), 0};

	for (size_t i = 0; i < p->rows_n; i++)
		l.v[l.n++] = str_of(p->rows[i].name);
	return l;
}

static bool
refuse_name(struct parser *p, size_t place, struct str name)
{
	struct str hint;

	if (p->at == p->text.n || p->text.p[p->at] != '(')
		return FAIL(p, place, "'%.*s' is no predicate; did you mean name(~%.*s)?",
			STR_ARG(name), STR_ARG(name));
	hint = nearest_hint(p->a, name, names_of_rows(p), "there are ");
	return FAIL(
		p, place, "no such predicate '%.*s'; %.*s", STR_ARG(name), STR_ARG(hint));
}

static bool
take_argument(struct parser *p, struct filter_predicate *made)
{
	switch (p->rows[made->row].argument) {
	case ARGUMENT_NONE:
		return true;
	case ARGUMENT_WORD:
		return take_word(p, made);
	case ARGUMENT_NUMBER:
		return take_interval(p, false, &made->interval);
	case ARGUMENT_SECONDS:
		return take_interval(p, true, &made->interval);
	case ARGUMENT_FIELD:
		return take_field(p, made);
	}
	BUG("no argument of a predicate");
}

static bool
take_predicate(struct parser *p)
{
	size_t place = p->at;
	struct str name = name_at(p);
	struct filter_predicate made = {.column = column_of(p, place)};

	p->at += name.n;
	skip_blanks(p);
	while (made.row < p->rows_n && !str_is(name, p->rows[made.row].name))
		made.row++;
	if (made.row == p->rows_n)
		return refuse_name(p, place, name);
	if (!take_byte(p, '('))
		return FAIL(p, p->at, "'(' expected after '%.*s', not %.*s",
			STR_ARG(name), STR_ARG(shown_next(p)));
	skip_blanks(p);
	if (!take_argument(p, &made))
		return false;
	skip_blanks(p);
	if (!take_byte(p, ')'))
		return FAIL(p, p->at, "')' expected, not %.*s", STR_ARG(shown_next(p)));
	VEC_PUSH(p->a, &p->steps, (struct filter_step){STEP_PREDICATE, p->predicates.n});
	VEC_PUSH(p->a, &p->predicates, made);
	return true;
}

/* ---- operators ------------------------------------------------------------------- */

static const unsigned char rank[] = {
	[OPEN] = 0, [OR] = 1, [AND] = 2, [MINUS] = 2, [NOT] = 3};

static void
push_operator(struct parser *p, enum operator_kind kind, size_t place)
{
	VEC_PUSH(p->a, &p->pending,
		(struct pending){.kind = kind, .step = p->steps.n, .place = place});
}

/* Both sides of the operator have their steps now. */
static void
pop_operator(struct parser *p)
{
	struct pending last = p->pending.v[--p->pending.n];

	if (last.kind == NOT || last.kind == MINUS)
		VEC_PUSH(p->a, &p->steps, (struct filter_step){STEP_NOT, 0});
	if (last.kind != NOT)
		p->steps.v[last.step].at = p->steps.n;
}

static void
pop_operators(struct parser *p, unsigned char least)
{
	while (p->pending.n && p->pending.v[p->pending.n - 1].kind != OPEN &&
		rank[p->pending.v[p->pending.n - 1].kind] >= least)
		pop_operator(p);
}

static void
push_binary(struct parser *p, enum operator_kind kind, size_t place)
{
	pop_operators(p, rank[kind]);
	push_operator(p, kind, place);
	VEC_PUSH(p->a, &p->steps,
		(struct filter_step){kind == OR ? STEP_IF_FALSE : STEP_IF_TRUE, 0});
}

static bool
close_parenthesis(struct parser *p)
{
	pop_operators(p, 0);
	if (!p->pending.n)
		return FAIL(p, p->at - 1, "')' has no '('");
	p->pending.n--;
	return true;
}

/* ---- the expression -------------------------------------------------------------- */

/* What comes before an operand, and the operand. */
static bool
take_operand(struct parser *p)
{
	for (;;) {
		size_t place;

		skip_blanks(p);
		place = p->at;
		if (take_byte(p, '!') || takes_name(p, "not"))
			push_operator(p, NOT, place);
		else if (take_byte(p, '('))
			push_operator(p, OPEN, place);
		else if (name_at(p).n)
			return take_predicate(p);
		else
			return FAIL(p, place,
				"a predicate such as label(x) is expected, not %.*s",
				STR_ARG(shown_next(p)));
	}
}

/* Takes a sign, which may be doubled, or the word. */
static bool
takes_operator(struct parser *p, char sign, const char *word)
{
	if (!take_byte(p, sign))
		return takes_name(p, word);
	take_byte(p, sign);
	return true;
}

/* An operator between two operands. */
static bool
take_binary(struct parser *p)
{
	size_t place = p->at;

	if (takes_operator(p, '&', "and"))
		push_binary(p, AND, place);
	else if (takes_operator(p, '|', "or") || take_byte(p, '+'))
		push_binary(p, OR, place);
	else if (take_byte(p, '-'))
		push_binary(p, MINUS, place);
	else
		return FAIL(p, place, "an operator, & or | or -, is expected, not %.*s",
			STR_ARG(shown_next(p)));
	return true;
}

/* Parentheses that close, and an operator. *is_end: the text has ended instead. */
static bool
take_operator(struct parser *p, bool *is_end)
{
	skip_blanks(p);
	while (take_byte(p, ')')) {
		if (!close_parenthesis(p))
			return false;
		skip_blanks(p);
	}
	*is_end = p->at == p->text.n;
	return *is_end || take_binary(p);
}

static bool
take_expression(struct parser *p)
{
	bool is_end = false;

	while (!is_end)
		if (!take_operand(p) || !take_operator(p, &is_end))
			return false;
	pop_operators(p, 0);
	return !p->pending.n ||
	       FAIL(p, p->pending.v[p->pending.n - 1].place, "'(' has no ')'");
}

struct filter_expression *
filter_expression_parse(struct arena *a, struct str text, const struct filter_row *rows,
	size_t rows_n, struct diag *d)
{
	struct parser p = {.a = a, .text = text, .rows = rows, .rows_n = rows_n, .d = d};
	struct filter_expression *e;

	INVARIANT(rows && d);
	if (!take_expression(&p))
		return NULL;
	e = NEW(a, struct filter_expression);
	*e = (struct filter_expression){.text = text,
		.predicates = p.predicates.v,
		.predicates_n = p.predicates.n,
		.steps = p.steps.v,
		.steps_n = p.steps.n};
	return e;
}

/* On one line. */
static struct str
reason_of(struct arena *a, struct str why)
{
	struct str line = str_dup(a, str_trim(why));

	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '\n')
			str_own(line)[i] = ' ';
	return line;
}

bool
filter_expression_compile(struct filter_expression *e, struct match_set *patterns,
	struct place at, struct diag *d)
{
	bool all = true;

	INVARIANT(e && d);
	for (size_t i = 0; i < e->predicates_n; i++) {
		struct filter_predicate *p = &e->predicates[i];
		struct str why = STR_NONE;

		if (!p->has_word || p->word.way != WORD_REGEX)
			continue;
		p->word.matcher = match_set_get(patterns, p->word.text, &why)->matcher;
		if (!p->word.matcher)
			all = diag_error(d, at,
				"column %zu: the regular expression \"%.*s\" is wrong: "
				"%.*s",
				p->column, STR_ARG(p->word.text),
				STR_ARG(reason_of(d->arena, why)));
	}
	return all;
}

/* ---- the machine ----------------------------------------------------------------- */

bool
filter_expression_accepts(const struct filter_expression *e, filter_holds *holds,
	void *context, uint32_t item)
{
	bool value = false;
	size_t i = 0;

	while (i < e->steps_n) {
		const struct filter_step *s = &e->steps[i++];

		switch (s->kind) {
		case STEP_PREDICATE:
			value = holds(context, s->at, item);
			break;
		case STEP_NOT:
			value = !value;
			break;
		case STEP_IF_TRUE:
			i = value ? i : s->at;
			break;
		case STEP_IF_FALSE:
			i = value ? s->at : i;
			break;
		}
	}
	return value;
}
