/* Runs a command of a build, and records its result. See launcher.h. */
#include "compat/dashboard/build/launcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/console/report_text.h"
#include "compat/dashboard/build/launcher_fragment.h"
#include "runner/base/atomic_file.h"
#include "compat/instrument/snippet.h"
#include "runner/base/files.h"
#include "runner/base/streams.h"
#include "runner/cmakelang/dialect.h"

enum { EXIT_FAILED = 1 };

struct hearing {
	struct buf out, err;
};

/* ---- the command line ------------------------------------------------------------ */

static int
exit_code_of(const struct launched *l)
{
	return l->end.ending == COMMAND_EXITED ? l->end.exit_code : EXIT_FAILED;
}

static struct str *
value_of(struct launched *l, const char *option)
{
	const struct {
		const char *name;
		struct str *value;
	} known[] = {
		{"--target-name", &l->target_name},
		{"--target-type", &l->target_type},
		{"--build-dir", &l->build_directory},
		{"--current-build-dir", &l->current_directory},
		{"--object-dir", &l->object_directory},
		{"--output", &l->output},
		{"--source", &l->source},
		{"--language", &l->language},
		{"--filter-prefix", &l->filter_prefix},
		{"--command-type", &l->command_type},
		{"--role", &l->role},
		{"--config", &l->configuration},
		{"--target-labels", &l->target_labels},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(str_of(option), known[i].name))
			return known[i].value;
	return NULL;
}

/* Unknown words are ignored, and so is an option that another option follows: it has no
 * value. false: there is no "--" before the command. */
static bool
parse_words(struct arena *a, int argc, char *const *argv, struct launched *l)
{
	str_vec words = {0};
	struct str *value = NULL;
	int at = 2;

	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		struct str *next = value_of(l, argv[at]);

		if (!next && value)
			*value = str_of(argv[at]);
		value = next;
	}
	for (int i = at + 1; i < argc; i++)
		VEC_PUSH(a, &words, str_of(argv[i]));
	l->words = str_vec_list(&words);
	if (str_is(l->language, "CXX"))
		l->language = STR("C++");
	return at < argc;
}

/* ---- the command ----------------------------------------------------------------- */

static void
hear_output(void *context, bool is_error, struct str bytes)
{
	struct hearing *h = context;

	streams_put(is_error ? STREAM_ERROR : STREAM_OUTPUT, bytes);
	buf_str(is_error ? &h->err : &h->out, bytes);
}

/* *h: all output of the command if is_wanted or logs is not empty; else the command has
 * cctr's own streams. */
static void
run_command(struct arena *a, struct launched *l, struct str logs, bool is_wanted,
	struct hearing *h)
{
	struct command c = {.words = l->words,
		.timeout_ns = NO_TIMEOUT,
		.is_unguarded = true,
		.streams = logs.n || is_wanted ? STREAMS_APART : STREAMS_INHERITED,
		.output = hear_output,
		.context = h};

	*h = (struct hearing){{.arena = a}, {.arena = a}};
	l->end = command_run(&c);
	/* ctest keeps the output in files in logs; without this directory it has none. */
	if (path_is_directory(str_z(a, logs))) {
		l->out = buf_as_str(&h->out);
		l->err = buf_as_str(&h->err);
	}
}

/* ---- instrumentation ------------------------------------------------------------- */

/* "a,b": a, b; a comma at the end adds nothing. */
static struct str_list
comma_list(struct arena *a, struct str text)
{
	str_vec items = {0};

	while (text.n)
		VEC_PUSH(a, &items, str_take(&text, ','));
	return str_vec_list(&items);
}

/* What is known of the command before it runs. */
static struct snippet
snippet_of(struct arena *a, const struct launched *l, const struct instrumentation *i)
{
	struct snippet s = {
		.directory = l->directory,
		.role = str_z(a, l->role.n ? l->role : l->command_type),
		.command = snippet_command(a, i->dialect, l->words),
		.config = l->configuration,
		.language = l->language,
		.source = l->source,
		.target =
			str_is(l->target_name, "TARGET_NAME") ? STR("") : l->target_name,
		.target_type = l->target_type,
		.has_content = true,
		.has_outputs = true,
		.outputs = comma_list(a, l->output),
		.labels = comma_list(a, l->target_labels),
	};

	s.has_labels = strcmp(s.role, "link") == 0;
	s.has_config = s.has_labels || strcmp(s.role, "compile") == 0 ||
		       (i->dialect->has[DIALECT_INSTRUMENTATION_OPTIONS] &&
			       (strcmp(s.role, "custom") == 0 ||
				       strcmp(s.role, "install") == 0));
	return s;
}

static void
write_snippet(struct arena *a, const struct instrumentation *i, const struct snippet *s,
	const struct snippet_start *start)
{
	if (!snippet_write(a, i, s, start).p)
		streams_put(STREAM_ERROR,
			str_fmt(a, "cctr: cannot record the command in %.*s: %s\n",
				STR_ARG(i->data), strerror(errno)));
}

static void
run_and_record(struct arena *a, struct launched *l, struct str logs,
	const struct instrumentation *i)
{
	struct snippet s = snippet_of(a, l, i);
	bool has_trace =
		i->options[OPTION_COMPILE_TRACE] && strcmp(s.role, "compile") == 0;
	struct compile_trace trace;
	struct hearing heard;
	struct snippet_start start;

	if (has_trace) {
		trace = compile_trace_find(a, i, l->words, s.outputs);
		s.trace = &trace;
	}
	s.has_output = i->options[OPTION_CAPTURE_OUTPUT];
	start = snippet_begin(i);
	run_command(a, l, logs, s.has_output, &heard);
	s.out = buf_as_str(&heard.out);
	s.err = buf_as_str(&heard.err);
	s.result = exit_code_of(l);
	if (l->end.ending != COMMAND_INTERRUPTED)
		write_snippet(a, i, &s, &start);
}

/* Runs the command, and records it if the tree has a query. */
static void
run_recorded(struct arena *a, struct launched *l, struct str logs)
{
	struct instrumentation *i = NULL;
	struct dialect dialect;
	struct hearing unused;

	if (instrumentation_may_exist(a, l->build_directory)) {
		dialect = instrument_dialect(a, l->build_directory);
		i = instrumentation_read(a, &dialect, l->build_directory);
	}
	if (!i || !i->is_asked) {
		run_command(a, l, logs, false, &unused);
		return;
	}
	streams_put(STREAM_ERROR, i->messages);
	run_and_record(a, l, logs, i);
}

/* ---- the fragment ---------------------------------------------------------------- */

/* The build continues without it. false: it was not written. */
static bool
write_fragment(struct arena *a, const char *path, struct str text)
{
	struct str directory = path_parent(str_of(path));

	if (directory_make(a, str_z(a, directory)) && file_write(a, path, ".tmp", text))
		return true;
	streams_put(STREAM_ERROR, report_not_opened(a, path, errno));
	return false;
}

static void
note_command(struct arena *a, struct launched *l, struct str logs)
{
	struct buf complaint = {.arena = a}, text = {.arena = a}, unread = {.arena = a};
	struct launch_rules *rules;
	bool is_whole = true;

	l->unread = &unread;
	rules = launch_rules_open(a, l, logs, &complaint);
	streams_put(STREAM_OUTPUT, buf_as_str(&complaint));
	if (launched_failed(l) || launched_warned(l, rules)) {
		launched_fragment(&text, l, rules, logs);
		is_whole =
			write_fragment(a, launched_path(a, l, logs).p, buf_as_str(&text));
	}
	launch_rules_close(rules);
	streams_put(STREAM_ERROR, buf_as_str(&unread));
	if (!is_whole || unread.n)
		unlink(path_join(a, logs, STR(LAUNCH_WHOLE)).p);
}

static int
run_launcher(
	struct arena *a, int argc, char *const *argv, struct str logs, int *interrupted)
{
	struct launched l = {.directory = path_here(a)};
	struct dialect dialect;

	*interrupted = 0;
	if (argc < 3) {
		streams_put(STREAM_ERROR, STR("ctest --launch: this mode is for internal "
					      "CTest use only\n"));
		return EXIT_FAILED;
	}
	if (!parse_words(a, argc, argv, &l)) {
		streams_put(
			STREAM_ERROR, STR("No launch/command separator ('--') found!\n"));
		return EXIT_FAILED;
	}
	if (!l.words.n || str_is(l.words.v[0], ":"))
		return 0;
	run_recorded(a, &l, logs);
	if (command_has_error(&l.end)) {
		dialect = instrument_dialect(a, l.build_directory);
		l.start_error = report_start_error(a, &dialect, l.end.error);
	}
	if (l.end.ending == COMMAND_INTERRUPTED)
		*interrupted = l.end.signal;
	else if (logs.n)
		note_command(a, &l, logs);
	return exit_code_of(&l);
}

bool
launcher_command(
	struct arena *a, int argc, char *const *argv, int *code, int *interrupted)
{
	const char *mode = argc > 1 ? argv[1] : "";
	bool is_launch = strcmp(mode, "--launch") == 0;
	struct str logs = is_launch ? str_of(getenv(LAUNCH_VARIABLE)) : STR("");

	INVARIANT(code && interrupted);
	if (!is_launch && strcmp(mode, "--instrument") != 0)
		return false;
	*code = run_launcher(a, argc, argv, logs, interrupted);
	return true;
}
