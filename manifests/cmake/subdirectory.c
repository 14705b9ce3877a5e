/* See subdirectory.h. */
#include "manifests/cmake/subdirectory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/base/files.h"

const char *const test_file_names[2] = {"CTestTestfile.cmake", "DartTestfile.txt"};

static bool
keeps_names(const struct directory_names *names)
{
	return names->dialect->has[DIALECT_DIRECTORY_NAMES_AS_GIVEN];
}

struct directory_names
directory_names_of(struct arena *a, const struct source_request *request)
{
	struct directory_names names = {.dialect = request->dialect};
	struct str path = request->path;
	char physical[PATH_MAX];

	INVARIANT(request->dialect);
	names.top = keeps_names(&names) && path.n && path.p[0] == '/'
			    ? path
			    : path_join(a, path_here(a), path);
	if (realpath(str_z(a, names.top), physical))
		names.physical_top = str_dup(a, str_of(physical));
	return names;
}

static bool
is_within(struct str path, struct str top)
{
	return str_begins(path, top) && (path.n == top.n || path.p[top.n] == '/');
}

/* Where the dialect does not keep the names of directories, ctest asks the system for the
 * path: a test's directory is the physical path, except for the top directory, which
 * keeps the name that its user gave. */
static struct str
physical_path(struct arena *a, const struct directory_names *names, struct str directory)
{
	char path[PATH_MAX];
	struct str found = path_normal(a, directory);
	size_t n = names->physical_top.n;

	if (realpath(str_z(a, directory), path))
		found = str_dup(a, str_of(path));
	if (!n || !is_within(found, names->physical_top))
		return found;
	return str_fmt(a, "%.*s%.*s", STR_ARG(names->top), STR_ARG(str_from(found, n)));
}

/* As fstatat(). */
static int
look_up(const struct directory_names *names, const char *path, struct stat *s, int flags)
{
	int at = AT_FDCWD;

	if (names->deep)
		at = deep_path_at(names->deep, path, &path);
	return fstatat(at, path, s, flags);
}

/* A directory below the top has its physical name already, and so have the directories in
 * it, except links: realpath() would look up every part of the path again. */
static bool
is_physical(struct arena *a, const struct directory_names *names, struct str directory,
	struct str name)
{
	const char *path = str_fmt_z(a, "%.*s/%.*s", STR_ARG(directory), STR_ARG(name));
	struct stat s;

	return names->physical_top.n && names->top.n > 1 &&
	       is_within(directory, names->top) && str_find(name, '/') == name.n &&
	       !str_is(name, ".") && !str_is(name, "..") &&
	       look_up(names, path, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(s.st_mode);
}

struct str
first_file(struct arena *a, struct str directory, const char *const names[2])
{
	INVARIANT(names[0] && names[1]);
	for (int i = 0; i < 2; i++) {
		struct str file = str_fmt(a, "%.*s/%s", STR_ARG(directory), names[i]);

		if (path_may_exist(file.p))
			return file;
	}
	return STR("");
}

/* Whether the directory can be entered; otherwise the complaint says why not, unless it
 * does not exist. */
static bool
is_entered(struct arena *a, const struct directory_names *names, struct subdirectory *sub)
{
	const char *path = str_z(a, sub->directory);
	int error;

	if (!path_may_exist(path))
		return false;
	error = path_why_not_entered(path);
	if (error)
		sub->complaint = str_fmt(a,
			names->dialect->has[DIALECT_ERROR_QUOTES_DIRECTORY]
				? "Failed to change working directory to \"%s\": %s"
				: "Failed to change directory to %s : %s",
			path, strerror(error));
	return !error;
}

/* A path is looked up from its beginning each time: the usual case asks only once. */
static bool
finds_file(struct arena *a, const struct directory_names *names, struct subdirectory *sub)
{
	struct str file =
		str_fmt(a, "%.*s/%s", STR_ARG(sub->directory), test_file_names[0]);
	struct stat s;
	bool is_there = look_up(names, file.p, &s, 0) == 0 && S_ISREG(s.st_mode);

	if (!is_there && !is_entered(a, names, sub))
		return false;
	sub->spelled = is_there ? file : first_file(a, sub->directory, test_file_names);
	if (!sub->spelled.n)
		return false;
	sub->file = path_normal(a, sub->spelled);
	if (str_eq(sub->file, sub->spelled)) {
		sub->file = sub->spelled;
		is_there = is_there || !path_is_directory(sub->file.p);
	} else {
		is_there = !path_is_directory(sub->file.p) && path_may_exist(sub->file.p);
	}
	if (!is_there)
		sub->complaint = subdirectory_unreadable(a, sub, 0);
	return is_there;
}

struct subdirectory
subdirectory_find(struct arena *a, const struct directory_names *names,
	struct str directory, struct str name, bool is_below)
{
	struct subdirectory sub = {.directory = name};

	INVARIANT(directory.n);
	if (is_below || !name.n || name.p[0] != '/')
		sub.directory =
			str_fmt(a, "%.*s/%.*s", STR_ARG(directory), STR_ARG(name));
	if (finds_file(a, names, &sub) && !keeps_names(names) &&
		!is_physical(a, names, directory, name))
		sub.directory = physical_path(a, names, sub.directory);
	return sub;
}

struct str
subdirectory_unreadable(struct arena *a, const struct subdirectory *sub, int error)
{
	INVARIANT(sub->spelled.n);
	if (error && !error_is_absence(error))
		return str_fmt(a, "Could not read file: %.*s : %s", STR_ARG(sub->spelled),
			strerror(error));
	return str_fmt(a, "Could not find include file: %.*s", STR_ARG(sub->spelled));
}
