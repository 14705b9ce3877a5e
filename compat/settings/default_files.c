/* See default_files.h. */
#include "compat/settings/default_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/settings/defaults.h"
#include "runner/base/files.h"

struct search {
	struct arena *a;
	struct str_list options;
	struct default_files *files;
	struct diag *d;
};

static bool
read_file(const struct search *s, struct str path, bool is_users)
{
	struct default_file *f = &s->files->v[s->files->n];
	struct str text;

	INVARIANT(s->files->n < DEFAULT_FILES_MOST);
	*f = (struct default_file){.path = path, .is_users = is_users};
	if (!(is_users ? file_read_named : file_read)(s->a, str_z(s->a, path), &text))
		return diag_system(s->d, path, "cannot be read", errno);
	s->files->n++;
	return defaults_document(s->a, text, path, &f->root, s->d) &&
	       (!f->root || defaults_check(s->a, f->root, path, s->options, s->d));
}

/* What a user may not look at is not his. A link to nothing is there, and cannot be read.
 * false: it cannot be known. */
static bool
look_for(const char *path, bool *is_there, struct diag *d)
{
	struct stat st;
	bool is_found = lstat(path, &st) == 0;

	*is_there = is_found && !path_is_directory(path);
	return is_found || error_is_absence(errno) || errno == EACCES ||
	       errno == ENAMETOOLONG ||
	       diag_system(d, str_of(path), "cannot be looked for", errno);
}

/* The name of the folder's file. STR_NONE: it has none, or there is an error, such as
 * that it has two. */
static struct str
find_file(struct arena *a, struct str folder, struct diag *d)
{
	struct str yaml = path_join(a, folder, STR("cctr.yaml")),
		   json = path_join(a, folder, STR("cctr.json"));
	bool has_yaml, has_json;

	if (!look_for(yaml.p, &has_yaml, d) || !look_for(json.p, &has_json, d))
		return STR_NONE;
	if (has_yaml && has_json)
		diag_error(d, (struct place){.file = yaml},
			"cctr.json is there, too; only one of them may be");
	else if (has_yaml || has_json)
		return has_yaml ? yaml : json;
	return STR_NONE;
}

static bool
read_folder(const struct search *s, struct str folder, bool is_users)
{
	size_t errors = s->d->errors;
	struct str path = find_file(s->a, folder, s->d);

	return s->d->errors == errors && (!path.n || read_file(s, path, is_users));
}

/* Any user can put a file into a folder such as /tmp. */
static bool
is_trusted(const char *path, const char *tree)
{
	struct stat file, folder;

	/* A link to nothing is its owner's. */
	if ((stat(path, &file) != 0 && lstat(path, &file) != 0) ||
		stat(tree, &folder) != 0)
		return false;
	return file.st_uid == geteuid() || file.st_uid == 0 ||
	       file.st_uid == folder.st_uid;
}

static bool
read_beside(const struct search *s, struct str tree)
{
	size_t errors = s->d->errors;
	struct str path = find_file(s->a, path_parent(tree), s->d);

	if (s->d->errors > errors)
		return false;
	if (!path.n)
		return true;
	if (is_trusted(path.p, str_z(s->a, tree)))
		return read_file(s, path, false);
	diag_warning(s->d, (struct place){.file = path},
		"is not read, since it belongs to another user");
	return true;
}

static bool
read_users(const struct search *s)
{
	const char *named = getenv("CCTR_CONFIG"), *xdg = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	if (named)
		return !*named || read_file(s, str_of(named), true);
	if (xdg && *xdg == '/')
		return read_folder(s, path_join(s->a, str_of(xdg), STR("cctr")), true);
	return !home || *home != '/' ||
	       read_folder(s, path_join(s->a, str_of(home), STR(".config/cctr")), true);
}

bool
default_files_load(struct arena *a, struct str tree, struct str_list options,
	struct default_files *files, struct diag *d)
{
	const struct search s = {a, options, files, d};

	*files = (struct default_files){.n = 0};
	return read_folder(&s, tree, false) && read_beside(&s, tree) && read_users(&s);
}

/* Fills in what the section says. NULL: nothing. */
static bool
fill_engine(struct arena *a, const struct tree *section, const struct default_file *f,
	struct str_list options, struct engine_options *engine, struct diag *d)
{
	struct engine_options weaker;

	if (!section)
		return true;
	if (!defaults_section(a, section, f->path, options, &weaker, d))
		return false;
	engine_options_fill(a, engine, &weaker);
	return true;
}

bool
defaults_read(struct arena *a, struct str tree, struct str profile,
	struct str_list options, struct engine_options *engine, struct diag *d)
{
	struct default_files files;
	bool is_right = default_files_load(a, tree, options, &files, d);

	*engine = (struct engine_options){.has_engine = false};
	for (size_t i = 0; i < files.n && is_right && profile.n; i++)
		is_right = fill_engine(a, defaults_profile(files.v[i].root, profile),
			&files.v[i], options, engine, d);
	for (size_t i = 0; i < files.n && is_right; i++)
		is_right =
			fill_engine(a, files.v[i].root, &files.v[i], options, engine, d);
	return is_right;
}
