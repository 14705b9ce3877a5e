/* See commit.h. */
#include "runner/history/commit.h"

#include <ctype.h>

#include "runner/base/files.h"

/* SHA-1 or SHA-256 */
static bool
is_commit(struct str s)
{
	if (s.n != 40 && s.n != 64)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!isxdigit((unsigned char)s.p[i]))
			return false;
	return true;
}

/* "" where it cannot be read. */
static struct str
read_word(struct arena *a, struct str folder, struct str name)
{
	struct str text;

	return file_read(a, path_join(a, folder, name).p, &text) ? str_trim(text)
								 : STR_NONE;
}

/* Lines "<commit> <reference>". */
static struct str
packed_commit(struct arena *a, struct str folder, struct str reference)
{
	struct str text = read_word(a, folder, STR("packed-refs"));

	while (text.n) {
		struct str line = str_take(&text, '\n'), commit = str_take(&line, ' ');

		if (str_eq(line, reference))
			return commit;
	}
	return STR_NONE;
}

/* of: Git's folder of the working tree. Branches are in the folder that all working trees
 * share. */
static struct str
checked_out(struct arena *a, struct str of)
{
	struct str head = read_word(a, of, STR("HEAD")), shared, commit;

	if (!str_begins(head, STR("ref: ")))
		return head;
	head = str_trim(str_from(head, 5));
	commit = read_word(a, of, head);
	if (commit.n)
		return commit;
	shared = read_word(a, of, STR("commondir"));
	shared = shared.n ? path_join(a, of, shared) : of;
	commit = read_word(a, shared, head);
	return commit.n ? commit : packed_commit(a, shared, head);
}

/* "": there is none in this directory. */
static struct str
git_folder(struct arena *a, struct str directory)
{
	struct str path = path_join(a, directory, STR(".git")), text;

	if (path_is_directory(path.p))
		return path;
	text = read_word(a, directory, STR(".git"));
	if (!str_begins(text, STR("gitdir: ")))
		return STR_NONE;
	return path_join(a, directory, str_trim(str_from(text, 8)));
}

struct str
commit_of(struct arena *a, struct str directory)
{
	struct str of = STR_NONE, commit;

	for (; directory.n && !of.n; directory = path_parent(directory)) {
		of = git_folder(a, directory);
		if (str_is(directory, "/"))
			break;
	}
	commit = of.n ? checked_out(a, of) : STR_NONE;
	return is_commit(commit) ? commit : STR_NONE;
}
