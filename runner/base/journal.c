/* Files that grow by whole lines. See journal.h. */
#include "runner/base/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runner/base/files.h"

/* 0, or why lines cannot be added. */
static int
check_file(struct journal *j)
{
	struct stat st;
	char last;

	if (fstat(j->file, &st) != 0)
		return errno;
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return EEXIST;
	if (st.st_size > 0 && file_get_at(j->file, &last, 1, st.st_size - 1) != 1)
		return errno ? errno : EIO;
	j->is_torn = st.st_size > 0 && last != '\n';
	return 0;
}

void
journal_open(struct journal *j, const char *path)
{
	enum {
		FLAGS = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK | O_NOCTTY
	};

	*j = (struct journal){.path = path};
	j->file = file_open(path, FLAGS, 0666);
	if (j->file < 0) {
		j->error = errno;
		return;
	}
	errno = 0;
	j->error = check_file(j);
	if (j->error)
		journal_close(j);
}

/* false: not all of the text is in the file. */
static bool
put_text(struct journal *j, struct str text)
{
	size_t written;

	if (file_put_counted(j->file, text, &written))
		return true;
	j->error = j->error ? j->error : errno;
	j->is_torn = j->is_torn || written;
	return false;
}

void
journal_add(struct journal *j, struct str line)
{
	INVARIANT(str_ends(line, STR("\n")));
	if (j->file < 0 || (j->is_torn && !put_text(j, STR("\n"))))
		return;
	j->is_torn = !put_text(j, line) && j->is_torn;
}

void
journal_close(struct journal *j)
{
	file_close(&j->file);
}
