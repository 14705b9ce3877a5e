/*
 * The conditions of if() and while().
 *
 * CMake reduces the list of words in passes: parentheses, unary tests, binary tests, NOT,
 * then AND and OR together, without short-circuiting. A pass goes over the words once and
 * does not look at what it has just reduced, so it is repeated as long as the list
 * shrinks: of "a AND b OR c AND d" the pairs a, b and c, d come first. Where an unset
 * policy would make CMake warn and choose, the evaluator leaves the subset.
 */
#include "manifests/cmake/cmake_commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

enum { NESTING_LIMIT = 100 };

struct reading {
	struct evaluator *e;
	struct condition all; /* for the message */
	unsigned nesting;
	const char *why; /* what is wrong with it; NULL: nothing */
	bool is_bad; /* the subset is left */
};
typedef VEC(struct condition_word) word_vec;

static struct condition_word
word_of(bool value)
{
	return (struct condition_word){value ? STR("1") : STR("0"), true};
}

/* if given arguments: ... */
static void
say_what_is_wrong(struct reading *r, bool is_while)
{
	struct buf b = {.arena = r->e->a};
	struct str name = r->e->frame->call->name;

	if (is_while && !policy_is_new(r->e->policies, POLICY_WHILE_ERRORS)) {
		leave_subset(r->e, "an error in a while condition");
		return;
	}
	if (is_while)
		buf_z(&b, "while() given incorrect arguments:\n ");
	else if (str_eq_nocase(name, STR("if")))
		buf_fmt(&b, "%.*s given arguments:\n ", STR_ARG(name));
	else
		buf_z(&b, "given arguments:\n ");
	for (size_t i = 0; i < r->all.n; i++) {
		buf_z(&b, " \"");
		/* As CMake quotes an argument. */
		buf_escaped(&b, r->all.v[i].text, "\"$\\");
		buf_z(&b, "\"");
	}
	buf_fmt(&b, "\n%s", r->why);
	stop_reading(r->e, "%.*s", STR_ARG(buf_as_str(&b)));
}

static void
condition_leaves(struct reading *r, const char *why)
{
	r->is_bad = true;
	leave_subset(r->e, "%s", why);
}

static bool
is_keyword(struct reading *r, const char *keyword, struct condition_word w)
{
	if (!str_is(w.text, keyword))
		return false;
	if (!w.is_quoted)
		return true;
	if (!policy_is_new(r->e->policies, POLICY_IF_QUOTED))
		condition_leaves(r, "a quoted keyword in if, with CMP0054 not set");
	return false;
}

/* The value of the variable that an unquoted word names; p NULL: there is none. */
static struct str
find_definition(struct reading *r, struct condition_word w)
{
	struct str value = variable_get(r->e->variables, w.text);

	if (!w.is_quoted)
		return value;
	/* Text that an earlier pass has made is not the user's. */
	if (value.p && !policy_is_new(r->e->policies, POLICY_IF_QUOTED))
		condition_leaves(r, "a quoted variable in if, with CMP0054 not set");
	return STR_NONE;
}

static struct str
value_of(struct reading *r, struct condition_word w)
{
	struct str value = find_definition(r, w);

	return value.p ? value : w.text;
}

/* ---- truth ----------------------------------------------------------------------- */

static bool
truth_new(struct reading *r, struct condition_word w)
{
	const char *z;
	char *end;
	double number;

	if (str_is(w.text, "0") || str_is(w.text, "1"))
		return str_is(w.text, "1");
	if (cmake_is_on(w.text))
		return true;
	if (cmake_is_off(w.text))
		return false;
	z = str_z(r->e->scratch, w.text);
	number = strtod(z, &end);
	if (*end == '\0')
		return number != 0;
	return !cmake_is_off(find_definition(r, w));
}

/* Before CMP0012; is_only: the word is the whole condition. */
static bool
truth_old(struct reading *r, struct condition_word w, bool is_only)
{
	struct str value;

	if (is_only && (str_is(w.text, "0") || str_is(w.text, "1")))
		return str_is(w.text, "1");
	value = find_definition(r, w);
	if (!is_only && !value.p && str_int(w.text))
		value = w.text;
	return !cmake_is_off(value);
}

static bool
truth_of(struct reading *r, struct condition_word w, bool is_only)
{
	bool is_true = truth_new(r, w);

	if (!policy_is_new(r->e->policies, POLICY_IF_CONSTANTS) &&
		truth_old(r, w, is_only) != is_true)
		condition_leaves(r, "a constant in if, with CMP0012 not set");
	return is_true;
}

/* ---- unary tests ----------------------------------------------------------------- */

static bool
test_exists(struct reading *r, struct condition_word w)
{
	return w.text.n && path_exists(path_seen(r->e, w.text));
}

static bool
test_directory(struct reading *r, struct condition_word w)
{
	return w.text.n && path_is_directory(path_seen(r->e, w.text));
}

static bool
test_symlink(struct reading *r, struct condition_word w)
{
	struct stat st;

	return w.text.n && lstat(path_seen(r->e, w.text), &st) == 0 &&
	       S_ISLNK(st.st_mode);
}

static bool
may_access(struct reading *r, struct condition_word w, int how)
{
	return w.text.n && access(path_seen(r->e, w.text), how) == 0;
}

static bool
test_readable(struct reading *r, struct condition_word w)
{
	return may_access(r, w, R_OK);
}

static bool
test_writable(struct reading *r, struct condition_word w)
{
	return may_access(r, w, W_OK);
}

static bool
test_executable(struct reading *r, struct condition_word w)
{
	return may_access(r, w, X_OK);
}

static bool
test_absolute(struct reading *r, struct condition_word w)
{
	(void)r;
	return w.text.n && (w.text.p[0] == '/' || w.text.p[0] == '~');
}

static bool
test_command(struct reading *r, struct condition_word w)
{
	struct str lower = str_lower(r->e->scratch, w.text);
	uint32_t builtin = map_get(&r->e->builtins, lower);

	return function_get(r->e->functions, lower) ||
	       (builtin != MAP_NONE && command_exists(r->e, &commands[builtin]));
}

static bool
test_policy(struct reading *r, struct condition_word w)
{
	bool exists = false;

	if (!policy_exists(r->e, w.text, &exists))
		r->is_bad = true;
	return exists;
}

static bool
test_diagnostic(struct reading *r, struct condition_word w)
{
	(void)w;
	condition_leaves(r, "DIAGNOSTIC in if");
	return false;
}

static bool
test_target(struct reading *r, struct condition_word w)
{
	(void)r;
	(void)w;
	return false; /* a test file has none */
}

static bool
test_test(struct reading *r, struct condition_word w)
{
	(void)w;
	if (!policy_is_new(r->e->policies, POLICY_IF_TEST))
		condition_leaves(r, "TEST in if, with CMP0064 not set");
	return false; /* add_test of a test file makes no CMake test */
}

/* The X of "ENV{X}"; p NULL: the word has another form. */
static struct str
name_in_braces(struct str s, struct str head)
{
	if (!str_begins(s, head) || s.n == head.n || s.p[s.n - 1] != '}')
		return STR_NONE;
	return str_cut(s.p + head.n, s.n - head.n - 1);
}

static bool
test_defined(struct reading *r, struct condition_word w)
{
	struct str name = name_in_braces(w.text, STR("ENV{"));

	if (name.p)
		return env_get(r->e, name).p;
	if (name_in_braces(w.text, STR("CACHE{")).p)
		return false;
	return variable_get(r->e->variables, w.text).p ||
	       str_is(w.text, "CMAKE_CURRENT_LIST_LINE");
}

struct unary {
	const char *keyword;
	bool (*test)(struct reading *r, struct condition_word w);
	enum dialect_feature since; /* DIALECT_FEATURES: always */
};
static const struct unary unary_tests[] = {
	{"EXISTS", test_exists, DIALECT_FEATURES},
	{"IS_DIRECTORY", test_directory, DIALECT_FEATURES},
	{"IS_SYMLINK", test_symlink, DIALECT_FEATURES},
	{"IS_ABSOLUTE", test_absolute, DIALECT_FEATURES},
	{"IS_READABLE", test_readable, DIALECT_IF_PERMISSIONS},
	{"IS_WRITABLE", test_writable, DIALECT_IF_PERMISSIONS},
	{"IS_EXECUTABLE", test_executable, DIALECT_IF_PERMISSIONS},
	{"DIAGNOSTIC", test_diagnostic, DIALECT_CMAKE_DIAGNOSTIC},
	{"COMMAND", test_command, DIALECT_FEATURES},
	{"POLICY", test_policy, DIALECT_FEATURES},
	{"TARGET", test_target, DIALECT_FEATURES},
	{"TEST", test_test, DIALECT_FEATURES},
	{"DEFINED", test_defined, DIALECT_FEATURES},
};

static const struct unary *
unary_of(struct reading *r, struct condition_word w)
{
	for (size_t i = 0; i < sizeof unary_tests / sizeof *unary_tests; i++) {
		const struct unary *u = &unary_tests[i];

		if (u->since != DIALECT_FEATURES && !evaluator_has(r->e, u->since))
			continue;
		if (is_keyword(r, u->keyword, w))
			return u;
	}
	return NULL;
}

/* ---- binary tests ---------------------------------------------------------------- */

enum binary {
	BINARY_NONE,
	BINARY_MATCHES,
	BINARY_NUMBER,
	BINARY_TEXT,
	BINARY_VERSION,
	BINARY_NEWER,
	BINARY_IN_LIST,
	BINARY_PATH
};
enum { LESS = 1, EQUAL = 2, GREATER = 4 };
static const struct {
	const char *keyword;
	enum binary test;
	unsigned accepted;
} binary_tests[] = {
	{"MATCHES", BINARY_MATCHES, 0},
	{"LESS", BINARY_NUMBER, LESS},
	{"LESS_EQUAL", BINARY_NUMBER, LESS | EQUAL},
	{"GREATER", BINARY_NUMBER, GREATER},
	{"GREATER_EQUAL", BINARY_NUMBER, GREATER | EQUAL},
	{"EQUAL", BINARY_NUMBER, EQUAL},
	{"STRLESS", BINARY_TEXT, LESS},
	{"STRLESS_EQUAL", BINARY_TEXT, LESS | EQUAL},
	{"STRGREATER", BINARY_TEXT, GREATER},
	{"STRGREATER_EQUAL", BINARY_TEXT, GREATER | EQUAL},
	{"STREQUAL", BINARY_TEXT, EQUAL},
	{"VERSION_LESS", BINARY_VERSION, LESS},
	{"VERSION_LESS_EQUAL", BINARY_VERSION, LESS | EQUAL},
	{"VERSION_GREATER", BINARY_VERSION, GREATER},
	{"VERSION_GREATER_EQUAL", BINARY_VERSION, GREATER | EQUAL},
	{"VERSION_EQUAL", BINARY_VERSION, EQUAL},
	{"IS_NEWER_THAN", BINARY_NEWER, 0},
	{"IN_LIST", BINARY_IN_LIST, 0},
	{"PATH_EQUAL", BINARY_PATH, 0},
};
enum { BINARY_TESTS = sizeof binary_tests / sizeof *binary_tests };

static size_t
binary_of(struct reading *r, struct condition_word w)
{
	size_t i = 0;

	while (i < BINARY_TESTS && !is_keyword(r, binary_tests[i].keyword, w))
		i++;
	return i;
}

static unsigned
order_bit(int order)
{
	return order < 0 ? LESS : order > 0 ? GREATER : EQUAL;
}

static unsigned
compare_numbers(struct reading *r, struct condition_word a, struct condition_word b)
{
	/* Both, even if the first is no number: cmake warns of either. */
	struct str first = value_of(r, a), second = value_of(r, b);
	double x, y;

	if (sscanf(str_z(r->e->scratch, first), "%lg", &x) != 1 ||
		sscanf(str_z(r->e->scratch, second), "%lg", &y) != 1)
		return 0;
	return x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : 0;
}

/* A component as strtoul reads it: with a sign, or empty. */
static uint64_t
take_number(const char **p)
{
	char *end;
	uint64_t value = strtoul(*p, &end, 10);

	*p = end;
	return value;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* However many there are, without zeros before them. */
static struct str
take_digits(const char **p)
{
	const char *begin;

	while (**p == '0')
		++*p;
	begin = *p;
	while (is_digit(**p))
		++*p;
	return str_cut(begin, (size_t)(*p - begin));
}

static int
number_order(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Takes a component of each. */
static int
component_order(const struct dialect *dialect, const char **p, const char **q)
{
	if (dialect->has[DIALECT_VERSIONS_ARE_DIGITS]) {
		struct str x = take_digits(p), y = take_digits(q);

		return x.n == y.n ? str_order(x, y) : x.n < y.n ? -1 : 1;
	}
	return number_order(take_number(p), take_number(q));
}

/* Compares components, as long as one side begins with a digit. */
static int
version_order(struct evaluator *e, struct str a, struct str b)
{
	const char *p = str_z(e->scratch, a), *q = str_z(e->scratch, b);
	int order = 0;

	while (!order && (is_digit(*p) || is_digit(*q))) {
		order = component_order(e->request->dialect, &p, &q);
		p += *p == '.';
		q += *q == '.';
	}
	return order;
}

static bool
test_matches(struct reading *r, struct condition_word a, struct condition_word b)
{
	struct str subject = str_dup(r->e->scratch, value_of(r, a));
	const struct matcher *m = regex_get(r->e, b.text);
	struct match match;

	if (!m) {
		r->is_bad = true;
		return false;
	}
	regex_clear(r->e);
	if (!match_find(m, subject, 0, &match))
		return false;
	regex_store(r->e, &match);
	return true;
}

static bool
test_newer(struct reading *r, struct condition_word a, struct condition_word b)
{
	struct stat x, y;

	if (stat(path_seen(r->e, a.text), &x) != 0 ||
		stat(path_seen(r->e, b.text), &y) != 0)
		return true;
	if (x.st_mtim.tv_sec != y.st_mtim.tv_sec)
		return x.st_mtim.tv_sec > y.st_mtim.tv_sec;
	return x.st_mtim.tv_nsec >= y.st_mtim.tv_nsec;
}

/* An empty variable has an empty element here, although list(LENGTH) says that it has
 * none. */
static bool
test_in_list(struct reading *r, struct condition_word a, struct condition_word b)
{
	struct str value = variable_get(r->e->variables, b.text), wanted = value_of(r, a);

	if (value.p && !value.n)
		return !wanted.n;
	return str_list_has(list_of(r->e, value, true), wanted);
}

static bool
binary_test(
	struct reading *r, size_t row, struct condition_word a, struct condition_word b)
{
	unsigned accepted = binary_tests[row].accepted;

	switch (binary_tests[row].test) {
	case BINARY_MATCHES:
		return test_matches(r, a, b);
	case BINARY_NUMBER:
		return compare_numbers(r, a, b) & accepted;
	case BINARY_TEXT:
		return order_bit(str_order(value_of(r, a), value_of(r, b))) & accepted;
	case BINARY_VERSION:
		return order_bit(version_order(r->e, value_of(r, a), value_of(r, b))) &
		       accepted;
	case BINARY_NEWER:
		return test_newer(r, a, b);
	case BINARY_IN_LIST:
		if (policy_is_new(r->e->policies, POLICY_IN_LIST))
			return test_in_list(r, a, b);
		break;
	case BINARY_PATH:
	case BINARY_NONE:
		break;
	}
	condition_leaves(r, "an operator of if that a policy decides");
	return false;
}

/* ---- passes ---------------------------------------------------------------------- */

static bool evaluate_part(struct reading *r, struct condition c);

/* The index of the ")" that closes the "(" at i; c.n: there is none. */
static size_t
find_closing(struct reading *r, struct condition c, size_t i)
{
	size_t depth = 0;

	for (; i < c.n; i++) {
		if (is_keyword(r, "(", c.v[i]))
			depth++;
		else if (is_keyword(r, ")", c.v[i]) && --depth == 0)
			break;
	}
	return i;
}

/* false: they do not match. */
static bool
pass_parentheses(struct reading *r, struct condition c, struct condition *left)
{
	word_vec out = {0};

	for (size_t i = 0; i < c.n && !r->is_bad; i++) {
		size_t end;

		if (!is_keyword(r, "(", c.v[i])) {
			VEC_PUSH(r->e->scratch, &out, c.v[i]);
			continue;
		}
		end = find_closing(r, c, i);
		if (end == c.n) {
			r->why = "mismatched parenthesis in condition";
			return false;
		} else if (++r->nesting > NESTING_LIMIT) {
			condition_leaves(r, "a condition nested too deeply");
		} else {
			struct condition inner = {c.v + i + 1, end - i - 1};

			VEC_PUSH(r->e->scratch, &out, word_of(evaluate_part(r, inner)));
			r->nesting--;
		}
		i = end;
	}
	*left = (struct condition){out.v, out.n};
	return true;
}

/* Passes that only shrink the list work in place. */
static size_t
pass_unary(struct reading *r, struct condition c)
{
	size_t n = 0;

	for (size_t i = 0; i < c.n && !r->is_bad; i++) {
		const struct unary *u = i + 1 < c.n ? unary_of(r, c.v[i]) : NULL;

		if (u)
			c.v[n++] = word_of(u->test(r, c.v[++i]));
		else
			c.v[n++] = c.v[i];
	}
	return n;
}

static size_t
pass_binary(struct reading *r, struct condition c)
{
	size_t n = 0;

	for (size_t i = 0; i < c.n && !r->is_bad; i++) {
		size_t row = BINARY_TESTS;

		/* The words that remain of "${empty} MATCHES x". */
		if (i + 1 < c.n && is_keyword(r, "MATCHES", c.v[i])) {
			c.v[n++] = word_of(false);
			i++;
			continue;
		}
		if (i + 2 < c.n)
			row = binary_of(r, c.v[i + 1]);
		if (row < BINARY_TESTS) {
			c.v[n++] = word_of(binary_test(r, row, c.v[i], c.v[i + 2]));
			i += 2;
		} else {
			c.v[n++] = c.v[i];
		}
	}
	return n;
}

static size_t
pass_not(struct reading *r, struct condition c)
{
	size_t n = 0;

	for (size_t i = 0; i < c.n && !r->is_bad; i++) {
		if (i + 1 < c.n && is_keyword(r, "NOT", c.v[i]))
			c.v[n++] = word_of(!truth_of(r, c.v[++i], false));
		else
			c.v[n++] = c.v[i];
	}
	return n;
}

static size_t
pass_and_or(struct reading *r, struct condition c)
{
	size_t n = 0;

	for (size_t i = 0; i < c.n && !r->is_bad; i++) {
		bool can = i + 2 < c.n;
		bool is_and = can && is_keyword(r, "AND", c.v[i + 1]);

		if (is_and || (can && is_keyword(r, "OR", c.v[i + 1]))) {
			bool a = truth_of(r, c.v[i], false);
			bool b = truth_of(r, c.v[i + 2], false);

			c.v[n++] = word_of(is_and ? a && b : a || b);
			i += 2;
		} else {
			c.v[n++] = c.v[i];
		}
	}
	return n;
}

/* As in CMake, an error inside parentheses is forgotten when other parentheses follow. */
static bool
evaluate_part(struct reading *r, struct condition c)
{
	static size_t (*const passes[])(struct reading *, struct condition) = {
		pass_unary, pass_binary, pass_not, pass_and_or};

	r->why = NULL;
	if (c.n == 0 || !pass_parentheses(r, c, &c))
		return false;
	for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
		size_t n;

		do {
			n = c.n;
			c.n = passes[i](r, c);
		} while (c.n < n && !r->is_bad);
	}
	if (r->is_bad)
		return false;
	if (c.n != 1) {
		r->why = "Unknown arguments specified";
		return false;
	}
	return truth_of(r, c.v[0], true);
}

bool
condition_evaluate(struct evaluator *e, struct condition c, bool *result)
{
	struct reading r = {.e = e, .all = c};
	bool is_while = str_eq_nocase(e->frame->call->name, STR("while"));

	INVARIANT(result);
	*result = evaluate_part(&r, c);
	/* while() forgets an error where the condition holds nevertheless. */
	if (is_while && *result)
		r.why = NULL;
	if (r.why && !r.is_bad)
		say_what_is_wrong(&r, is_while);
	return !r.why && !r.is_bad;
}
