/* See default_files.h. */
#include "compat/settings/default_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/settings/defaults.h"
#include "runner/base/files.h"

/* Fills in what the file says. */
static bool
read_file(struct arena *a, struct str path, struct engine_options *engine, struct diag *d)
{
	struct engine_options weaker;
	struct str text;

	if (!file_read(a, str_z(a, path), &text))
		return diag_error(d, (struct place){.file = path}, "cannot be read: %s",
			strerror(errno));
	if (!defaults_parse(a, text, path, &weaker, d))
		return false;
	engine_options_fill(a, engine, &weaker);
	return true;
}

/* What a user may not look at is not his. false: it cannot be known. */
static bool
look_for(const char *path, bool *is_there, struct diag *d)
{
	struct stat st;
	bool is_found = stat(path, &st) == 0;

	*is_there = is_found && !S_ISDIR(st.st_mode);
	return is_found || error_is_absence(errno) || errno == EACCES ||
	       errno == ENAMETOOLONG ||
	       diag_error(d, (struct place){.file = str_of(path)},
		       "cannot be looked for: %s", strerror(errno));
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
read_folder(
	struct arena *a, struct str folder, struct engine_options *engine, struct diag *d)
{
	size_t errors = d->errors;
	struct str path = find_file(a, folder, d);

	return d->errors == errors && (!path.n || read_file(a, path, engine, d));
}

/* Any user can put a file into a folder such as /tmp. */
static bool
is_trusted(const char *path, const char *tree)
{
	struct stat file, folder;

	if (stat(path, &file) != 0 || stat(tree, &folder) != 0)
		return false;
	return file.st_uid == geteuid() || file.st_uid == 0 ||
	       file.st_uid == folder.st_uid;
}

static bool
read_beside(
	struct arena *a, struct str tree, struct engine_options *engine, struct diag *d)
{
	size_t errors = d->errors;
	struct str path = find_file(a, path_parent(tree), d);

	if (d->errors > errors)
		return false;
	if (!path.n)
		return true;
	if (is_trusted(path.p, str_z(a, tree)))
		return read_file(a, path, engine, d);
	diag_warning(d, (struct place){.file = path},
		"is not read, since it belongs to another user");
	return true;
}

static bool
read_users(struct arena *a, struct engine_options *engine, struct diag *d)
{
	const char *named = getenv("CCTR_CONFIG"), *xdg = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	if (named)
		return !*named || read_file(a, str_of(named), engine, d);
	if (xdg && *xdg == '/')
		return read_folder(a, path_join(a, str_of(xdg), STR("cctr")), engine, d);
	return !home || *home != '/' ||
	       read_folder(a, path_join(a, str_of(home), STR(".config/cctr")), engine, d);
}

bool
defaults_read(
	struct arena *a, struct str tree, struct engine_options *engine, struct diag *d)
{
	*engine = (struct engine_options){.has_engine = false};
	return read_folder(a, tree, engine, d) && read_beside(a, tree, engine, d) &&
	       read_users(a, engine, d);
}
