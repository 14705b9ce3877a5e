/* string() without REGEX, which is in cmake_regex.c. Unusual forms leave the subset. */
#include "manifests/cmake/cmake_commands.h"

#include <string.h>

struct str_list
list_from(struct str_list l, size_t at)
{
	at = at < l.n ? at : l.n;
	return (struct str_list){l.v ? l.v + at : NULL, l.n - at};
}

/* ---- changing case, cutting ------------------------------------------------------ */

static bool
string_case(struct evaluator *e, struct str_list args)
{
	bool is_lower = str_is(args.v[0], "TOLOWER");

	variable_set(e->variables, args.v[2],
		(is_lower ? str_lower : str_upper)(e->scratch, args.v[1]));
	return true;
}

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
string_strip(struct evaluator *e, struct str_list args)
{
	struct str s = args.v[1];

	while (s.n && is_blank(s.p[0]))
		s = str_from(s, 1);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	variable_set(e->variables, args.v[2], s);
	return true;
}

static bool
string_length(struct evaluator *e, struct str_list args)
{
	variable_set(e->variables, args.v[2], str_fmt(e->scratch, "%zu", args.v[1].n));
	return true;
}

static bool
string_substring(struct evaluator *e, struct str_list args)
{
	struct str s = args.v[1];
	int begin = str_int(args.v[2]), length = str_int(args.v[3]);

	if (begin < 0 || (size_t)begin > s.n)
		return command_fails(
			e, "begin index: %d is out of range 0 - %zu", begin, s.n);
	if (length < -1)
		return command_fails(e, "end index: %d should be -1 or greater", length);
	s = str_from(s, (size_t)begin);
	if (length >= 0 && (size_t)length < s.n)
		s.n = (size_t)length;
	variable_set(e->variables, args.v[4], s);
	return true;
}

static bool
string_c_identifier(struct evaluator *e, struct str_list args)
{
	struct buf b = {.arena = e->scratch};
	struct str s = args.v[1];

	if (s.n && s.p[0] >= '0' && s.p[0] <= '9')
		buf_char(&b, '_');
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool is_name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			       (c >= '0' && c <= '9') || c == '_';

		buf_char(&b, is_name ? c : '_');
	}
	variable_set(e->variables, args.v[2], buf_as_str(&b));
	return true;
}

/* ---- putting together ------------------------------------------------------------ */

static bool
string_append(struct evaluator *e, struct str_list args)
{
	struct str text = str_join(e->scratch, list_from(args, 2), STR(""));

	if (args.n > 2)
		variable_append(e->variables, args.v[1], STR(""), text);
	return true;
}

static bool
string_prepend(struct evaluator *e, struct str_list args)
{
	struct buf b = {.arena = e->scratch};

	if (args.n < 3)
		return true;
	buf_str(&b, str_join(e->scratch, list_from(args, 2), STR("")));
	buf_str(&b, variable_or_empty(e->variables, args.v[1]));
	variable_set(e->variables, args.v[1], buf_as_str(&b));
	return true;
}

static bool
string_concat(struct evaluator *e, struct str_list args)
{
	variable_set(e->variables, args.v[1],
		str_join(e->scratch, list_from(args, 2), STR("")));
	return true;
}

static bool
string_join(struct evaluator *e, struct str_list args)
{
	variable_set(e->variables, args.v[2],
		str_join(e->scratch, list_from(args, 3), args.v[1]));
	return true;
}

static bool
string_repeat(struct evaluator *e, struct str_list args)
{
	enum { LARGEST = 1 << 24 };
	struct buf b = {.arena = e->scratch};
	uint64_t n;

	if (!str_unsigned(args.v[2], LARGEST, &n) ||
		(args.v[1].n && n > LARGEST / args.v[1].n))
		return leave_subset(e, "string(REPEAT) with an unusual count");
	for (; n > 0 && args.v[1].n; n--)
		buf_str(&b, args.v[1]);
	variable_set(e->variables, args.v[3], buf_as_str(&b));
	return true;
}

/* ---- searching ------------------------------------------------------------------- */

static bool
string_find(struct evaluator *e, struct str_list args)
{
	struct str in = args.v[1], part = args.v[2];
	bool is_reverse = args.n == 5;
	size_t at = in.n;

	if (is_reverse && !str_is(args.v[4], "REVERSE"))
		return leave_subset(e, "an unusual argument of string(FIND)");
	if (!is_reverse && str_has(in, part)) {
		at = str_search(in, part);
	} else if (part.n <= in.n) {
		for (at = in.n - part.n + 1; is_reverse && at > 0; at--)
			if (memcmp(in.p + at - 1, part.p, part.n) == 0)
				break;
		at = is_reverse && at > 0 ? at - 1 : SIZE_MAX;
	} else {
		at = SIZE_MAX;
	}
	variable_set(e->variables, args.v[3],
		at == SIZE_MAX ? STR("-1") : str_fmt(e->scratch, "%zu", at));
	return true;
}

static bool
string_replace(struct evaluator *e, struct str_list args)
{
	struct str in = str_join(e->scratch, list_from(args, 4), STR(""));

	variable_set(e->variables, args.v[3],
		str_replace(e->scratch, in, args.v[1], args.v[2]));
	return true;
}

static bool
string_compare(struct evaluator *e, struct str_list args)
{
	static const struct {
		const char *name;
		bool less, equal, greater;
	} modes[] = {
		{"EQUAL", false, true, false},
		{"NOTEQUAL", true, false, true},
		{"LESS", true, false, false},
		{"LESS_EQUAL", true, true, false},
		{"GREATER", false, false, true},
		{"GREATER_EQUAL", false, true, true},
	};
	int order = str_order(args.v[2], args.v[3]);

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		bool holds = order < 0   ? modes[i].less
			     : order > 0 ? modes[i].greater
					 : modes[i].equal;

		if (!str_is(args.v[1], modes[i].name))
			continue;
		variable_set(e->variables, args.v[4], holds ? STR("1") : STR("0"));
		return true;
	}
	return leave_subset(e, "an unusual mode of string(COMPARE)");
}

/* ---- the command ----------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t least, most; /* words after string( */
	command_run *run; /* NULL: CMake has it, but it is not evaluated here */
} modes[] = {
	{"APPEND", 2, SIZE_MAX, string_append},
	{"ASCII", 1, 0, NULL},
	{"COMPARE", 5, 5, string_compare},
	{"CONCAT", 2, SIZE_MAX, string_concat},
	{"CONFIGURE", 1, 0, NULL},
	{"FIND", 4, 5, string_find},
	{"GENEX_STRIP", 1, 0, NULL},
	{"HEX", 1, 0, NULL},
	{"JOIN", 3, SIZE_MAX, string_join},
	{"JSON", 1, 0, NULL},
	{"LENGTH", 3, 3, string_length},
	{"MAKE_C_IDENTIFIER", 3, 3, string_c_identifier},
	{"MD5", 1, 0, NULL},
	{"PREPEND", 2, SIZE_MAX, string_prepend},
	{"RANDOM", 1, 0, NULL},
	{"REGEX", 1, SIZE_MAX, run_string_regex},
	{"REPEAT", 4, 4, string_repeat},
	{"REPLACE", 5, SIZE_MAX, string_replace},
	{"SHA1", 1, 0, NULL},
	{"SHA224", 1, 0, NULL},
	{"SHA256", 1, 0, NULL},
	{"SHA384", 1, 0, NULL},
	{"SHA3_224", 1, 0, NULL},
	{"SHA3_256", 1, 0, NULL},
	{"SHA3_384", 1, 0, NULL},
	{"SHA3_512", 1, 0, NULL},
	{"SHA512", 1, 0, NULL},
	{"STRIP", 3, 3, string_strip},
	{"SUBSTRING", 5, 5, string_substring},
	{"TIMESTAMP", 1, 0, NULL},
	{"TOLOWER", 3, 3, string_case},
	{"TOUPPER", 3, 3, string_case},
	{"UUID", 1, 0, NULL},
};

bool
run_string(struct evaluator *e, struct str_list args)
{
	if (args.n == 0)
		return command_fails(e, "must be called with at least one argument.");
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (!str_is(args.v[0], modes[i].name))
			continue;
		if (args.n < modes[i].least || args.n > modes[i].most)
			return leave_subset(
				e, "string(%s) is not evaluated natively", modes[i].name);
		return modes[i].run(e, args);
	}
	if (evaluator_has(e, DIALECT_NEWER_SUBCOMMANDS))
		return leave_subset(e, "string(%.*s)", STR_ARG(args.v[0]));
	return command_fails(
		e, "does not recognize sub-command %.*s", STR_ARG(args.v[0]));
}
