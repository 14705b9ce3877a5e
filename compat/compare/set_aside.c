/* See set_aside.h. */
#include "compat/compare/set_aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/tree_copy.h"
#include "runner/base/tree_removal.h"

#define JOURNAL "journal"
#define ORIGINALS "original"
#define LEFT ".cctr-compare"

static struct str
journal_of(struct arena *a, const struct aside *s)
{
	return path_join(a, s->folder, STR(JOURNAL));
}

static struct str
original_of(struct arena *a, const struct aside *s, size_t item)
{
	return path_join(a, s->folder, str_fmt(a, ORIGINALS "/%zu", item));
}

/* Whether there is something, be it a link to nothing. */
static bool
is_there(struct str path)
{
	struct stat st;

	return lstat(path.p, &st) == 0 || !error_is_absence(errno);
}

/* false: it is not known whether there is something. */
static bool
look_for(struct str path, bool *found, struct diag *d)
{
	struct stat st;

	*found = lstat(path.p, &st) == 0;
	return *found || error_is_absence(errno) ||
	       diag_system(d, path, "cannot be examined", errno);
}

static bool
move_path(struct str from, struct str to, struct diag *d)
{
	return rename(from.p, to.p) == 0 ||
	       diag_system(d, from, "cannot be moved", errno);
}

/* ---- moving back ----------------------------------------------------------------- */

static bool
keep_beside(struct arena *a, struct str path, struct diag *d)
{
	struct str left = str_fmt(a, "%.*s" LEFT, STR_ARG(path));

	if (is_there(left))
		return diag_error(d, (struct place){.file = left},
			"is in the way: remove it, and what an interrupted comparison "
			"has moved away comes back");
	if (!move_path(path, left, d))
		return false;
	diag_add(d, DIAG_NOTE, NO_PLACE,
		str_fmt(a, "cctr compare: what was in its place is now %.*s\n",
			STR_ARG(left)));
	return true;
}

/* Makes room in the place of an original: what is there is thrown away, or kept beside
 * it. */
static bool
clear_place(struct arena *a, struct str path, bool keeps, struct diag *d)
{
	if (!is_there(path))
		return true;
	if (keeps)
		return keep_beside(a, path, d);
	return tree_remove(a, path.p) || diag_system(d, path, "cannot be removed", errno);
}

static bool
put_one_back(struct arena *a, const struct aside *s, size_t i, bool keeps, struct diag *d)
{
	const struct aside_item *item = &s->items.v[i];
	struct str original = original_of(a, s, i);
	bool is_away = false;

	if (item->was_there && !look_for(original, &is_away, d))
		return false;
	/* What was not moved away yet, or is back, stays. */
	if (item->was_there && !is_away)
		return true;
	return clear_place(a, item->path, keeps, d) &&
	       (!is_away || move_path(original, item->path, d));
}

static bool
put_back(struct arena *a, const struct aside *s, bool keeps, struct diag *d)
{
	bool all = true;

	for (size_t i = 0; i < s->items.n; i++)
		all = put_one_back(a, s, i, keeps, d) && all;
	return all;
}

/* The journal goes first: what is in the places afterwards is no longer of a comparison.
 */
static bool
remove_folder(struct arena *a, struct aside *s, struct diag *d)
{
	struct str journal = journal_of(a, s);
	bool ok = unlink(journal.p) == 0 || error_is_absence(errno) ||
		  diag_system(d, journal, "cannot be removed", errno);

	if (ok)
		ok = tree_remove(a, s->folder.p) ||
		     diag_system(d, s->folder, "cannot be removed", errno);
	file_close(&s->lock);
	return ok;
}

bool
aside_close(struct arena *a, struct aside *s, struct diag *d)
{
	INVARIANT(s->lock >= 0);
	if (put_back(a, s, false, d))
		return remove_folder(a, s, d);
	file_close(&s->lock);
	return false;
}

/* ---- opening --------------------------------------------------------------------- */

/* The folder that was locked is still in its place: another comparison may have removed
 * it in between, and made a new one. */
static bool
is_in_place(const struct aside *s, const struct stat *locked)
{
	struct stat now;

	return lstat(s->folder.p, &now) == 0 && now.st_dev == locked->st_dev &&
	       now.st_ino == locked->st_ino;
}

static bool
lock_folder(struct aside *s, struct diag *d)
{
	struct stat st;
	int error;

	s->lock = open(s->folder.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->lock < 0)
		return diag_system(d, s->folder, "cannot be opened", errno);
	if (fstat(s->lock, &st) != 0)
		return diag_system(d, s->folder, "cannot be examined", errno);
	if (st.st_uid != geteuid())
		return diag_error(
			d, (struct place){.file = s->folder}, "is another user's");
	error = flock(s->lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
	if (!error && is_in_place(s, &st))
		return true;
	if (error && error != EWOULDBLOCK)
		return diag_system(d, s->folder, "cannot be locked", error);
	return diag_error(d, (struct place){.file = s->folder},
		"another comparison runs in this build tree");
}

static bool
is_own_name(struct str name)
{
	return str_is(name, ORIGINALS) || str_is(name, ASIDE_RUNS) ||
	       str_begins(name, STR(JOURNAL));
}

/* Without a journal no original is away. The folder may be the user's own. */
static bool
check_names(struct arena *a, const struct aside *s, struct diag *d)
{
	struct str originals = path_join(a, s->folder, STR(ORIGINALS));
	str_vec names = {0};

	if (!directory_read(a, s->folder.p, &names))
		return diag_system(d, s->folder, "cannot be read", errno);
	for (size_t i = 0; i < names.n; i++)
		if (!is_own_name(names.v[i]))
			return diag_error(d,
				(struct place){
					.file = path_join(a, s->folder, names.v[i])},
				"is not of cctr compare, which needs a folder of that "
				"name: move it away");
	return rmdir(originals.p) == 0 || error_is_absence(errno) ||
	       diag_system(d, originals, "cannot be removed", errno);
}

static bool
recover(struct arena *a, struct aside *s, struct diag *d)
{
	struct str path = journal_of(a, s), text;

	if (!file_read(a, path.p, &text))
		return error_is_absence(errno)
			       ? check_names(a, s, d)
			       : diag_system(d, path, "cannot be read", errno);
	if (!aside_journal_read(a, &s->items, text))
		return diag_error(d, (struct place){.file = path},
			"is not a journal of cctr compare");
	if (!put_back(a, s, true, d))
		return false;
	diag_add(d, DIAG_NOTE, NO_PLACE,
		STR("cctr compare: what an interrupted comparison had moved away is back "
		    "in its place\n"));
	return true;
}

static bool
make_folder(struct aside *s, struct diag *d)
{
	if (mkdir(s->folder.p, 0700) != 0)
		return diag_system(d, s->folder, "cannot be made", errno);
	return lock_folder(s, d);
}

static bool
clear_folder(struct arena *a, struct aside *s, struct diag *d)
{
	bool ok = lock_folder(s, d) && recover(a, s, d) && remove_folder(a, s, d);

	s->items.n = 0;
	return ok;
}

bool
aside_open(struct arena *a, struct aside *s, struct str folder, struct diag *d)
{
	bool ok;

	INVARIANT(folder.n && folder.p[0] == '/');
	*s = (struct aside){.folder = folder, .lock = -1};
	ok = (!is_there(folder) || clear_folder(a, s, d)) && make_folder(s, d);
	if (!ok)
		file_close(&s->lock);
	return ok;
}

/* ---- the work -------------------------------------------------------------------- */

/* A copy of a link would lead to the original. */
static bool
check_path(struct str path, struct diag *d)
{
	struct stat st;

	if (str_find(path, '\n') < path.n)
		return diag_error(
			d, (struct place){.file = path}, "has a newline in its name");
	return lstat(path.p, &st) != 0 || !S_ISLNK(st.st_mode) ||
	       diag_error(d, (struct place){.file = path},
		       "is a link: what it leads to cannot be set aside");
}

bool
aside_take(struct arena *a, struct aside *s, struct str_list paths, struct diag *d)
{
	struct str journal = journal_of(a, s),
		   originals = path_join(a, s->folder, STR(ORIGINALS));

	INVARIANT(s->lock >= 0 && !s->items.n);
	for (size_t i = 0; i < paths.n; i++) {
		if (!check_path(paths.v[i], d))
			return false;
		VEC_PUSH(a, &s->items,
			(struct aside_item){paths.v[i], is_there(paths.v[i])});
	}
	if (mkdir(originals.p, 0700) != 0)
		return diag_system(d, originals, "cannot be made", errno);
	if (!file_write_durably(a, journal.p, ".tmp", aside_journal_text(a, &s->items)))
		return diag_system(d, journal, "cannot be written", errno);
	for (size_t i = 0; i < s->items.n; i++)
		if (s->items.v[i].was_there &&
			!move_path(s->items.v[i].path, original_of(a, s, i), d))
			return false;
	return true;
}

bool
aside_copy(struct arena *a, const struct aside *s, struct diag *d)
{
	INVARIANT(s->lock >= 0);
	for (size_t i = 0; i < s->items.n; i++) {
		struct str path = s->items.v[i].path;

		if (s->items.v[i].was_there &&
			!tree_copy(a, original_of(a, s, i).p, path.p, d))
			return false;
	}
	return true;
}

bool
aside_has(struct arena *a, const struct aside *s, struct str file)
{
	return is_there(path_join(a, path_join(a, s->folder, STR(ORIGINALS)), file));
}

bool
aside_collect(struct arena *a, const struct aside *s, struct str into, struct diag *d)
{
	INVARIANT(s->lock >= 0 && into.n);
	if (!directory_make(a, into.p))
		return diag_system(d, into, "cannot be made", errno);
	for (size_t i = 0; i < s->items.n; i++) {
		struct str path = s->items.v[i].path;

		if (is_there(path) &&
			!move_path(path, path_join(a, into, str_fmt(a, "%zu", i)), d))
			return false;
	}
	return true;
}
