/*
 * The words of `cctr compare`, and the order of its work: two runs with copies of the
 * same files, and where something differs, a second run of ctest, which shows what
 * differs from run to run. See compare.h.
 */
#include "compat/compare/compare.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compat/command_line/command_line.h"
#include "compat/command_line/option_table.h"
#include "compat/compare/findings.h"
#include "compat/presets/presets.h"
#include "runner/base/files.h"
#include "runner/base/streams.h"
#include "runner/process/install_paths.h"

enum { CODE_EQUAL = 0, CODE_DIFFERENT = 1, CODE_UNABLE = 2 };

static const char usage[] =
	"Usage: cctr compare [--with <ctest>] [<option of ctest>...]\n"
	"\n"
	"  Runs the tests of this build tree by ctest and by cctr, with the same "
	"options, and\n"
	"  shows what differs in text, files and exit code, apart from times and dates.\n"
	"\n"
	"  --with <ctest>   the program to compare with; default: the ctest in PATH\n";

struct client {
	struct arena *arena;
	struct str with; /* the other program */
	str_vec words; /* the options of both */
	struct str version; /* "3.25.1": of the other program */
	struct dialect dialect;
	struct options options; /* as the other program reads them */
	struct str tree;
	str_vec paths; /* what is set aside: Testing first */
	struct diag diag;
	int interrupted;
};

/* ---- the words ------------------------------------------------------------------- */

static bool
read_words(struct client *c, struct str_list words)
{
	for (size_t i = 0; i < words.n; i++) {
		struct str word = words.v[i];

		if (str_begins(word, STR("--with=")))
			c->with = str_from(word, 7);
		else if (!str_is(word, "--with"))
			VEC_PUSH(c->arena, &c->words, word);
		else if (i + 1 < words.n)
			c->with = words.v[++i];
		else
			return diag_error(&c->diag, NO_PLACE, "--with lacks its value");
	}
	return true;
}

/* ---- the other program ----------------------------------------------------------- */

static void
keep_text(void *context, bool is_error, struct str bytes)
{
	if (!is_error)
		buf_str(context, bytes);
}

static bool
find_program(struct client *c)
{
	struct str name = c->with.n ? c->with : STR("ctest");
	int error = command_locate(c->arena, name, NULL, &c->with);

	if (error && c->with.n)
		return diag_error(
			&c->diag, (struct place){.file = c->with}, "%s", strerror(error));
	return c->with.n ||
	       diag_error(&c->diag, (struct place){.file = name},
		       "there is no such program in PATH; name one by --with");
}

/* The text that the program prints for the option; false: it does not end well, which is
 * recorded where not the program is the reason. */
static bool
ask_program(struct client *c, struct str option, struct str *text)
{
	struct buf out = {.arena = c->arena};
	struct str words[] = {c->with, option};
	struct command command = {.words = {words, 2},
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_APART,
		.output = keep_text,
		.context = &out};
	struct command_end end = command_run(&command);

	if (end.ending == COMMAND_INTERRUPTED)
		c->interrupted = end.signal;
	if (command_has_error(&end))
		diag_system(
			&c->diag, c->with, "cannot be asked for its version", end.error);
	*text = buf_as_str(&out);
	return command_succeeded(&end);
}

/* "ctest version 3.25.1" */
static bool
ask_version(struct client *c)
{
	const struct place at = {.file = c->with};
	struct str text, line, help;
	bool is_answered = ask_program(c, STR("--version"), &text) &&
			   str_take_line(&text, &line) &&
			   str_begins(line, STR("ctest version "));

	if (c->interrupted || c->diag.errors)
		return false;
	if (!is_answered)
		return diag_error(&c->diag, at,
			"is no ctest: it does not answer --version with \"ctest version "
			"...\"");
	is_answered = ask_program(c, STR("--help"), &help);
	if (c->interrupted || c->diag.errors)
		return false;
	if (is_answered && str_has(help, STR("cctr")))
		return diag_error(
			&c->diag, at, "is cctr itself: name CMake's ctest by --with");
	c->version = str_from(line, strlen("ctest version "));
	c->version = str_cut(c->version.p, str_find(c->version, '-'));
	return true;
}

/* ---- the options ----------------------------------------------------------------- */

static bool
refuse_own(struct client *c)
{
	const char *name = c->options.own_uses.v[0].name;

	return diag_error(&c->diag, NO_PLACE,
		"%s is cctr's own, which ctest does not know: set it in cctr.yaml or by "
		"its variable",
		name);
}

/* What does more than to run tests would do it twice. */
static bool
check_options(struct client *c)
{
	const unsigned tests = 1u << PART_START | 1u << PART_TEST | 1u << PART_COVERAGE |
			       1u << PART_MEMCHECK;
	const struct options *o = &c->options;

	if (o->help != HELP_NONE)
		return diag_error(&c->diag, NO_PLACE, "these options run no tests");
	if (o->script.requests.n || o->build.is_asked || o->dashboard.parts & ~tests)
		return diag_error(&c->diag, NO_PLACE,
			"only tests are compared: of dashboards the steps Start, Test, "
			"Coverage and MemCheck, no scripts, no --build-and-test");
	return !o->own_uses.n || refuse_own(c);
}

static char **
words_for(struct client *c, size_t *n)
{
	char **argv = NEW_ARRAY(c->arena, char *, c->words.n + 2);

	*n = c->words.n + 1;
	argv[0] = str_own(STR("ctest"));
	for (size_t i = 0; i < c->words.n; i++)
		argv[i + 1] = str_own(str_dup(c->arena, c->words.v[i]));
	return argv;
}

static bool
parse_options(struct client *c)
{
	options_messages messages = {0};
	size_t n;
	char **argv = words_for(c, &n);
	const struct presets *presets =
		presets_read(c->arena, &c->dialect, (int)n, argv, NULL);
	struct str tree = presets_build_directory(c->arena, presets);

	/* Without options ctest looks for a test file first; both programs will. */
	if (n > 1 && !command_line_parse(c->arena, &c->dialect, presets, (int)n, argv,
			     &c->options, &messages)) {
		for (size_t i = 0; i < messages.n; i++)
			streams_put(STREAM_ERROR, messages.v[i].text);
		return diag_error(&c->diag, NO_PLACE,
			"ctest %.*s does not understand these options",
			STR_ARG(c->version));
	}
	c->tree = path_join(c->arena, path_here(c->arena),
		c->options.tree.test_dir.n ? c->options.tree.test_dir : tree);
	return check_options(c);
}

static bool
choose_dialect(struct client *c)
{
	return dialect_choose(
		&c->dialect, c->arena, c->version, NULL, STR_NONE, &c->diag);
}

/* ---- what they write ------------------------------------------------------------- */

static bool
is_below(struct str path, struct str folder)
{
	return str_begins(path, folder) && path.n > folder.n && path.p[folder.n] == '/';
}

static void
add_path(struct client *c, struct str directory, struct str name)
{
	struct str path = path_join(c->arena, directory, name);

	if (name.n && !is_below(path, c->paths.v[0]))
		VEC_PUSH(c->arena, &c->paths, str_dup(c->arena, path));
}

static void
find_paths(struct client *c)
{
	VEC_PUSH(c->arena, &c->paths, path_join(c->arena, c->tree, STR("Testing")));
	add_path(c, path_here(c->arena), c->options.console.output_log);
	add_path(c, c->tree, c->options.report.junit);
}

static bool
has_parallel_level(void)
{
	const char *level = getenv("CTEST_PARALLEL_LEVEL");

	return level && strcmp(level, "1") != 0;
}

static bool
is_unordered(const struct client *c)
{
	const struct schedule_options *o = &c->options.schedule;

	return o->parallel > 1 || o->parallel_is_chosen || o->random ||
	       has_parallel_level();
}

/* ---- the runs -------------------------------------------------------------------- */

/* Without those that are ignored, by nohup(1) for example. */
static sigset_t
signals_that_end(void)
{
	static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction now;
	sigset_t ends;

	sigemptyset(&ends);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (sigaction(all[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&ends, all[i]);
	return ends;
}

/* Signals wait while files are away from their places; command_run lets them through.
 * 0: none has come. */
static int
take_signal(const sigset_t *ends)
{
	const struct timespec now = {0};
	int signal = sigtimedwait(ends, NULL, &now);

	return signal > 0 ? signal : 0;
}

static bool
run_one(struct client *c, const sigset_t *ends, const struct aside *aside,
	struct compare_run *r)
{
	struct buf line = {.arena = c->arena};
	bool ok;

	r->folder = path_join(
		c->arena, aside->folder, str_fmt(c->arena, ASIDE_RUNS "/%s", r->name));
	buf_z(&line, "cctr compare: runs");
	for (size_t i = 0; i < r->words.n; i++)
		buf_fmt(&line, " %.*s", STR_ARG(r->words.v[i]));
	buf_char(&line, '\n');
	streams_put(STREAM_ERROR, buf_as_str(&line));
	if ((c->interrupted = take_signal(ends)) > 0)
		return false;
	r->ends = ends;
	ok = compare_run(c->arena, r, aside, &c->diag);
	if (r->end.ending == COMMAND_INTERRUPTED)
		c->interrupted = r->end.signal;
	return ok;
}

static struct str_list
program_words(struct client *c, struct str program, struct str_list options)
{
	str_vec words = {0};

	VEC_PUSH(c->arena, &words, program);
	VEC_PUSH_ALL(c->arena, &words, options);
	VEC_PUSH_ALL(c->arena, &words, c->words);
	return str_vec_list(&words);
}

static void
add_run(struct buf *out, const struct compare_run *r)
{
	buf_fmt(out, "%-12s exit code %3d %10.2f sec\n", r->name, compare_run_code(r),
		r->seconds);
}

/* The exit code. Tests would see the variables of a control socket. */
static int
compare_runs(struct client *c, const sigset_t *ends, const struct aside *aside)
{
	struct match_set *patterns = match_set_open(c->arena, regex_parse);
	struct str own[] = {
		str_fmt(c->arena, "--compat-version=%.*s", STR_ARG(c->version)),
		STR("--control=off")};
	struct compare_run ctest = {.name = "ctest",
		.words = program_words(c, c->with, (struct str_list){0})};
	struct compare_run again = {.name = "ctest again", .words = ctest.words};
	struct compare_run cctr = {.name = "cctr",
		.words = program_words(
			c, program_path(c->arena), (struct str_list){own, 2})};
	struct findings_request q = {.mask = mask_new(c->arena, patterns),
		.ctest = &ctest,
		.cctr = &cctr,
		.aside = aside,
		.tree = c->tree,
		.output_log = c->options.console.output_log.n
				      ? path_join(c->arena, path_here(c->arena),
						c->options.console.output_log)
				      : STR_NONE,
		.is_unordered = is_unordered(c)};
	struct findings found = {0};
	struct buf out = {.arena = c->arena};
	bool ok = run_one(c, ends, aside, &ctest) && run_one(c, ends, aside, &cctr) &&
		  findings_of(c->arena, &q, &found, &c->diag);

	if (ok && found.differs) {
		q.again = &again;
		ok = run_one(c, ends, aside, &again) &&
		     findings_of(c->arena, &q, &found, &c->diag);
	}
	match_set_close(patterns);
	if (!ok)
		return CODE_UNABLE;
	buf_str(&out, found.text);
	add_run(&out, &ctest);
	add_run(&out, &cctr);
	if (q.again)
		add_run(&out, &again);
	streams_put(STREAM_OUTPUT, buf_as_str(&out));
	return found.differs ? CODE_DIFFERENT : CODE_EQUAL;
}

static int
compare_aside(struct client *c)
{
	struct aside aside;
	struct str folder = path_join(c->arena, c->tree, STR("cctr-compare"));
	sigset_t ends = signals_that_end(), before;
	int code = CODE_UNABLE;

	sigprocmask(SIG_BLOCK, &ends, &before);
	if (aside_open(c->arena, &aside, folder, &c->diag)) {
		streams_put_diag("cctr compare", &c->diag);
		if (aside_take(c->arena, &aside, str_vec_list(&c->paths), &c->diag))
			code = compare_runs(c, &ends, &aside);
		if (!aside_close(c->arena, &aside, &c->diag))
			code = CODE_UNABLE;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

int
compare_client(struct arena *a, struct str_list words, int *interrupted)
{
	struct client c = {.arena = a, .diag = diag_in(a)};
	int code = CODE_UNABLE;

	if (words.n == 1 && (str_is(words.v[0], "--help") || str_is(words.v[0], "-h"))) {
		streams_put(STREAM_OUTPUT, STR(usage));
		return CODE_EQUAL;
	}
	if (read_words(&c, words) && find_program(&c) && ask_version(&c) &&
		choose_dialect(&c) && parse_options(&c)) {
		find_paths(&c);
		code = compare_aside(&c);
	}
	streams_put_diag("cctr compare", &c.diag);
	*interrupted = c.interrupted;
	return code;
}
