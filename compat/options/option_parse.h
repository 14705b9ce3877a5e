/* One setter function for each option of the command line, and what the setters share. */
#ifndef CCTR_COMPAT_OPTIONS_OPTION_PARSE_H
#define CCTR_COMPAT_OPTIONS_OPTION_PARSE_H

#include "compat/options/options.h"

struct option_parse {
	struct arena *a;
	const struct dialect *dialect;
	struct options *o;
	options_messages *messages;
	bool has_separator; /* "--" was there */
};

struct option_row;

/* One use of an option: how it was spelled, and its value if it has one. */
struct option_use {
	const struct option_row *row;
	struct str spelled;
	bool has_value;
	bool is_cut_off; /* "--name=" with nothing after it, since 4.0 */
	bool is_glued; /* "-j4" */
	struct str value;
	struct str_list rest; /* of TO_END and the like: the words after the option */
};

/* Sets what the option says. false: after a message. */
typedef bool option_setter(struct option_parse *p, const struct option_use *use);

/* Prints "CMake Error: " and the text. Always false. */
bool option_error(struct option_parse *p, const char *fmt, ...) CCTR_PRINTF(2, 3);
void option_say(struct option_parse *p, bool to_stderr, struct str text);
/* Prints to standard error, unless -Q came before. */
void option_complain(struct option_parse *p, bool is_warning, struct str text);

/* Options of a run: option_run.c. */
option_setter option_set_parallel, option_set_repeat, option_set_repeat_until_fail,
	option_set_stop_time, option_set_test_load, option_set_overwrite,
	option_set_simulate, option_set_reserve, option_set_default_timeout,
	option_set_timeout_multiplier, option_set_flaky, option_set_share_host,
	option_set_slow_after, option_set_shard, option_set_history,
	option_set_history_keep, option_set_debug, option_set_wrapper,
	option_set_pass_through;

/* Where tests run: option_engine.c. */
option_setter option_set_engine, option_set_backend_opt, option_set_launcher,
	option_set_nodes, option_set_node_timeout;
/* The value of --engine. false: there is no such engine; after a message that names the
 * option, or the variable, as `spelled`. */
bool option_read_engine(struct option_parse *p, struct str spelled, struct str value);

/* --build-and-test: option_build.c. */
option_setter option_set_build_and_test;

/* Options of a dashboard: option_dashboard.c. */
option_setter option_set_dashboard, option_set_model, option_set_action, option_set_notes,
	option_set_extra_submit;

/* Options of scripts: option_script.c. */
option_setter option_set_script, option_set_script_process, option_set_script_run;

/* Options of the resource pool: option_resources.c. */
option_setter option_set_resource, option_set_oversubscribe, option_set_show_resources,
	option_set_partition, option_set_private_tmp;

#endif
