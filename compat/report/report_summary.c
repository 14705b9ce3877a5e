/* The console's text after the last test, and the texts of -N and --print-labels. */
#include "compat/report/report_console.h"

#include "compat/console/report_text.h"
#include "compat/launch/wrapper.h"

enum { LABEL_COLUMN = 49, LISTING_BYTES = 1 << 16 };

struct summary {
	struct buf *out;
	struct console *console;
	const struct console_report *what;
	const struct tally *tally;
	message_vec messages; /* for --output-log */
};

/* Ends one of ctest's messages at the current end of the text. */
static void
end_message(struct summary *s, enum channel channel)
{
	if (console_has_log(s->console))
		VEC_PUSH(s->out->arena, &s->messages,
			(struct message){channel, s->out->n});
}

static void
add_passed(struct summary *s)
{
	if (!console_tells_asides(s->console) || s->tally->passed == 0 ||
		!s->what->names_passed)
		return;
	buf_z(s->out, "\nThe following tests passed:\n");
	end_message(s, CHANNEL_VERBOSE);
	for (size_t i = 0; i < s->tally->results.n; i++) {
		const struct result *r = &s->tally->results.v[i];

		if (verdict_is_pass(r->verdict.kind))
			buf_fmt(s->out, "\t%.*s\n", STR_ARG(r->test->name));
	}
	end_message(s, CHANNEL_VERBOSE);
}

/* Never 100 if a test failed. */
static long
percent_passed(const struct tally *t)
{
	double p = 100.0 * (double)t->passed / (double)(t->passed + t->failed);

	return t->failed && p > 99 ? 99 : (long)(p + 0.5);
}

static void
add_totals(struct summary *s)
{
	const struct tally *t = s->tally;
	const char *normal = console_colour(s->console, COLOUR_NORMAL);
	bool all = t->failed == 0;

	buf_fmt(s->out, "\n%s%ld%% tests passed%s",
		all ? console_colour(s->console, COLOUR_GREEN) : "", percent_passed(t),
		normal);
	if (!all || !s->what->dialect->has[DIALECT_PASSED_OUT_OF])
		buf_fmt(s->out, ", %s%zu tests failed%s",
			all ? "" : console_colour(s->console, COLOUR_RED), t->failed,
			normal);
	buf_fmt(s->out, " out of %zu\n", t->passed + t->failed);
}

static void
add_labels(struct summary *s, const struct selection *selection, bool are_subprojects)
{
	struct label_times times;
	const struct report_options *o = s->what->options;

	if (are_subprojects ? o->no_subproject_summary : o->no_label_summary)
		return;
	times = report_label_times(
		s->out->arena, selection, s->tally, o->subprojects, are_subprojects);
	if (times.n == 0)
		return;
	buf_z(s->out,
		are_subprojects ? "\nSubproject Time Summary:" : "\nLabel Time Summary:");
	for (size_t i = 0; i < times.n; i++) {
		const struct label_time *l = &times.v[i];

		buf_fmt(s->out, "\n%.*s", STR_ARG(l->label));
		buf_fill(s->out, ' ', times.longest + 3 - l->label.n);
		buf_fmt(s->out, " = %6.2f sec*proc (%zu test%s)", l->seconds, l->tests,
			l->tests > 1 ? "s" : "");
	}
	buf_char(s->out, '\n');
}

static bool
is_failure(const struct result *r)
{
	return report_is_failure(r->verdict.kind);
}

static void
add_not_run(struct summary *s)
{
	size_t n;
	const struct result **v =
		report_results_by_number(s->out->arena, s->tally, report_did_not_run, &n);

	if (n == 0)
		return;
	buf_fmt(s->out, "\nThe following tests did not run:\n%s",
		console_colour(s->console, COLOUR_BLUE));
	for (size_t i = 0; i < n; i++) {
		buf_char(s->out, '\t');
		buf_number(s->out, v[i]->number, 3);
		buf_z(s->out, " - ");
		buf_str(s->out, v[i]->test->name);
		buf_z(s->out, v[i]->verdict.kind == VERDICT_DISABLED ? " (Disabled)\n"
								     : " (Skipped)\n");
	}
	buf_z(s->out, console_colour(s->console, COLOUR_NORMAL));
}

/* Labels are in a column after the name and the status. */
static void
add_failed_labels(struct summary *s, const struct result *r, size_t used)
{
	struct str_list labels = report_labels(s->out->arena, r->test, &r->outcome);

	if (!s->what->dialect->has[DIALECT_FAILED_LABELS] || labels.n == 0)
		return;
	buf_fill(s->out, ' ', used < LABEL_COLUMN ? LABEL_COLUMN - used : 0);
	for (size_t i = 0; i < labels.n; i++)
		buf_fmt(s->out, " %.*s", STR_ARG(labels.v[i]));
}

static void
add_failed(struct summary *s)
{
	size_t n;
	const struct result **v =
		report_results_by_number(s->out->arena, s->tally, is_failure, &n);

	/* A test that does not count as failed is listed only beside failed ones. */
	if (s->tally->failed == 0)
		return;
	if (n)
		buf_z(s->out, "\nThe following tests FAILED:\n");
	for (size_t i = 0; i < n; i++) {
		const struct result *r = v[i];
		bool is_not_run = r->verdict.kind == VERDICT_NOT_RUN;
		struct str status =
			report_status(s->out->arena, &r->verdict, &r->outcome);

		buf_fmt(s->out, "\t%s%3u - %.*s (%.*s)%s",
			console_colour(
				s->console, is_not_run ? COLOUR_YELLOW : COLOUR_RED),
			r->number, STR_ARG(r->test->name), STR_ARG(status),
			console_colour(s->console, COLOUR_NORMAL));
		add_failed_labels(s, r, r->test->name.n + status.n + 3);
		buf_z(s->out, "\n");
	}
}

void
report_console_summary(struct arena *a, const struct console_report *what,
	const struct selection *selection, const struct tally *t)
{
	struct buf out = {.arena = a};
	struct summary s = {
		.out = &out, .console = what->console, .what = what, .tally = t};

	INVARIANT(selection && t);
	add_passed(&s);
	add_totals(&s);
	end_message(&s, CHANNEL_OUTPUT);
	if (!what->is_quiet) {
		add_labels(&s, selection, true);
		add_labels(&s, selection, false);
		buf_fmt(&out, "\nTotal Test time (real) = %6.2f sec\n",
			(double)t->duration_ns / 1e9);
	}
	add_not_run(&s);
	add_failed(&s);
	console_say_all(s.console, buf_as_str(&out), &s.messages);
}

/* ---- -N -------------------------------------------------------------------------- */

struct listing {
	struct buf *out;
	const struct console_listing *what;
	const struct run_words *words;
	struct console *console;
	struct arena *scratch;
	message_vec messages; /* for --output-log */
};

static void
cut_listing(struct listing *l, size_t end, enum channel channel)
{
	if (console_has_log(l->console))
		VEC_PUSH(l->out->arena, &l->messages, (struct message){channel, end});
}

/* The command, with the wrapper's words before it. */
static struct str
add_wrapper(struct listing *l, unsigned number, const struct test *t, struct str path)
{
	const struct wrapper *w = l->what->wrapper;
	struct str_list before = w->type->words(w, l->scratch, number);
	size_t n = before.n + t->command.n;
	struct str *words = NEW_ARRAY(l->scratch, struct str, n);

	buf_fmt(l->out, "Memory check command: %.*s\n",
		STR_ARG(w->type->line(w, l->scratch, before)));
	cut_listing(l, l->out->n, CHANNEL_VERBOSE);
	for (size_t i = 0; i < n; i++)
		words[i] = i < before.n ? before.v[i] : t->command.v[i - before.n];
	words[before.n] = path;
	return executable_command_line(l->scratch, words[0], words + 1, n - 1);
}

static void
add_listed_command(struct listing *l, unsigned number, const struct test *t,
	const struct executable *found)
{
	struct arena_mark mark = arena_mark(l->scratch);
	struct str path = found->not_available ? STR("NOT_AVAILABLE") : found->path;
	struct str command = executable_command_line(
		l->scratch, path, t->command.v + 1, t->command.n - 1);
	size_t end;

	if (l->what->wrapper)
		command = add_wrapper(l, number, t, path);
	end = report_add_command(l->out, l->words, number, t, command);
	cut_listing(l, end, CHANNEL_VERBOSE);
	arena_rewind(l->scratch, mark);
}

static void
add_listed_labels(struct listing *l, const struct test *t)
{
	if (t->properties->labels.n) {
		buf_z(l->out, "Labels:");
		for (size_t i = 0; i < t->properties->labels.n; i++)
			buf_fmt(l->out, " %.*s", STR_ARG(t->properties->labels.v[i]));
		buf_char(l->out, '\n');
	}
	cut_listing(l, l->out->n, CHANNEL_VERBOSE);
}

/* "  Test  #7: name"; there may be a million of them. "#" and the number are
 * right-aligned in the field. */
static void
add_listed(struct listing *l, unsigned number, const struct test *t, size_t field)
{
	struct buf *out = l->out;
	char text[40] = "  ";
	size_t width = 2 + strlen(strcpy(text + 2, l->words->listed));
	size_t at = width + 1 + field, end = at + 2;

	memset(text + width, ' ', 1 + field);
	memcpy(text + at, ": ", 2);
	do {
		text[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	text[--at] = '#';
	cut_listing(l, out->n + width, CHANNEL_OUTPUT);
	buf_add(out, text, end);
	buf_str(out, t->name);
	buf_z(out, t->properties->disabled ? " (Disabled)\n" : "\n");
	cut_listing(l, out->n, CHANNEL_OUTPUT);
}

static void
flush_listing(struct listing *l)
{
	console_say_all(l->console, buf_as_str(l->out), &l->messages);
	l->out->n = 0;
	l->messages.n = 0;
}

/* The first two lines are one of ctest's messages; each place is another. */
static void
add_search(struct listing *l, struct str search)
{
	size_t first = str_find(search, '\n') + 1;

	if (!search.n)
		return;
	first += str_find(str_from(search, first), '\n') + 1;
	buf_str(l->out, str_cut(search.p, first));
	cut_listing(l, l->out->n, CHANNEL_OUTPUT);
	buf_str(l->out, str_from(search, first));
	cut_listing(l, l->out->n, CHANNEL_OUTPUT);
}

static struct listing
listing_of(struct buf *out, const struct console_listing *what)
{
	return (struct listing){.out = out,
		.what = what,
		.words = what->words,
		.console = what->console,
		.scratch = arena_open()};
}

/* Where the program of the test is looked for, and under -V its command. */
static const struct test *
add_program(struct listing *l, const struct selected *s)
{
	const struct test *t = &l->what->selection->suite->tests[s->test];
	const struct executable *found =
		executable_find(l->what->finder, t->command.v[0], t->directory);

	add_search(l, found->search);
	if (console_is_verbose(l->console))
		add_listed_command(l, s->number, t, found);
	return t;
}

void
report_console_list(struct arena *a, const struct console_listing *what)
{
	const struct selection *s = what->selection;
	struct buf out = {.arena = a};
	struct listing l = listing_of(&out, what);
	size_t field = report_digits(s->largest_number) + 1;

	INVARIANT(what->console);
	for (size_t i = 0; i < s->n; i++) {
		const struct test *t = add_program(&l, &s->v[i]);

		if (console_is_verbose(what->console))
			add_listed_labels(&l, t);
		add_listed(&l, s->v[i].number, t, field);
		if (out.n >= LISTING_BYTES)
			flush_listing(&l);
	}
	buf_fmt(&out, "\nTotal Tests: %zu\n", s->n);
	flush_listing(&l);
	arena_close(l.scratch);
}

void
report_console_look_up(struct arena *a, const struct console_listing *what)
{
	const struct selection *s = what->selection;
	struct buf out = {.arena = a};
	struct listing l = listing_of(&out, what);

	INVARIANT(what->console);
	for (size_t i = 0; i < s->n; i++) {
		add_program(&l, &s->v[i]);
		if (console_is_verbose(what->console))
			cut_listing(&l, out.n, CHANNEL_VERBOSE);
		flush_listing(&l);
	}
	arena_close(l.scratch);
}

void
report_console_labels(struct arena *a, struct console *c, const struct selection *s)
{
	struct label_times times =
		report_label_times(a, s, NULL, (struct str_list){0}, false);
	struct buf out = {.arena = a};
	message_vec messages = {0};

	buf_z(&out, times.n ? "All Labels:\n" : "No Labels Exist\n");
	if (console_has_log(c))
		VEC_PUSH(a, &messages, (struct message){CHANNEL_OUTPUT, out.n});
	for (size_t i = 0; i < times.n; i++)
		buf_fmt(&out, "  %.*s\n", STR_ARG(times.v[i].label));
	console_say_all(c, buf_as_str(&out), &messages);
}
