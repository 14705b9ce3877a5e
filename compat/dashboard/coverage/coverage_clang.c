/*
 * Clang's own coverage, since 4.4: one tool merges the *.profdata of the build tree, and
 * another prints the result in LCOV's format for each object of the build tree.
 */
#include "compat/dashboard/coverage/coverage.h"

#include <unistd.h>

#include "compat/dashboard/coverage/coverage_command.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

#define MERGED "default.profdata"

/* ---- the output ------------------------------------------------------------------ */

/* NULL: the source already has data, which are kept. */
static struct source_coverage *
begin_source(struct coverage *c, struct str name)
{
	struct str path = path_join(c->arena, c->binary, name);
	struct source_coverage *s;

	if (map_has(&c->by_path, path))
		return NULL;
	s = coverage_source(c, path);
	if (!path_exists(s->path.p)) {
		coverage_say(c, CHANNEL_VERBOSE, "Cannot find %.*s\n", STR_ARG(s->path));
		return NULL;
	}
	coverage_add_lines(c, s, 0);
	return s;
}

/* The text after comma number n. */
static struct str
field_of(struct str line, size_t n)
{
	for (; n && line.n; n--) {
		size_t comma = str_find(line, ',');

		line = str_from(line, comma < line.n ? comma + 1 : comma);
	}
	return str_cut(line.p, str_find(line, ','));
}

/* "LINE,BLOCK,BRANCH,TAKEN"; "-" also means never. */
static void
add_branch(struct coverage *c, struct source_coverage *s, struct str line)
{
	long number = coverage_number(field_of(line, 0)) - 1L;

	if (!coverage_known_line(s, number))
		return;
	while (s->branches.n < s->counts.n)
		VEC_PUSH(c->arena, &s->branches, (struct branch_coverage){0, 0});
	if (coverage_number(field_of(line, 3)) > 0)
		s->branches.v[number].tested++;
	else
		s->branches.v[number].untested++;
}

static void
read_export(struct coverage *c, struct str text)
{
	struct source_coverage *s = NULL;
	struct str line;

	while (str_take_crlf_line(&text, &line)) {
		size_t colon = str_find(line, ':');
		struct str key = str_cut(line.p, colon);
		struct str value = str_from(line, colon < line.n ? colon + 1 : colon);

		if (str_is(key, "SF")) {
			s = begin_source(c, value);
		} else if (s && str_is(key, "DA")) {
			coverage_set_count(s, coverage_number(field_of(value, 0)),
				coverage_number(field_of(value, 1)));
		} else if (s && str_is(key, "BRDA")) {
			add_branch(c, s, value);
		}
	}
}

/* ---- the tools ------------------------------------------------------------------- */

/* false: there is no such tool, or it failed. */
static bool
run_tool(struct coverage *c, const struct str *words, size_t n, struct str *output)
{
	struct coverage_command command = {.directory = str_z(c->arena, c->binary)};

	if (!words[0].n) {
		coverage_say(c, CHANNEL_ERROR, "no such file or directory\n");
		return false;
	}
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(c->arena, &command.words, words[i]);
	coverage_command_run(c, &command);
	*output = command.output;
	return command.has_ended && command.exit_code == 0;
}

static bool
merge_data(struct coverage *c, const str_vec *files, struct str manifest)
{
	struct buf names = {.arena = c->arena};
	const struct str words[] = {step_key(c->in, "CTestTestCoverageMergeExecutable"),
		STR("merge"), STR("-sparse"),
		str_fmt(c->arena, "--input-files=%.*s", STR_ARG(manifest)), STR("-o"),
		STR(MERGED), STR("--failure-mode=all")};
	struct str output;

	for (size_t i = 0; i < files->n; i++)
		buf_fmt(&names, "%.*s\n", STR_ARG(files->v[i]));
	if (file_write(c->arena, manifest.p, ".tmp", buf_as_str(&names)) &&
		run_tool(c, words, sizeof words / sizeof *words, &output))
		return true;
	coverage_say(
		c, CHANNEL_ERROR, "Something went wrong while merging .profraw data.\n");
	return false;
}

static void
export_objects(struct coverage *c)
{
	struct str pattern = str_fmt(c->arena, "%.*s/*.o", STR_ARG(c->binary));
	str_vec objects = {0};

	coverage_say(c, CHANNEL_VERBOSE, "   looking for .o files in: %s\n", pattern.p);
	coverage_glob(c, pattern, false, &objects);
	if (!objects.n)
		coverage_say(c, CHANNEL_VERBOSE, " Cannot find any object files.\n");
	for (size_t i = 0; i < objects.n && !c->result->interrupted; i++) {
		const struct str words[] = {
			step_key(c->in, "CTestTestCoverageDataExecutable"), STR("export"),
			STR("-instr-profile=" MERGED), STR("-format=lcov"), objects.v[i]};
		struct str output = STR("");

		run_tool(c, words, sizeof words / sizeof *words, &output);
		read_export(c, output);
	}
}

size_t
coverage_clang(struct coverage *c)
{
	struct str pattern = str_fmt(c->arena, "%.*s/*.profdata", STR_ARG(c->binary));
	struct str manifest =
		str_fmt(c->arena, "%.*s/coverage.manifest", STR_ARG(c->binary));
	str_vec files = {0};

	if (!c->in->dialect->has[DIALECT_COVERAGE_BRANCHES])
		return 0;
	coverage_say(
		c, CHANNEL_VERBOSE, "Looking for Clang Source Code Coverage data: \n");
	coverage_say(
		c, CHANNEL_VERBOSE, "   looking for .profdata files in: %s\n", pattern.p);
	coverage_glob(c, pattern, false, &files);
	if (!files.n) {
		coverage_say(c, CHANNEL_VERBOSE,
			" Cannot find any profdata coverage files.\n");
		return 0;
	}
	if (merge_data(c, &files, manifest)) {
		export_objects(c);
		unlink(manifest.p);
		unlink(str_fmt_z(c->arena, "%.*s/" MERGED, STR_ARG(c->binary)));
	}
	return c->sources.n;
}
