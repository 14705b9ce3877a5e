/*
 * Columns are as wide as the selection needs: "done/total" as the number of selected
 * tests, "#7" as the largest selected number, the name as the longest selected name, but
 * at least --max-width.
 *
 * Text is buffered while more comes at once. It is written before a test is started,
 * before any wait, and before text goes to standard error.
 */
#include "compat/report/report_console.h"

#include "compat/console/report_text.h"

#include <inttypes.h>
#include <stdio.h>

enum { HELD_BYTES = 1 << 16 };

struct report_console {
	struct report report;
	struct arena *scratch; /* for one event */
	struct arena *held_arena;
	struct arena_mark held_mark;
	struct buf held; /* text that is not written yet */
	struct console *console;
	const struct dialect *dialect;
	const struct run_words *words;
	struct console_report what;
	const struct selection *selection;
	size_t total_digits, number_digits;
	size_t name_width;
	bool has_progressed; /* --progress: a line must be overwritten */
	const struct selected *owed; /* --progress: its start is not printed yet */
	size_t done; /* --progress: tests that have ended */
	message_vec messages; /* of the buffered text, for --output-log */
};

/* Ends one of ctest's messages at end. */
static void
end_message_at(struct report_console *r, size_t end, enum channel channel)
{
	if (console_has_log(r->console))
		VEC_PUSH(r->held_arena, &r->messages, (struct message){channel, end});
}

static void
end_message(struct report_console *r, const struct buf *out, enum channel channel)
{
	end_message_at(r, out->n, channel);
}

/* The text after the event's last message is a message too. */
static void
cut_rest(struct report_console *r)
{
	const message_vec *m = &r->messages;

	if (r->held.n > (m->n ? m->v[m->n - 1].end : 0))
		end_message(r, &r->held, CHANNEL_OUTPUT);
}

/* The buffer of a long line is freed. */
static void
write_held(struct report_console *r)
{
	if (r->held.n)
		console_say_all(r->console, buf_as_str(&r->held), &r->messages);
	r->held.n = 0;
	r->messages.n = 0;
	if (r->held.cap > 4 * HELD_BYTES) {
		arena_rewind(r->held_arena, r->held_mark);
		r->held = (struct buf){.arena = r->held_arena};
		r->messages = (message_vec){0};
	}
}

/* The output is not copied, however long it is. */
static void
write_output(struct report_console *r, const struct long_text *output)
{
	write_held(r);
	if (output->s.n)
		console_say_parts(r->console, CHANNEL_OUTPUT, output, 1);
	buf_char(&r->held, '\n');
}

/* ---- progress -------------------------------------------------------------------- */

static void
add_progress(struct report_console *r, struct buf *out, struct str text)
{
	static const char erase[] = "\033[K";
	bool erase_first = r->dialect->has[DIALECT_PROGRESS_ERASES_FIRST];

	if (r->has_progressed)
		buf_char(out, '\r');
	r->has_progressed = true;
	if (erase_first)
		buf_z(out, erase);
	buf_str(out, text);
	if (!erase_first)
		buf_z(out, erase);
}

static void
add_number(struct report_console *r, unsigned number, struct buf *out)
{
	size_t own = report_digits(number);

	buf_z(out, r->words->result);
	buf_fill(out, ' ', 1 + (own < r->number_digits ? r->number_digits - own : 0));
	buf_char(out, '#');
	buf_number(out, number, 0);
	buf_z(out, ": ");
}

/* Prints the name on one line, even if it contains newlines. */
static void
add_progress_of(struct report_console *r, struct buf *out, const struct selected *s)
{
	struct str name = r->selection->suite->tests[s->test].name;
	struct buf text = {.arena = r->scratch};

	buf_number(&text, r->done, r->total_digits);
	buf_char(&text, '/');
	buf_number(&text, r->selection->n, r->total_digits);
	buf_char(&text, ' ');
	add_number(r, s->number, &text);
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] != '\n')
			buf_char(&text, name.p[i]);
	add_progress(r, out, buf_as_str(&text));
}

/* ctest prints the start of a test after it has entered the test's directory. */
static void
add_owed_progress(struct report_console *r, struct buf *out)
{
	if (r->owed)
		add_progress_of(r, out, r->owed);
	r->owed = NULL;
}

/* ---- start and launch ------------------------------------------------------------ */

static void
show_start(struct report_console *r, const struct event *e, struct buf *out)
{
	const struct attempt *a = e->attempt;

	if (console_tells_asides(r->console) && a->run == 1)
		buf_fmt(out, "test %u\n", a->number);
	end_message(r, out, CHANNEL_VERBOSE);
	if (console_has_progress(r->console)) {
		r->owed = a->selected;
	} else {
		buf_fill(out, ' ', 2 * r->total_digits + 2);
		buf_z(out, "Start ");
		buf_number(out, a->number, r->number_digits);
		buf_z(out, ": ");
		buf_str(out, a->test->name);
		buf_char(out, '\n');
	}
	end_message(r, out, CHANNEL_OUTPUT);
}

static void
add_command(struct report_console *r, const struct event *e, struct buf *out)
{
	struct str_list arguments = report_arguments(r->scratch, e);
	size_t end;

	end = report_add_command(out, r->words, e->attempt->number, e->attempt->test,
		executable_command_line(
			r->scratch, report_executable(e), arguments.v, arguments.n));
	end_message_at(r, end, CHANNEL_VERBOSE);
}

/* true: the test was refused before its time limit was computed. */
static bool
has_no_limit(enum refusal_kind k)
{
	return k == REFUSED_CONFIGURATION || k == REFUSED_REQUIRED_FILE ||
	       k == REFUSED_EXECUTABLE;
}

static void
show_launch(struct report_console *r, const struct event *e, struct buf *out)
{
	bool tells = console_tells_asides(r->console);
	double limit = e->launch->timeout_s;

	add_owed_progress(r, out);
	report_add_line(out, e->launch->search);
	end_message(r, out, CHANNEL_OUTPUT);
	if (!console_is_verbose(r->console))
		return;
	if (tells && e->launch->prefix.n)
		buf_fmt(out, "Memory check command: %.*s\n", STR_ARG(e->launch->prefix));
	end_message(r, out, CHANNEL_VERBOSE);
	add_command(r, e, out);
	if (!tells)
		return;
	if (!e->refusal || !has_no_limit(e->refusal->kind))
		buf_fmt(out, "%u: Test timeout computed to be: %" PRIu64 "\n",
			e->attempt->number, limit > 0 ? (uint64_t)limit : 0);
	end_message(r, out, CHANNEL_VERBOSE);
	buf_str(out, e->launch->note);
	end_message(r, out, CHANNEL_VERBOSE);
}

/* ---- the lines of a running test ------------------------------------------------- */

/* A long line is not copied. */
static void
say_long_line(struct report_console *r, const struct event *e)
{
	char head[32];
	struct long_text parts[] = {
		{STR_NONE, false}, {e->text, e->is_mapped}, {STR("\n"), false}};

	snprintf(head, sizeof head, "%u: ", e->attempt->number);
	parts[0] = long_text_of(str_of(head));
	write_held(r);
	console_say_parts(r->console, CHANNEL_VERBOSE, parts, 3);
}

static void
add_output(struct report_console *r, const struct event *e, struct buf *out)
{
	if (e->text.n >= HELD_BYTES) {
		say_long_line(r, e);
		return;
	}
	buf_number(out, e->attempt->number, 0);
	buf_z(out, ": ");
	buf_str(out, e->text);
	buf_char(out, '\n');
	end_message(r, out, CHANNEL_VERBOSE);
}

/* A number that is out of range becomes the smallest one, as in ctest. */
static int64_t
shown_seconds(double seconds)
{
	return seconds > (double)INT64_MIN && seconds < (double)INT64_MAX
		       ? (int64_t)seconds
		       : INT64_MIN;
}

static void
show_instruction(struct report_console *r, const struct event *e, struct buf *out)
{
	if (!console_is_verbose(r->console))
		return;
	if (e->kind == EVENT_DETAILS)
		buf_fmt(out, "%u: Test Details changed to '%.*s'\n", e->attempt->number,
			STR_ARG(e->text));
	else if (e->kind == EVENT_LABEL)
		buf_fmt(out, "%u: Test Label added: '%.*s'\n", e->attempt->number,
			STR_ARG(e->text));
	else if (e->kind == EVENT_AGAIN)
		buf_fmt(out, "%u: Test starts again: node %.*s was lost: %.*s\n",
			e->attempt->number, STR_ARG(e->node), STR_ARG(e->text));
	else if (e->kind == EVENT_TIMEOUT)
		buf_fmt(out, "%u: Test timeout changed to %" PRId64 "\n",
			e->attempt->number, shown_seconds(e->seconds));
	if (e->kind == EVENT_OUTPUT)
		add_output(r, e, out);
	else
		end_message(r, out, CHANNEL_VERBOSE);
}

/* ---- the result ------------------------------------------------------------------ */

/* A repeated test shows the counter once: in its last permitted run if it must not fail,
 * else in its first. */
static bool
shows_counter(const struct report_console *r, const struct attempt *a)
{
	switch (r->what.repeat) {
	case REPEAT_NEVER:
		break;
	case REPEAT_UNTIL_FAIL:
		return a->runs_left == 1;
	case REPEAT_UNTIL_PASS:
	case REPEAT_AFTER_TIMEOUT:
		return a->run == 1;
	}
	return true;
}

static void
add_counter(struct report_console *r, const struct event *e, struct buf *out)
{
	size_t w = r->total_digits;

	if (console_has_progress(r->console) || shows_counter(r, e->attempt)) {
		buf_number(out, e->done, w);
		buf_char(out, '/');
		buf_number(out, r->selection->n, w);
		buf_char(out, ' ');
	} else {
		buf_fill(out, ' ', 2 * (w > 2 ? w : 2));
	}
}

static void
add_name(struct report_console *r, const struct attempt *a, struct buf *out)
{
	size_t n = a->test->name.n, width = r->name_width + 4;

	add_number(r, a->number, out);
	buf_str(out, a->test->name);
	if (!console_has_progress(r->console)) {
		buf_char(out, ' ');
		n++;
	}
	buf_fill(out, '.', n < width ? width - n : 0);
}

static void
add_timeout(struct report_console *r, const struct outcome *o, struct buf *out)
{
	buf_z(out, "***Timeout ");
	if (!r->dialect->has[DIALECT_TIMEOUT_SIGNAL] || !o->signal_sufficed)
		return;
	buf_char(out, '(');
	switch (o->timeout_signal) {
	case 2:
		buf_z(out, "SIGINT");
		break;
	case 15:
		buf_z(out, "SIGTERM");
		break;
	default:
		buf_str(out, report_signal(r->scratch, o->timeout_signal));
	}
	buf_z(out, ") ");
}

static void
add_verdict(struct report_console *r, const struct event *e, struct buf *out)
{
	switch (e->verdict->kind) {
	case VERDICT_PASSED:
		buf_z(out, "   Passed  ");
		break;
	case VERDICT_FAILED:
		buf_z(out, "***Failed  ");
		report_add_reason(out, e->attempt->test, e->verdict);
		break;
	case VERDICT_TIMEOUT:
		add_timeout(r, e->outcome, out);
		break;
	case VERDICT_SKIPPED:
		buf_z(out, "***Skipped ");
		break;
	case VERDICT_DISABLED:
		buf_z(out, "***Not Run (Disabled) ");
		break;
	case VERDICT_NOT_RUN:
	case VERDICT_BAD_COMMAND:
		buf_z(out, "***Not Run ");
		if (e->outcome->refusal == REFUSED_NODE)
			buf_z(out, "(node lost) ");
		else if (e->outcome->refusal == REFUSED_CANCELED)
			buf_z(out, "(canceled) ");
		break;
	case VERDICT_SEGFAULT:
		buf_z(out, "***Exception: SegFault");
		break;
	case VERDICT_ILLEGAL:
		buf_z(out, "***Exception: Illegal");
		break;
	case VERDICT_INTERRUPT:
		buf_z(out, "***Exception: Interrupt");
		break;
	case VERDICT_NUMERICAL:
		buf_z(out, "***Exception: Numerical");
		break;
	case VERDICT_OTHER_FAULT:
		buf_str(out, report_signal(r->scratch, e->outcome->signal));
		buf_z(out, "***Exception: ");
		break;
	case VERDICTS:
		BUG("not a verdict");
	}
}

static enum colour
colour_of(enum verdict_kind kind)
{
	if (kind == VERDICT_PASSED)
		return COLOUR_GREEN;
	return verdict_is_pass(kind) || verdict_is_uncounted(kind) ? COLOUR_YELLOW
								   : COLOUR_RED;
}

static const char *
colour_sequence(const struct report_console *r, enum colour colour)
{
	return r->what.colours_results ? console_colour(r->console, colour) : "";
}

static void
add_result(struct report_console *r, const struct event *e, struct buf *out)
{
	add_counter(r, e, out);
	add_name(r, e->attempt, out);
	end_message(r, out, CHANNEL_OUTPUT);
	buf_z(out, colour_sequence(r, colour_of(e->verdict->kind)));
	add_verdict(r, e, out);
	buf_z(out, colour_sequence(r, COLOUR_NORMAL));
	report_add_seconds(out, e->outcome->duration_ns);
	buf_char(out, '\n');
}

/* Standard output first, then standard error, then the result. Errors in the environment
 * are CMake's own messages, which -Q does not hide. */
static void
show_refusal(struct report_console *r, const struct event *e, struct buf *out)
{
	struct buf err = {.arena = r->scratch};

	report_add_line(out, e->refusal->out);
	if (e->refusal->err.n == 0)
		return;
	write_held(r);
	report_add_line(&err, e->refusal->err);
	if (e->refusal->kind == REFUSED_ENVIRONMENT)
		console_raise(r->console, buf_as_str(&err));
	else
		console_say(r->console, CHANNEL_ERROR, buf_as_str(&err));
}

/* The output of the command that ran after the test, also in ctest's order. */
static void
show_post_run(struct report_console *r, const struct post_run *p, struct buf *out)
{
	if (console_tells_asides(r->console))
		buf_str(out, p->note);
	end_message(r, out, CHANNEL_VERBOSE);
	if (console_is_verbose(r->console)) {
		write_held(r);
		console_raw(r->console, p->output);
	}
	if (p->problem.n == 0)
		return;
	write_held(r);
	console_say(r->console, CHANNEL_ERROR, p->problem);
}

/* true for failed tests that ran, not for tests that could not be started. */
static bool
shows_output(const struct report_console *r, enum verdict_kind k)
{
	return r->what.options->output_on_failure && !verdict_is_pass(k) &&
	       k != VERDICT_DISABLED && k != VERDICT_NOT_RUN && k != VERDICT_BAD_COMMAND;
}

/* --progress: tests that passed print nothing. After the last test the counter stays; if
 * that test failed, its line follows without a newline, as in ctest. */
static void
show_progress(struct report_console *r, const struct event *e, struct buf *out)
{
	bool passed = verdict_is_pass(e->verdict->kind);

	if (!passed)
		add_progress(r, out, STR(""));
	if (r->done == r->selection->n)
		add_progress_of(r, out, e->attempt->selected);
	if (!passed)
		add_result(r, e, out);
}

/* Where the test ran, with the name that its host has for itself. */
static void
show_node(struct report_console *r, const struct event *e, struct buf *out)
{
	const struct outcome *o = e->outcome;

	if (!console_tells_asides(r->console))
		return;
	buf_fmt(out, "%u: Node: %s", e->attempt->number, o->node);
	if (o->host && !str_is(str_of(o->host), o->node))
		buf_fmt(out, " (%s)", o->host);
	buf_char(out, '\n');
	end_message(r, out, CHANNEL_VERBOSE);
}

static void
show_end(struct report_console *r, const struct event *e, struct buf *out)
{
	struct long_text output = outcome_text(e->outcome);

	if (e->refusal && e->refusal->kind >= REFUSED_DEFECT)
		add_owed_progress(r, out);
	r->owed = NULL;
	if (e->outcome->node && e->outcome->ending != END_NOT_STARTED)
		show_node(r, e, out);
	if (event_was_refused(e))
		show_refusal(r, e, out);
	if (e->launch && e->launch->post_run)
		show_post_run(r, e->launch->post_run, out);
	r->done = e->done;
	if (console_has_progress(r->console))
		show_progress(r, e, out);
	else
		add_result(r, e, out);
	if (shows_output(r, e->verdict->kind))
		write_output(r, &output);
}

/* ---- the report ------------------------------------------------------------------ */

static void
say_names(struct report_console *r, const char *head, struct str_list names)
{
	struct str text = str_join(r->scratch, names, STR(", "));

	console_fmt(r->console, CHANNEL_OUTPUT, "%s %.*s\n", head,
		STR_ARG(names.n ? text : STR("none")));
}

/* What has no place among the lines of tests. */
static void
say_at_once(struct report_console *r, const struct event *e)
{
	struct console *c = r->console;

	if (e->kind == EVENT_NOTICE)
		console_fmt(c, CHANNEL_OUTPUT, "%.*s\n", STR_ARG(e->text));
	else if (e->kind == EVENT_PARTITIONS)
		say_names(r, "Partitions are now", e->names);
	else if (e->kind == EVENT_PUT_BACK)
		say_names(r,
			"Partitions stop now, and so these tests start again:", e->names);
	else if (e->kind == EVENT_LEAK)
		console_fmt(c, CHANNEL_ERROR, "LEAK Test #%u: %.*s: process %d (%.*s)\n",
			e->attempt->number, STR_ARG(e->attempt->test->name), e->pid,
			STR_ARG(e->text));
	else if (e->kind == EVENT_SLOW)
		console_fmt(c, CHANNEL_ERROR, "SLOW [> %g sec] Test #%u: %.*s\n",
			e->seconds, e->attempt->number, STR_ARG(e->attempt->test->name));
	else
		console_fmt(c, CHANNEL_ERROR, "Warning: %.*s\n", STR_ARG(e->text));
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_console *r = (struct report_console *)report;
	struct arena_mark mark = arena_mark(r->scratch);
	struct buf *out = &r->held;

	switch (e->kind) {
	case EVENT_START:
		show_start(r, e, out);
		break;
	case EVENT_LAUNCH:
		show_launch(r, e, out);
		write_held(r);
		break;
	case EVENT_OUTPUT:
	case EVENT_DETAILS:
	case EVENT_LABEL:
	case EVENT_AGAIN:
	case EVENT_TIMEOUT:
		show_instruction(r, e, out);
		break;
	case EVENT_NOTICE:
	case EVENT_PARTITIONS:
	case EVENT_PUT_BACK:
	case EVENT_LEAK:
	case EVENT_SLOW:
	case EVENT_WARNING:
		write_held(r);
		say_at_once(r, e);
		break;
	case EVENT_END:
		show_end(r, e, out);
		/* A memory check prints more text at once. */
		if (e->launch && e->launch->prefix.n)
			write_held(r);
		break;
	case EVENT_IDLE:
	case EVENT_INTERRUPT:
		write_held(r);
		break;
	case EVENT_FINISH:
		write_held(r);
		if (e->tally->passed + e->tally->failed)
			report_console_summary(
				r->scratch, &r->what, r->selection, e->tally);
		break;
	case EVENT_BEGIN:
	case EVENT_WITHDRAW:
	case EVENTS:
		break;
	}
	cut_rest(r);
	if (r->held.n >= HELD_BYTES)
		write_held(r);
	arena_rewind(r->scratch, mark);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_console *r = (struct report_console *)report;

	(void)d;
	write_held(r);
	arena_close(r->held_arena);
	arena_close(r->scratch);
	return true;
}

struct report *
report_console_open(
	struct arena *a, const struct console_report *what, const struct selection *s)
{
	static const struct report_type type = {.name = "console",
		.event = handle_event,
		.close = close_report,
		.stop = close_report};
	struct report_console *r = NEW(a, struct report_console);
	int least = what->options->max_width;
	size_t width = least > 0 ? (size_t)least : 0;
	struct console *c = what->console;

	INVARIANT(what->console && s);
	*r = (struct report_console){
		.report = {.type = &type,
			.wants_lines = what->shows_lines &&
				       (!console_is_quiet(c) || console_has_log(c))},
		.scratch = arena_open(),
		.held_arena = arena_open(),
		.console = c,
		.dialect = what->dialect,
		.words = what->words,
		.what = *what,
		.selection = s,
		.total_digits = report_digits(s->n),
		.number_digits = report_digits(s->largest_number),
		.name_width = s->longest_name > width ? s->longest_name : width,
	};
	r->held_mark = arena_mark(r->held_arena);
	r->held.arena = r->held_arena;
	return &r->report;
}
