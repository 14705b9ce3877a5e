/* A coverage step without files but one source, for unit tests and the fuzzer. */
#ifndef CCTR_TESTS_COVERAGE_FIXTURE_H
#define CCTR_TESTS_COVERAGE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat/dashboard/coverage/coverage.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"

struct coverage_fixture {
	struct arena *a;
	struct options options;
	struct dialect dialect;
	struct buf out, err;
	struct configuration configuration;
	struct custom custom;
	struct step_input in;
	struct step_result result;
	struct coverage c;
	char directory[64];
	struct str source; /* a file in it */
};

static inline void
coverage_fixture_open(struct coverage_fixture *f, const char *name, const char *text)
{
	FILE *file;

	*f = (struct coverage_fixture){.a = arena_open()};
	f->out.arena = f->err.arena = f->a;
	f->dialect = dialect_of(3025);
	snprintf(f->directory, sizeof f->directory, "/tmp/cctr-coverage.XXXXXX");
	if (!mkdtemp(f->directory))
		BUG("no directory");
	f->source = str_fmt(f->a, "%s/%s", f->directory, name);
	file = fopen(f->source.p, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		BUG("no source");
	f->configuration = (struct configuration){.arena = f->a, .keys = map_in(f->a)};
	f->in = (struct step_input){.arena = f->a,
		.dialect = &f->dialect,
		.options = &f->options,
		.console = console_open(f->a, &f->options.console, &f->dialect,
			&(struct console_capture){&f->out, &f->err, false, false}),
		.directory = str_of(f->directory),
		.binary = str_of(f->directory),
		.stamp.tag = STR("20200101-0000"),
		.configuration = &f->configuration,
		.custom = &f->custom};
	f->c = (struct coverage){
		.arena = arena_open(),
		.in = &f->in,
		.result = &f->result,
		.source = str_of(f->directory),
		.binary = str_of(f->directory),
	};
	f->c.log.arena = f->c.arena;
	f->c.by_path = map_in(f->c.arena);
	coverage_labels_load(&f->c, (struct str_list){0});
}

/* Has the reader read the text from the file that its tool writes. */
static inline void
coverage_fixture_read(struct coverage_fixture *f, coverage_reader *reader,
	const char *name, struct str text)
{
	struct str path = path_join(f->a, str_of(f->directory), str_of(name));

	if (!directory_make(f->a, str_z(f->a, path_parent(path))) ||
		!file_write(f->a, path.p, ".tmp", text))
		BUG("no file of the tool");
	reader(&f->c);
}

static inline void
coverage_fixture_close(struct coverage_fixture *f)
{
	if (!tree_remove(f->a, f->directory))
		BUG("the folder cannot be removed");
	console_close(f->in.console);
	arena_close(f->c.arena);
	arena_close(f->a);
}

#endif
