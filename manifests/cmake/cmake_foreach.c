/* foreach(): over items, lists, lists side by side, and numbers. */
#include "manifests/cmake/cmake_commands.h"

/* Restores the variable as it was before the loop. */
static void
restore_variable(struct evaluator *e, struct str name, struct str old)
{
	/* Where it was unset before and CMP0124 is not NEW, it is left empty. */
	if (old.p || !policy_is_new(e->policies, POLICY_FOREACH_SCOPE))
		variable_set(e->variables, name, old.p ? old : STR(""));
	else
		variable_unset(e->variables, name);
}

static struct str
copy_text(struct evaluator *e, struct str value)
{
	return value.p ? str_dup(e->scratch, value) : value;
}

static bool
loop_over(struct loop *l, struct str name, struct str_list items)
{
	struct str old = copy_text(l->e, variable_get(l->e->variables, name));

	for (size_t i = 0; i < items.n; i++) {
		variable_set(l->e->variables, name, items.v[i]);
		if (!execute_loop_body(l->e, l->f, l->from, l->to))
			break;
	}
	if (items.n)
		restore_variable(l->e, name, old);
	return true;
}

/* strtol on the whole text, as CMake reads the bounds. */
static bool
range_number(struct evaluator *e, struct str s, int *value)
{
	bool is_negative = s.n && s.p[0] == '-';
	uint64_t n;

	if (!str_unsigned(str_from(s, is_negative), INT32_MAX, &n)) {
		if (s.n && str_is_of(str_cut(s.p, 1), "0123456789+- \t\n\v\f\r"))
			return leave_subset(e, "RANGE %.*s", STR_ARG(s));
		return stop_reading(e, "%.*s Invalid integer: '%.*s'",
			STR_ARG(e->frame->call->name), STR_ARG(s));
	}
	*value = is_negative ? -(int)n : (int)n;
	return true;
}

static bool
loop_range(struct loop *l, struct str name, struct str_list args)
{
	int bounds[3] = {0, 0, 1};
	struct str old;
	int64_t at, stop, step;

	if (args.n > 3)
		return leave_subset(l->e, "foreach(RANGE) with %zu values", args.n);
	for (size_t i = 0; i < args.n; i++)
		if (!range_number(l->e, args.v[i], &bounds[args.n == 1 ? 1 : i]))
			return false;
	at = bounds[0];
	stop = bounds[1];
	step = bounds[2];
	if (args.n < 3 || step == 0)
		step = at > stop ? -1 : 1;
	if ((at > stop && step > 0) || (at < stop && step < 0))
		return stop_reading(l->e,
			"%.*s called with incorrect range specification: start %lld, "
			"stop %lld, step %lld",
			STR_ARG(l->e->frame->call->name), (long long)at, (long long)stop,
			(long long)step);
	old = copy_text(l->e, variable_get(l->e->variables, name));
	for (; step > 0 ? at <= stop : at >= stop; at += step) {
		char text[24];
		struct buf b = {.arena = l->e->scratch, .p = text, .cap = sizeof text};

		buf_fmt(&b, "%lld", (long long)at);
		variable_set(l->e->variables, name, buf_as_str(&b));
		if (!execute_loop_body(l->e, l->f, l->from, l->to))
			break;
	}
	restore_variable(l->e, name, old);
	return true;
}

/* "LISTS a b ITEMS c d ...": the elements in order. */
static bool
loop_items(struct evaluator *e, struct str_list args, str_vec *items)
{
	bool in_items = false, in_lists = false;

	for (size_t i = 0; i < args.n; i++) {
		struct str w = args.v[i];

		if (str_is(w, "LISTS") || str_is(w, "ITEMS")) {
			in_lists = str_is(w, "LISTS");
			in_items = !in_lists;
		} else if (str_is(w, "ZIP_LISTS")) {
			return leave_subset(e, "ZIP_LISTS beside LISTS or ITEMS");
		} else if (in_items) {
			VEC_PUSH(e->scratch, items, w);
		} else if (in_lists) {
			struct str_list l = list_of(
				e, copy_text(e, variable_get(e->variables, w)), true);

			VEC_PUSH_ALL(e->scratch, items, l);
		} else {
			say(e, DIAG_CMAKE_FATAL,
				str_fmt(e->a, "Unknown argument:\n  %.*s\n", STR_ARG(w)));
			return false;
		}
	}
	return true;
}

static bool
loop_zip(struct loop *l, struct str_list names, struct str_list lists)
{
	struct evaluator *e = l->e;
	struct str_list *columns = NEW_ARRAY(e->scratch, struct str_list, lists.n);
	struct str *targets = NEW_ARRAY(e->scratch, struct str, lists.n);
	struct str *old = NEW_ARRAY(e->scratch, struct str, lists.n);
	size_t longest = 0;

	if (str_list_has(lists, STR("LISTS")) || str_list_has(lists, STR("ITEMS")))
		return leave_subset(e, "LISTS or ITEMS beside ZIP_LISTS");
	if (names.n > 1 && names.n != lists.n) {
		say(e, DIAG_CMAKE_FATAL,
			str_fmt(e->a, "Expected %zu list variables, but given %zu",
				names.n, lists.n));
		return false;
	}
	for (size_t k = 0; k < lists.n; k++) {
		columns[k] = list_of(
			e, copy_text(e, variable_get(e->variables, lists.v[k])), true);
		longest = columns[k].n > longest ? columns[k].n : longest;
		targets[k] = names.n > 1 ? names.v[k]
					 : str_fmt(e->scratch, "%.*s_%zu",
						   STR_ARG(names.v[0]), k);
		old[k] = copy_text(e, variable_get(e->variables, targets[k]));
	}
	for (size_t i = 0; i < longest; i++) {
		for (size_t k = 0; k < lists.n; k++)
			if (i < columns[k].n)
				variable_set(e->variables, targets[k], columns[k].v[i]);
			else
				variable_unset(e->variables, targets[k]);
		if (!execute_loop_body(e, l->f, l->from, l->to))
			break;
	}
	for (size_t k = 0; longest && k < lists.n; k++)
		restore_variable(e, targets[k], old[k]);
	return true;
}

bool
foreach_run(struct loop *l, struct str_list args)
{
	size_t in = 0;
	struct str mode;
	str_vec items = {0};

	if (args.n == 0)
		return command_fails(l->e, "called with incorrect number of arguments");
	while (in < args.n && !str_is(args.v[in], "IN"))
		in++;
	if (in == args.n && args.n > 1 && str_is(args.v[1], "RANGE"))
		return loop_range(l, args.v[0], list_from(args, 2));
	if (in == args.n)
		return loop_over(l, args.v[0], list_from(args, 1));
	mode = in + 1 < args.n ? args.v[in + 1] : STR("");
	if (str_is(mode, "ZIP_LISTS") && in)
		return loop_zip(
			l, (struct str_list){args.v, in}, list_from(args, in + 2));
	if (in != 1 && (!in || !(str_is(mode, "LISTS") || str_is(mode, "ITEMS"))))
		return leave_subset(l->e, "an unusual form of foreach");
	if (in > 1) {
		say(l->e, DIAG_CMAKE_FATAL,
			STR("ITEMS or LISTS require exactly one iteration variable"));
		return false;
	}
	return loop_items(l->e, list_from(args, 2), &items) &&
	       loop_over(l, args.v[0], str_vec_list(&items));
}
