/*
 * What an outcome means. See verdict.h.
 *
 * Expressions are searched whatever the ending was, because reports show the reason even
 * for a test that never started; only a fixture's failure keeps them from being searched.
 * Whether a reason counts is decided afterwards, by the ending.
 */
#include "runner/verdict.h"

#include <signal.h>

struct finding {
	enum reason_kind reason;
	struct str pattern;
};

/* Skip beats fail beats pass. */
static struct finding
search(const struct properties *p, const struct long_text *output)
{
	const struct pattern *hit;

	if ((hit = match_first(&p->skip, output)))
		return (struct finding){REASON_SKIP_FOUND, hit->text};
	if ((hit = match_first(&p->fail, output)))
		return (struct finding){REASON_ERROR_FOUND, hit->text};
	if (p->pass.n == 0)
		return (struct finding){REASON_NONE, STR_NONE};
	if ((hit = match_first(&p->pass, output)))
		return (struct finding){REASON_REQUIRED_FOUND, hit->text};
	return (struct finding){REASON_REQUIRED_NOT_FOUND, STR_NONE};
}

static enum verdict_kind
judge_exit(const struct properties *p, const struct outcome *o, enum reason_kind reason)
{
	bool forced = o->made_nothing || reason == REASON_ERROR_FOUND ||
		      reason == REASON_REQUIRED_NOT_FOUND;
	bool good = !forced && (o->exit_code == 0 || p->pass.n > 0);

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
	case REFUSALS:
		break;
	}
	return VERDICT_NOT_RUN;
}

static enum verdict_kind
judge(const struct properties *p, const struct outcome *o, enum reason_kind reason)
{
	switch (o->ending) {
	case END_NOT_STARTED:
		return judge_refusal(o->refusal);
	case END_EXITED:
		return judge_exit(p, o, reason);
	case END_SIGNALLED:
		return judge_signal(o->signal);
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
	struct long_text output = outcome_text(o);

	if (o->ending != END_NOT_STARTED || o->refusal != REFUSED_FIXTURE)
		f = search(t->properties, &output);
	return (struct verdict){.kind = judge(t->properties, o, f.reason),
		.reason = f.reason,
		.made_nothing = o->made_nothing,
		.pattern = f.pattern};
}

bool
verdict_is_pass(enum verdict_kind k)
{
	return k == VERDICT_PASSED || k == VERDICT_SKIPPED;
}

bool
verdict_is_uncounted(enum verdict_kind k)
{
	return k == VERDICT_DISABLED;
}

const char *
verdict_name(enum verdict_kind k)
{
	static const char *const names[VERDICTS] = {
		[VERDICT_PASSED] = "Completed",
		[VERDICT_FAILED] = "Failed",
		[VERDICT_TIMEOUT] = "Timeout",
		[VERDICT_SKIPPED] = "Skipped",
		[VERDICT_DISABLED] = "Disabled",
		[VERDICT_NOT_RUN] = "Not Run",
		[VERDICT_BAD_COMMAND] = "BAD_COMMAND",
		[VERDICT_SEGFAULT] = "SEGFAULT",
		[VERDICT_ILLEGAL] = "ILLEGAL",
		[VERDICT_INTERRUPT] = "INTERRUPT",
		[VERDICT_NUMERICAL] = "NUMERICAL",
	};

	INVARIANT((unsigned)k < VERDICTS);
	return names[k];
}
