/* See run_suite.h. */
#include "compat/run/run_suite.h"

#include <string.h>

#include "compat/resources/properties.h"
#include "runner/model/suite.h"

/* After a stop ctest still reads the first file, but executes nothing in it. */
static void
keep_syntax(declaration_vec *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].is_syntax)
			list->v[kept++] = list->v[i];
	list->n = kept;
}

/* The words after "--" on the command line are arguments of every test. */
static void
pass_words(struct arena *a, declaration_vec *list, const struct str_list *words)
{
	for (size_t i = 0; words->n && i < list->n; i++) {
		struct str_list *declared = &list->v[i].words;
		struct str *all;

		if (list->v[i].kind != DECLARE_TEST)
			continue;
		all = NEW_ARRAY(a, struct str, declared->n + words->n);
		memcpy(all, declared->v, declared->n * sizeof *all);
		memcpy(all + declared->n, words->v, words->n * sizeof *all);
		*declared = (struct str_list){all, declared->n + words->n};
	}
}

/* The pattern of -E drops tests while they are read, unless there is -R. */
static struct property_reader
reader_of(const struct run_context *c, const struct run_settings *s,
	const struct filter *f, const struct property_rules *rules)
{
	struct property_reader r = properties_reader(c->patterns, rules);

	r.dropped = f->include_name ? NULL : f->exclude_name;
	r.dropped_names = s->custom->ignore;
	r.dropped_text = s->words->ignored;
	return r;
}

bool
run_suite_load(struct run_context *c, const struct run_settings *s,
	const struct filter *f, struct run_suite *found)
{
	struct source_request r = run_settings_request(c, s);
	struct declarations declared = {0};
	const struct property_rules rules = {.dialect = c->dialect,
		.refuses_misspelled = s->options.selection.strict,
		.is_called_ctest = s->options.console.is_called_ctest};
	struct property_reader reader = reader_of(c, s, f, &rules);
	struct suite *suite;
	size_t entries = c->diag.entries.n;
	bool is_loaded, is_good;

	INVARIANT(found);
	console_say(c->console, CHANNEL_ASIDE, STR("Constructing a list of tests\n"));
	is_loaded = s->inputs->source->load(c->arena, &r, &declared, &c->diag);
	if (s->is_stopped && declared.has_file) {
		c->diag.entries.n = entries;
		keep_syntax(&declared.list);
	}
	pass_words(c->arena, &declared.list, &s->options.run.pass_through);
	suite = suite_build(c->arena, &declared, &reader, &c->diag);
	suite->patterns = c->patterns;
	c->is_fatal = declared.is_stopped;
	is_good = c->diag.errors == 0 && !console_lacks_log(c->console);
	console_diag(c->console, &c->diag);
	*found = (struct run_suite){suite, declared.has_file};
	/* Earlier errors count only if there is a test file. */
	return is_loaded && (!declared.has_file || (is_good && s->is_obeyed));
}

bool
run_suite_read(struct run_context *c, const struct run_settings *s,
	const struct filter *f, struct run_suite *found)
{
	bool is_good = run_suite_load(c, s, f, found);

	if (s->inputs->environment)
		s->inputs->environment->own_change(
			c->arena, found->suite->environment, found->suite->environment_n);
	return is_good;
}
