/* A file that has a text, for what reads files by their names. */
#ifndef CCTR_TESTS_UNIT_TEXT_FILE_H
#define CCTR_TESTS_UNIT_TEXT_FILE_H

#include <stdio.h>

#include "runner/base/base.h"

/* The path of one nameless file, which a later call overwrites. */
static inline struct str
text_file(struct arena *a, struct str text)
{
	static FILE *file;

	if (file)
		fclose(file);
	file = tmpfile();
	if (!file || fwrite(text.p, 1, text.n, file) != text.n || fflush(file) != 0)
		BUG("a temporary file cannot be written");
	return str_fmt(a, "/dev/fd/%d", fileno(file));
}

#endif
