/*
 * Where ctest looks for a test's executable. See executable.h.
 *
 * Candidates are relative to the real path of the test's directory (symbolic links
 * resolved). Until 4.0 ctest shows the path with the name by which the user's shell knows
 * the build tree; from then on, with the name of the test's directory.
 */
#include "compat/launch/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/console/console.h"
#include "compat/format/unix_path.h"
#include "runner/base/deep_path.h"
#include "runner/base/files.h"

struct place_known {
	struct executable *executable;
	unsigned epoch; /* the epoch in which it was not found */
};
/* A test's directory: real for the search, named for the shown path. */
struct home {
	struct str real, named;
};
struct executable_finder {
	struct arena *arena, *scratch;
	const struct dialect *dialect;
	struct str configuration;
	struct str here; /* the build tree */
	struct map known; /* "directory\0word" -> index into places */
	struct map directories; /* as given -> index into homes */
	struct map searches; /* word -> index into search_texts */
	VEC(struct place_known) places;
	uint32_t last; /* index into places: the last result */
	VEC(struct home) homes;
	str_vec search_texts;
	struct str path; /* PATH */
	struct str physical, logical; /* prefixes: shown paths get logical for physical */
	bool keeps_links; /* shown paths keep the names by which they were asked for */
	unsigned epoch;
	struct str unread; /* the first path that could not be examined, or "" */
	int error; /* why: an errno */
	struct deep_path deep; /* where the last directory was looked up */
};

/* ---- the finder ------------------------------------------------------------------ */

/* A common end of both names of the build tree is not part of the difference. */
static void
find_prefixes(struct executable_finder *f)
{
	char real[PATH_MAX];

	f->logical = f->here;
	f->physical = realpath(str_z(f->arena, f->here), real)
			      ? str_dup(f->arena, str_of(real))
			      : f->here;
	while (!str_eq(f->physical, f->logical) && f->physical.n > 1 &&
		f->logical.n > 1 &&
		str_eq(path_name(f->physical), path_name(f->logical))) {
		f->physical = path_parent(f->physical);
		f->logical = path_parent(f->logical);
	}
	if (str_eq(f->physical, f->logical))
		f->physical = f->logical = STR_NONE;
}

struct executable_finder *
executable_finder_new(struct arena *a, const struct dialect *dialect,
	struct str configuration, struct str directory)
{
	struct executable_finder *f = NEW(a, struct executable_finder);

	INVARIANT(dialect);
	f->arena = a;
	f->scratch = a;
	f->dialect = dialect;
	f->configuration = configuration;
	f->here = directory;
	f->keeps_links = dialect->has[DIALECT_DIRECTORY_NAMES_AS_GIVEN];
	f->known = map_in(a);
	f->directories = map_in(a);
	f->searches = map_in(a);
	deep_path_begin(&f->deep);
	f->path = str_dup(a, str_of(getenv("PATH")));
	if (!f->keeps_links)
		find_prefixes(f);
	return f;
}

void
executable_finder_again(struct executable_finder *f)
{
	f->epoch++;
}

/* ---- candidates ------------------------------------------------------------------ */

/* The directory with a slash at its end, unless it is empty. */
static struct str
directory_part(const struct executable_finder *f, struct str word)
{
	struct str s = unix_directory(f->scratch, f->dialect, word);

	return s.n == 0 || str_ends(s, STR("/"))
		       ? s
		       : str_fmt(f->scratch, "%.*s/", STR_ARG(s));
}

static const char *const folders[] = {
	"Release", "Debug", "MinSizeRel", "RelWithDebInfo", "Deployment", "Development"};

static void
add_candidate(
	struct arena *a, str_vec *v, struct str one, struct str two, struct str name)
{
	struct buf b = {.arena = a};

	buf_str(&b, one);
	buf_str(&b, two);
	buf_str(&b, name);
	VEC_PUSH(a, v, buf_as_str(&b));
}

static void
add_candidates(const struct executable_finder *f, str_vec *v, struct str directory,
	struct str name)
{
	struct str folder;

	add_candidate(f->scratch, v, directory, STR(""), name);
	if (f->configuration.n) {
		folder = str_fmt(f->scratch, "%.*s/", STR_ARG(f->configuration));
		add_candidate(f->scratch, v, directory, folder, name);
		add_candidate(f->scratch, v, folder, directory, name);
		return;
	}
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		folder = str_fmt(f->scratch, "%s/", folders[i]);
		add_candidate(f->scratch, v, directory, folder, name);
	}
}

static str_vec
list_candidates(const struct executable_finder *f, struct str word)
{
	struct str directory = directory_part(f, word);
	struct str name = path_name(word);
	str_vec v = {0};

	add_candidates(f, &v, directory, name);
	if (directory.n && directory.p[0] == '/')
		add_candidates(f, &v, str_from(directory, 1), name);
	return v;
}

/* ---- looking --------------------------------------------------------------------- */

/* The real path of an entry of a known directory that is not a link; realpath() would
 * check every part of the path again. "": cannot be found out this way. */
static struct str
real_in_known(struct executable_finder *f, struct str directory)
{
	struct str parent = path_parent(directory), name = path_name(directory);
	uint32_t known = map_get(&f->directories, parent);
	const char *path = str_z(f->scratch, directory);
	int at = deep_path_at(&f->deep, path, &path);
	struct stat s;

	if (!name.n || str_is(name, ".") || str_is(name, "..") || known == MAP_NONE ||
		!str_eq(f->homes.v[known].named, parent) ||
		fstatat(at, path, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(s.st_mode))
		return STR("");
	return path_join(f->scratch, f->homes.v[known].real, name);
}

static struct str
real_path(struct executable_finder *f, struct str directory)
{
	struct str known = real_in_known(f, directory);
	char real[PATH_MAX];

	if (known.n)
		return known;
	return realpath(path_in(f->scratch, f->here, directory), real)
		       ? str_dup(f->scratch, str_of(real))
		       : STR("");
}

/* Call it after a failed call. Ignores errors that mean that the file does not exist. */
static void
note_unread(struct executable_finder *f, struct str path)
{
	int error = errno;
	bool is_answer = error == 0 || error_is_absence(error) || error == EACCES ||
			 error == ELOOP || error == ENAMETOOLONG;

	if (is_answer || f->unread.n)
		return;
	f->unread = str_dup(f->arena, path);
	f->error = error;
}

void
executable_finder_close(struct executable_finder *f, struct console *console)
{
	deep_path_close(&f->deep);
	if (f->unread.n)
		console_unread(console, f->unread, f->error);
}

static bool
may_enter_real(struct executable_finder *f, const char *real)
{
	int at = deep_path_at(&f->deep, real, &real);
	struct stat s;

	return fstatat(at, real, &s, 0) == 0 && S_ISDIR(s.st_mode) &&
	       faccessat(at, real, X_OK, 0) == 0;
}

/* If ctest cannot enter the directory, it stays where it was. */
static struct home
home_of(struct executable_finder *f, struct str directory)
{
	uint32_t *at = map_at(&f->directories, directory);
	struct home home;
	struct str real;
	bool may_enter;

	if (*at != MAP_NONE)
		return f->homes.v[*at];
	*at = (uint32_t)f->homes.n;
	real = real_path(f, directory);
	if (real.n)
		errno = 0;
	may_enter = real.n && may_enter_real(f, real.p);
	if (!may_enter)
		note_unread(f, directory);
	home.real = str_dup(f->arena, may_enter ? real : f->here);
	home.named = may_enter && directory.p[0] == '/' ? str_dup(f->arena, directory)
							: home.real;
	VEC_PUSH(f->arena, &f->homes, home);
	return home;
}

static bool
is_file(struct executable_finder *f, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return !S_ISDIR(st.st_mode);
	note_unread(f, str_of(path));
	return false;
}

static const char *
place_in(struct executable_finder *f, struct str real, struct str name)
{
	if (name.n && name.p[0] == '/')
		return str_z(f->scratch, name);
	return str_fmt_z(f->scratch, "%.*s/%.*s", STR_ARG(real), STR_ARG(name));
}

/* Normalizes the path lexically, with the user's name of the build tree. "//" at the
 * front stays. */
static struct str
shown_path(struct executable_finder *f, const char *place)
{
	struct str s = path_normal(f->scratch, str_of(place));
	struct str rest;

	if (place[0] == '/' && place[1] == '/')
		return str_fmt(f->arena, "/%.*s", STR_ARG(s));
	if (!f->physical.n || !str_begins(s, f->physical))
		return str_dup(f->arena, s);
	rest = str_from(s, f->physical.n);
	if (rest.n && rest.p[0] != '/' && f->physical.n > 1)
		return str_dup(f->arena, s);
	return str_fmt(f->arena, "%.*s%.*s", STR_ARG(f->logical), STR_ARG(rest));
}

static struct str
shown_beside(struct executable_finder *f, const struct home *home, struct str name)
{
	struct str path = name;

	if (!f->keeps_links)
		return shown_path(f, place_in(f, home->real, name));
	if (name.p[0] != '/')
		path = str_fmt(
			f->scratch, "%.*s/%.*s", STR_ARG(home->named), STR_ARG(name));
	return str_dup(f->arena, path_on_disk(f->scratch, path));
}

static struct str
look_beside(struct executable_finder *f, struct str word, const struct home *home)
{
	str_vec v = list_candidates(f, word);

	for (size_t i = 0; i < v.n; i++)
		if (v.v[i].n && is_file(f, place_in(f, home->real, v.v[i])))
			return shown_beside(f, home, v.v[i]);
	return STR("");
}

static struct str
look_in_path(struct executable_finder *f, struct str word, struct str real)
{
	struct str path = f->path;

	while (path.n) {
		struct str folder = str_take(&path, ':');
		struct str name =
			str_fmt(f->scratch, "%.*s/%.*s", STR_ARG(folder), STR_ARG(word));
		const char *place = place_in(f, real, name);

		/* Unlike a shell, ctest ignores folders without a name. */
		if (!folder.n || !is_file(f, place))
			continue;
		if (access(place, X_OK) == 0)
			return shown_path(f, place);
		note_unread(f, str_of(place));
	}
	return STR("");
}

static struct str
look_up(struct executable_finder *f, struct str word, struct str directory)
{
	struct home home = home_of(f, directory);
	struct str found = look_beside(f, word, &home);

	if (found.n || directory_part(f, word).n || path_name(word).n == 0)
		return found;
	return look_in_path(f, word, home.real);
}

/* Lists every place twice: as it is, and with the suffix of executables, which is
 * empty. */
static struct str
search_text(struct executable_finder *f, struct str word)
{
	uint32_t *at = map_at(&f->searches, word);
	struct buf b = {.arena = f->arena};
	str_vec v;

	if (*at != MAP_NONE)
		return f->search_texts.v[*at];
	*at = (uint32_t)f->search_texts.n;
	v = list_candidates(f, word);
	buf_fmt(&b, "Could not find executable %.*s\nLooked in the following places:\n",
		STR_ARG(word));
	for (size_t i = 0; i < v.n; i++)
		buf_fmt(&b, "%.*s\n%.*s\n", STR_ARG(v.v[i]), STR_ARG(v.v[i]));
	VEC_PUSH(f->arena, &f->search_texts, buf_as_str(&b));
	return buf_as_str(&b);
}

/* ---- what is known --------------------------------------------------------------- */

static struct executable *
find_now(struct executable_finder *f, struct str word, struct str directory)
{
	struct executable *e = NEW(f->arena, struct executable);

	e->not_available = str_is(word, "NOT_AVAILABLE");
	e->path = STR("");
	e->search = STR("");
	if (e->not_available)
		return e;
	f->scratch = arena_open();
	e->path = look_up(f, word, directory);
	if (e->path.n == 0)
		e->search = search_text(f, word);
	arena_close(f->scratch);
	f->scratch = NULL;
	return e;
}

/* The configuration in whose folder place i is, as add_candidates made it. */
static struct str
configuration_of(const struct executable_finder *f, size_t i)
{
	size_t places = f->configuration.n ? 3 : 1 + sizeof folders / sizeof *folders;

	i %= places;
	if (i == 0)
		return STR("");
	return f->configuration.n ? f->configuration : str_of(folders[i - 1]);
}

static void
search_places(struct executable_finder *f, const str_vec *places, const struct home *home,
	struct executable_search *s)
{
	struct buf tried = {.arena = f->arena};

	for (size_t i = 0; i < places->n && !s->path.n; i++) {
		struct str name = places->v[i];

		if (name.n && is_file(f, place_in(f, home->real, name))) {
			s->path = shown_beside(f, home, name);
			s->configuration = configuration_of(f, i);
		}
		buf_fmt(&tried, "%.*s\n%.*s\n", STR_ARG(name), STR_ARG(name));
	}
	s->tried = buf_as_str(&tried);
}

struct executable_search
executable_search(struct executable_finder *f, struct str word, struct str extra,
	struct str directory)
{
	struct executable_search s = {STR(""), STR(""), STR("")};
	struct home home;
	str_vec places;

	f->scratch = arena_open();
	home = home_of(f, directory);
	places = list_candidates(f, word);
	if (extra.n && !directory_part(f, word).n)
		add_candidates(f, &places, directory_part(f, extra), path_name(extra));
	search_places(f, &places, &home, &s);
	if (!s.path.n && !directory_part(f, word).n)
		s.path = look_in_path(f, word, home.real);
	arena_close(f->scratch);
	f->scratch = NULL;
	return s;
}

static bool
is_good(const struct executable_finder *f, const struct place_known *k)
{
	return k->executable && (k->executable->path.n || k->executable->not_available ||
					k->epoch == f->epoch);
}

/* The key of a place is "directory, NUL, word". */
static bool
is_place(struct str key, struct str directory, struct str word)
{
	return key.n == directory.n + 1 + word.n && str_begins(key, directory) &&
	       key.p[directory.n] == '\0' && str_ends(key, word);
}

static uint32_t
place_index(struct executable_finder *f, struct str word, struct str directory)
{
	struct arena_mark m = arena_mark(f->arena);
	struct buf key = {.arena = f->arena};
	uint32_t *at, index;

	/* Consecutive tests often run the same program. */
	if (f->places.n && is_place(f->known.entries[f->last].key, directory, word))
		return f->last;
	buf_add(&key, directory.p, directory.n);
	buf_char(&key, '\0');
	buf_str(&key, word);
	index = map_get(&f->known, buf_as_str(&key));
	if (index != MAP_NONE) {
		arena_rewind(f->arena, m);
		f->last = index;
		return index;
	}
	at = map_at(&f->known, buf_as_str(&key));
	*at = f->last = (uint32_t)f->places.n;
	VEC_PUSH(f->arena, &f->places, (struct place_known){NULL, 0});
	return f->last;
}

const struct executable *
executable_find(struct executable_finder *f, struct str word, struct str directory)
{
	uint32_t index = place_index(f, word, directory);

	if (!is_good(f, &f->places.v[index]))
		f->places.v[index] =
			(struct place_known){find_now(f, word, directory), f->epoch};
	return f->places.v[index].executable;
}

struct str
executable_command_line(
	struct arena *a, struct str path, const struct str *arguments, size_t n)
{
	struct buf b = {.arena = a};

	INVARIANT(arguments || !n);
	buf_escaped(&b, path, " ");
	for (size_t i = 0; i < n; i++) {
		buf_z(&b, " \"");
		buf_str(&b, arguments[i]);
		buf_char(&b, '"');
	}
	return buf_as_str(&b);
}
