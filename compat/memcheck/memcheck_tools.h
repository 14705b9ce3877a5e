/*
 * The memory checkers that tests can be run by: ctest(1), "CTest MemCheck Step". Which
 * one the configuration asks for, and the words that stand before a test's command.
 */
#ifndef CCTR_COMPAT_MEMCHECK_MEMCHECK_TOOLS_H
#define CCTR_COMPAT_MEMCHECK_MEMCHECK_TOOLS_H

#include "compat/memcheck/memcheck_log.h"

struct configuration;
struct console;

/* Where a checker leaves what it has to say of a test. */
enum memcheck_place {
	PLACE_FILE, /* in one file */
	PLACE_FILES, /* in a file per process: the name, '.' and a number */
	PLACE_LISTED, /* in a file that another one names: Dr. Memory */
	PLACE_XML /* in one file of XML */
};

/* In words '@' is the directory for temporary files, '#' the number of the test and '%'
 * the file of suppressions. */
struct memcheck_tool {
	const char *style; /* MemoryCheckType, and Checker of DynamicAnalysis.xml */
	const char *file_names[2]; /* a part of the command's file name */
	const char *command_key, *options_key;
	const char *options; /* without any other */
	const char *before[4]; /* words between the command and the options */
	const char *behind[2];
	const char *suppression[2];
	const char *last;
	const char *directories[2]; /* made before each test */
	bool looks_for_suppressions; /* the file must be there */
	bool has_faults; /* its defects are those of the fixed list */
	/* A sanitizer: its options go into this variable, and there is no command. */
	const char *variable;
	const char *shape; /* of its reports */
	enum memcheck_place place;
	const char *log; /* where people find it */
	memcheck_reader *reader;
};

struct memcheck {
	const struct memcheck_tool *tool;
	struct str shown; /* the command as it was given */
	const char *path; /* what is executed; NULL: it was not found */
	struct str_list options; /* split */
	struct str sanitizer_options;
	struct str suppressions; /* "" */
	struct str directory; /* for temporary files */
};

/* false, which is said, where there is none, or none that is known. */
bool memcheck_choose(struct memcheck *m, struct arena *a, const struct configuration *c,
	struct console *console);
/* Where none is asked for: no words, no log. */
void memcheck_choose_none(struct memcheck *m);
/* All words before the test's own, the command first; makes the folders that they name.
 */
struct str_list memcheck_words(
	const struct memcheck *m, struct arena *a, unsigned number);
/* The same as it is said under -V. */
struct str memcheck_line(
	const struct memcheck *m, struct arena *a, struct str_list words);
/* The path of a word of the tool; number is "7" or "<#>". */
struct str memcheck_path(
	const struct memcheck *m, struct arena *a, const char *word, struct str number);

#endif
