/* An update step in memory, for what reads the outputs of version control systems. */
#ifndef CCTR_TESTS_UNIT_UPDATE_FIXTURE_H
#define CCTR_TESTS_UNIT_UPDATE_FIXTURE_H

#include "compat/dashboard/update/update_run.h"
#include "compat/format/regex.h"

struct update_fixture {
	struct arena *arena;
	struct dialect dialect;
	struct options options;
	struct configuration configuration;
	struct step_input in;
	struct step_result result;
	struct buf out, err;
	struct update update;
};

static inline void
fixture_open(struct update_fixture *f, const struct vcs *vcs)
{
	struct arena *a = arena_open();

	*f = (struct update_fixture){.arena = a,
		.dialect = dialect_of(3025),
		.out = {.arena = a},
		.err = {.arena = a}};
	f->configuration = (struct configuration){.arena = a, .keys = map_in(a)};
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
		.patterns = match_set_open(a, regex_parse)};
	update_begin(&f->update);
	f->update.old_rev = f->update.prior.rev = STR("1");
}

static inline void
fixture_close(struct update_fixture *f)
{
	match_set_close(f->update.patterns);
	console_close(f->in.console);
	arena_close(f->arena);
}

/* false: the system has no such reader. */
static inline bool
fixture_read(struct update_fixture *f, const char *reader, struct str bytes)
{
	for (const struct vcs_reader *r = f->update.vcs->readers; r->name; r++)
		if (strcmp(r->name, reader) == 0) {
			vcs_read(&f->update, r, bytes);
			return true;
		}
	return false;
}

#endif
