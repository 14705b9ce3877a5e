/* What the table of options, its two parsers and --help share. Not for other modules. */
#ifndef CCTR_COMPAT_OPTIONS_TABLE_H
#define CCTR_COMPAT_OPTIONS_TABLE_H

#include "compat/options.h"

struct option_parse {
	struct arena *a;
	const struct dialect *dialect;
	struct options *o;
	options_messages *messages;
	bool has_separator; /* "--" was there */
};

/* One use of an option: how it was spelled, and its value if it has one. */
struct option_use {
	const struct option_row *row;
	struct str spelled;
	bool has_value;
	bool is_cut_off; /* "--name=" and nothing behind it, since 4.0 */
	bool is_glued; /* "-j4" */
	struct str value;
	struct str_list rest; /* of TO_END and the like: the words behind it */
};

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
/* "CMake Error: " and the text; always false. */
bool option_error(struct option_parse *p, const char *fmt, ...) CCTR_PRINTF(2, 3);
void option_say(struct option_parse *p, bool to_stderr, struct str text);
/* To standard error, unless -Q came before. */
void option_complain(struct option_parse *p, bool is_warning, struct str text);
/* As strtol reads a whole text; false when something else is in it. */
bool option_read_long(struct arena *a, struct str text, long *value);
/* The same for strtoul, but without a minus. */
bool option_read_unsigned(struct str text, unsigned long *value);
/* The value of -C as it is meant. */
struct str option_configuration(struct arena *a, struct str text);

/* Options of a run: run_options.c. */
/* -j without a value, or with one. */
bool option_set_parallel(struct option_parse *p, const struct option_use *use);
bool option_set_repeat(struct option_parse *p, const struct option_use *use);
bool option_set_repeat_until_fail(struct option_parse *p, const struct option_use *use);
bool option_set_stop_time(struct option_parse *p, const struct option_use *use);
bool option_set_test_load(struct option_parse *p, const struct option_use *use);
bool option_set_overwrite(struct option_parse *p, const struct option_use *use);
bool option_set_schedule(struct option_parse *p, const struct option_use *use);
bool option_set_simulate(struct option_parse *p, const struct option_use *use);
bool option_set_reserve(struct option_parse *p, const struct option_use *use);
bool option_set_debug(struct option_parse *p, const struct option_use *use);
bool option_set_pass_through(struct option_parse *p, const struct option_use *use);

/* --build-and-test and what belongs to it: build_options.c. */
bool option_set_build_and_test(struct option_parse *p, const struct option_use *use);
bool option_set_build_target(struct option_parse *p, const struct option_use *use);
bool option_set_build_options(struct option_parse *p, const struct option_use *use);
bool option_set_test_command(struct option_parse *p, const struct option_use *use);
bool option_set_test_timeout(struct option_parse *p, const struct option_use *use);

/* Options of a dashboard: dashboard_options.c. */
bool option_set_dashboard(struct option_parse *p, const struct option_use *use);
bool option_set_model(struct option_parse *p, const struct option_use *use);
bool option_set_action(struct option_parse *p, const struct option_use *use);
bool option_set_notes(struct option_parse *p, const struct option_use *use);
bool option_set_extra_submit(struct option_parse *p, const struct option_use *use);

/* Options of scripts: script_options.c. */
bool option_set_script(struct option_parse *p, const struct option_use *use);
bool option_set_script_host(struct option_parse *p, const struct option_use *use);
bool option_set_script_process(struct option_parse *p, const struct option_use *use);

/* Options of a submission: submit_options.c. */
bool option_set_submit_index(struct option_parse *p, const struct option_use *use);
bool option_set_http_1_0(struct option_parse *p, const struct option_use *use);
bool option_add_http_header(struct option_parse *p, const struct option_use *use);

/* --completion: options_completion.c. */
bool option_set_completion(struct option_parse *p, const struct option_use *use);

/* Options of the resource pool: resource_options.c. */
bool option_set_resource(struct option_parse *p, const struct option_use *use);
bool option_set_oversubscribe(struct option_parse *p, const struct option_use *use);
bool option_set_show_resources(struct option_parse *p, const struct option_use *use);
bool option_set_insufficient(struct option_parse *p, const struct option_use *use);
bool option_set_gpu_backend(struct option_parse *p, const struct option_use *use);
bool option_set_placement(struct option_parse *p, const struct option_use *use);
bool option_set_telling(struct option_parse *p, const struct option_use *use);
bool option_set_private_tmp(struct option_parse *p, const struct option_use *use);
bool option_set_no_spec(struct option_parse *p, const struct option_use *use);

/* The same values from the environment; false when the text is not one. */
bool option_read_parallel(
	const struct dialect *dialect, struct str text, struct options *o);
bool option_read_no_tests(struct str text, enum no_tests *action);
/* Of --help and --version: options_help.c. */
struct str option_help_text(
	const struct option_parse *p, enum help_request request, const char *program);
/* Help anywhere in the command line: says it and true. */
bool option_documentation(struct option_parse *p, int argc, char *const *argv, bool *ok);

#endif
