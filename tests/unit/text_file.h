/* Files that have a text, for what reads and writes files. */
#ifndef CCTR_TESTS_UNIT_TEXT_FILE_H
#define CCTR_TESTS_UNIT_TEXT_FILE_H

#include <stdlib.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"

/* A folder of this process, which is removed at its end. */
static char text_folder_name[] = "/tmp/cctr-text-XXXXXX";

static inline void
remove_text_folder(void)
{
	struct arena *a = arena_open();

	if (!tree_remove(a, text_folder_name))
		BUG("a temporary folder cannot be removed");
	arena_close(a);
}

static inline struct str
text_folder(void)
{
	static bool is_made;

	if (!is_made && (!mkdtemp(text_folder_name) || atexit(remove_text_folder) != 0))
		BUG("no temporary folder");
	is_made = true;
	return str_of(text_folder_name);
}

/* The path of the file with this name in the folder, after writing the text to it. */
static inline struct str
text_file(struct arena *a, const char *name, struct str text)
{
	struct str path = path_join(a, text_folder(), str_of(name));

	if (!file_write(a, path.p, ".tmp", text))
		BUG("a temporary file cannot be written");
	return path;
}

#endif
