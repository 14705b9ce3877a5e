/* A folder like /proc with one process, whose files a test writes. */
#ifndef CCTR_TESTS_UNIT_FAKE_PROC_H
#define CCTR_TESTS_UNIT_FAKE_PROC_H

#include <unistd.h>

#include "runner/process/process_report.h"
#include "tests/unit/text_file.h"

enum { FAKE_PID = 7 };

static inline void
fake_folder(struct arena *a, struct str name)
{
	if (!directory_make(a, path_join(a, text_folder(), name).p))
		BUG("no folder");
}

/* name: the path below the folder of the process, whose parent folders are made. */
static inline void
fake_file(struct arena *a, const char *name, struct str text)
{
	struct str path = str_fmt(a, "%d/%s", FAKE_PID, name);

	fake_folder(a, path_parent(path));
	(void)text_file(a, path.p, text);
}

static inline void
fake_link(struct arena *a, const char *name, const char *target)
{
	struct str path = str_fmt(a, "%d/%s", FAKE_PID, name);

	fake_folder(a, path_parent(path));
	path = path_join(a, text_folder(), path);
	(void)unlink(path.p);
	if (symlink(target, path.p) != 0)
		BUG("no symbolic link");
}

/* The report of the process. */
static inline struct str
fake_report(struct arena *a)
{
	struct proc_folder f = {.all = opendir(text_folder().p), .spare = -1};
	struct buf out = {.arena = a};
	int pid = FAKE_PID;

	if (!f.all)
		BUG("the folder cannot be read");
	process_report(&f, &pid, 1, &out);
	proc_folder_close(&f);
	return buf_as_str(&out);
}

#endif
