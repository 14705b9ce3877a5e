/*
 * Which sources are reported: those that the requested labels,
 * CTEST_CUSTOM_COVERAGE_EXCLUDE and files named .NoDartCoverage do not exclude, and those
 * that CTEST_EXTRA_COVERAGE_GLOB adds.
 */
#include "compat/dashboard/coverage/coverage.h"

#include "runner/base/files.h"

struct str
coverage_short_path(struct coverage *c, struct str path)
{
	return step_short_path(
		c->arena, c->source, c->binary, coverage_full_path(c, path));
}

/* ---- marks ----------------------------------------------------------------------- */

static struct str
parent_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash == path.n ? STR("") : str_cut(path.p, slash ? slash : path.n > 1);
}

/* The mark in directory or above it, up to the parent of top. */
static struct str
find_mark(struct coverage *c, struct str directory, struct str top)
{
	while (directory.n) {
		struct str mark = path_join(c->arena, directory, STR(".NoDartCoverage"));
		struct str parent = parent_of(directory);

		if (path_exists(step_path(c->in, mark)))
			return mark;
		if (directory.n < top.n || str_eq(parent, directory))
			break;
		directory = parent;
	}
	return STR("");
}

struct tree {
	struct str own, other; /* the tree that contains the source, and the other tree */
};

static struct tree
tree_of(struct coverage *c, struct str path)
{
	struct str source = path_normal(c->arena, c->source);
	struct str binary = path_normal(c->arena, c->binary);
	bool in_source = coverage_is_below(c, path, source);
	bool in_binary = coverage_is_below(c, path, binary);

	if (in_source && (!in_binary || source.n > binary.n))
		return (struct tree){source, binary};
	if (in_binary)
		return (struct tree){binary, source};
	return (struct tree){STR(""), source};
}

static bool
is_marked(struct coverage *c, struct str given)
{
	struct str path = coverage_full_path(c, given);
	struct tree tree = tree_of(c, path);
	struct str below = str_from(path, tree.own.n), twin;
	struct str mark = find_mark(c, path, tree.own);

	if (mark.n) {
		coverage_say(c, CHANNEL_VERBOSE, "Found: %.*s so skip coverage of %.*s\n",
			STR_ARG(mark), STR_ARG(given));
		return true;
	}
	twin = parent_of(path_normal(c->arena,
		str_fmt(c->arena, "%.*s/%.*s", STR_ARG(tree.other), STR_ARG(below))));
	if (str_eq(twin, parent_of(path)))
		return false;
	mark = find_mark(c, twin, tree.other);
	if (mark.n)
		coverage_say(c, CHANNEL_VERBOSE,
			"Found: %.*s so skip coverage of: %.*s\n", STR_ARG(mark),
			STR_ARG(given));
	return mark.n > 0;
}

static bool
is_excluded(struct coverage *c, struct str path)
{
	for (size_t i = 0; i < c->exclude.n; i++)
		if (match_has(c->exclude.v[i]->matcher, path)) {
			coverage_say(c, CHANNEL_VERBOSE,
				"  File %.*s is excluded in CTestCustom.ctest\n",
				STR_ARG(path));
			return true;
		}
	return false;
}

bool
coverage_is_wanted(struct coverage *c, struct str path)
{
	return coverage_has_label(c, coverage_full_path(c, path)) &&
	       !is_excluded(c, path) && !is_marked(c, path);
}

/* ---- globs ----------------------------------------------------------------------- */

struct str_list
coverage_uncovered(struct coverage *c)
{
	const struct str_list *globs = &c->in->custom->coverage_globs;
	struct map covered = map_in(c->arena);
	str_vec files = {0}, names = {0};
	struct str_list sorted;

	for (size_t i = 0; i < c->sources.n && globs->n; i++)
		map_add(&covered, coverage_short_path(c, c->sources.v[i].path));
	for (size_t i = 0; i < globs->n; i++)
		coverage_glob(c,
			str_fmt(c->arena, "%.*s/%.*s", STR_ARG(c->source),
				STR_ARG(globs->v[i])),
			false, &files);
	for (size_t i = 0; i < files.n; i++) {
		struct str name;

		if (!coverage_is_wanted(c, files.v[i]))
			continue;
		name = coverage_short_path(c, files.v[i]);
		if (!map_has(&covered, name))
			VEC_PUSH(c->arena, &names, name);
	}
	sorted = str_vec_list(&names);
	str_list_make_set(&sorted);
	return sorted;
}
