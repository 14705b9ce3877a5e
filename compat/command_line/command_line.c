/*
 * How ctest splits a command line into uses of options. There are two generations.
 *
 * Until 3.31 words are read one by one: a value is always the next word, even if it looks
 * like an option, which some then are, too (is_read_again), and unknown words are
 * ignored. Since 4.0 every option has an arity: --opt VALUE, --opt=VALUE and "--opt
 * VALUE" in one word mean the same, a value that looks like an option is refused, and so
 * is an unknown option (3.30).
 *
 * cctr's own options are read in the second way in all releases, and a misspelled one is
 * refused in all releases. Words that are not near one of them are left to ctest's ways.
 */
#include "compat/command_line/command_line.h"

#include "compat/command_line/option_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compat/presets/presets.h"
#include "runner/base/files.h"
#include "runner/base/nearest.h"
#include "runner/cmakelang/cmake_text.h"

struct words {
	char *const *v;
	int n, at;
};

static bool
is_named(const struct option_row *row, struct str word)
{
	return str_is(word, row->names[0]) ||
	       (row->names[1] && str_is(word, row->names[1]));
}

/* Splits "--name=value" at the separator '=' (or ' '). */
static bool
is_named_with(const struct option_row *row, struct str word, char separator,
	struct option_use *use)
{
	size_t at = str_find(word, separator);
	struct str name = {word.p, at};

	if (at == word.n || !is_named(row, name))
		return false;
	use->spelled = name;
	use->value = str_from(word, at + 1);
	use->has_value = true;
	return true;
}

/* "-j4" */
static bool
is_glued(const struct option_row *row, struct str word, struct option_use *use)
{
	struct str name = str_of(row->names[0]);

	if (!(row->forms & GLUED) || word.n <= name.n || !str_begins(word, name))
		return false;
	use->spelled = name;
	use->value = str_from(word, name.n);
	use->has_value = use->is_glued = true;
	return true;
}

static bool
looks_like_option(const char *word)
{
	return word[0] == '-' && !isdigit((unsigned char)word[1]);
}

/* Whether the option is read as since 4.0. */
static bool
is_read_as_new(const struct option_parse *p, const struct option_row *row)
{
	return row->forms & OWN || p->dialect->has[DIALECT_OPTION_EQUALS_VALUE];
}

static bool
take_next(struct words *w, struct option_use *use)
{
	if (w->at + 1 >= w->n)
		return false;
	use->value = str_of(w->v[++w->at]);
	use->has_value = true;
	return true;
}

/* The words after the option belong to it, up to the end that its row says. */
static void
take_rest(struct option_parse *p, struct words *w, struct option_use *use)
{
	str_vec rest = {0};

	while (w->at + 1 < w->n) {
		struct str next = str_of(w->v[w->at + 1]);

		if (use->row->forms & TAKES_TWO &&
			(rest.n == 2 || (p->dialect->has[DIALECT_OPTION_EQUALS_VALUE] &&
						looks_like_option(w->v[w->at + 1]))))
			break;
		if (use->row->forms & TO_BUILD_END &&
			(str_is(next, "--build-target") ||
				str_is(next, "--test-command")))
			break;
		VEC_PUSH(p->a, &rest, next);
		w->at++;
	}
	use->rest = str_vec_list(&rest);
}

static bool
say_requires(struct option_parse *p, const struct option_use *use)
{
	return option_error(p, "'%.*s' requires an argument", STR_ARG(use->spelled));
}

/* Words after "cctr config", "cctr history", "cctr advise" and "cctr log" are cctr's. */
static bool
is_own_command(const struct options *o)
{
	return o->show_settings || o->show_history || o->show_log;
}

static bool
refuse_unknown(struct option_parse *p, struct str word)
{
	if (is_own_command(p->o))
		return option_error(p, "Unknown argument: %.*s", STR_ARG(word));
	if (!p->dialect->has[DIALECT_UNKNOWN_OPTIONS_REFUSED] || word.n == 0 ||
		word.p[0] != '-')
		return true;
	/* ctest assumes that it has already handled every such word. */
	if (str_begins(word, STR("--preset")))
		return true;
	option_error(p, "Unknown argument: %.*s", STR_ARG(word));
	return option_error(p, "Run 'ctest --help' for all supported options.");
}

/* ---- until 3.31 ------------------------------------------------------------------ */

/* An optional value is the next word too, except for one rule of -j since 3.29. */
static bool
takes_next(
	const struct option_parse *p, const struct words *w, const struct option_row *row)
{
	if (!(row->forms & NEXT) || row->arity == TAKES_NOTHING)
		return false;
	return row->arity == TAKES_ONE ||
	       !p->dialect->has[DIALECT_PARALLEL_WITHOUT_VALUE] || w->at + 1 >= w->n ||
	       w->v[w->at + 1][0] != '-';
}

static bool
match_old(const struct option_row *row, struct str word, struct option_use *use)
{
	if (is_named(row, word) ||
		(row->forms & BEGINS && str_begins(word, str_of(row->names[0]))))
		return row->arity == TAKES_NOTHING || row->arity == TAKES_OPTIONAL ||
		       row->forms & NEXT;
	return (row->forms & EQUALS && is_named_with(row, word, '=', use)) ||
	       is_glued(row, word, use);
}

static bool
use_old(struct option_parse *p, struct words *w, struct option_use *use)
{
	const struct option_row *row = use->row;

	if (!use->has_value && takes_next(p, w, row))
		take_next(w, use);
	if (use->has_value || row->arity != TAKES_ONE)
		return row->set(p, use);
	return row->forms & MUST ? say_requires(p, use) : refuse_unknown(p, use->spelled);
}

/* ---- since 4.0 ------------------------------------------------------------------- */

static bool
match_new(const struct option_row *row, struct str word, struct option_use *use)
{
	if (is_named(row, word))
		return true;
	if (row->arity == TAKES_NOTHING)
		return false;
	if (is_named_with(row, word, '=', use)) {
		use->is_cut_off = use->value.n == 0;
		if (str_begins(use->value, STR(" ")))
			use->value = str_from(use->value, 1);
		return true;
	}
	return is_named_with(row, word, ' ', use) || is_glued(row, word, use);
}

/* "-" is a value of cctr's own options: standard input. */
static bool
can_be_value(const struct option_row *row, const char *word)
{
	return !looks_like_option(word) || (row->forms & OWN && !word[1]);
}

static bool
use_new(struct option_parse *p, struct words *w, struct option_use *use)
{
	const struct option_row *row = use->row;

	if (row->arity == TAKES_NOTHING)
		return row->set(p, use);
	if (!use->has_value && w->at + 1 < w->n && can_be_value(row, w->v[w->at + 1]))
		take_next(w, use);
	if (!use->is_cut_off && (use->has_value || row->arity == TAKES_OPTIONAL))
		return row->set(p, use);
	if (str_is(use->spelled, "-D"))
		return option_error(
			p, "-D must be followed by dashboard mode or VAR=VALUE.");
	return row->forms & (REQUIRES | OWN)
		       ? say_requires(p, use)
		       : option_error(p, "Invalid value used with %.*s",
				 STR_ARG(use->spelled));
}

/* ---- both ------------------------------------------------------------------------ */

/* Finds the row for the word, and the value that the word itself contains. */
static bool
find_row(const struct option_parse *p, struct str word, struct option_use *use)
{
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *row = &option_rows[i];
		bool is_new = is_read_as_new(p, row);

		*use = (struct option_use){.row = row, .spelled = word, .value = STR("")};
		if (option_row_is_in(row, p->dialect) &&
			(is_new ? match_new : match_old)(row, word, use))
			return true;
	}
	return false;
}

static bool
needs_words(const struct option_use *use)
{
	return !use->has_value &&
	       (use->row->arity != TAKES_NOTHING ||
		       use->row->forms & (TO_END | TO_BUILD_END | TAKES_TWO));
}

/* Whether the word that the option took is an option, too. One that lacks its words is
 * none. */
static bool
is_read_again(
	const struct option_parse *p, const struct words *w, const struct option_use *use)
{
	int late = p->dialect->has[DIALECT_UNKNOWN_OPTIONS_REFUSED] ? LATE
								    : LATE | LATE_TO_3_29;
	struct option_use again;

	if (is_read_as_new(p, use->row) || use->row->forms & (LATE | LATE_TO_3_29) ||
		use->value.p != w->v[w->at] || !find_row(p, use->value, &again))
		return false;
	return again.row->forms & late && (w->at + 1 < w->n || !needs_words(&again));
}

/* ---- what is near to cctr's own -------------------------------------------------- */

/* The name in "--name=value", without dashes. */
static struct str
bare_name(struct str word)
{
	size_t dashes = 0;

	while (dashes < word.n && dashes < 2 && word.p[dashes] == '-')
		dashes++;
	word = str_from(word, dashes);
	return str_cut(word.p, str_find(str_cut(word.p, str_find(word, '=')), ' '));
}

/* Adds the options that are, or are not, cctr's own. One letter is never misspelled. */
static void
add_names(struct arena *a, str_vec *names, bool are_own)
{
	for (size_t i = 0; i < option_rows_n; i++)
		for (size_t k = 0; k < 2 && option_rows[i].names[k]; k++)
			if (!(option_rows[i].forms & OWN) == !are_own &&
				option_rows[i].names[k][2])
				VEC_PUSH(a, names,
					bare_name(str_of(option_rows[i].names[k])));
}

/* Words of ctest that are options only in the first place. */
static const char *const first_words[] = {"launch", "instrument", "start-instrumentation",
	"collect-instrumentation", "wait-and-collect-instrumentation"};

/* cctr's option that the unknown word means; STR_NONE: none. An option of any ctest that
 * is as near goes before. Typing errors are rare in the first letter. */
static struct str
meant_own(const struct option_parse *p, struct str word)
{
	struct str name = bare_name(word), meant;
	str_vec names = {0};
	size_t ctests;

	add_names(p->a, &names, false);
	for (size_t i = 0; i < sizeof first_words / sizeof *first_words; i++)
		VEC_PUSH(p->a, &names, str_of(first_words[i]));
	ctests = names.n;
	add_names(p->a, &names, true);
	meant = nearest_word(name, str_vec_list(&names));
	for (size_t i = ctests; i < names.n; i++)
		if (names.v[i].p == meant.p && meant.n && name.p[0] == meant.p[0])
			return meant;
	return STR_NONE;
}

static bool
refuse_misspelled(struct option_parse *p, struct str word, struct str meant)
{
	if (str_begins(word, STR("--")) && str_eq(bare_name(word), meant))
		return option_error(p, "'--%.*s' takes no value: %.*s", STR_ARG(meant),
			STR_ARG(word));
	return option_error(p, "Unknown argument: %.*s; did you mean --%.*s?",
		STR_ARG(word), STR_ARG(meant));
}

/* Whether it could be a command, such as "git log" has one. */
static bool
is_plain_word(struct str word)
{
	return word.n > 0 && isalpha((unsigned char)word.p[0]) &&
	       str_is_of(word, STR_ALNUM "-_");
}

/* ctest ignores such a word, and runs all tests. As "ctest", cctr does so too. */
static bool
refuse_command(struct option_parse *p, struct str word)
{
	const char *option = path_is_directory(str_z(p->a, word)) ? "--test-dir" : "-R";

	return option_error(p, "Unknown command: %.*s; did you mean %s %.*s?",
		STR_ARG(word), option, STR_ARG(word));
}

static struct str_list
words_of(struct arena *a, int argc, char *const *argv)
{
	str_vec words = {0};

	for (int i = 0; i < argc; i++)
		VEC_PUSH(a, &words, str_of(argv[i]));
	return str_vec_list(&words);
}

/* ---- all words ------------------------------------------------------------------- */

static bool
refuse_word(struct option_parse *p, struct str word)
{
	struct str meant = word.n && word.p[0] == '-' ? meant_own(p, word) : STR_NONE;

	return meant.n ? refuse_misspelled(p, word, meant) : refuse_unknown(p, word);
}

static bool
lacks_words(
	const struct option_parse *p, const struct words *w, const struct option_use *use)
{
	bool is_new = p->dialect->has[DIALECT_OPTION_EQUALS_VALUE];
	int forms = is_new ? TAKES_SOME : TAKES_SOME | TAKES_TWO;

	return p->dialect->has[DIALECT_UNKNOWN_OPTIONS_REFUSED] &&
	       use->row->forms & forms && w->at + 1 >= w->n;
}

/* "cctr config" and its --json. */
static bool
is_config_word(struct option_parse *p, const char *program, struct str word, int at)
{
	enum show_settings *show = &p->o->show_settings;

	if (at == 1 && str_is(word, "config") && !is_called_ctest(program))
		*show = SHOW_SETTINGS_HUMAN;
	else if (*show && str_is(word, "--json"))
		*show = SHOW_SETTINGS_JSON;
	else
		return false;
	return true;
}

/* A word that names a test where a command takes such. */
static bool
is_named_test(struct option_parse *p, struct str word)
{
	if (!word.n || word.p[0] == '-')
		return false;
	VEC_PUSH(p->a, &p->o->selection.tests, word);
	return true;
}

/* "cctr history" and "cctr advise", their --json and their tests. */
static bool
is_history_word(struct option_parse *p, const char *program, struct str word, int at)
{
	enum show_history *show = &p->o->show_history;
	bool advises = str_is(word, "advise");

	if (at == 1 && (advises || str_is(word, "history")) &&
		!is_called_ctest(program)) {
		*show = SHOW_HISTORY_HUMAN;
		p->o->advises = advises;
	} else if (*show && str_is(word, "--json"))
		*show = SHOW_HISTORY_JSON;
	else
		return *show && is_named_test(p, word);
	return true;
}

/* "--" after --debug-test, whatever the release makes of "--". */
static bool
is_debugger(struct option_parse *p, struct words *w)
{
	if (!p->o->debug_test.p || strcmp(w->v[w->at], "--") != 0)
		return false;
	p->o->debugger = words_of(p->a, w->n - w->at - 1, w->v + w->at + 1);
	w->at = w->n;
	return true;
}

/* "cctr log" and its tests. */
static bool
is_log_word(struct option_parse *p, const char *program, struct str word, int at)
{
	if (at == 1 && str_is(word, "log") && !is_called_ctest(program))
		return p->o->show_log = true;
	return p->o->show_log && is_named_test(p, word);
}

static bool
parse_words(struct option_parse *p, int argc, char *const *argv)
{
	struct words w = {argv, argc, 0};

	for (w.at = 1; w.at < w.n; w.at++) {
		struct str word = str_of(w.v[w.at]);
		struct option_use use;

		if (is_config_word(p, argv[0], word, w.at) ||
			is_history_word(p, argv[0], word, w.at) ||
			is_log_word(p, argv[0], word, w.at) || is_debugger(p, &w))
			continue;
		/* It was read first, and the word after it is also read as an option. */
		if (!p->dialect->has[DIALECT_PRESET_IS_OPTION] &&
			str_begins(word, STR("--preset")))
			continue;
		if (!find_row(p, word, &use) || lacks_words(p, &w, &use)) {
			if (w.at == 1 && is_plain_word(word) && !is_called_ctest(argv[0]))
				return refuse_command(p, word);
			if (!refuse_word(p, word))
				return false;
		} else {
			if (use.row->forms & (TO_END | TO_BUILD_END | TAKES_TWO))
				take_rest(p, &w, &use);
			if (!(is_read_as_new(p, use.row) ? use_new : use_old)(
				    p, &w, &use))
				return false;
			w.at -= is_read_again(p, &w, &use);
			if (use.row->forms & OWN)
				VEC_PUSH(p->a, &p->o->own_uses,
					(struct own_use){use.row->names[0], use.has_value,
						use.value});
		}
	}
	return true;
}

/* The value of --name in any form; the last one wins. */
static void
peek_value(int argc, char *const *argv, const char *name, struct str *value)
{
	struct str key = str_of(name);

	for (int i = 1; i < argc; i++) {
		struct str word = str_of(argv[i]);

		if (str_eq(word, key) && i + 1 < argc)
			*value = str_of(argv[++i]);
		else if (str_begins(word, key) && word.n > key.n &&
			 (word.p[key.n] == '=' || word.p[key.n] == ' '))
			*value = str_from(word, key.n + 1);
	}
}

void
command_line_peek(struct arena *a, int argc, char *const *argv,
	struct str *compat_version, struct str *test_dir)
{
	(void)a;
	*compat_version = *test_dir = STR_NONE;
	peek_value(argc, argv, "--compat-version", compat_version);
	peek_value(argc, argv, "--build-dir", test_dir);
	peek_value(argc, argv, "--test-dir", test_dir);
}

/* ---- the environment, and the whole ---------------------------------------------- */

static bool
environment_is_on(const char *name)
{
	const char *value = getenv(name);

	return value && !cmake_is_off(str_of(value));
}

static struct options
default_options(void)
{
	return (struct options){
		.schedule.parallel = 1,
		.report.max_width = 30,
		.report.output = output_limits_default(),
		.run.repeat = {REPEAT_NEVER, 1},
		.report.output_on_failure = environment_is_on("CTEST_OUTPUT_ON_FAILURE"),
		.console.progress = environment_is_on("CTEST_PROGRESS_OUTPUT"),
	};
}

#define ENGINE "CCTR_ENGINE"

/* The value that the preset gives the variable, else that of the environment. */
static const char *
find_variable(const struct option_parse *p, const char *name)
{
	const struct str_list *set = &p->o->environment;
	size_t n = strlen(name);

	for (size_t i = 0; i < set->n; i++)
		if (str_begins(set->v[i], str_cut(name, n)) && set->v[i].p[n] == '=')
			return set->v[i].p + n + 1;
	return getenv(name);
}

/* Reads the variables that count only if no option was given. */
static bool
fill_from_environment(struct option_parse *p)
{
	const char *level = find_variable(p, "CTEST_PARALLEL_LEVEL");
	const char *action = find_variable(p, "CTEST_NO_TESTS_ACTION");
	struct str engine = str_of(find_variable(p, ENGINE));

	if (p->o->schedule.random && !p->o->schedule.has_seed)
		p->o->schedule.seed = (unsigned)time(NULL);
	/* A value that is not a number changes nothing. */
	if (level && !p->o->schedule.has_parallel)
		(void)option_read_parallel(p->dialect,
			str_of(level[strspn(level, " \t")] ? level : ""),
			&p->o->schedule);
	if (engine.n && !p->o->engine.has_engine && !p->o->engine.launcher.n &&
		!option_read_engine(p, STR(ENGINE), engine))
		return false;
	if (!p->dialect->has[DIALECT_NO_TESTS_ACTION_VARIABLE] || !action || !*action ||
		p->o->run.has_no_tests)
		return true;
	if (option_read_no_tests(str_of(action), &p->o->run.no_tests))
		return true;
	option_complain(p, false,
		str_fmt(p->a, "Unknown value for CTEST_NO_TESTS_ACTION: '%s'", action));
	return false;
}

/* No arguments and no test file: most likely the wrong directory. */
static bool
is_lost(int argc)
{
	return argc < 2 && !path_exists("CTestTestfile.cmake") &&
	       !path_exists("DartTestfile.txt");
}

static bool
say_lost(struct option_parse *p)
{
	static const char stars[] = "*********************************\n";

	p->o->help = HELP_USAGE;
	option_say(p, true,
		str_fmt(p->a, "%sNo test configuration file found!\n%s", stars, stars));
	option_say(p, false, STR("Usage\n\n  ctest [options]\n\n"));
	return !p->dialect->has[DIALECT_NOTHING_TO_DO_FAILS];
}

/* Words for tests are only for a plain run, even if there are none. */
static bool
check_separator(struct option_parse *p)
{
	if (!p->has_separator)
		return true;
	if (p->o->build.is_asked)
		return option_error(p,
			"The -- option cannot be used with --build-and-test. Use "
			"--build-options or --test-command to forward arguments.");
	if (p->o->script.requests.n)
		return option_error(
			p, "The -- option cannot be used with -S or -SP script mode.");
	return !p->o->dashboard.is_on ||
	       option_error(p, "The -- option cannot be used with -D, -T, or -M "
			       "dashboard mode.");
}

/* An engine other than that of --launcher has its own nodes. */
static bool
check_engine(struct option_parse *p)
{
	const struct engine_options *e = &p->o->engine;

	if (e->has_engine && !e->system && e->launcher.n)
		return option_error(
			p, "The --engine=local option cannot be used with --launcher.");
	return !e->has_engine || !e->nodes.n ||
	       option_error(p, "The --engine option cannot be used with --nodes, which "
			       "names the nodes of --launcher.");
}

/* What runs something cannot go with it. */
static bool
check_past(struct option_parse *p)
{
	const struct options *o = p->o;

	if ((!o->show_history && !o->show_log) ||
		(!o->dashboard.is_on && !o->script.requests.n && !o->build.is_asked))
		return true;
	return option_error(p,
		"'cctr %s' runs nothing: no -S, -T, -M, -D or --build-and-test goes with "
		"it",
		o->show_log  ? "log"
		: o->advises ? "advise"
			     : "history");
}

/* Only plain runs of tests are made again and again. */
static bool
check_watch(struct option_parse *p)
{
	const struct options *o = p->o;
	bool runs = !o->dashboard.is_on && !o->script.requests.n && !o->build.is_asked &&
		    o->show_only == SHOW_NOTHING && !o->print_labels &&
		    !o->schedule.simulate && !o->resources.show && !o->print_commands.n &&
		    !o->names && !o->show_history && !o->show_log && !o->debug_test.p;

	if (!o->run.watches || (runs && !o->selection.shards && !o->run.resumes &&
				       !str_is(o->manifest, "-")))
		return true;
	return option_error(p, "'--watch' runs tests again and again: options that run "
			       "none, and -S, -T, -M, -D, -F, --build-and-test, --shard "
			       "and '--manifest -' do not go with it");
}

/* The record of a shard has all of its tests, or cctr merge refuses it. */
static bool
check_shard(struct option_parse *p)
{
	return !p->o->selection.shards || !p->o->run.resumes ||
	       option_error(p, "'-F' does not go with '--shard': the record of a shard "
			       "must have all of its tests");
}

bool
command_line_parse(struct arena *a, const struct dialect *dialect,
	const struct presets *earlier, int argc, char *const *argv, struct options *o,
	options_messages *messages)
{
	struct option_parse p = {
		.a = a, .dialect = dialect, .o = o, .messages = messages};
	bool ok = true;

	INVARIANT(messages);
	*o = default_options();
	o->words = words_of(a, argc, argv);
	o->console.is_called_ctest = argc > 0 && is_called_ctest(argv[0]);
	if (is_lost(argc))
		return say_lost(&p);
	if (option_documentation(&p, argc, argv, &ok))
		return ok;
	if (!presets_apply(&p, presets_read(a, dialect, argc, argv, earlier)))
		return false;
	if (o->help != HELP_NONE)
		return true;
	return parse_words(&p, argc, argv) && fill_from_environment(&p) &&
	       check_separator(&p) && check_engine(&p) && check_past(&p) &&
	       check_watch(&p) && check_shard(&p);
}
