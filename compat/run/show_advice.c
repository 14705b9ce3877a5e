/*
 * See show_advice.h. Calls can be pasted where the tests are added: tests that get the
 * same limit are in one call, if they are of the same directory.
 */
#include "compat/run/show_advice.h"

#include "compat/run/show_history.h"
#include "runner/base/columns.h"
#include "runner/base/json_line.h"
#include "runner/cmakelang/cmake_text.h"
#include "runner/history/past.h"
#include "runner/resources/machine_limits.h"

enum { JSON_VERSION = 1, WORD_MOST = 400 };

struct view {
	struct arena *a;
	const struct selection *s;
	const struct past *past;
	const struct advice_list *list;
	struct advice_options o;
	struct str file, configuration;
	struct columns *columns;
	struct buf out;
};

static const struct test *
test_of(const struct view *v, const struct advice *a)
{
	return selected_test(v->s, a->test);
}

/* ---- one piece of advice --------------------------------------------------------- */

static struct str
property_of(const struct advice *a)
{
	static const char *const names[] = {
		[ADVICE_LIMIT] = "TIMEOUT",
		[ADVICE_PROCESSORS] = "PROCESSORS",
		[ADVICE_MEMORY] = "RESOURCE_GROUPS",
		[ADVICE_COST] = "COST",
	};

	return str_of(names[a->kind]);
}

static struct str
value_of(struct arena *arena, const struct advice *a)
{
	switch (a->kind) {
	case ADVICE_LIMIT:
	case ADVICE_PROCESSORS:
		return str_fmt(arena, "%.0f", a->value);
	case ADVICE_MEMORY:
		return str_fmt(arena, "mem:%.0f", a->value);
	case ADVICE_COST:
		return str_fmt(arena, "%.3g", a->value);
	}
	BUG("no such advice");
}

static struct str
limit_now(const struct view *v, const struct advice *a)
{
	if (test_of(v, a)->properties->has_timeout)
		return str_fmt(v->a, "TIMEOUT is %g s", a->declared);
	if (a->declared > 0)
		return str_fmt(
			v->a, "no TIMEOUT, so that the limit is %g s", a->declared);
	return STR("no TIMEOUT, and no limit");
}

static struct str
measured_of(const struct view *v, const struct advice *a)
{
	switch (a->kind) {
	case ADVICE_LIMIT:
		return str_fmt(v->a, "took up to %.3g s", a->measured);
	case ADVICE_PROCESSORS:
		return str_fmt(v->a, "uses %.2g processors, and declares %.0f",
			a->measured, a->declared);
	case ADVICE_MEMORY:
		return str_fmt(v->a, "used %.0f MiB of memory", a->measured);
	case ADVICE_COST:
		return str_fmt(v->a, "takes %.3g s", a->measured);
	}
	BUG("no such advice");
}

static struct str
reason_of(const struct view *v, const struct advice *a)
{
	struct str measured = measured_of(v, a);

	if (a->kind != ADVICE_LIMIT)
		return str_fmt(
			v->a, "%.*s, in %zu attempts", STR_ARG(measured), a->attempts);
	return str_fmt(v->a, "%.*s in %zu attempts; %.*s", STR_ARG(measured), a->attempts,
		STR_ARG(limit_now(v, a)));
}

/* ---- calls ----------------------------------------------------------------------- */

static bool
is_plain(struct str name)
{
	return name.n > 0 && str_is_of(name, STR_ALNUM "_./:+-") &&
	       !str_is(name, "PROPERTIES") && !str_is(name, "DIRECTORY");
}

static void
add_word(struct buf *out, struct str name)
{
	if (is_plain(name))
		buf_str(out, name);
	else
		cmake_quote(out, name);
}

/* On one line, so that no name ends the comment. */
static void
add_comment(struct view *v, struct str text)
{
	buf_z(&v->out, "# ");
	columns_add(v->columns, &v->out, text, WORD_MOST);
	buf_char(&v->out, '\n');
}

static void
add_call(struct view *v, const struct advice *a)
{
	struct str property = property_of(a), value = value_of(v->a, a);

	buf_z(&v->out, "set_tests_properties(");
	add_word(&v->out, test_of(v, a)->name);
	buf_fmt(&v->out, " PROPERTIES %.*s %.*s)\n", STR_ARG(property), STR_ARG(value));
}

typedef VEC(const struct advice *) advice_vec;

static void
add_group(struct view *v, const advice_vec *group)
{
	const struct advice *first = group->v[0];
	struct str value = value_of(v->a, first), property = property_of(first);

	add_comment(v, str_fmt(v->a, "%.*s, in %.*s", STR_ARG(limit_now(v, first)),
			       STR_ARG(test_of(v, first)->declared_in)));
	buf_z(&v->out, "set_tests_properties(\n");
	for (size_t i = 0; i < group->n; i++) {
		buf_z(&v->out, "  ");
		add_word(&v->out, test_of(v, group->v[i])->name);
		buf_fmt(&v->out, " # %.*s in %zu attempts\n",
			STR_ARG(measured_of(v, group->v[i])), group->v[i]->attempts);
	}
	buf_fmt(&v->out, "  PROPERTIES %.*s %.*s)\n", STR_ARG(property), STR_ARG(value));
}

/* Tests of a directory without a limit of their own that get the same one. */
static void
add_groups(struct view *v)
{
	struct map keys = map_in(v->a);
	VEC(advice_vec) groups = {0};

	for (size_t i = 0; i < v->list->v.n; i++) {
		const struct advice *a = &v->list->v.v[i];
		const struct test *t = test_of(v, a);
		uint32_t at;

		if (a->kind != ADVICE_LIMIT || t->properties->has_timeout)
			continue;
		at = map_number(&keys,
			str_fmt(v->a, "%g %.*s", a->value, STR_ARG(t->declared_in)));
		if (at == groups.n)
			VEC_PUSH(v->a, &groups, (advice_vec){0});
		VEC_PUSH(v->a, &groups.v[at], a);
	}
	for (size_t i = 0; i < groups.n; i++) {
		buf_char(&v->out, '\n');
		add_group(v, &groups.v[i]);
	}
}

static void
add_single(struct view *v, const struct advice *a)
{
	const struct test *t = test_of(v, a);

	add_comment(v,
		str_fmt(v->a, "%.*s: %.*s", STR_ARG(t->name), STR_ARG(reason_of(v, a))));
	add_call(v, a);
}

/* Why all advice of the kind is given; nothing where each has its own reason. */
static void
add_kind(struct view *v, enum advice_kind kind)
{
	buf_char(&v->out, '\n');
	if (kind == ADVICE_COST)
		buf_fmt(&v->out,
			"# long tests start late: with -j%zu, %.1f s instead of %.1f s "
			"in "
			"simulated time\n",
			v->o.slots, v->list->makespan_with_cost_s, v->list->makespan_s);
	if (kind == ADVICE_MEMORY)
		buf_fmt(&v->out,
			"# %zu tests at a time can need more than the %.0f MiB of this "
			"machine;\n# counts where the pool has mem: --resource-spec-file "
			"auto\n",
			v->o.slots, (double)(v->o.memory_bytes >> 20));
}

static void
add_text(struct view *v)
{
	int kind = -1;

	buf_fmt(&v->out,
		"# tests: %zu, runs: %zu; with less than %d passed attempts, and no "
		"advice: %zu\n",
		v->s->n, v->past->runs, ADVICE_ATTEMPTS_LEAST, v->list->unknown);
	if (!v->list->v.n)
		buf_z(&v->out, "# nothing to change\n");
	add_groups(v);
	for (size_t i = 0; i < v->list->v.n; i++) {
		const struct advice *a = &v->list->v.v[i];

		if (a->kind == ADVICE_LIMIT && !test_of(v, a)->properties->has_timeout)
			continue;
		if ((int)a->kind != kind)
			add_kind(v, a->kind);
		kind = (int)a->kind;
		add_single(v, a);
	}
}

/* ---- JSON ------------------------------------------------------------------------ */

static void
add_json_advice(struct view *v, const struct advice *a)
{
	struct buf *b = &v->out;

	json_line_open(b, NULL, '{');
	json_line_text(b, "test", test_of(v, a)->name);
	json_line_text(b, "declared_in", test_of(v, a)->declared_in);
	json_line_text(b, "property", property_of(a));
	json_line_text(b, "value", value_of(v->a, a));
	json_line_number(b, "measured", a->measured);
	if (a->declared > 0)
		json_line_number(b, "declared", a->declared);
	json_line_count(b, "attempts", a->attempts);
	json_line_text(b, "why", reason_of(v, a));
	json_line_close(b, '}');
}

static void
add_json(struct view *v)
{
	struct buf *b = &v->out;

	json_line_open(b, NULL, '{');
	json_line_count(b, "version", JSON_VERSION);
	json_line_text(b, "file", v->file);
	json_line_text(b, "configuration", v->configuration);
	json_line_count(b, "tests", v->s->n);
	json_line_count(b, "runs", v->past->runs);
	json_line_count(b, "slots", v->o.slots);
	json_line_count(b, "unknown", v->list->unknown);
	if (v->list->makespan_s > 0) {
		json_line_number(b, "makespan", v->list->makespan_s);
		json_line_number(b, "makespan_with_cost", v->list->makespan_with_cost_s);
	}
	json_line_open(b, "advice", '[');
	for (size_t i = 0; i < v->list->v.n; i++)
		add_json_advice(v, &v->list->v.v[i]);
	json_line_close(b, ']');
	json_line_close(b, '}');
	buf_char(b, '\n');
}

/* ---- all ------------------------------------------------------------------------- */

/* As a run would have them, or as the last one had them. */
static struct advice_options
options_of(struct run_context *c, const struct run_settings *s, const struct past *past)
{
	const struct options *o = &s->options;
	struct machine_limits limits = machine_limits_read(c->arena, STR(""));
	uint64_t memory = limits.memory_bytes < limits.system_bytes ? limits.memory_bytes
								    : limits.system_bytes;
	size_t last = past->last ? (size_t)past->last->slots : 1;
	int configured = str_int(configuration_get(&s->files.configuration, "TimeOut"));
	size_t slots = o->schedule.has_parallel ? o->schedule.parallel : last;

	return (struct advice_options){.slots = slots ? slots : 1,
		.memory_bytes = memory,
		.default_limit_s = o->run.has_default_timeout ? o->run.default_timeout_s
							      : configured};
}

enum exit_code
show_advice(struct run_context *c, const struct run_settings *s,
	const struct selection *selection)
{
	const struct options *o = &s->options;
	struct arena *a = c->arena;
	struct history_content content;
	struct past past;
	struct advice_list list;
	struct view v = {.a = a,
		.s = selection,
		.past = &past,
		.list = &list,
		.configuration = o->configuration,
		.columns = columns_open(a),
		.out = {.arena = a}};

	if (!show_history_read(c, s, selection, &v.file, &content)) {
		columns_close(v.columns);
		return EXIT_USAGE;
	}
	past = past_of(a, &content, selection->n);
	v.o = options_of(c, s, &past);
	list = advice_of(a, selection, &content, &v.o);
	(o->show_history == SHOW_HISTORY_JSON ? add_json : add_text)(&v);
	columns_close(v.columns);
	console_raw(c->console, buf_as_str(&v.out));
	return EXIT_OK;
}
