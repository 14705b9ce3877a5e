/* See why.h. */
#include "runner/report/why.h"

static const char *
reason_text(enum reason_kind kind)
{
	static const char *const texts[REASONS] = {
		[REASON_NONE] = "",
		[REASON_REQUIRED_FOUND] = "The output has an expression that it must "
					  "have: ",
		[REASON_REQUIRED_NOT_FOUND] =
			"The output has none of the expressions that it must have",
		[REASON_ERROR_FOUND] = "The output has an expression that it must not "
				       "have: ",
		[REASON_SKIP_FOUND] = "The output has an expression that skips the "
				      "test: ",
	};

	return texts[kind];
}

static void
add_line(struct buf *out, size_t begin, const char *line)
{
	if (out->n > begin)
		buf_char(out, '\n');
	buf_z(out, line);
}

struct str
why_in_short(struct arena *a, const struct event *e)
{
	const struct outcome *o = e->outcome;

	if (o->is_canceled)
		return STR("canceled");
	if (o->ending == END_NOT_STARTED)
		return e->refusal ? e->refusal->log : STR_NONE;
	if (e->verdict->lost_output)
		return STR("its output was lost");
	if (e->verdict->pattern.n)
		return str_fmt(a, "matches: %.*s", STR_ARG(e->verdict->pattern));
	if (e->verdict->reason == REASON_REQUIRED_NOT_FOUND)
		return STR("the required text is missing");
	if (o->ending == END_SIGNALLED)
		return str_fmt(a, "signal %d", o->signal);
	if (o->ending == END_EXITED && e->verdict->kind != VERDICT_PASSED)
		return str_fmt(a, "exit code %d", o->exit_code);
	return STR_NONE;
}

void
why_add_exit_code(struct buf *out, const struct event *e)
{
	if (e->outcome->ending == END_EXITED)
		buf_fmt(out, ", exit code %d", e->outcome->exit_code);
}

void
why_add(struct buf *out, const struct event *e)
{
	size_t begin = out->n;

	if (e->refusal)
		buf_str(out, str_trim(e->refusal->log));
	if (out->n == begin)
		buf_z(out, reason_text(e->verdict->reason));
	if (out->n > begin && e->verdict->pattern.n)
		buf_str(out, e->verdict->pattern);
	if (e->outcome->lost_output)
		add_line(out, begin, "Its output could not be read to its end");
	if (e->outcome->is_canceled)
		add_line(out, begin, "Somebody asked that it ends");
}
