/*
 * The step Submit alone, called as a script's ctest_submit calls it: for comparison with
 * ctest. Stands in the build tree, with DartConfiguration.tcl and Testing/TAG.
 *
 *     submit_step [-V] [KEYWORD [values] ...]
 *
 * Says on standard error what the variables of the call become.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compat/dashboard/step.h"
#include "runner/files.h"

struct call {
	struct arena *arena;
	VEC(struct step_argument) arguments;
	str_vec values;
};

static bool
is_keyword(const char *word)
{
	static const char *const words[] = {"PARTS", "FILES", "HTTPHEADER", "RETRY_COUNT",
		"RETRY_DELAY", "SUBMIT_URL", "CDASH_UPLOAD", "CDASH_UPLOAD_TYPE"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static void
end_keyword(struct call *c)
{
	if (c->arguments.n) {
		c->arguments.v[c->arguments.n - 1].values = c->values.v;
		c->arguments.v[c->arguments.n - 1].n = c->values.n;
	}
	c->values = (str_vec){0};
}

static void
take_arguments(struct call *c, char **words)
{
	for (; *words; words++) {
		if (!is_keyword(*words)) {
			VEC_PUSH(c->arena, &c->values, str_of(*words));
			continue;
		}
		end_keyword(c);
		VEC_PUSH(c->arena, &c->arguments,
			(struct step_argument){.name = str_of(*words)});
	}
	end_keyword(c);
}

static struct str
line_of(struct str *text)
{
	size_t end = str_find(*text, '\n');
	struct str line = str_cut(text->p, end);

	*text = str_from(*text, end < text->n ? end + 1 : end);
	return line;
}

static void
tell(struct dashboard *d, const struct step_result *r)
{
	struct diag diag = diag_in(d->arena);
	const struct place at = {
		.file = str_fmt(d->arena, "%.*s/s.cmake", STR_ARG(d->binary)),
		.line = 9,
		.command = STR("ctest_submit")};

	for (size_t i = 0; i < r->errors.n; i++)
		diag_add(&diag, DIAG_CMAKE_ERROR, at, r->errors.v[i]);
	console_diag(d->console, &diag);
	fprintf(stderr, "value=%d\n", r->value);
	for (size_t i = 0; i < r->outputs.n; i++)
		fprintf(stderr, "%.*s=%.*s\n", STR_ARG(r->outputs.v[i].name),
			STR_ARG(r->outputs.v[i].value));
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_open();
	struct diag diag = diag_in(a);
	struct dialect dialect;
	struct options options;
	options_messages messages = {0};
	struct call call = {.arena = a};
	struct step_call c = {.part = PART_SUBMIT};
	struct step_result r = {0};
	struct dashboard d = {.arena = a, .dialect = &dialect, .options = &options};
	/* Without any option ctest 4.4 wants tests. */
	bool has_option = argc > 1 && argv[1][0] == '-';
	char stop[] = "--stop-on-failure";
	char *words[] = {argv[0], has_option ? argv[1] : stop, NULL};
	struct str tag;

	if (!dialect_choose(&dialect, a, STR(""), getenv("CCTR_COMPAT_VERSION"), STR("."),
		    &diag) ||
		!file_read(a, "Testing/TAG", &tag))
		return 2;
	if (!options_parse(a, &dialect, 2, words, &options, &messages))
		return 2;
	take_arguments(&call, argv + 1 + has_option);
	c.arguments = call.arguments.v;
	c.n = call.arguments.n;
	d.console = console_open(a, &options, &dialect);
	d.configuration = configuration_load(a, STR("."));
	d.binary = configuration_get(&d.configuration, "BuildDirectory");
	d.tag = line_of(&tag);
	d.group = line_of(&tag);
	(void)step_submit(&d, &c, &r);
	tell(&d, &r);
	console_close(d.console);
	arena_close(a);
	return 0;
}
