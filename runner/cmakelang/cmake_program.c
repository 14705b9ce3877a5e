/* See cmake_program.h. */
#include "runner/cmakelang/cmake_program.h"

#include "runner/base/files.h"
#include "runner/process/command.h"
#include "runner/process/install_paths.h"

struct str
cmake_program(struct arena *a)
{
	struct str beside = path_join(a, path_parent(program_path(a)), STR("cmake"));

	if (path_is_program(beside.p))
		return beside;
	return command_find(a, STR("cmake"));
}

/* The path that CMakeCache.txt has for "NAME:INTERNAL="; STR_NONE: none. Ends with NUL.
 */
static struct str
cached_path(struct arena *a, struct str build_directory, const char *name)
{
	struct str key = str_fmt(a, "\n%s:INTERNAL=", name);
	struct str text, value;
	size_t at;

	if (!file_read(a, path_join(a, build_directory, STR("CMakeCache.txt")).p, &text))
		return STR_NONE;
	at = str_search(text, key);
	if (at == text.n)
		return STR_NONE;
	value = str_from(text, at + key.n);
	return str_dup(a, str_trim(str_cut(value.p, str_find(value, '\n'))));
}

static struct str
cached_cmake(struct arena *a, struct str build_directory)
{
	struct str path = cached_path(a, build_directory, "CMAKE_COMMAND");

	return path.n && path_is_program(path.p) ? path : STR_NONE;
}

struct str
cmake_source_directory(struct arena *a, struct str build_directory)
{
	return cached_path(a, build_directory, "CMAKE_HOME_DIRECTORY");
}

/* The path is absolute, since cmake is started in another directory. */
struct str
cmake_program_for(struct arena *a, struct str asked, struct str build_directory)
{
	struct str found = asked;

	if (found.n)
		found = command_find(a, found);
	if (!found.n)
		found = cached_cmake(a, build_directory);
	if (!found.n)
		found = command_find(a, STR("cmake"));
	return found.n ? path_join(a, path_here(a), found) : STR_NONE;
}
