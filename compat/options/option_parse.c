/* What the setters of options share. See option_parse.h. */
#include "compat/options/option_parse.h"

#include <string.h>

void
option_say(struct option_parse *p, bool to_stderr, struct str text)
{
	if (text.n)
		VEC_PUSH(p->a, p->messages,
			(struct options_message){.to_stderr = to_stderr, .text = text});
}

bool
option_error(struct option_parse *p, const char *fmt, ...)
{
	struct str text;
	va_list args;

	va_start(args, fmt);
	text = str_vfmt(p->a, fmt, args);
	va_end(args);
	option_say(p, true, str_fmt(p->a, "CMake Error: %.*s\n", STR_ARG(text)));
	return false;
}

static size_t
count_logs(const struct console_options *o)
{
	return o->earlier_logs.n + (o->output_log.n > 0);
}

void
option_complain(struct option_parse *p, bool is_warning, struct str text)
{
	struct options_message m = {.to_stderr = true,
		.is_silent = p->o->console.quiet,
		.logs = count_logs(&p->o->console),
		.is_warning = is_warning,
		.text = text};

	if (!m.is_silent || m.logs)
		VEC_PUSH(p->a, p->messages, m);
}

bool
options_have_own(const struct options *o, const char *name)
{
	INVARIANT(o && name);
	for (size_t i = 0; i < o->own_uses.n; i++)
		if (strcmp(o->own_uses.v[i].name, name) == 0)
			return true;
	return false;
}

/* Removes every ".\": Visual Studio writes it before the name of a configuration. */
struct str
option_configuration(struct arena *a, struct str text)
{
	struct buf name = {.arena = a};
	struct str rest = text;

	for (;;) {
		size_t at = str_search(rest, STR(".\\"));

		buf_str(&name, str_cut(rest.p, at));
		if (at == rest.n)
			break;
		rest = str_from(rest, at + 2);
	}
	return name.n ? buf_as_str(&name) : STR("");
}

bool
option_read_no_tests(struct str text, enum no_tests *action)
{
	INVARIANT(action);
	if (str_is(text, "error"))
		*action = NO_TESTS_ERROR;
	else if (str_is(text, "ignore"))
		*action = NO_TESTS_IGNORE;
	else
		return false;
	return true;
}
