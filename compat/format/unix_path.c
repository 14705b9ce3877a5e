/* Slashes, homes and drives. See unix_path.h. */
#include "compat/format/unix_path.h"

#include <pwd.h>
#include <stdlib.h>

static char
slash_for(char c)
{
	return c == '\\' ? '/' : c;
}

/* Until 4.0: halves each run of slashes if there is a run after the beginning. */
static void
add_halved(struct buf *plain, struct str path)
{
	bool halves = path.n > 2 && str_has(str_from(path, 1), STR("//"));

	for (size_t i = 0; i < path.n; i++) {
		char c = slash_for(path.p[i]);

		buf_char(plain, c);
		if (halves && c == '/' && i + 1 < path.n && slash_for(path.p[i + 1]) == c)
			i++;
	}
}

/* Replaces each run of slashes by one slash, except two at the beginning. */
static void
add_single(struct buf *plain, struct str path)
{
	size_t n = 0;

	while (n < path.n && slash_for(path.p[n]) == '/')
		n++;
	if (n == 2)
		buf_char(plain, '/');
	for (size_t i = 0; i < path.n; i++) {
		char c = slash_for(path.p[i]);

		if (c != '/' || i == 0 || slash_for(path.p[i - 1]) != '/')
			buf_char(plain, c);
	}
}

const char *
unix_home(struct arena *a, struct str tilde)
{
	struct passwd *user;

	INVARIANT(tilde.n > 0 && tilde.p[0] == '~');
	if (tilde.n == 1)
		return getenv("HOME");
	user = getpwnam(str_z(a, str_from(tilde, 1)));
	return user ? user->pw_dir : NULL;
}

static struct str
with_home(struct arena *a, struct str path)
{
	size_t end = str_find(path, '/');
	const char *home;

	if (!str_begins(path, STR("~")))
		return path;
	home = unix_home(a, str_cut(path.p, end));
	return home ? str_fmt(a, "%s%.*s", home, STR_ARG(str_from(path, end))) : path;
}

struct str
unix_slashes(struct arena *a, const struct dialect *dialect, struct str path)
{
	bool single = dialect->has[DIALECT_SLASHES_JOINED];
	struct buf plain = {.arena = a};
	struct str s;

	if (single)
		add_single(&plain, path);
	else
		add_halved(&plain, path);
	s = with_home(a, plain.n ? buf_as_str(&plain) : STR(""));
	if (s.n > 1 && str_ends(s, STR("/")) && !(s.n == 3 && s.p[1] == ':') &&
		!(single && s.p[s.n - 2] == '/'))
		s.n--;
	return s;
}

struct str
unix_directory(struct arena *a, const struct dialect *dialect, struct str path)
{
	struct str s = unix_slashes(a, dialect, path);
	size_t slash = str_rfind(s, '/');

	if (slash == s.n)
		return STR("");
	if (slash == 0 || (slash == 2 && s.p[1] == ':'))
		slash++;
	return str_cut(s.p, slash);
}
