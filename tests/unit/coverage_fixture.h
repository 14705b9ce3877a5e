/*
 * A coverage step with one source, for unit tests and the fuzzer. The readers read the
 * text of a tool where the tool leaves it: in a file, or in the output of its program.
 */
#ifndef CCTR_TESTS_COVERAGE_FIXTURE_H
#define CCTR_TESTS_COVERAGE_FIXTURE_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/dashboard/coverage/coverage.h"
#include "compat/format/regex.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"

struct coverage_output {
	const char *program;
	struct str text;
};
enum { COVERAGE_OUTPUTS = 2 };

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
	struct coverage_output outputs[COVERAGE_OUTPUTS];
};

/* What a tool leaves. In file and output, "@" is the source and "%" its directory. */
struct coverage_tool {
	char letter; /* in the fuzzer's inputs */
	coverage_reader *reader;
	const char *source; /* its name */
	const char *text; /* the file of the tool; NULL: the output of its program */
	const char *program, *output;
	struct {
		const char *name, *text;
	} files[2]; /* beside it */
};

static const struct coverage_tool coverage_tools[] = {
	{'g', coverage_gcov, "R.m", "Testing/CoverageInfo/R.m.gcov", "gcov",
		"File '@'\nLines executed:1.00% of 1\nCreating 'R.m.gcov'\n",
		{{"CMakeFiles/TargetDirectories.txt", "%\n"}, {"R.gcda", ""}}},
	{'G', coverage_gcov, "R.m", NULL, "gcov", NULL,
		{{"CMakeFiles/TargetDirectories.txt", "%\n"}, {"R.gcda", ""}}},
	{'t', coverage_trace, "R.py", "R.cover", NULL, NULL, {{NULL, NULL}}},
	{'p', coverage_php, "R.m", "xdebugCoverage/x", NULL, NULL, {{NULL, NULL}}},
	{'l', coverage_intel, "R.m", "R.LCOV", "codecov", "", {{"R.dpi", ""}}},
	{'c', coverage_cobertura, "R.m", "coverage.xml", NULL, NULL, {{NULL, NULL}}},
	{'j', coverage_jacoco, "R.m", "jacoco.xml", NULL, NULL, {{NULL, NULL}}},
	{'b', coverage_blanket, "R.m", "R.json", NULL, NULL, {{NULL, NULL}}},
	{'d', coverage_delphi, "R.pas", "R(R.pas).html", NULL, NULL, {{NULL, NULL}}},
	{'C', coverage_clang, "R.m", NULL, "llvm-cov", NULL,
		{{"R.profdata", ""}, {"R.o", ""}}},
	{'m', coverage_gtm, "R.m", "d/R.mcov", NULL, NULL,
		{{"gtm_coverage.mcov", "packages:%\ncoverage_dir:%/d\n"}}},
	{'k', coverage_cache, "R.m", "d/R.cmcov", NULL, NULL,
		{{"cache_coverage.cmcov", "packages:%\ncoverage_dir:%/d\n"}}},
};

static inline const struct coverage_tool *
coverage_tool_of(char letter)
{
	for (size_t i = 0; i < sizeof coverage_tools / sizeof *coverage_tools; i++)
		if (coverage_tools[i].letter == letter)
			return &coverage_tools[i];
	return NULL;
}

/* The text with the source for "@" and the directory for "%". */
static inline struct str
coverage_fixture_text(struct coverage_fixture *f, const char *text)
{
	struct buf b = {.arena = f->a};

	for (; *text; text++)
		if (*text == '@')
			buf_str(&b, f->source);
		else if (*text == '%' && (text[1] == '/' || text[1] == '\n'))
			buf_z(&b, f->directory);
		else
			buf_char(&b, *text);
	buf_add(&b, "", 0);
	return buf_as_str(&b);
}

static inline struct str
coverage_fixture_file(struct coverage_fixture *f, const char *name, struct str text)
{
	struct str path = path_join(f->a, str_of(f->directory), str_of(name));

	if (!directory_make(f->a, str_z(f->a, path_parent(path))) ||
		!file_write(f->a, path.p, ".tmp", text))
		BUG("no file");
	return path;
}

/* The fixture whose programs are called: a command_runner has no context. */
static struct coverage_fixture *coverage_fixture_called;

static inline struct command_end
coverage_fixture_run(const struct command *command)
{
	struct str program = path_name(command->words.v[0]);

	for (size_t i = 0; i < COVERAGE_OUTPUTS; i++) {
		const struct coverage_output *o = &coverage_fixture_called->outputs[i];

		if (o->program && str_is(program, o->program))
			command->output(command->context, false, o->text);
	}
	return (struct command_end){.ending = COMMAND_EXITED};
}

static inline void
coverage_fixture_open(struct coverage_fixture *f, const char *name, struct str text)
{
	*f = (struct coverage_fixture){.a = arena_open()};
	coverage_fixture_called = f;
	f->out.arena = f->err.arena = f->a;
	f->dialect = dialect_of(4004);
	snprintf(f->directory, sizeof f->directory, "/tmp/cctr-coverage.XXXXXX");
	if (!mkdtemp(f->directory))
		BUG("no directory");
	f->source = coverage_fixture_file(f, name, text);
	f->configuration = (struct configuration){.arena = f->a, .keys = map_in(f->a)};
	/* Without BuildDirectory: JaCoCo's files that are in both trees are read twice.
	 */
	configuration_set(
		&f->configuration, str_fmt(f->a, "SourceDirectory=%s", f->directory));
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
		.top = str_of(f->directory),
		.run = coverage_fixture_run,
	};
	f->c.log.arena = f->c.arena;
	f->c.by_path = map_in(f->c.arena);
	f->c.patterns = match_set_open(f->c.arena, regex_parse);
	coverage_labels_load(&f->c, (struct str_list){0});
}

/* Has the tool's reader read the text. */
static inline void
coverage_fixture_read(
	struct coverage_fixture *f, const struct coverage_tool *tool, struct str text)
{
	static const char *const keys[] = {"CoverageCommand",
		"CTestTestCoverageMergeExecutable", "CTestTestCoverageDataExecutable"};

	for (size_t i = 0; i < 2 && tool->files[i].name; i++)
		coverage_fixture_file(f, tool->files[i].name,
			coverage_fixture_text(f, tool->files[i].text));
	if (tool->text)
		coverage_fixture_file(f, tool->text, text);
	if (tool->program) {
		f->outputs[0] = (struct coverage_output){tool->program,
			tool->output ? coverage_fixture_text(f, tool->output) : text};
		for (size_t i = 0; i < 3; i++)
			configuration_set(&f->configuration,
				str_fmt(f->a, "%s=%s", keys[i], tool->program));
	}
	coverage_labels_load(&f->c, (struct str_list){0});
	tool->reader(&f->c);
}

/* Has the outputs of covsrc and covbr read. false: the files cannot be written. */
static inline bool
coverage_fixture_bullseye(
	struct coverage_fixture *f, struct str summary, struct str shown)
{
	bool is_good = false;

	chmod(coverage_fixture_file(f, "covsrc", STR("")).p, 0755);
	chmod(coverage_fixture_file(f, "covbr", STR("")).p, 0755);
	setenv("PATH", f->directory, 1);
	setenv("COVFILE", "x", 1);
	f->outputs[0] = (struct coverage_output){"covsrc", summary};
	f->outputs[1] = (struct coverage_output){"covbr", shown};
	return coverage_bullseye(&f->c, &is_good) && is_good;
}

static inline void
coverage_fixture_close(struct coverage_fixture *f)
{
	if (!tree_remove(f->a, f->directory))
		BUG("the folder cannot be removed");
	match_set_close(f->c.patterns);
	console_close(f->in.console);
	arena_close(f->c.arena);
	arena_close(f->a);
}

#endif
