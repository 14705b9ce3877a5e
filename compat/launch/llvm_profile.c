/* See llvm_profile.h. */
#include "compat/launch/llvm_profile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "compat/console/report_text.h"
#include "runner/base/caller.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/process/command.h"

#define RAW ".profraw"

struct llvm_profile {
	struct llvm_profile_options options;
	struct map roots; /* of all tests */
	const char *const *environment; /* of the tool */
};

/* One attempt's. */
struct gathering {
	struct post_run post_run;
	const struct llvm_profile *profile;
	const struct launch *launch; /* of the test */
	struct arena *arena;
	const char *directory; /* where the tool runs */
	struct str root; /* DIRECTORY/NAME */
	struct str manifest, merged; /* files */
	int stale; /* why the merged file of an earlier run could not be removed; or 0 */
	str_vec files;
	struct buf heard;
};

static struct str
root_of(struct arena *a, const struct test *t)
{
	return str_fmt(a, "%.*s/%.*s", STR_ARG(t->declared_in), STR_ARG(t->name));
}

/* ---- files ----------------------------------------------------------------------- */

/* true: a test with a longer name owns the file: "ROOT_more" owns
 * "ROOT_more_1.profraw". */
static bool
is_of_another(const struct gathering *g, struct str path)
{
	for (size_t i = g->root.n + 1; i < path.n; i++)
		if (path.p[i] == '_' && map_has(&g->profile->roots, str_cut(path.p, i)))
			return true;
	return false;
}

/* In the order of the directory, as in ctest. false: see errno. */
static bool
find_files(const struct gathering *g, str_vec *files)
{
	struct str folder = path_parent(g->root);
	struct str front = str_fmt(g->arena, "%.*s_", STR_ARG(path_name(g->root)));
	str_vec names = {0};
	bool is_read = directory_read(g->arena, str_z(g->arena, folder), &names);
	int error = errno;

	for (size_t i = 0; i < names.n; i++) {
		struct str name = names.v[i], path;

		if (!str_begins(name, front) ||
			!str_ends(str_from(name, front.n), STR(RAW)))
			continue;
		path = path_join(g->arena, folder, name);
		if (!is_of_another(g, path))
			VEC_PUSH(g->arena, files, path);
	}
	errno = error;
	return is_read;
}

static void
remove_files(const str_vec *files)
{
	for (size_t i = 0; i < files->n; i++)
		unlink(files->v[i].p);
}

/* If the manifest cannot be written, the tool reports it. */
static void
write_manifest(struct gathering *g)
{
	struct buf names = {.arena = g->arena};

	for (size_t i = 0; i < g->files.n; i++)
		buf_fmt(&names, "%.*s\n", STR_ARG(g->files.v[i]));
	if (!file_write(g->arena, g->manifest.p, ".tmp", buf_as_str(&names)))
		unlink(g->manifest.p);
}

/* ---- the tool -------------------------------------------------------------------- */

static void
note_search(struct gathering *g, const char *more)
{
	g->post_run.note =
		str_fmt(g->arena, "   looking for .profraw files in: %.*s_*" RAW "\n%s",
			STR_ARG(g->root), more);
}

static void
say_nothing_found(struct gathering *g)
{
	note_search(g, " Cannot find any profraw coverage files.\n");
}

static void
end_merging(struct post_run *p, int error, int signal)
{
	struct gathering *g = (struct gathering *)p;
	struct str why = STR("");

	if (error)
		why = report_start_error(g->arena, g->profile->options.dialect, error);
	else if (signal)
		why = report_signal(g->arena, signal);
	p->output = buf_as_str(&g->heard);
	if (path_exists(g->merged.p)) {
		remove_files(&g->files);
		unlink(g->manifest.p);
	}
	p->problem = str_fmt(g->arena, "%.*s%.*s%s%s", STR_ARG(p->problem), STR_ARG(why),
		why.n ? "\n" : "",
		path_exists(g->merged.p)
			? ""
			: "Something went wrong while merging .profraw data.\n");
}

static void
hear_output(struct post_run *p, struct str bytes)
{
	buf_str(&((struct gathering *)p)->heard, bytes);
}

static const char *const *
words_of(const struct gathering *g, struct str tool)
{
	const struct str words[] = {tool, STR("merge"), STR("-sparse"),
		str_fmt(g->arena, "--input-files=%.*s", STR_ARG(g->manifest)), STR("-o"),
		g->merged, STR("--failure-mode=all")};
	enum { WORDS = sizeof words / sizeof *words };
	const char **argv = NEW_ARRAY(g->arena, const char *, WORDS + 1);

	for (int i = 0; i < WORDS; i++)
		argv[i] = str_z(g->arena, words[i]);
	return argv;
}

/* If the test has its own processors, the tool uses the same ones. */
static bool
begin_merging(struct post_run *p, struct launch *l)
{
	struct gathering *g = (struct gathering *)p;
	struct str tool = g->profile->options.merger, path;
	int error;

	if (g->stale) {
		p->problem = str_fmt(g->arena, "cctr: cannot remove %.*s: %s\n",
			STR_ARG(g->merged), strerror(g->stale));
		return false;
	}
	if (!find_files(g, &g->files))
		p->problem = str_fmt(g->arena, "cctr: cannot read %.*s: %s\n",
			STR_ARG(path_parent(g->root)), strerror(errno));
	if (g->files.n == 0) {
		say_nothing_found(g);
		return false;
	}
	note_search(g, "");
	write_manifest(g);
	error = command_locate(g->arena, tool, g->directory, &path);
	if (error) {
		end_merging(p, error, 0);
		return false;
	}
	l->path = path.p;
	l->argv = words_of(g, tool);
	l->environment = g->profile->environment;
	l->directory = g->directory;
	l->processors = g->launch->processors;
	return true;
}

/* ---- tests ----------------------------------------------------------------------- */

struct llvm_profile *
llvm_profile_open(struct arena *a, const struct llvm_profile_options *o)
{
	struct llvm_profile *p = NEW(a, struct llvm_profile);

	*p = (struct llvm_profile){
		.options = *o, .roots = map_in(a), .environment = caller_environment(a)};
	if (!o->merger.n)
		p->options.merger = STR("llvm-profdata");
	map_reserve(&p->roots, o->suite->n);
	for (size_t i = 0; i < o->suite->n; i++)
		map_add(&p->roots, root_of(a, &o->suite->tests[i]));
	return p;
}

const char *
llvm_profile_begin(const struct llvm_profile *p, struct arena *attempt,
	const struct preparation *what, struct launch *l)
{
	struct gathering *g = NEW(attempt, struct gathering);
	struct str root = root_of(attempt, what->test);
	struct str pattern = str_fmt(attempt, "%.*s_%%p" RAW, STR_ARG(root));
	str_vec old = {0};

	INVARIANT(attempt && what && l);
	*g = (struct gathering){.post_run = {.begin = begin_merging,
					.hear = hear_output,
					.end = end_merging},
		.profile = p,
		.launch = l,
		.arena = attempt,
		.directory = str_z(attempt, what->test->declared_in),
		.root = root,
		.manifest = str_fmt(attempt, "%.*s.manifest", STR_ARG(root)),
		.merged = str_fmt(attempt, "%.*s.profdata", STR_ARG(root)),
		.heard = {.arena = attempt}};
	if (find_files(g, &old))
		remove_files(&old);
	g->stale = unlink(g->merged.p) == 0 || errno == ENOENT ? 0 : errno;
	l->post_run = &g->post_run;
	l->note =
		str_fmt(attempt, "%u: Using environment variable LLVM_PROFILE_FILE=%s \n",
			what->selected->number, pattern.p);
	return pattern.p;
}

void
llvm_profile_not_started(struct post_run *p)
{
	say_nothing_found((struct gathering *)p);
}
