/*
 * An update step in memory. Its functions read the outputs of version control systems
 * from commands, which the fixture answers for.
 */
#ifndef CCTR_TESTS_UNIT_UPDATE_FIXTURE_H
#define CCTR_TESTS_UNIT_UPDATE_FIXTURE_H

#include "compat/dashboard/update/update_run.h"
#include "compat/format/regex.h"

/* The output of commands that have the word. */
struct update_answer {
	const char *word;
	bool is_error; /* on standard error */
	struct str bytes;
};
enum { UPDATE_ANSWERS = 2 };

struct update_fixture {
	struct arena *arena;
	struct dialect dialect;
	struct options options;
	struct configuration configuration;
	struct step_input in;
	struct step_result result;
	struct buf out, err;
	struct update update;
	struct update_answer answers[UPDATE_ANSWERS];
};

/* The fixture whose commands are called: a command_runner has no context. */
static struct update_fixture *update_fixture_called;

static inline bool
has_word(const struct command *command, const char *word)
{
	for (size_t i = 1; i < command->words.n; i++)
		if (str_is(command->words.v[i], word))
			return true;
	return false;
}

static inline struct command_end
fixture_run(const struct command *command)
{
	for (size_t i = 0; i < UPDATE_ANSWERS; i++) {
		const struct update_answer *a = &update_fixture_called->answers[i];

		if (a->word && has_word(command, a->word))
			command->output(command->context, a->is_error, a->bytes);
	}
	return (struct command_end){.ending = COMMAND_EXITED};
}

static inline void
fixture_open(struct update_fixture *f, const struct vcs *vcs)
{
	struct arena *a = arena_open();

	*f = (struct update_fixture){.arena = a,
		.dialect = dialect_of(3025),
		.out = {.arena = a},
		.err = {.arena = a}};
	update_fixture_called = f;
	f->configuration = (struct configuration){.arena = a, .keys = map_in(a)};
	configuration_set(&f->configuration, STR("GITUpdateCustom=tool"));
	f->in = (struct step_input){.arena = a,
		.dialect = &f->dialect,
		.options = &f->options,
		.console = console_open(a, &f->options.console, &f->dialect,
			&(struct console_capture){&f->out, &f->err, false, false}),
		.configuration = &f->configuration,
		.stamp = {.tag = STR("20261121-0755"), .group = STR("Experimental")}};
	f->update = (struct update){.in = &f->in,
		.result = &f->result,
		.arena = a,
		.vcs = vcs,
		.source = STR("/source"),
		.tool = STR("tool"),
		.patterns = match_set_open(a, regex_parse),
		.run = fixture_run};
	update_begin(&f->update);
	f->update.old_rev = f->update.prior.rev = STR("1");
	f->update.new_rev = STR("9");
}

static inline void
fixture_close(struct update_fixture *f)
{
	match_set_close(f->update.patterns);
	console_close(f->in.console);
	arena_close(f->arena);
}

/* Which output is read, and by which functions of its system. */
struct update_reading {
	const struct vcs *vcs;
	const char *name;
	struct update_answer answer; /* without its bytes */
	struct update_answer other; /* to another command */
	bool notes, updates, loads_revisions, loads_local;
};

#define SVN_INFO STR("URL: file:///r/trunk\nRepository Root: file:///r\nRevision: 1\n")

static const struct update_reading update_readings[] = {
	{&vcs_bzr, "info", {.word = "info"}, .notes = true},
	{&vcs_bzr, "revno", {.word = "revno"}, .notes = true},
	{&vcs_bzr, "update", {.word = "pull", .is_error = true}, .updates = true},
	{&vcs_bzr, "log", {.word = "log"}, .loads_revisions = true},
	{&vcs_bzr, "status", {.word = "status"}, .loads_local = true},
	{&vcs_cvs, "update", {.word = "update"}, .updates = true},
	{&vcs_cvs, "removed", {.word = "update", .is_error = true}, .updates = true},
	{&vcs_cvs, "log", {.word = "log"}, {"update", false, STR("U a\n")},
		.updates = true, .loads_revisions = true},
	{&vcs_git, "commits", {.word = "diff-tree"}, .loads_revisions = true},
	{&vcs_git, "diff", {.word = "diff-index"}, .loads_local = true},
	{&vcs_git, "version", {.word = "--version"}, .updates = true},
	{&vcs_hg, "log", {.word = "log"}, .loads_revisions = true},
	{&vcs_hg, "status", {.word = "status"}, .loads_local = true},
	{&vcs_p4, "describe", {.word = "describe"},
		{"changes", false, STR("Change 7 on D\n")}, .loads_revisions = true},
	{&vcs_p4, "diff", {.word = "diff"}, .loads_local = true},
	{&vcs_svn, "external", {.word = "status"}, {"info", false, SVN_INFO},
		.notes = true, .loads_revisions = true},
	{&vcs_svn, "info", {.word = "info"}, .notes = true},
	{&vcs_svn, "update", {.word = "update"}, .updates = true},
	{&vcs_svn, "log", {.word = "log"}, {"info", false, SVN_INFO}, .notes = true,
		.loads_revisions = true},
	{&vcs_svn, "status", {.word = "status"}, .loads_local = true},
};
enum { UPDATE_READINGS = sizeof update_readings / sizeof *update_readings };

static inline void
fixture_read_as(
	struct update_fixture *f, const struct update_reading *r, struct str bytes)
{
	struct update *u = &f->update;

	f->answers[0] = r->answer;
	f->answers[0].bytes = bytes;
	f->answers[1] = r->other;
	if (r->notes) {
		(void)r->vcs->note_old(u);
		(void)r->vcs->note_new(u);
	}
	if (r->updates)
		(void)r->vcs->update(u);
	if (r->loads_revisions)
		(void)r->vcs->load_revisions(u);
	if (r->loads_local)
		(void)r->vcs->load_local(u);
}

/* The reading of a system; NULL: it has none with that name. */
static inline const struct update_reading *
reading_of(const struct vcs *vcs, const char *name)
{
	for (size_t i = 0; i < UPDATE_READINGS; i++)
		if (update_readings[i].vcs == vcs &&
			strcmp(update_readings[i].name, name) == 0)
			return &update_readings[i];
	return NULL;
}

static inline void
fixture_read(struct update_fixture *f, const char *name, struct str bytes)
{
	const struct update_reading *r = reading_of(f->update.vcs, name);

	INVARIANT(r);
	fixture_read_as(f, r, bytes);
}

#endif
