/*
 * ctest's options: one const table of spellings, arguments, setters and summaries.
 * Parsing, --help, --completion and the help check walk it. ctest(1).
 */
#ifndef CCTR_COMPAT_COMMAND_LINE_OPTION_TABLE_H
#define CCTR_COMPAT_COMMAND_LINE_OPTION_TABLE_H

#include "compat/options/option_parse.h"

enum option_arity { TAKES_NOTHING, TAKES_ONE, TAKES_OPTIONAL };
/* How an option takes its value until 3.31, and what happens without a value. */
enum {
	NEXT = 1, /* the next word is the value, whatever it is */
	EQUALS = 2, /* --name=value */
	GLUED = 4, /* -j4; in both generations of the parser */
	MUST = 8, /* without a value: an error; else silence */
	REQUIRES = 16, /* since 4.0 a missing value has the older error text */
	TO_END = 32, /* takes all words after it */
	TO_BUILD_END = 64, /* the same, up to --build-target or --test-command */
	TAKES_TWO = 128, /* takes the next two words */
	TAKES_SOME = 256, /* since 3.30 unknown if no word follows */
	OWN = 512, /* cctr's: in all releases read as since 4.0 */
	ONCE = 1024, /* of OWN: for one call, and so not in cctr.yaml */
	/* Until 3.31, or until 3.29, it is looked for after the others, in the last word
	 * that one of them took: what is its name can be their value, too. */
	LATE = 2048,
	LATE_TO_3_29 = 4096,
	BEGINS = 8192 /* until 3.31 every word that begins with its name */
};

/* The end of the summary of a row of OWN. */
#define OWN_MARK " (cctr)"

struct option_row {
	const char *names[2];
	const char *value;
	const char *summary;
	enum option_arity arity;
	int forms;
	option_setter *set;
	size_t offset; /* of the member in struct options, for plain setters */
	enum dialect_feature since; /* DIALECT_FEATURES: in all releases */
};

extern const struct option_row option_rows[];
extern const size_t option_rows_n;

/* Words that are commands where they come first, and cctr is not called as ctest. */
struct command_row {
	const char *name, *summary;
	const char *verbs; /* "<runs|ps>": what its first operand is, or NULL */
	const char *operands; /* the others: "<test>", "<file>" or NULL */
	bool is_alone; /* it takes none of cctr's other options */
	const struct option_row *options; /* that only it has, up to one without a name */
};
extern const struct command_row command_rows[];
extern const size_t command_rows_n;

bool option_row_is_in(const struct option_row *row, const struct dialect *dialect);

/* Whether the path of the program, argv[0], ends with "ctest". */
bool is_called_ctest(const char *program);
/* The texts of --help and --version: option_help.c. */
struct str option_help_text(
	const struct option_parse *p, enum help_request request, const char *program);
/* Looks for a help option anywhere in the command line. true: found, and the help was
 * printed. */
bool option_documentation(struct option_parse *p, int argc, char *const *argv, bool *ok);

/* A manual of cctr's own, such as "cctr-files" or "cctr(1)": option_manual.c. false:
 * there is no such manual. */
bool option_manual_find(struct arena *a, struct str manual, struct str *path);
/* Its text, with the pages that it includes. false leaves errno and the file's name. */
bool option_manual_read(
	struct arena *a, struct str path, struct str *text, struct str *failed);

/* --completion: option_completion.c. */
option_setter option_set_completion;

#endif
