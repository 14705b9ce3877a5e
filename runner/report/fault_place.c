/* See fault_place.h. */
#include "runner/report/fault_place.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>

#include "runner/base/files.h"

/* Bytes that are searched, files that are looked for, bytes of text that are kept. */
enum { BYTES_MOST = 4 << 20, FILES_MOST = 200, TEXT_MOST = 1000, LINES_MOST = 8 };

struct search {
	struct arena *arena;
	struct str output; /* the part that is searched */
	struct str_list folders;
	struct fault_place *place;
	size_t looked; /* for so many files */
	int error; /* the first that is no answer */
};

/* ---- files ----------------------------------------------------------------------- */

/* What the caller may not enter is not there for it, nor is what can have no name. */
static bool
is_answer(int error)
{
	return error_is_absence(error) || error == EACCES || error == ELOOP ||
	       error == ENAMETOOLONG;
}

static bool
is_file(struct search *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode);
	if (!s->error && !is_answer(errno))
		s->error = errno;
	return false;
}

/* STR_NONE: there is no such file. */
static struct str
find_file(struct search *s, struct str name)
{
	if (str_find(name, '\0') < name.n)
		return STR_NONE;
	for (size_t i = 0; i < s->folders.n && s->looked < FILES_MOST; i++) {
		struct str path = path_join(s->arena, s->folders.v[i], name);

		s->looked++;
		if (is_file(s, path.p))
			return path;
		if (name.p[0] == '/')
			break;
	}
	return STR_NONE;
}

/* The line at the place, and some that follow it. */
static struct str
text_from(const struct search *s, struct str line)
{
	size_t begin = (size_t)(line.p - s->output.p), end = begin;

	for (size_t lines = 0; end < s->output.n && end - begin < TEXT_MOST; end++)
		if (s->output.p[end] == '\n' && ++lines == LINES_MOST)
			break;
	return str_trim(str_cut(line.p, end - begin));
}

static bool
is_line_number(struct str text, uint64_t *n)
{
	return str_unsigned(text, INT_MAX, n) && *n;
}

/* false: there is no such file, or no such line. */
static bool
take_place(struct search *s, struct str line, struct str name, struct str number)
{
	uint64_t n;
	struct str path;

	if (!name.n || !is_line_number(number, &n))
		return false;
	path = find_file(s, name);
	if (!path.n)
		return false;
	*s->place = (struct fault_place){path, (unsigned)n, text_from(s, line), 0};
	return true;
}

/* ---- lines ----------------------------------------------------------------------- */

static bool
speaks_of_failure(struct str line)
{
	static const char *const words[] = {"Failure", "FAILED", "failed", "error",
		"ERROR", "Error", "ssert", "panic", "fatal"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_has(line, str_of(words[i])))
			return true;
	return false;
}

/* The word that ends at the place; of a longer one, which names no file, its end. */
static struct str
name_before(struct str line, size_t at)
{
	size_t begin = at;

	while (begin && at - begin < PATH_MAX &&
		!strchr(" \t\"'`<>[]{}(),;=|", line.p[begin - 1]))
		begin--;
	return str_cut(line.p + begin, at - begin);
}

/* "name:12:", "name:12", "name(12)", "name(12,3)" at the colon or bracket. */
static bool
read_place(struct search *s, struct str line, size_t at)
{
	size_t end = at + 1;
	const char *after = line.p[at] == ':' ? ":, )" : "),:";
	struct str number;
	uint64_t n;

	while (end < line.n && isdigit((unsigned char)line.p[end]))
		end++;
	if (end == at + 1 || (end < line.n && !strchr(after, line.p[end])))
		return false;
	number = str_cut(line.p + at + 1, end - at - 1);
	return is_line_number(number, &n) &&
	       take_place(s, line, name_before(line, at), number);
}

static bool
read_line(struct search *s, struct str line)
{
	if (!speaks_of_failure(line))
		return false;
	for (size_t i = 1; i + 1 < line.n && s->looked < FILES_MOST; i++)
		if ((line.p[i] == ':' || line.p[i] == '(') && read_place(s, line, i))
			return true;
	return false;
}

/* "  File "name", line 12, in f" */
static bool
read_frame(struct search *s, struct str line)
{
	struct str rest = str_trim(line), name, number;

	if (!str_begins(rest, STR("File \"")))
		return false;
	rest = str_from(rest, 6);
	name = str_take(&rest, '"');
	if (!str_begins(rest, STR(", line ")))
		return false;
	rest = str_from(rest, 7);
	number = str_take(&rest, ',');
	return take_place(s, line, name, number);
}

static bool
search_lines(struct search *s)
{
	struct str rest, line;
	bool is_found = false;

	for (rest = s->output; s->looked < FILES_MOST && str_take_line(&rest, &line);)
		if (read_line(s, line))
			return true;
	s->looked = 0;
	for (rest = s->output; s->looked < FILES_MOST && str_take_line(&rest, &line);)
		is_found = read_frame(s, line) || is_found;
	return is_found;
}

bool
fault_place_find(struct arena *a, struct str output, struct str_list folders,
	struct fault_place *place)
{
	struct search s = {
		.arena = a, .output = output, .folders = folders, .place = place};
	bool is_found;

	INVARIANT(place);
	if (s.output.n > BYTES_MOST)
		s.output.n = BYTES_MOST;
	is_found = search_lines(&s);
	place->error = s.error;
	return is_found;
}
