/* See listing.h. */
#include "compat/run/listing.h"

#include "compat/report/report_console.h"
#include "compat/report/show_only.h"
#include "compat/run/run_plan.h"

bool
listing_is_asked(const struct options *o)
{
	return o->show_only != SHOW_NOTHING || o->print_labels;
}

/* As in ctest, a cycle is an error here too, though it does not matter for labels. */
static bool
print_labels(struct run_context *c, const struct run_settings *s, struct run_tests *t)
{
	if (!run_plan_check(c, s, t) && c->dialect->has[DIALECT_CYCLE_FAILS])
		return false;
	report_console_labels(c->arena, c->console, &t->selection);
	return true;
}

static void
print_json(const struct run_context *c, const struct run_settings *s,
	const struct run_tests *t)
{
	bool beats = c->dialect->has[DIALECT_PROPERTY_BEATS_TIMEOUT_OPTION];
	struct json_listing listing = {.selection = &t->selection,
		.finder = t->finder,
		.wrapper = s->wrapper,
		.dialect = c->dialect,
		.configuration = s->options.configuration,
		.timeout_s = beats ? 0 : s->options.run.timeout_s};
	struct buf out = {.arena = c->arena};

	show_only_json(&out, &listing);
	console_raw(c->console, buf_as_str(&out));
}

bool
listing_print(struct run_context *c, const struct run_settings *s, struct run_tests *t)
{
	struct console_listing listing = {.console = c->console,
		.words = s->words,
		.selection = &t->selection,
		.finder = t->finder,
		.wrapper = s->wrapper};

	if (s->options.print_labels)
		return print_labels(c, s, t);
	if (s->options.show_only == SHOW_HUMAN) {
		report_console_list(c->arena, &listing);
		return true;
	}
	if (console_has_log(c->console))
		report_console_look_up(c->arena, &listing);
	print_json(c, s, t);
	return true;
}

enum exit_code
listing_names(struct run_context *c, enum name_list which, const struct suite *suite)
{
	str_vec names = {0};
	struct str_list all;
	struct buf out = {.arena = c->arena};

	for (size_t i = 0; i < suite->n; i++) {
		const struct test *t = &suite->tests[i];

		if (which == NAMES_TESTS)
			VEC_PUSH(c->arena, &names, t->name);
		for (size_t k = 0; which == NAMES_LABELS && k < t->properties->labels.n;
			k++)
			VEC_PUSH(c->arena, &names, t->properties->labels.v[k]);
	}
	all = str_vec_list(&names);
	str_list_make_set(&all);
	for (size_t i = 0; i < all.n; i++)
		buf_fmt(&out, "%.*s\n", STR_ARG(all.v[i]));
	console_raw(c->console, buf_as_str(&out));
	return EXIT_OK;
}
