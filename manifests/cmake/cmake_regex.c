/*
 * CMAKE_MATCH_* and string(REGEX). The matchers belong to the request's pattern set.
 *
 * Until CMP0186 a search that continues after a match treats the rest as a separate text,
 * so that "^" matches again.
 */
#include "manifests/cmake/cmake_commands.h"

const struct matcher *
regex_get(struct evaluator *e, struct str pattern)
{
	struct str why = STR_NONE;
	const struct pattern *p =
		match_set_get(e->request->patterns, str_dup(e->scratch, pattern), &why);

	if (!p->matcher)
		leave_subset(e, "a regular expression that does not compile");
	return p->matcher;
}

static struct str
match_name(struct evaluator *e, size_t i)
{
	return str_fmt(e->scratch, "CMAKE_MATCH_%zu", i);
}

void
regex_clear(struct evaluator *e)
{
	struct str count = variable_get(e->variables, STR("CMAKE_MATCH_COUNT"));
	int n;

	if (!count.p)
		return;
	n = str_int(count);
	for (int i = 0; i <= n && i < MATCH_GROUPS; i++)
		if (variable_get(e->variables, match_name(e, (size_t)i)).n)
			variable_set(e->variables, match_name(e, (size_t)i), STR(""));
	variable_set(e->variables, STR("CMAKE_MATCH_COUNT"), STR("0"));
}

/* Groups that matched nothing are left out, and are counted only if a later group
 * matched. Where the whole matched nothing the count is empty. */
void
regex_store(struct evaluator *e, const struct match *m)
{
	struct str count = STR("");

	INVARIANT(m);
	for (size_t i = 0; i < m->n && i < MATCH_GROUPS; i++)
		if (m->groups[i].n) {
			variable_set(e->variables, match_name(e, i), m->groups[i]);
			count = str_fmt(e->scratch, "%zu", i);
		}
	variable_set(e->variables, STR("CMAKE_MATCH_COUNT"), count);
}

/* The next match at or after the position at. */
static bool
find_again(struct evaluator *e, const struct matcher *m, struct str in, size_t at,
	struct match *match)
{
	if (policy_is_new(e->policies, POLICY_REGEX_ANCHOR))
		return match_find(m, in, at, match);
	return match_find(m, str_from(in, at), 0, match);
}

static bool
matched_nothing(struct evaluator *e, const char *who, struct str pattern)
{
	if (evaluator_has(e, DIALECT_EMPTY_MATCHES))
		return leave_subset(e, "a regular expression that matches nothing");
	return command_fails(
		e, "%s regex \"%.*s\" matched an empty string.", who, STR_ARG(pattern));
}

/* ---- replacing ------------------------------------------------------------------- */

struct piece {
	struct str text;
	int group; /* -1: text */
};
struct replacement {
	const char *who; /* for messages */
	struct str pattern, with;
	const struct matcher *matcher;
	VEC(struct piece) pieces;
};

/* "\0" to "\9", "\n", "\\" and text. */
static bool
parse_pieces(struct evaluator *e, struct replacement *r)
{
	struct str rest = r->with;

	while (rest.n) {
		size_t n = str_find(rest, '\\');
		char c;

		if (n)
			VEC_PUSH(e->scratch, &r->pieces,
				(struct piece){str_cut(rest.p, n), -1});
		rest = str_from(rest, n);
		if (!rest.n)
			break;
		if (rest.n == 1)
			return command_fails(
				e, "%s: replace-expression ends in a backslash.", r->who);
		c = rest.p[1];
		if (c >= '0' && c <= '9')
			VEC_PUSH(e->scratch, &r->pieces,
				(struct piece){STR_NONE, c - '0'});
		else if (c == 'n')
			VEC_PUSH(e->scratch, &r->pieces, (struct piece){STR("\n"), -1});
		else if (c == '\\')
			VEC_PUSH(e->scratch, &r->pieces, (struct piece){STR("\\"), -1});
		else
			return command_fails(e,
				"%s: Unknown escape \"\\%c\" in replace-expression.",
				r->who, c);
		rest = str_from(rest, 2);
	}
	return true;
}

struct replacement *
replacement_new(struct evaluator *e, struct str pattern, struct str with, const char *who)
{
	struct replacement *r = NEW(e->scratch, struct replacement);

	INVARIANT(who);
	*r = (struct replacement){.who = who, .pattern = pattern, .with = with};
	if (!parse_pieces(e, r))
		return NULL;
	r->matcher = regex_get(e, pattern);
	return r->matcher ? r : NULL;
}

static bool
add_pieces(struct evaluator *e, const struct replacement *r, const struct match *m,
	struct buf *b)
{
	for (size_t i = 0; i < r->pieces.n; i++) {
		const struct piece *p = &r->pieces.v[i];

		if (p->group < 0) {
			buf_str(b, p->text);
		} else if ((size_t)p->group < m->n && m->groups[p->group].p) {
			buf_str(b, m->groups[p->group]);
		} else if (evaluator_has(e, DIALECT_UNMATCHED_GROUPS)) {
			return leave_subset(e, "a group that did not match");
		} else {
			return command_fails(e,
				"%s: replace expression \"%.*s\" contains an "
				"out-of-range escape for regex \"%.*s\".",
				r->who, STR_ARG(r->with), STR_ARG(r->pattern));
		}
	}
	return true;
}

bool
replacement_apply(
	struct evaluator *e, const struct replacement *r, struct str in, struct buf *b)
{
	size_t at = 0;
	struct match m;

	INVARIANT(r->matcher);
	while (find_again(e, r->matcher, in, at, &m)) {
		size_t from = (size_t)(m.groups[0].p - in.p);

		regex_clear(e);
		regex_store(e, &m);
		buf_add(b, in.p + at, from - at);
		if (m.groups[0].n == 0)
			return matched_nothing(
				e, str_fmt_z(e->scratch, "%s:", r->who), r->pattern);
		if (!add_pieces(e, r, &m, b))
			return false;
		at = from + m.groups[0].n;
	}
	buf_str(b, str_from(in, at));
	return true;
}

/* ---- string(REGEX) --------------------------------------------------------------- */

static bool
regex_match(struct evaluator *e, struct str pattern, struct str out, struct str in)
{
	const struct matcher *m = regex_get(e, pattern);
	struct match match;

	if (!m)
		return false;
	regex_clear(e);
	if (!match_find(m, in, 0, &match)) {
		variable_set(e->variables, out, STR(""));
		return true;
	}
	regex_store(e, &match);
	if (match.groups[0].n == 0)
		return matched_nothing(e, "sub-command REGEX, mode MATCH", pattern);
	variable_set(e->variables, out, match.groups[0]);
	return true;
}

static bool
regex_match_all(struct evaluator *e, struct str pattern, struct str out, struct str in)
{
	const struct matcher *m = regex_get(e, pattern);
	struct buf b = {.arena = e->scratch};
	struct match match;
	size_t at = 0;

	if (!m)
		return false;
	regex_clear(e);
	while (find_again(e, m, in, at, &match)) {
		regex_clear(e);
		regex_store(e, &match);
		if (match.groups[0].n == 0)
			return matched_nothing(
				e, "sub-command REGEX, mode MATCHALL", pattern);
		if (at)
			buf_char(&b, ';');
		buf_str(&b, match.groups[0]);
		at = (size_t)(match.groups[0].p - in.p) + match.groups[0].n;
	}
	variable_set(e->variables, out, buf_as_str(&b));
	return true;
}

/* The expression that matches the texts, one after the other, and nothing else. */
static bool
regex_quote(struct evaluator *e, struct str_list args)
{
	struct buf b = {.arena = e->scratch};

	if (args.n < 4)
		return command_fails(e, "sub-command REGEX, mode QUOTE needs at least 4 "
					"arguments total to command.");
	buf_escaped(
		&b, str_join(e->scratch, list_from(args, 3), STR("")), ".*[]()+?^$|\\");
	variable_set(e->variables, args.v[2], buf_as_str(&b));
	return true;
}

bool
run_string_regex(struct evaluator *e, struct str_list args)
{
	struct str mode = args.n > 1 ? args.v[1] : STR("");
	bool is_replace = str_is(mode, "REPLACE");
	struct replacement *r;
	struct buf b = {.arena = e->scratch};
	struct str in;

	if (args.n < 2)
		return command_fails(
			e, "sub-command REGEX requires a mode to be specified.");
	if (str_is(mode, "QUOTE") && evaluator_has(e, DIALECT_REGEX_QUOTE))
		return regex_quote(e, args);
	if (!is_replace && !str_is(mode, "MATCH") && !str_is(mode, "MATCHALL"))
		return command_fails(e, "sub-command REGEX does not recognize mode %.*s",
			STR_ARG(mode));
	if (args.n < 5u + is_replace)
		return command_fails(e,
			"sub-command REGEX, mode %.*s needs at least %d arguments total "
			"to "
			"command.",
			STR_ARG(mode), 5 + is_replace);
	in = str_join(e->scratch, list_from(args, 4u + is_replace), STR(""));
	if (str_is(mode, "MATCH"))
		return regex_match(e, args.v[2], args.v[3], in);
	if (!is_replace)
		return regex_match_all(e, args.v[2], args.v[3], in);
	r = replacement_new(e, args.v[2], args.v[3], "sub-command REGEX, mode REPLACE");
	if (!r)
		return false;
	regex_clear(e);
	if (!replacement_apply(e, r, in, &b))
		return false;
	variable_set(e->variables, args.v[4], buf_as_str(&b));
	return true;
}
