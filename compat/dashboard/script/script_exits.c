/*
 * Nothing is evaluated here: a script may exit if its text, or the text of a file that it
 * includes, has the word cmake_language, or if it is not known which file that is. A
 * wrong hit, such as in a comment, does no harm. Modules of CMake and of packages do not
 * end a script.
 */
#include "compat/dashboard/script/script_exits.h"

#include <sys/stat.h>

#include "runner/base/files.h"

struct reading {
	struct arena *a;
	struct str script_directory; /* CTEST_SCRIPT_DIRECTORY */
	struct str directory; /* where the script runs */
	struct map files; /* paths in the order in which they were found */
};

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Removes the next word from *text. false: there is none. */
static bool
take_word(struct str *text, struct str *word)
{
	size_t start = 0, end;

	while (start < text->n && !is_word_char(text->p[start]))
		start++;
	for (end = start; end < text->n && is_word_char(text->p[end]); end++)
		;
	*word = str_cut(text->p + start, end - start);
	*text = str_from(*text, end);
	return word->n > 0;
}

static struct str
without_blanks(struct str text)
{
	size_t n = 0;

	while (n < text.n && is_blank(text.p[n]))
		n++;
	return str_from(text, n);
}

/* The first argument of a command whose name is before text; STR_NONE: no command. */
static struct str
first_argument(struct str text)
{
	size_t n = 0;

	text = without_blanks(text);
	if (!text.n || *text.p != '(')
		return STR_NONE;
	text = without_blanks(str_from(text, 1));
	if (text.n && *text.p == '"')
		return str_cut(text.p + 1, str_find(str_from(text, 1), '"'));
	while (n < text.n && !is_blank(text.p[n]) && text.p[n] != ')')
		n++;
	return str_cut(text.p, n);
}

/* "${NAME}/rest", where NAME is a known directory. */
static bool
take_directory(
	const struct reading *r, struct str file, struct str *name, struct str *base)
{
	const struct {
		const char *text;
		struct str value;
	} known[] = {
		{"${CMAKE_CURRENT_LIST_DIR}/", path_parent(file)},
		{"${CTEST_SCRIPT_DIRECTORY}/", r->script_directory},
		{"${CMAKE_CURRENT_SOURCE_DIR}/", r->directory},
	};

	*base = r->directory;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_begins(*name, str_of(known[i].text))) {
			*base = known[i].value;
			*name = str_from(*name, str_of(known[i].text).n);
			break;
		}
	return name->n && *name->p != '[' && *name->p != '#' &&
	       !str_has(*name, STR("$")) && !str_has(*name, STR("\\")) &&
	       !str_has(*name, STR("@"));
}

/* Adds the files that `file` includes. false: `file` may end the script. */
static bool
look_at(struct reading *r, struct str file)
{
	struct str text, word, name, base;
	struct stat status;

	/* A file that is not regular can be read only once. */
	if (stat(file.p, &status) != 0)
		return true;
	if (!S_ISREG(status.st_mode) || !file_read(r->a, file.p, &text))
		return false;
	while (take_word(&text, &word)) {
		if (str_eq_nocase(word, STR("cmake_language")) ||
			str_is(word, "CMAKE_MODULE_PATH"))
			return false;
		if (!str_eq_nocase(word, STR("include")))
			continue;
		name = first_argument(text);
		if (!name.p)
			continue;
		if (!take_directory(r, file, &name, &base))
			return false;
		map_add(&r->files, path_join(r->a, base, name));
	}
	return true;
}

bool
script_may_exit(struct arena *a, struct str file, struct str directory)
{
	struct reading r = {.a = a,
		.script_directory = path_parent(file),
		.directory = directory,
		.files = map_in(a)};

	map_add(&r.files, file);
	for (size_t i = 0; i < r.files.n; i++)
		if (!look_at(&r, r.files.entries[i].key))
			return true;
	return false;
}
