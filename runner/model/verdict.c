/*
 * What an outcome means. See verdict.h.
 *
 * Expressions are searched whatever the ending was, because reports show the reason even
 * for a test that never started; only without the setup of a fixture they are not
 * searched. Whether a reason counts is decided afterwards, by the ending.
 */
#include "runner/model/verdict.h"

#include <signal.h>

struct finding {
	enum reason_kind reason;
	struct str pattern;
};

enum { LISTS = 3 };
/* In the order of precedence: skip beats fail beats pass. */
struct lists {
	struct pattern_list v[LISTS];
};

static struct lists
lists_of(const struct properties *p)
{
	return (struct lists){{p->skip, p->fail, p->pass}};
}

static bool
has_patterns(const struct properties *p)
{
	return p->skip.n + p->fail.n + p->pass.n > 0;
}

struct match_search *
verdict_search_open(struct arena *a, const struct properties *p)
{
	struct lists lists = lists_of(p);

	INVARIANT(p);
	return has_patterns(p) ? match_search_open(a, lists.v, LISTS) : NULL;
}

static bool
is_of(const struct pattern_list *l, const struct pattern *p)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i] == p)
			return true;
	return false;
}

static struct finding
search_output(const struct properties *p, const struct outcome *o)
{
	static const enum reason_kind reasons[LISTS] = {
		REASON_SKIP_FOUND, REASON_ERROR_FOUND, REASON_REQUIRED_FOUND};
	struct lists lists = lists_of(p);
	struct long_text output = outcome_text(o);
	const struct pattern *hit = NULL;

	if (o->search)
		hit = match_search_found(o->search);
	else if (has_patterns(p))
		hit = match_first(lists.v, LISTS, &output);
	for (int i = 0; hit && i < LISTS; i++)
		if (is_of(&lists.v[i], hit))
			return (struct finding){reasons[i], hit->text};
	return (struct finding){
		p->pass.n ? REASON_REQUIRED_NOT_FOUND : REASON_NONE, STR_NONE};
}

static enum verdict_kind
judge_exit(const struct properties *p, const struct outcome *o, enum reason_kind reason)
{
	bool forced = o->made_nothing || reason == REASON_ERROR_FOUND ||
		      reason == REASON_REQUIRED_NOT_FOUND;
	bool good = !forced && (o->exit_code == 0 || p->pass.n > 0);

	if (o->lost_output)
		return VERDICT_FAILED;
	if (reason == REASON_SKIP_FOUND ||
		(p->has_skip_return_code && o->exit_code == p->skip_return_code))
		return VERDICT_SKIPPED;
	return good != p->will_fail ? VERDICT_PASSED : VERDICT_FAILED;
}

static enum verdict_kind
judge_signal(int number)
{
	switch (number) {
	case SIGSEGV:
		return VERDICT_SEGFAULT;
	case SIGILL:
		return VERDICT_ILLEGAL;
	case SIGINT:
		return VERDICT_INTERRUPT;
	case SIGFPE:
		return VERDICT_NUMERICAL;
	default:
		return VERDICT_OTHER_FAULT;
	}
}

static enum verdict_kind
judge_refusal(enum refusal_kind r)
{
	switch (r) {
	case REFUSED_DISABLED:
		return VERDICT_DISABLED;
	case REFUSED_RESOURCES_SKIP:
	case REFUSED_FIXTURE_SKIP:
		return VERDICT_SKIPPED;
	case REFUSED_ENVIRONMENT:
	case REFUSED_START:
		return VERDICT_BAD_COMMAND;
	case REFUSED_NOT:
	case REFUSED_RESOURCES:
	case REFUSED_DIRECTORY:
	case REFUSED_DEFECT:
	case REFUSED_FIXTURE:
	case REFUSED_CONFIGURATION:
	case REFUSED_REQUIRED_FILE:
	case REFUSED_EXECUTABLE:
	case REFUSED_NODE:
	case REFUSED_CANCELED:
	case REFUSALS:
		break;
	}
	return VERDICT_NOT_RUN;
}

static enum verdict_kind
judge_outcome(
	const struct properties *p, const struct outcome *o, enum reason_kind reason)
{
	switch (o->ending) {
	case END_NOT_STARTED:
		return judge_refusal(o->refusal);
	case END_EXITED:
		return judge_exit(p, o, reason);
	case END_SIGNALLED:
		/* After a read error the pipe is closed while the test still writes. */
		return o->lost_output && o->signal == SIGPIPE ? VERDICT_FAILED
							      : judge_signal(o->signal);
	case END_TIMED_OUT:
		return VERDICT_TIMEOUT;
	case ENDINGS:
		break;
	}
	BUG("an outcome without an ending");
}

struct verdict
verdict_judge(const struct test *t, const struct outcome *o)
{
	struct finding f = {REASON_NONE, STR_NONE};
	bool is_canceled = o->is_canceled && o->ending != END_NOT_STARTED;

	if (!o->lacks_setup)
		f = search_output(t->properties, o);
	return (struct verdict){
		.kind = is_canceled ? VERDICT_FAILED
				    : judge_outcome(t->properties, o, f.reason),
		.is_canceled = is_canceled,
		.reason = f.reason,
		.lost_output = o->lost_output,
		.made_nothing = o->made_nothing,
		.pattern = f.pattern};
}

bool
verdict_is_pass(enum verdict_kind k)
{
	INVARIANT(k < VERDICTS);
	return k == VERDICT_PASSED || k == VERDICT_SKIPPED;
}

bool
verdict_is_uncounted(enum verdict_kind k)
{
	INVARIANT(k < VERDICTS);
	return k == VERDICT_DISABLED;
}

const char *
verdict_word(enum verdict_kind k)
{
	static const char *const words[VERDICTS] = {
		[VERDICT_PASSED] = "passed",
		[VERDICT_FAILED] = "failed",
		[VERDICT_TIMEOUT] = "timeout",
		[VERDICT_SKIPPED] = "skipped",
		[VERDICT_DISABLED] = "disabled",
		[VERDICT_NOT_RUN] = "not run",
		[VERDICT_BAD_COMMAND] = "not started",
		[VERDICT_SEGFAULT] = "crashed",
		[VERDICT_ILLEGAL] = "crashed",
		[VERDICT_INTERRUPT] = "crashed",
		[VERDICT_NUMERICAL] = "crashed",
		[VERDICT_OTHER_FAULT] = "crashed",
	};

	INVARIANT(k < VERDICTS);
	return words[k];
}
