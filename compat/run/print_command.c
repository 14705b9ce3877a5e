/*
 * A command has what differs from the environment that cctr was started with, since the
 * shell that gets the command has that one. "cd" changes PWD and OLDPWD there, so that
 * these are always said. The shell changes "_" for each program.
 */
#include "compat/run/print_command.h"

#include <string.h>

#include "compat/launch/executable.h"
#include "compat/launch/launch_environment.h"
#include "compat/run/exact_names.h"
#include "runner/base/files.h"
#include "runner/base/shell_word.h"

struct printing {
	struct run_context *c;
	const struct run_settings *s;
	struct executable_finder *finder;
	const struct launch_environment *environment;
	struct map before; /* name -> index in the environment of the caller */
	struct buf out;
};

/* ---- the environment ------------------------------------------------------------- */

static struct str
name_of(const char *variable)
{
	return str_cut(variable, strcspn(variable, "="));
}

static bool
changes_by_cd(struct str name)
{
	return str_is(name, "PWD") || str_is(name, "OLDPWD");
}

static struct map
number_names(struct arena *a, const char *const *environment)
{
	struct map names = map_in(a);

	for (uint32_t i = 0; environment[i]; i++)
		map_set(&names, name_of(environment[i]), i);
	return names;
}

static void
add_unset(struct printing *p, struct str name)
{
	buf_z(&p->out, " -u ");
	shell_word(&p->out, name);
}

static void
add_unset_all(struct printing *p, const struct map *after)
{
	static const char *const by_cd[] = {"OLDPWD", "PWD"};

	for (size_t i = 0; i < p->before.n; i++) {
		struct str name = p->before.entries[i].key;

		if (name.n && !map_has(after, name) && !changes_by_cd(name) &&
			!str_is(name, "_"))
			add_unset(p, name);
	}
	for (size_t i = 0; i < 2; i++)
		if (!map_has(after, str_of(by_cd[i])))
			add_unset(p, str_of(by_cd[i]));
}

static bool
is_changed(const struct printing *p, const char *variable)
{
	struct str name = name_of(variable);
	uint32_t at = map_get(&p->before, name);

	if (str_is(name, "_"))
		return false;
	return changes_by_cd(name) || at == MAP_NONE ||
	       strcmp(p->s->options.caller_environment[at], variable) != 0;
}

/* A variable whose name begins with "-" is no option of env. */
static void
add_environment(struct printing *p, const char *const *environment)
{
	struct map after = number_names(p->c->arena, environment);
	bool is_first = true;

	add_unset_all(p, &after);
	for (size_t i = 0; environment[i]; i++) {
		if (!is_changed(p, environment[i]))
			continue;
		buf_z(&p->out, is_first && environment[i][0] == '-' ? " -- " : " ");
		shell_word(&p->out, str_of(environment[i]));
		is_first = false;
	}
}

/* ---- the command ----------------------------------------------------------------- */

/* env would read a path with "=" as a variable. A shell in its place would lose variables
 * whose names it cannot have; nice keeps all. */
static void
add_words(struct printing *p, struct str path, const struct str_list *words)
{
	const struct str_list *before = &p->s->before;
	struct str program = before->n ? before->v[0] : path;

	buf_z(&p->out, str_find(program, '=') < program.n ? " nice -n 0 " : " ");
	for (size_t i = 0; i < before->n; i++) {
		shell_word(&p->out, before->v[i]);
		buf_char(&p->out, ' ');
	}
	shell_word(&p->out, path);
	for (size_t i = 1; i < words->n; i++) {
		buf_char(&p->out, ' ');
		shell_word(&p->out, words->v[i]);
	}
}

static bool
refuse_to_print(struct printing *p, const struct test *t, struct str why)
{
	return diag_error(&p->c->diag, NO_PLACE, "--print-command: test \"%.*s\": %.*s",
		STR_ARG(t->name), STR_ARG(str_trim(why)));
}

/* Where the test has no command that could be started: why. */
static struct str
find_fault(struct printing *p, const struct test *t, const struct executable *found)
{
	struct str word = t->command.n ? t->command.v[0] : STR("");

	if (t->properties->defect.n)
		return t->properties->defect;
	if (found->not_available)
		return STR("not available in this configuration");
	if (!found->path.n)
		return str_fmt(
			p->c->arena, "unable to find executable: %.*s", STR_ARG(word));
	return launch_environment_defects(p->c->arena, t);
}

static bool
print_one(struct printing *p, const struct test *t)
{
	struct arena *a = p->c->arena;
	struct str word = t->command.n ? t->command.v[0] : STR("");
	const struct executable *found = executable_find(p->finder, word, t->directory);
	struct str fault = find_fault(p, t, found);

	if (fault.n)
		return refuse_to_print(p, t, fault);
	buf_z(&p->out, "(cd -P ");
	shell_word(&p->out, path_join(a, p->s->directory, t->directory));
	buf_z(&p->out, " && exec env");
	add_environment(p, launch_environment_of(p->environment, a, t,
				   &(struct test_holding){0}, NULL));
	add_words(p, path_join(a, p->s->directory, found->path), &t->command);
	buf_z(&p->out, ")\n");
	if (t->properties->resource_groups.n || t->properties->nodes > 1)
		diag_warning(&p->c->diag, NO_PLACE,
			"--print-command: test \"%.*s\" has resources in a run; their "
			"variables are left out",
			STR_ARG(t->name));
	return true;
}

static bool
print_all(struct printing *p, const struct suite *suite)
{
	const str_vec *names = &p->s->options.print_commands;
	bool all = true;

	for (size_t i = 0; i < names->n; i++)
		for (size_t k = 0; k < suite->n; k++)
			if (str_eq(suite->tests[k].name, names->v[i]))
				all = print_one(p, &suite->tests[k]) && all;
	return all;
}

enum exit_code
print_commands(
	struct run_context *c, const struct run_settings *s, const struct suite *suite)
{
	struct printing p = {.c = c, .s = s, .out = {.arena = c->arena}};
	bool is_known = exact_names_check(
		c->arena, "--print-command", &s->options.print_commands, suite, &c->diag);
	bool all;

	INVARIANT(s->options.caller_environment);
	if (!is_known) {
		console_diag(c->console, &c->diag);
		return EXIT_USAGE;
	}
	p.finder = executable_finder_new(
		c->arena, c->dialect, s->options.configuration, c->directory);
	p.before = number_names(c->arena, s->options.caller_environment);
	p.environment = launch_environment_open(c->arena,
		&(struct launch_environment_options){
			.unset_empties =
				c->dialect->has[DIALECT_UNSET_APPENDS_TO_NOTHING]});
	all = print_all(&p, suite);
	console_raw(c->console, buf_as_str(&p.out));
	console_diag(c->console, &c->diag);
	executable_finder_close(p.finder, c->console);
	return all ? EXIT_OK : EXIT_TESTS_FAILED;
}
