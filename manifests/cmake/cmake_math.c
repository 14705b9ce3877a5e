/* math(EXPR): 64-bit integers that wrap around. Where an expression cannot be parsed, the
 * evaluator leaves the subset. */
#include "manifests/cmake/cmake_commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_LIMIT = 200 };

struct expression {
	struct evaluator *e;
	struct str text;
	const char *at; /* NUL-ended */
	unsigned nesting;
	bool is_bad;
};

static int64_t parse_level(struct expression *x, unsigned level);

static void
skip_blanks(struct expression *x)
{
	while (*x->at == ' ' || *x->at == '\t' || *x->at == '\r' || *x->at == '\n')
		x->at++;
}

static int64_t
give_up(struct expression *x)
{
	if (!x->is_bad)
		leave_subset(x->e, "math cannot parse \"%.*s\"", STR_ARG(x->text));
	x->is_bad = true;
	return 0;
}

static int64_t
refuse_expression(struct expression *x, const char *why)
{
	if (!x->is_bad)
		command_fails(x->e, "cannot evaluate the expression: \"%.*s\": %s.",
			STR_ARG(x->text), why);
	x->is_bad = true;
	return 0;
}

static int64_t
parse_number(struct expression *x)
{
	bool is_hex = x->at[0] == '0' && (x->at[1] == 'x' || x->at[1] == 'X');
	char *end;
	long long value;

	errno = 0;
	value = strtoll(x->at, &end, is_hex ? 16 : 10);
	if (end == x->at || (is_hex && end < x->at + 3))
		return give_up(x);
	x->at = end;
	if (errno == ERANGE)
		return refuse_expression(x, "a numeric value is out of range");
	return value;
}

static int64_t
parse_unary(struct expression *x)
{
	int64_t value;
	char c;

	skip_blanks(x);
	c = *x->at;
	if (c >= '0' && c <= '9')
		return parse_number(x);
	if (!c || !strchr("+-~(", c) || ++x->nesting > NESTING_LIMIT)
		return give_up(x);
	x->at++;
	value = c == '(' ? parse_level(x, 0) : parse_unary(x);
	x->nesting--;
	if (c == '(') {
		skip_blanks(x);
		return *x->at++ == ')' ? value : (x->at--, give_up(x));
	}
	return c == '-' ? (int64_t)(0 - (uint64_t)value) : c == '~' ? ~value : value;
}

/* From loosest to tightest binding. */
static const char *const levels[] = {"|", "^", "&", "<>", "+-", "*/%"};
enum { LEVELS = sizeof levels / sizeof *levels };

/* The operator of the level at the current position, or 0. */
static char
operator_at(struct expression *x, unsigned level)
{
	char c;

	skip_blanks(x);
	c = *x->at;
	if (!c || !strchr(levels[level], c))
		return 0;
	if ((c == '<' || c == '>') && x->at[1] != c)
		return 0;
	x->at += c == '<' || c == '>' ? 2 : 1;
	return c;
}

static int64_t
divide_numbers(struct expression *x, char operator, int64_t a, int64_t b)
{
	if (b == 0)
		return refuse_expression(x, "divide by zero");
	if (b == -1)
		return operator== '/' ? (int64_t)(0 - (uint64_t)a) : 0;
	return operator== '/' ? a / b : a % b;
}

static int64_t
apply_operator(struct expression *x, char operator, int64_t a, int64_t b)
{
	uint64_t u = (uint64_t)a, v = (uint64_t)b;

	switch (operator) {
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case '&':
		return a & b;
	case '<':
		return (int64_t)(u << (v & 63));
	case '>':
		return a >> (v & 63);
	case '+':
		return (int64_t)(u + v);
	case '-':
		return (int64_t)(u - v);
	case '*':
		return (int64_t)(u * v);
	default:
		return divide_numbers(x, operator, a, b);
	}
}

static int64_t
parse_level(struct expression *x, unsigned level)
{
	int64_t value = level + 1 < LEVELS ? parse_level(x, level + 1) : parse_unary(x);
	char c;

	while (!x->is_bad && (c = operator_at(x, level))) {
		int64_t right =
			level + 1 < LEVELS ? parse_level(x, level + 1) : parse_unary(x);

		if (!x->is_bad)
			value = apply_operator(x, c, value, right);
	}
	return value;
}

bool
run_math(struct evaluator *e, struct str_list args)
{
	struct expression x = {.e = e};
	bool is_hex = false;
	int64_t value;

	if (args.n == 0)
		return command_fails(e, "must be called with at least one argument.");
	if (!str_is(args.v[0], "EXPR"))
		return command_fails(
			e, "does not recognize sub-command %.*s", STR_ARG(args.v[0]));
	if (args.n != 3 && !(args.n == 5 && str_is(args.v[3], "OUTPUT_FORMAT")))
		return leave_subset(e, "an unusual form of math");
	is_hex = args.n == 5 && str_is(args.v[4], "HEXADECIMAL");
	if (args.n == 5 && !is_hex && !str_is(args.v[4], "DECIMAL"))
		return leave_subset(e, "an unusual form of math");
	variable_set(e->variables, args.v[1], STR("ERROR"));
	x.text = args.v[2];
	x.at = str_z(e->scratch, x.text);
	value = parse_level(&x, 0);
	skip_blanks(&x);
	if (!x.is_bad && *x.at)
		give_up(&x);
	if (x.is_bad)
		return false;
	variable_set(e->variables, args.v[1],
		is_hex ? str_fmt(e->scratch, "0x%llx", (unsigned long long)value)
		       : str_fmt(e->scratch, "%lld", (long long)value));
	return true;
}
