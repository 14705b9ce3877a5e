/*
 * --help-manual of cctr's own manuals: the pages of Help/manual that are installed with
 * the program, with the pages that they include.
 */
#include "compat/command_line/option_table.h"

#include <string.h>

#include "runner/base/files.h"
#include "runner/process/install_paths.h"

#define SUFFIX ".rst"
#define INCLUDE ".. include:: "

/* Beside cctr's .cmake files; in the source tree beside their folder. */
static struct str
manual_folder(struct arena *a)
{
	struct str share = share_directory(a);
	struct str folder = path_join(a, share, STR("Help/manual"));

	return path_exists(folder.p) ? folder
				     : path_join(a, share, STR("../Help/manual"));
}

/* "cctr", "cctr.1" and "cctr(1)" are in cctr.1.rst. */
static bool
is_file_of(struct arena *a, struct str file, struct str manual)
{
	struct str stem, base;
	size_t dot;

	if (!str_ends(file, STR(SUFFIX)))
		return false;
	stem = str_cut(file.p, file.n - strlen(SUFFIX));
	dot = str_rfind(stem, '.');
	if (dot + 2 != stem.n)
		return false;
	base = str_cut(stem.p, dot);
	return str_eq(manual, stem) || str_eq(manual, base) ||
	       str_eq(manual, str_fmt(a, "%.*s(%c)", STR_ARG(base), stem.p[dot + 1]));
}

static bool
add_file(struct buf *out, struct str path, struct str *failed)
{
	struct str text, line, folder = path_parent(path);

	if (!file_read(out->arena, path.p, &text)) {
		*failed = path;
		return false;
	}
	while (str_take_line(&text, &line)) {
		bool is_include = str_begins(line, STR(INCLUDE));
		struct str name = str_from(line, is_include ? strlen(INCLUDE) : 0);

		if (!is_include)
			buf_fmt(out, "%.*s\n", STR_ARG(line));
		else if (!add_file(out, path_join(out->arena, folder, str_trim(name)),
				 failed))
			return false;
	}
	return true;
}

bool
option_manual_find(struct arena *a, struct str manual, struct str *path)
{
	struct str folder = manual_folder(a);
	str_vec names = {0};

	if (!str_begins(manual, STR("cctr")) || !directory_read(a, folder.p, &names))
		return false;
	for (size_t i = 0; i < names.n; i++)
		if (is_file_of(a, names.v[i], manual)) {
			*path = path_join(a, folder, names.v[i]);
			return true;
		}
	return false;
}

bool
option_manual_read(struct arena *a, struct str path, struct str *text, struct str *failed)
{
	struct buf out = {.arena = a};

	if (!add_file(&out, path, failed))
		return false;
	*text = buf_as_str(&out);
	return true;
}
