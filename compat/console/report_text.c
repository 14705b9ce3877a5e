/* Words that several reports share. See report_text.h. */
#include "compat/console/report_text.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "compat/format/secrets.h"
#include "runner/base/local_time.h"
#include "runner/base/loop.h"
#include "runner/base/sort.h"

/* ---- status, reason, completion -------------------------------------------------- */

struct str
report_signal(struct arena *a, int number)
{
	static const struct {
		int number;
		const char *text;
	} known[] = {
		{SIGSEGV, "Segmentation fault"},
		{SIGBUS, "Bus error"},
		{SIGFPE, "Floating-point exception"},
		{SIGILL, "Illegal instruction"},
		{SIGINT, "User interrupt"},
		{SIGABRT, "Subprocess aborted"},
		{SIGKILL, "Subprocess killed"},
		{SIGTERM, "Subprocess terminated"},
		{SIGHUP, "SIGHUP"},
		{SIGQUIT, "SIGQUIT"},
		{SIGTRAP, "SIGTRAP"},
#ifdef SIGIOT
#if SIGIOT != SIGABRT
		{SIGIOT, "SIGIOT"},
#endif
#endif
		{SIGUSR1, "SIGUSR1"},
		{SIGUSR2, "SIGUSR2"},
		{SIGPIPE, "SIGPIPE"},
		{SIGALRM, "SIGALRM"},
#ifdef SIGSTKFLT
		{SIGSTKFLT, "SIGSTKFLT"},
#endif
		{SIGCHLD, "SIGCHLD"},
		{SIGCONT, "SIGCONT"},
		{SIGSTOP, "SIGSTOP"},
		{SIGTSTP, "SIGTSTP"},
		{SIGTTIN, "SIGTTIN"},
		{SIGTTOU, "SIGTTOU"},
		{SIGURG, "SIGURG"},
		{SIGXCPU, "SIGXCPU"},
		{SIGXFSZ, "SIGXFSZ"},
		{SIGVTALRM, "SIGVTALRM"},
		{SIGPROF, "SIGPROF"},
#ifdef SIGWINCH
		{SIGWINCH, "SIGWINCH"},
#endif
#ifdef SIGPOLL
		{SIGPOLL, "SIGPOLL"},
#endif
#ifdef SIGPWR
		{SIGPWR, "SIGPWR"},
#endif
		{SIGSYS, "SIGSYS"}
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].number == number)
			return str_of(known[i].text);
	return str_fmt(a, "Signal %d", number);
}

struct str
report_start_error(struct arena *a, const struct dialect *dialect, int error)
{
	INVARIANT(dialect);
	return dialect->has[DIALECT_START_ERRORS_OF_LIBUV] ? loop_error_text(a, error)
							   : str_of(strerror(error));
}

struct str
report_end_reason(
	struct arena *a, const struct dialect *dialect, const struct command_end *end)
{
	if (command_has_error(end))
		return report_start_error(a, dialect, end->error);
	return end->ending == COMMAND_SIGNALLED ? report_signal(a, end->signal) : STR("");
}

struct str
report_not_opened(struct arena *a, const char *path, int error)
{
	INVARIANT(path);
	return str_fmt(a,
		"CMake Error: Cannot open file for write: %s\n"
		"CMake Error: : System Error: %s\n",
		path, strerror(error));
}

struct str
report_status(struct arena *a, const struct verdict *v, const struct outcome *o)
{
	static const char *const texts[VERDICTS] = {
		[VERDICT_PASSED] = "Completed",
		[VERDICT_FAILED] = "Failed",
		[VERDICT_TIMEOUT] = "Timeout",
		[VERDICT_SKIPPED] = "Not Run",
		[VERDICT_DISABLED] = "Not Run",
		[VERDICT_NOT_RUN] = "Not Run",
		[VERDICT_BAD_COMMAND] = "BAD_COMMAND",
		[VERDICT_SEGFAULT] = "SEGFAULT",
		[VERDICT_ILLEGAL] = "ILLEGAL",
		[VERDICT_INTERRUPT] = "INTERRUPT",
		[VERDICT_NUMERICAL] = "NUMERICAL",
	};

	INVARIANT((unsigned)v->kind < VERDICTS);
	return v->kind == VERDICT_OTHER_FAULT ? report_signal(a, o->signal)
					      : str_of(texts[v->kind]);
}

static void
add_patterns(struct buf *out, const struct pattern_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		buf_str(out, l->v[i]->text);
		buf_char(out, '\n');
	}
}

void
report_add_reason(struct buf *out, const struct test *t, const struct verdict *v)
{
	if (v->lost_output) {
		buf_z(out, "Output lost: ");
		buf_str(out, loop_error_text(out->arena, v->lost_output));
		return;
	}
	if (v->is_canceled) {
		buf_z(out, "Canceled");
		return;
	}
	if (v->made_nothing) {
		buf_z(out, "Invalid resource spec file");
		return;
	}
	switch (v->reason) {
	case REASON_NONE:
	case REASONS:
		return;
	case REASON_REQUIRED_FOUND:
		buf_z(out, "Required regular expression found. Regex=[");
		break;
	case REASON_REQUIRED_NOT_FOUND:
		buf_z(out, "Required regular expression not found. Regex=[");
		add_patterns(out, &t->properties->pass);
		break;
	case REASON_ERROR_FOUND:
		buf_z(out, "Error regular expression found in output. Regex=[");
		break;
	case REASON_SKIP_FOUND:
		buf_z(out, "Skip regular expression found in output. Regex=[");
		break;
	}
	buf_str(out, v->pattern);
	buf_char(out, ']');
}

static const char *
refusal_text(enum refusal_kind k)
{
	static const char *const texts[REFUSALS] = {
		[REFUSED_NOT] = "Completed",
		[REFUSED_RESOURCES] = "Insufficient resources",
		[REFUSED_RESOURCES_SKIP] = "Insufficient resources",
		[REFUSED_DIRECTORY] = "Failed to change working directory",
		[REFUSED_DEFECT] = "Invalid Test Properties",
		[REFUSED_DISABLED] = "Disabled",
		[REFUSED_FIXTURE] = "Fixture dependency failed",
		[REFUSED_FIXTURE_SKIP] = "Fixture dependency skipped",
		[REFUSED_CONFIGURATION] = "Missing Configuration",
		[REFUSED_REQUIRED_FILE] = "Required Files Missing",
		[REFUSED_EXECUTABLE] = "Unable to find executable",
		[REFUSED_ENVIRONMENT] = "Failed to start",
		[REFUSED_START] = "Failed to start",
		[REFUSED_NODE] = "Node lost",
		[REFUSED_CANCELED] = "Canceled",
	};

	INVARIANT(k < REFUSALS);
	return texts[k];
}

struct str
report_completion(struct arena *a, const struct test *t, const struct verdict *v,
	const struct outcome *o)
{
	if (o->ending == END_NOT_STARTED)
		return str_of(refusal_text(o->refusal));
	if (v->kind == VERDICT_SKIPPED && v->reason == REASON_SKIP_FOUND)
		return STR("SKIP_REGULAR_EXPRESSION_MATCHED");
	if (v->kind == VERDICT_SKIPPED)
		return str_fmt(a, "SKIP_RETURN_CODE=%d", t->properties->skip_return_code);
	return o->details.n ? o->details : STR("Completed");
}

/* ---- the command ----------------------------------------------------------------- */

/* true: the test was refused before its executable was looked for. */
static bool
is_early_kind(enum refusal_kind k)
{
	return k == REFUSED_RESOURCES || k == REFUSED_RESOURCES_SKIP ||
	       k == REFUSED_DIRECTORY || k == REFUSED_DEFECT || k == REFUSED_DISABLED ||
	       k == REFUSED_FIXTURE || k == REFUSED_FIXTURE_SKIP;
}

static bool
is_early(const struct event *e)
{
	return e->refusal && is_early_kind(e->refusal->kind);
}

struct str
report_executable(const struct event *e)
{
	if (is_early(e))
		return STR("");
	if (e->launch && e->launch->prefix.n)
		return str_of(e->launch->argv[0]);
	if (e->refusal && e->refusal->kind == REFUSED_CONFIGURATION)
		return STR("NOT_AVAILABLE");
	if (e->refusal && e->refusal->kind == REFUSED_EXECUTABLE)
		return STR("");
	return e->launch && e->launch->path ? str_of(e->launch->path) : STR("");
}

struct str_list
report_arguments(struct arena *a, const struct event *e)
{
	const struct str_list *declared = &e->attempt->test->command;
	const char *const *argv = e->launch ? e->launch->argv : NULL;
	size_t n = 0;
	struct str *v;

	if (is_early(e))
		return (struct str_list){NULL, 0};
	if (!argv || !argv[0])
		return (struct str_list){declared->v + 1, declared->n - 1};
	while (argv[n + 1])
		n++;
	v = NEW_ARRAY(a, struct str, n);
	for (size_t i = 0; i < n; i++)
		v[i] = str_of(argv[i + 1]);
	return (struct str_list){v, n};
}

/* ---- numbers, dates, lines ------------------------------------------------------- */

const char *
report_date(char text[REPORT_DATE_BYTES], int64_t seconds)
{
	struct tm broken;

	text[0] = '\0';
	if (local_time(seconds, &broken))
		strftime(text, REPORT_DATE_BYTES, "%b %d %H:%M %Z", &broken);
	return text;
}

void
report_add_line(struct buf *out, struct str text)
{
	buf_str(out, text);
	if (text.n && text.p[text.n - 1] != '\n')
		buf_char(out, '\n');
}

void
report_add_seconds(struct buf *out, uint64_t duration_ns)
{
	uint64_t hundredths =
		duration_ns / 10000000 + (duration_ns % 10000000 >= 5000000);

	buf_number(out, hundredths / 100, 3);
	buf_char(out, '.');
	buf_char(out, (char)('0' + hundredths / 10 % 10));
	buf_char(out, (char)('0' + hundredths % 10));
	buf_z(out, " sec");
}

void
report_add_number(struct buf *out, double value)
{
	buf_fmt(out, "%g", value);
}

/* "NAME=value" */
static void
add_variable(struct buf *out, unsigned number, struct str text)
{
	size_t end = str_find(text, '=');
	struct str value = str_from(text, end < text.n ? end + 1 : end);

	buf_fmt(out, "%u:  %.*s%s", number, (int)end, text.p, end < text.n ? "=" : "");
	buf_str(out, secrets_masked_value(out->arena, str_cut(text.p, end), value));
	buf_char(out, '\n');
}

static void
add_environment(
	struct buf *out, unsigned number, const char *title, struct str_list values)
{
	if (values.n == 0)
		return;
	buf_fmt(out, "%u: %s: \n", number, title);
	for (size_t i = 0; i < values.n; i++)
		add_variable(out, number, values.v[i]);
}

size_t
report_add_command(struct buf *out, const struct run_words *words, unsigned number,
	const struct test *t, struct str command)
{
	size_t end;

	buf_fmt(out, "\n%u: %s command: %.*s\n", number, words->result, STR_ARG(command));
	end = out->n;
	if (t->directory.n)
		buf_fmt(out, "%u: Working Directory: %.*s\n", number,
			STR_ARG(t->directory));
	add_environment(out, number, "Environment variables", t->properties->environment);
	add_environment(out, number, "Environment variable modifications",
		t->properties->environment_modification);
	return end;
}

/* ---- in order -------------------------------------------------------------------- */

bool
report_is_failure(enum verdict_kind k)
{
	INVARIANT(k < VERDICTS);
	return !verdict_is_pass(k) && !verdict_is_uncounted(k);
}

bool
report_fails_run(enum verdict_kind k, enum flakiness flaky)
{
	return report_is_failure(k) || flaky == FLAKY_FAILS;
}

bool
report_did_not_run(const struct result *r)
{
	return r->verdict.kind == VERDICT_SKIPPED || r->verdict.kind == VERDICT_DISABLED;
}

SORT_POINTERS_BY(sort_results, const struct result, ASCENDING(number))

const struct result **
report_results_by_number(struct arena *a, const struct tally *t,
	bool (*belongs)(const struct result *), size_t *n)
{
	const struct result **v = NEW_ARRAY(a, const struct result *, t->results.n);

	INVARIANT(belongs && n);
	*n = 0;
	for (size_t i = 0; i < t->results.n; i++)
		if (belongs(&t->results.v[i]))
			v[(*n)++] = &t->results.v[i];
	sort_results(v, *n);
	return v;
}

/* ---- labels ---------------------------------------------------------------------- */

struct str_list
report_labels(struct arena *a, const struct test *t, const struct outcome *o)
{
	struct str_list declared = t->properties->labels, added = o->labels, all;

	all.n = declared.n + added.n;
	all.v = NEW_ARRAY(a, struct str, all.n);
	for (size_t i = 0; i < all.n; i++)
		all.v[i] = i < declared.n ? declared.v[i] : added.v[i - declared.n];
	str_list_make_set(&all);
	return all;
}

struct label_table {
	struct arena *a;
	struct map index;
	VEC(struct label_time) times;
};

static struct label_time *
label_entry(struct label_table *t, struct str label)
{
	uint32_t at = map_number(&t->index, label);

	if (at == t->times.n)
		VEC_PUSH(t->a, &t->times, (struct label_time){.label = label});
	return &t->times.v[at];
}

static void
count_label(struct label_table *t, struct str label, const struct result *r)
{
	struct label_time *l = label_entry(t, label);

	l->seconds +=
		(double)r->outcome.duration_ns / 1e9 * r->test->properties->processors;
	l->tests++;
}

static void
count_all(struct label_table *t, const struct result *r, struct str_list labels)
{
	for (size_t i = 0; i < labels.n; i++)
		count_label(t, labels.v[i], r);
}

SORT_BY(sort_labels, struct label_time, TEXTUAL(label))

static void
keep_labels(struct label_table *t, struct str_list subprojects, bool are_subprojects)
{
	struct map names = map_of(t->a, subprojects);
	size_t kept = 0;

	for (size_t i = 0; i < t->times.n; i++)
		if (map_has(&names, t->times.v[i].label) == are_subprojects)
			t->times.v[kept++] = t->times.v[i];
	t->times.n = kept;
}

struct label_times
report_label_times(struct arena *a, const struct selection *s, const struct tally *t,
	struct str_list subprojects, bool are_subprojects)
{
	struct label_table table = {.a = a, .index = map_in(a)};
	struct label_times times;

	for (size_t i = 0; i < s->n; i++) {
		const struct test *test = selected_test(s, i);

		for (size_t k = 0; k < test->properties->labels.n; k++)
			label_entry(&table, test->properties->labels.v[k]);
	}
	for (size_t i = 0; t && i < t->results.n; i++) {
		const struct result *r = &t->results.v[i];

		count_all(&table, r, r->test->properties->labels);
		count_all(&table, r, r->outcome.labels);
	}
	keep_labels(&table, subprojects, are_subprojects);
	sort_labels(table.times.v, table.times.n);
	times = (struct label_times){table.times.v, table.times.n, 0};
	for (size_t i = 0; i < times.n; i++)
		if (times.v[i].label.n > times.longest)
			times.longest = times.v[i].label.n;
	return times;
}

size_t
report_digits(uint64_t n)
{
	size_t count = 1;

	for (; n >= 10; n /= 10)
		count++;
	return count;
}
