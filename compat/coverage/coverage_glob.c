/*
 * Files by the pattern of their names, in whole trees. Directories are read in their own
 * order, as ctest does, since that order shows in what it says. A link to a directory is
 * not followed where the directory that holds it is being walked through a link already:
 * that would be a circle.
 */
#include "compat/coverage/coverage.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runner/files.h"

struct walk {
	struct coverage *c;
	const char *name; /* pattern of names */
	bool follows;
	str_vec *files;
	str_vec links; /* real paths of directories whose links are being followed */
	VEC(struct visit {
		DIR *directory;
		struct str path;
		bool is_link;
	})
	open;
};

static void
enter(struct walk *w, struct str path, bool is_link)
{
	struct visit v = {opendir(path.p), path, is_link};

	if (v.directory)
		VEC_PUSH(w->c->arena, &w->open, v);
	else if (is_link)
		w->links.n--;
}

static void
follow(struct walk *w, struct str holder, struct str path)
{
	char real[PATH_MAX];
	struct str_list followed = str_vec_list(&w->links);

	if (!w->follows || !realpath(holder.p, real) ||
		str_list_has(followed, str_of(real)))
		return;
	VEC_PUSH(w->c->arena, &w->links, str_dup(w->c->arena, str_of(real)));
	enter(w, path, true);
}

static void
take(struct walk *w, struct str holder, const struct dirent *entry)
{
	struct arena *a = w->c->arena;
	struct str name = str_of(entry->d_name);
	struct str path = str_fmt(a, "%.*s/%s", STR_ARG(holder), entry->d_name);
	struct stat st;
	bool is_link;

	if (str_is(name, ".") || str_is(name, "..") || lstat(path.p, &st) != 0)
		return;
	is_link = S_ISLNK(st.st_mode);
	if (is_link && stat(path.p, &st) != 0)
		st.st_mode = S_IFREG; /* It leads nowhere, and is named all the same. */
	if (!S_ISDIR(st.st_mode)) {
		if (fnmatch(w->name, entry->d_name, FNM_NOESCAPE) == 0)
			VEC_PUSH(a, w->files, path);
	} else if (is_link) {
		follow(w, holder, path);
	} else {
		enter(w, path, false);
	}
}

static void
walk(struct walk *w, struct str directory)
{
	enter(w, directory, false);
	while (w->open.n) {
		struct visit *v = &w->open.v[w->open.n - 1];
		const struct dirent *entry = readdir(v->directory);

		if (entry) {
			take(w, v->path, entry);
			continue;
		}
		closedir(v->directory);
		w->links.n -= v->is_link;
		w->open.n--;
	}
}

/* The directories right below those there are whose names match. */
static void
descend(struct arena *a, str_vec *directories, const char *name)
{
	str_vec below = {0};

	for (size_t i = 0; i < directories->n; i++) {
		DIR *d = opendir(str_z(a, directories->v[i]));
		const struct dirent *entry;

		while (d && (entry = readdir(d))) {
			struct str path = str_fmt(
				a, "%.*s/%s", STR_ARG(directories->v[i]), entry->d_name);

			if (entry->d_name[0] != '.' &&
				fnmatch(name, entry->d_name, FNM_NOESCAPE) == 0 &&
				path_is_directory(path.p))
				VEC_PUSH(a, &below, path);
		}
		if (d)
			closedir(d);
	}
	*directories = below;
}

void
coverage_list(
	struct coverage *c, struct str directory, const char *ending, str_vec *files)
{
	DIR *d = opendir(str_z(c->arena, directory));
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (str_ends(str_of(entry->d_name), str_of(ending)))
			VEC_PUSH(c->arena, files,
				str_fmt(c->arena, "%.*s/%s", STR_ARG(directory),
					entry->d_name));
	if (d)
		closedir(d);
}

static bool
has_wildcard(struct str s)
{
	return str_find(s, '*') < s.n || str_find(s, '?') < s.n || str_find(s, '[') < s.n;
}

/* Directories that the front of a pattern stands for. */
static str_vec
directories_of(struct arena *a, struct str front)
{
	str_vec directories = {0};

	VEC_PUSH(a, &directories, STR(""));
	while (front.n) {
		struct str part = str_cut(front.p, str_find(front, '/'));

		if (has_wildcard(part))
			descend(a, &directories, str_z(a, part));
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

	if (slash == pattern.n)
		return;
	w.name = str_z(c->arena, str_from(pattern, slash + 1));
	directories = directories_of(c->arena, str_cut(pattern.p, slash));
	for (size_t i = 0; i < directories.n; i++)
		if (directories.v[i].n)
			walk(&w, directories.v[i]);
}
