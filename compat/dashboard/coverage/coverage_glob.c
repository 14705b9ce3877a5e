/*
 * Finds files by name patterns in whole trees. Directories are read in their own order,
 * as in ctest, since messages show that order. A link to a directory is not followed if
 * the directory that contains it is already being walked through a link: that would be a
 * circle.
 */
#include "compat/dashboard/coverage/coverage.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runner/base/files.h"

struct walk {
	struct coverage *c;
	const char *name; /* name pattern */
	bool follows;
	str_vec *files;
	str_vec links; /* real paths of directories whose links are being followed */
	VEC(struct visit {
		struct str path;
		str_vec names;
		size_t next; /* index of the next name */
		bool is_link;
	})
	open;
};

static void
enter_directory(struct walk *w, struct str path, bool is_link)
{
	struct visit v = {.path = path, .is_link = is_link};

	console_read_directory(w->c->in->console, w->c->arena, path, &v.names);
	VEC_PUSH(w->c->arena, &w->open, v);
}

static void
follow_link(struct walk *w, struct str holder, struct str path)
{
	char real[PATH_MAX];
	struct str_list followed = str_vec_list(&w->links);

	if (!w->follows)
		return;
	if (!realpath(holder.p, real)) {
		console_unread(w->c->in->console, holder, errno);
		return;
	}
	if (str_list_has(followed, str_of(real)))
		return;
	VEC_PUSH(w->c->arena, &w->links, str_dup(w->c->arena, str_of(real)));
	enter_directory(w, path, true);
}

static void
take_name(struct walk *w, struct str holder, struct str name)
{
	struct arena *a = w->c->arena;
	struct str path = str_fmt(a, "%.*s/%.*s", STR_ARG(holder), STR_ARG(name));
	struct stat st;
	bool is_link;

	if (lstat(path.p, &st) != 0) {
		console_unread(w->c->in->console, path, errno);
		return;
	}
	is_link = S_ISLNK(st.st_mode);
	if (is_link && stat(path.p, &st) != 0)
		st.st_mode = S_IFREG; /* A broken link is listed all the same. */
	if (!S_ISDIR(st.st_mode)) {
		if (fnmatch(w->name, name.p, FNM_NOESCAPE) == 0)
			VEC_PUSH(a, w->files, path);
	} else if (is_link) {
		follow_link(w, holder, path);
	} else {
		enter_directory(w, path, false);
	}
}

static void
walk_tree(struct walk *w, struct str directory)
{
	enter_directory(w, directory, false);
	while (w->open.n) {
		struct visit *v = &w->open.v[w->open.n - 1];

		if (v->next < v->names.n) {
			take_name(w, v->path, v->names.v[v->next++]);
			continue;
		}
		w->links.n -= v->is_link;
		w->open.n--;
	}
}

/* Replaces the directories by their subdirectories whose names match. */
static void
descend_matching(struct coverage *c, str_vec *directories, const char *pattern)
{
	struct arena *a = c->arena;
	str_vec below = {0};

	for (size_t i = 0; i < directories->n; i++) {
		struct str directory = directories->v[i];
		str_vec names = {0};

		console_read_directory(c->in->console, a, directory, &names);
		for (size_t k = 0; k < names.n; k++) {
			struct str path = str_fmt(
				a, "%.*s/%.*s", STR_ARG(directory), STR_ARG(names.v[k]));

			if (names.v[k].p[0] != '.' &&
				fnmatch(pattern, names.v[k].p, FNM_NOESCAPE) == 0 &&
				path_is_directory(path.p))
				VEC_PUSH(a, &below, path);
		}
	}
	*directories = below;
}

void
coverage_list(
	struct coverage *c, struct str directory, const char *ending, str_vec *files)
{
	str_vec names = {0};

	INVARIANT(files);
	console_read_directory(c->in->console, c->arena, directory, &names);
	for (size_t i = 0; i < names.n; i++)
		if (str_ends(names.v[i], str_of(ending)))
			VEC_PUSH(c->arena, files,
				str_fmt(c->arena, "%.*s/%.*s", STR_ARG(directory),
					STR_ARG(names.v[i])));
}

static bool
has_wildcard(struct str s)
{
	return str_find(s, '*') < s.n || str_find(s, '?') < s.n || str_find(s, '[') < s.n;
}

/* The directories that match the front of a pattern. As in ctest they are spelled as the
 * front is, up to its first wildcard. */
static str_vec
directories_of(struct coverage *c, struct str front)
{
	struct arena *a = c->arena;
	size_t literal = strcspn(str_z(a, front), "*?[");
	str_vec directories = {0};

	if (literal < front.n)
		literal = str_rfind(str_cut(front.p, literal), '/');
	VEC_PUSH(a, &directories, str_dup(a, str_cut(front.p, literal)));
	front = str_from(front, literal);
	while (front.n) {
		struct str part = str_cut(front.p, str_find(front, '/'));

		if (has_wildcard(part))
			descend_matching(c, &directories, str_z(a, part));
		else if (part.n)
			for (size_t i = 0; i < directories.n; i++)
				directories.v[i] = str_fmt(a, "%.*s/%.*s",
					STR_ARG(directories.v[i]), STR_ARG(part));
		front = str_from(front, part.n + (part.n < front.n));
	}
	return directories;
}

void
coverage_glob(struct coverage *c, struct str pattern, bool follows, str_vec *files)
{
	size_t slash = str_rfind(pattern, '/');
	struct walk w = {.c = c, .follows = follows, .files = files};
	str_vec directories;

	INVARIANT(files);
	if (slash == pattern.n)
		return;
	w.name = str_z(c->arena, str_from(pattern, slash + 1));
	directories = directories_of(c, str_cut(pattern.p, slash));
	for (size_t i = 0; i < directories.n; i++)
		if (directories.v[i].n)
			walk_tree(&w, directories.v[i]);
}

/* ---- names ----------------------------------------------------------------------- */

struct coverage_names {
	struct map by_name; /* index into directories */
	VEC(str_vec) directories;
};

struct coverage_names *
coverage_names_build(struct coverage *c, const struct str *patterns, size_t n)
{
	struct coverage_names *names = NEW(c->arena, struct coverage_names);
	str_vec files = {0};

	INVARIANT(patterns || !n);
	names->by_name = map_in(c->arena);
	for (size_t i = 0; i < n; i++)
		coverage_glob(c, patterns[i], true, &files);
	for (size_t i = 0; i < files.n; i++) {
		uint32_t known = map_number(&names->by_name, path_name(files.v[i]));

		if (known == names->directories.n)
			VEC_PUSH(c->arena, &names->directories, (str_vec){0});
		VEC_PUSH(c->arena, &names->directories.v[known], path_parent(files.v[i]));
	}
	return names;
}

struct str_list
coverage_names_find(const struct coverage_names *n, struct str name)
{
	uint32_t known = map_get(&n->by_name, name);

	if (known == MAP_NONE)
		return (struct str_list){NULL, 0};
	return str_vec_list(&n->directories.v[known]);
}
