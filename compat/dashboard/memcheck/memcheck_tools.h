/*
 * The memory checkers that can run tests: ctest(1), "CTest MemCheck Step". Finds the one
 * that the configuration requests, and the words before a test's command.
 */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_TOOLS_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_TOOLS_H

#include "compat/dashboard/memcheck/memcheck_log.h"
#include "compat/launch/wrapper.h"

/* Where a checker writes its report about a test. */
enum memcheck_place {
	PLACE_FILE, /* in one file */
	PLACE_FILES, /* in one file per process: the name, '.' and a number */
	PLACE_LISTED, /* in a file whose name is in another file: Dr. Memory */
	PLACE_XML /* in one file of XML */
};

/* In words '@' means the directory for temporary files, '#' the number of the test and
 * '%' the suppressions file. */
struct memcheck_tool {
	const char *style; /* MemoryCheckType, and Checker of DynamicAnalysis.xml */
	const char *file_names[2]; /* a part of the command's file name */
	const char *command_key;
	const char *options; /* the default options */
	const char *before[4]; /* words between the command and the options */
	const char *behind[2];
	const char *suppression[2];
	const char *last;
	const char *directories[2]; /* made before each test */
	bool looks_for_suppressions; /* the file must exist */
	bool has_faults; /* its defects are from the fixed list */
	/* For a sanitizer: its options go into this variable, and there is no command. */
	const char *variable;
	const char *shape; /* of its reports */
	enum memcheck_place place;
	const char *log; /* where users find it */
	memcheck_reader *reader;
};

struct memcheck {
	struct wrapper wrapper; /* memcheck_wrapper_type; the others are set by choose */
	const struct memcheck_tool *tool;
	struct str_list options; /* split */
	struct str sanitizer_options;
	struct str suppressions; /* "" */
	struct str start; /* where relative names are: path_in */
	struct str directory; /* for temporary files */
	bool is_quiet; /* a missing checker is not reported */
};

extern const struct wrapper_type memcheck_wrapper_type;

/* The path in a word of the tool. number: "7" or "<#>". */
struct str memcheck_path(
	const struct memcheck *m, struct arena *a, const char *word, struct str number);

#endif
