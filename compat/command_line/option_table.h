/*
 * ctest's options: one const table of spellings, arguments, setters and summaries.
 * Parsing, --help, --completion and the help check walk it. ctest(1).
 */
#ifndef CCTR_COMPAT_COMMAND_LINE_OPTION_TABLE_H
#define CCTR_COMPAT_COMMAND_LINE_OPTION_TABLE_H

#include "compat/options/option_parse.h"

enum option_arity { TAKES_NOTHING, TAKES_ONE, TAKES_OPTIONAL };
/* Forms of the older generation (until 3.31), and what it says without a value. */
enum {
	NEXT = 1, /* the next word is the value, whatever it is */
	EQUALS = 2, /* --name=value */
	GLUED = 4, /* -j4; in both generations */
	MUST = 8, /* without a value: an error, not silence */
	REQUIRES = 16, /* the newer generation has the older one's text for that */
	TO_END = 32, /* all words behind it are its own */
	TO_BUILD_END = 64, /* the same, but for --build-target and --test-command */
	TAKES_TWO = 128, /* so are the next two */
	TAKES_SOME = 256 /* in the newer generation unknown with nothing behind it */
};

struct option_row {
	const char *names[2];
	const char *value;
	const char *summary;
	enum option_arity arity;
	int forms;
	bool (*set)(struct option_parse *p, const struct option_use *use);
	size_t offset; /* of the member in struct options, for plain setters */
	enum dialect_feature since; /* DIALECT_FEATURES: in all releases */
};

extern const struct option_row option_rows[];
extern const size_t option_rows_n;

bool option_row_is_in(const struct option_row *row, const struct dialect *dialect);

/* Of --help and --version: option_help.c. */
struct str option_help_text(
	const struct option_parse *p, enum help_request request, const char *program);
/* Help anywhere in the command line: says it and true. */
bool option_documentation(struct option_parse *p, int argc, char *const *argv, bool *ok);

/* --completion: option_completion.c. */
bool option_set_completion(struct option_parse *p, const struct option_use *use);

/* program: "ctest" or "cctr". */
void option_help(struct buf *out, const struct dialect *dialect, const char *program);

/* The table, for tests and documentation; false when i is behind the last row. */
struct option_info {
	const char *name, *alias; /* alias may be NULL */
	const char *value; /* NULL: takes none */
	const char *summary; /* NULL: accepted, not shown */
};
bool option_row_info(size_t i, struct option_info *info);

#endif
