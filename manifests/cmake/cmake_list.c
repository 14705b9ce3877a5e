/*
 * list(). A list is a text; an operation that only adds at the end appends to the
 * variable's own buffer, so that a loop of such operations is linear.
 */
#include "manifests/cmake/cmake_commands.h"

#include <stdlib.h>

#include "runner/cmakelang/cmake_text.h"

/* ---- lists as values ------------------------------------------------------------- */

struct str_list
list_of(struct evaluator *e, struct str value, bool keep_empty)
{
	INVARIANT(e);
	if (value.n == 0)
		return (struct str_list){0};
	return cmake_list_split(e->scratch, value, keep_empty);
}

enum found { LIST_FOUND, LIST_UNSET, LIST_OUTSIDE };

/* The list of a variable, made from a copy: the variable may be changed afterwards. */
static enum found
list_get(struct evaluator *e, struct str name, struct str_list *l)
{
	struct str value = variable_get(e->variables, name);

	*l = (struct str_list){0};
	if (!value.p)
		return LIST_UNSET;
	*l = list_of(e, str_dup(e->scratch, value), true);
	if (policy_is_new(e->policies, POLICY_LIST_EMPTY))
		return LIST_FOUND;
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].n == 0) {
			leave_subset(e, "a list with empty elements, CMP0007 not set");
			return LIST_OUTSIDE;
		}
	return LIST_FOUND;
}

static void
list_set(struct evaluator *e, struct str name, struct str_list l)
{
	variable_set(e->variables, name, str_join(e->scratch, l, STR(";")));
}

/* false after leaving the subset: CMP0121 says what another text means. */
static bool
read_index(struct evaluator *e, struct str s, long *index)
{
	const char *z = str_z(e->scratch, s);
	char *end;

	*index = strtol(z, &end, 10);
	return (end != z && !*end && *index <= INT32_MAX && *index >= INT32_MIN) ||
	       leave_subset(e, "list index %.*s", STR_ARG(s));
}

/* An index as list() reads it: negative ones count from the end. */
static bool
index_of(struct evaluator *e, struct str s, long n, long limit, long *at)
{
	long i;

	*at = 0;
	if (!read_index(e, s, &i))
		return false;
	if (i < 0)
		i += n;
	if (i < 0 || i > limit)
		return command_fails(
			e, "index: %ld out of range (%ld, %ld)", i, -n, limit);
	*at = i;
	return true;
}

/* ---- reading --------------------------------------------------------------------- */

static bool
list_length(struct evaluator *e, struct str_list args)
{
	struct str_list l;

	if (args.n != 3)
		return command_fails(e, "sub-command LENGTH requires two arguments.");
	if (list_get(e, args.v[1], &l) == LIST_OUTSIDE)
		return false;
	variable_set(e->variables, args.v[2], str_fmt(e->scratch, "%zu", l.n));
	return true;
}

static bool
list_at(struct evaluator *e, struct str_list args)
{
	struct str_list l, out = {NEW_ARRAY(e->scratch, struct str, args.n), 0};
	struct str target = args.v[args.n - 1];
	enum found found;
	long at;

	if (args.n < 4)
		return command_fails(
			e, "sub-command GET requires at least three arguments.");
	found = list_get(e, args.v[1], &l);
	if (found == LIST_OUTSIDE)
		return false;
	if (found == LIST_UNSET) {
		variable_set(e->variables, target, STR("NOTFOUND"));
		return true;
	}
	if (l.n == 0)
		return command_fails(e, "GET given empty list");
	for (size_t i = 2; i + 1 < args.n; i++) {
		if (!index_of(e, args.v[i], (long)l.n, (long)l.n - 1, &at))
			return false;
		out.v[out.n++] = l.v[at];
	}
	list_set(e, target, out);
	return true;
}

static bool
list_find(struct evaluator *e, struct str_list args)
{
	struct str_list l;
	size_t i = 0;

	if (args.n != 4)
		return command_fails(e, "sub-command FIND requires three arguments.");
	if (list_get(e, args.v[1], &l) == LIST_OUTSIDE)
		return false;
	while (i < l.n && !str_eq(l.v[i], args.v[2]))
		i++;
	variable_set(e->variables, args.v[3],
		i < l.n ? str_fmt(e->scratch, "%zu", i) : STR("-1"));
	return true;
}

static bool
list_joined(struct evaluator *e, struct str_list args)
{
	struct str_list l;

	if (args.n != 4)
		return command_fails(e,
			"sub-command JOIN requires three arguments (%zu found).",
			args.n - 1);
	if (list_get(e, args.v[1], &l) == LIST_OUTSIDE)
		return false;
	variable_set(e->variables, args.v[3], str_join(e->scratch, l, args.v[2]));
	return true;
}

static bool
list_sublist(struct evaluator *e, struct str_list args)
{
	struct str_list l;
	long begin, length;

	if (args.n != 5)
		return command_fails(e,
			"sub-command SUBLIST requires four arguments (%zu found).",
			args.n - 1);
	if (list_get(e, args.v[1], &l) == LIST_OUTSIDE ||
		!read_index(e, args.v[2], &begin) || !read_index(e, args.v[3], &length))
		return false;
	if (l.n == 0) {
		variable_set(e->variables, args.v[4], STR(""));
		return true;
	}
	if (begin < 0 || (size_t)begin >= l.n)
		return command_fails(
			e, "begin index: %ld is out of range 0 - %zu", begin, l.n - 1);
	if (length < -1)
		return command_fails(e, "length: %ld should be -1 or greater", length);
	l = list_from(l, (size_t)begin);
	if (length >= 0 && (size_t)length < l.n)
		l.n = (size_t)length;
	list_set(e, args.v[4], l);
	return true;
}

/* ---- adding ---------------------------------------------------------------------- */

static bool
list_append(struct evaluator *e, struct str_list args)
{
	struct str old = variable_or_empty(e->variables, args.v[1]);

	if (args.n < 3)
		return true;
	variable_append(e->variables, args.v[1], old.n ? STR(";") : STR(""),
		str_join(e->scratch, list_from(args, 2), STR(";")));
	return true;
}

static bool
list_prepend(struct evaluator *e, struct str_list args)
{
	struct str old = variable_or_empty(e->variables, args.v[1]);
	struct buf b = {.arena = e->scratch};

	if (args.n < 3)
		return true;
	buf_str(&b, str_join(e->scratch, list_from(args, 2), STR(";")));
	if (old.n) {
		buf_char(&b, ';');
		buf_str(&b, old);
	}
	variable_set(e->variables, args.v[1], buf_as_str(&b));
	return true;
}

static bool
list_insert(struct evaluator *e, struct str_list args)
{
	struct str_list l;
	struct buf b = {.arena = e->scratch};
	long at;

	if (args.n < 4)
		return command_fails(
			e, "sub-command INSERT requires at least three arguments.");
	if (list_get(e, args.v[1], &l) == LIST_OUTSIDE ||
		!index_of(e, args.v[2], (long)l.n, (long)l.n, &at))
		return false;
	buf_str(&b, str_join(e->scratch, (struct str_list){l.v, (size_t)at}, STR(";")));
	if (at)
		buf_char(&b, ';');
	buf_str(&b, str_join(e->scratch, list_from(args, 3), STR(";")));
	if ((size_t)at < l.n)
		buf_char(&b, ';');
	buf_str(&b, str_join(e->scratch, list_from(l, (size_t)at), STR(";")));
	variable_set(e->variables, args.v[1], buf_as_str(&b));
	return true;
}

/* ---- taking away ----------------------------------------------------------------- */

static bool
list_pop(struct evaluator *e, struct str_list args)
{
	struct str_list l, targets = list_from(args, 2);
	bool is_back = str_is(args.v[0], "POP_BACK");

	if (list_get(e, args.v[1], &l) == LIST_OUTSIDE)
		return false;
	if (l.n == 0) {
		for (size_t i = 0; i < targets.n; i++)
			variable_unset(e->variables, targets.v[i]);
		return true;
	}
	for (size_t i = 0; i < (targets.n ? targets.n : 1); i++) {
		struct str value;

		if (l.n == 0) {
			variable_unset(e->variables, targets.v[i]);
			continue;
		}
		value = is_back ? l.v[l.n - 1] : l.v[0];
		l = is_back ? (struct str_list){l.v, l.n - 1} : list_from(l, 1);
		if (targets.n)
			variable_set(e->variables, targets.v[i], value);
	}
	list_set(e, args.v[1], l);
	return true;
}

/* Sets the variable to the elements of l that are not marked. */
static void
list_set_unmarked(
	struct evaluator *e, struct str name, struct str_list l, const bool *is_marked)
{
	size_t n = 0;

	for (size_t i = 0; i < l.n; i++)
		if (!is_marked[i])
			l.v[n++] = l.v[i];
	l.n = n;
	list_set(e, name, l);
}

static bool
list_remove_item(struct evaluator *e, struct str_list args)
{
	struct map gone;
	struct str_list l;
	enum found found;
	bool *is_marked;

	if (args.n < 3)
		return leave_subset(e, "list(REMOVE_ITEM) without items");
	found = list_get(e, args.v[1], &l);
	if (found != LIST_FOUND)
		return found == LIST_UNSET;
	gone = map_of(e->scratch, list_from(args, 2));
	is_marked = NEW_ARRAY(e->scratch, bool, l.n);
	for (size_t i = 0; i < l.n; i++)
		is_marked[i] = map_has(&gone, l.v[i]);
	list_set_unmarked(e, args.v[1], l, is_marked);
	return true;
}

static bool
list_remove_at(struct evaluator *e, struct str_list args)
{
	struct str_list l;
	bool *is_marked;
	long at;

	if (args.n < 3)
		return leave_subset(e, "list(REMOVE_AT) without indices");
	if (list_get(e, args.v[1], &l) == LIST_OUTSIDE)
		return false;
	if (l.n == 0)
		return leave_subset(e, "list(REMOVE_AT) of an empty list");
	is_marked = NEW_ARRAY(e->scratch, bool, l.n);
	for (size_t i = 2; i < args.n; i++) {
		if (!index_of(e, args.v[i], (long)l.n, (long)l.n - 1, &at))
			return false;
		is_marked[at] = true;
	}
	list_set_unmarked(e, args.v[1], l, is_marked);
	return true;
}

static bool
list_remove_duplicates(struct evaluator *e, struct str_list args)
{
	struct map seen = map_in(e->scratch);
	struct str_list l;
	enum found found;
	bool *is_marked;

	if (args.n > 2)
		return command_fails(
			e, "sub-command REMOVE_DUPLICATES only takes one argument.");
	found = list_get(e, args.v[1], &l);
	if (found != LIST_FOUND)
		return found == LIST_UNSET;
	is_marked = NEW_ARRAY(e->scratch, bool, l.n);
	for (size_t i = 0; i < l.n; i++)
		is_marked[i] = !map_add(&seen, l.v[i]);
	list_set_unmarked(e, args.v[1], l, is_marked);
	return true;
}

static bool
list_filter(struct evaluator *e, struct str_list args)
{
	struct str_list l;
	const struct matcher *m;
	enum found found;
	bool *is_marked, is_exclude;

	if (args.n != 5 || !str_is(args.v[3], "REGEX"))
		return leave_subset(e, "an unusual form of list(FILTER)");
	is_exclude = str_is(args.v[2], "EXCLUDE");
	if (!is_exclude && !str_is(args.v[2], "INCLUDE"))
		return leave_subset(e, "an unusual form of list(FILTER)");
	found = list_get(e, args.v[1], &l);
	if (found != LIST_FOUND)
		return found == LIST_UNSET;
	m = regex_get(e, args.v[4]);
	if (!m)
		return false;
	is_marked = NEW_ARRAY(e->scratch, bool, l.n);
	for (size_t i = 0; i < l.n; i++)
		is_marked[i] = match_has(m, l.v[i]) == is_exclude;
	list_set_unmarked(e, args.v[1], l, is_marked);
	return true;
}

/* ---- order ----------------------------------------------------------------------- */

static void
reverse_list(struct str_list l)
{
	for (size_t i = 0; i < l.n / 2; i++) {
		struct str s = l.v[i];

		l.v[i] = l.v[l.n - 1 - i];
		l.v[l.n - 1 - i] = s;
	}
}

static bool
list_reverse(struct evaluator *e, struct str_list args)
{
	struct str_list l;
	enum found found;

	if (args.n > 2)
		return command_fails(e, "sub-command REVERSE only takes one argument.");
	found = list_get(e, args.v[1], &l);
	if (found != LIST_FOUND)
		return found == LIST_UNSET;
	reverse_list(l);
	list_set(e, args.v[1], l);
	return true;
}

static bool
list_sort(struct evaluator *e, struct str_list args)
{
	struct str_list l;
	enum found found;
	bool is_descending = false;

	for (size_t i = 2; i < args.n; i += 2) {
		bool has_value = i + 1 < args.n;
		struct str value = has_value ? args.v[i + 1] : STR("");
		struct str_list before = {args.v + 2, i - 2};

		if (str_list_has(before, args.v[i]))
			return leave_subset(e, "an option of list(SORT) again");
		if (str_is(args.v[i], "ORDER") && str_is(value, "DESCENDING"))
			is_descending = true;
		else if (!(str_is(args.v[i], "ORDER") && str_is(value, "ASCENDING")) &&
			 !(str_is(args.v[i], "COMPARE") && str_is(value, "STRING")) &&
			 !(str_is(args.v[i], "CASE") && str_is(value, "SENSITIVE")))
			return leave_subset(e, "an option of list(SORT)");
	}
	found = list_get(e, args.v[1], &l);
	if (found != LIST_FOUND)
		return found == LIST_UNSET;
	str_list_sort(l);
	if (is_descending)
		reverse_list(l);
	list_set(e, args.v[1], l);
	return true;
}

/* ---- TRANSFORM ------------------------------------------------------------------- */

struct transform {
	enum { CASE_LOWER, CASE_UPPER, STRIP, BEFORE, BEHIND, REPLACED } action;
	struct str text;
	const struct replacement *replacement;
	const struct matcher *only; /* elements that match; NULL: all */
};
static const struct {
	const char *name;
	unsigned action;
	size_t words;
} actions[] = {
	{"TOLOWER", CASE_LOWER, 0},
	{"TOUPPER", CASE_UPPER, 0},
	{"STRIP", STRIP, 0},
	{"PREPEND", BEFORE, 1},
	{"APPEND", BEHIND, 1},
	{"REPLACE", REPLACED, 2},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static bool
transform_one(struct evaluator *e, const struct transform *t, struct str *s)
{
	struct buf b = {.arena = e->scratch};

	if (t->only && !match_has(t->only, *s))
		return true;
	switch (t->action) {
	case CASE_LOWER:
		*s = str_lower(e->scratch, *s);
		return true;
	case CASE_UPPER:
		*s = str_upper(e->scratch, *s);
		return true;
	case STRIP:
		*s = str_trim(*s);
		return true;
	case BEFORE:
		buf_str(&b, t->text);
		buf_str(&b, *s);
		break;
	case BEHIND:
		buf_str(&b, *s);
		buf_str(&b, t->text);
		break;
	case REPLACED:
		if (!replacement_apply(e, t->replacement, *s, &b))
			return false;
		break;
	}
	*s = buf_as_str(&b);
	return true;
}

/* Parses the action and the selection; *target is the variable that gets the result. */
static bool
transform_parse(struct evaluator *e, struct str_list args, struct transform *t,
	struct str *target)
{
	struct str_list rest = list_from(args, 3);
	size_t a = 0;

	while (a < ACTIONS && !(args.n > 2 && str_is(args.v[2], actions[a].name)))
		a++;
	if (a == ACTIONS || rest.n < actions[a].words)
		return leave_subset(e, "an unusual action of list(TRANSFORM)");
	t->action = actions[a].action;
	if (actions[a].words == 1)
		t->text = rest.v[0];
	if (t->action == REPLACED &&
		!(t->replacement = replacement_new(e, rest.v[0], rest.v[1],
			  "sub-command TRANSFORM, action REPLACE")))
		return false;
	rest = list_from(rest, actions[a].words);
	if (rest.n >= 2 && str_is(rest.v[0], "REGEX")) {
		t->only = regex_get(e, rest.v[1]);
		if (!t->only)
			return false;
		rest = list_from(rest, 2);
	}
	if (rest.n == 2 && str_is(rest.v[0], "OUTPUT_VARIABLE"))
		*target = rest.v[1];
	else if (rest.n)
		return leave_subset(e, "an unusual selector of list(TRANSFORM)");
	return true;
}

static bool
list_transform(struct evaluator *e, struct str_list args)
{
	struct transform t = {.action = CASE_LOWER};
	struct str target = args.v[1];
	struct str_list l;
	enum found found;

	if (!transform_parse(e, args, &t, &target))
		return false;
	found = list_get(e, args.v[1], &l);
	if (found == LIST_UNSET)
		leave_subset(e, "list(TRANSFORM) of an unset variable");
	if (found != LIST_FOUND)
		return false;
	for (size_t i = 0; i < l.n; i++)
		if (!transform_one(e, &t, &l.v[i]))
			return false;
	list_set(e, target, l);
	return true;
}

/* ---- the command ----------------------------------------------------------------- */

static const struct {
	const char *name;
	command_run *run;
} modes[] = {
	{"APPEND", list_append},
	{"FILTER", list_filter},
	{"FIND", list_find},
	{"GET", list_at},
	{"INSERT", list_insert},
	{"JOIN", list_joined},
	{"LENGTH", list_length},
	{"POP_BACK", list_pop},
	{"POP_FRONT", list_pop},
	{"PREPEND", list_prepend},
	{"REMOVE_AT", list_remove_at},
	{"REMOVE_DUPLICATES", list_remove_duplicates},
	{"REMOVE_ITEM", list_remove_item},
	{"REVERSE", list_reverse},
	{"SORT", list_sort},
	{"SUBLIST", list_sublist},
	{"TRANSFORM", list_transform},
};

bool
run_list(struct evaluator *e, struct str_list args)
{
	if (args.n < 2)
		return command_fails(e, "must be called with at least two arguments.");
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (str_is(args.v[0], modes[i].name))
			return modes[i].run(e, args);
	if (evaluator_has(e, DIALECT_NEWER_SUBCOMMANDS))
		return leave_subset(e, "list(%.*s)", STR_ARG(args.v[0]));
	return command_fails(
		e, "does not recognize sub-command %.*s", STR_ARG(args.v[0]));
}
