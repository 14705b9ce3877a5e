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

/* Prints "CMake Error: " and the text. Always false. */
bool option_error(struct option_parse *p, const char *fmt, ...) CCTR_PRINTF(2, 3);
void option_say(struct option_parse *p, bool to_stderr, struct str text);
/* Prints to standard error, unless -Q came before. */
void option_complain(struct option_parse *p, bool is_warning, struct str text);

/* Options of a run: option_run.c. */
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
bool option_set_default_timeout(struct option_parse *p, const struct option_use *use);
bool option_set_timeout_multiplier(struct option_parse *p, const struct option_use *use);
bool option_set_annotations(struct option_parse *p, const struct option_use *use);
bool option_set_flaky(struct option_parse *p, const struct option_use *use);
bool option_set_share_host(struct option_parse *p, const struct option_use *use);
bool option_set_slow_after(struct option_parse *p, const struct option_use *use);
bool option_set_ui(struct option_parse *p, const struct option_use *use);
bool option_set_shard(struct option_parse *p, const struct option_use *use);
bool option_set_history(struct option_parse *p, const struct option_use *use);
bool option_set_history_keep(struct option_parse *p, const struct option_use *use);
bool option_set_debug(struct option_parse *p, const struct option_use *use);
bool option_set_wrapper(struct option_parse *p, const struct option_use *use);
bool option_set_pass_through(struct option_parse *p, const struct option_use *use);

/* Where tests run: option_engine.c. */
bool option_set_engine(struct option_parse *p, const struct option_use *use);
/* The value of --engine. false: there is no such engine; after a message that names the
 * option, or the variable, as `spelled`. */
bool option_read_engine(struct option_parse *p, struct str spelled, struct str value);
bool option_set_backend_opt(struct option_parse *p, const struct option_use *use);
bool option_set_launcher(struct option_parse *p, const struct option_use *use);
bool option_set_nodes(struct option_parse *p, const struct option_use *use);
bool option_set_node_timeout(struct option_parse *p, const struct option_use *use);

/* --build-and-test and what belongs to it: option_build.c. */
bool option_set_build_and_test(struct option_parse *p, const struct option_use *use);
bool option_set_build_target(struct option_parse *p, const struct option_use *use);
bool option_set_build_options(struct option_parse *p, const struct option_use *use);
bool option_set_test_command(struct option_parse *p, const struct option_use *use);
bool option_set_test_timeout(struct option_parse *p, const struct option_use *use);

/* Options of a dashboard: option_dashboard.c. */
bool option_set_dashboard(struct option_parse *p, const struct option_use *use);
bool option_set_model(struct option_parse *p, const struct option_use *use);
bool option_set_action(struct option_parse *p, const struct option_use *use);
bool option_set_notes(struct option_parse *p, const struct option_use *use);
bool option_set_extra_submit(struct option_parse *p, const struct option_use *use);

/* Options of scripts: option_script.c. */
bool option_set_script(struct option_parse *p, const struct option_use *use);
bool option_set_script_host(struct option_parse *p, const struct option_use *use);
bool option_set_script_process(struct option_parse *p, const struct option_use *use);

/* Options of a submission: option_submit.c. */
bool option_set_submit_index(struct option_parse *p, const struct option_use *use);
bool option_set_http_1_0(struct option_parse *p, const struct option_use *use);
bool option_add_http_header(struct option_parse *p, const struct option_use *use);

/* Options of the resource pool: option_resources.c. */
bool option_set_resource(struct option_parse *p, const struct option_use *use);
bool option_set_oversubscribe(struct option_parse *p, const struct option_use *use);
bool option_set_show_resources(struct option_parse *p, const struct option_use *use);
bool option_set_partition(struct option_parse *p, const struct option_use *use);
bool option_set_insufficient(struct option_parse *p, const struct option_use *use);
bool option_set_gpu_backend(struct option_parse *p, const struct option_use *use);
bool option_set_placement(struct option_parse *p, const struct option_use *use);
bool option_set_telling(struct option_parse *p, const struct option_use *use);
bool option_set_control(struct option_parse *p, const struct option_use *use);
bool option_set_private_tmp(struct option_parse *p, const struct option_use *use);
bool option_set_no_spec(struct option_parse *p, const struct option_use *use);

#endif
