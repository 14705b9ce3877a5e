/*
 * The commands of scripts that are not steps: sleep, empty a build tree, read
 * CTestCustom.cmake, run other scripts. Texts are ctest's.
 */
#include "compat/dashboard/script/script_commands.h"

#include "compat/dashboard/script/script.h"
#include "compat/dashboard/script/script_custom.h"
#include "compat/dashboard/script/script_start.h"
#include "compat/dashboard/script/script_steps.h"
#include "runner/base/files.h"

static void
fail_command(struct script_command *c, struct str text)
{
	script_reply_error(c->reply, str_fmt(c->scripts->arena, "%.*s %.*s",
					     STR_ARG(c->call->command), STR_ARG(text)));
}

static void
fail_count(struct script_command *c)
{
	fail_command(c, STR("called with incorrect number of arguments"));
}

static void
answer_sleep(struct script_command *c)
{
	const struct str_list *w = &c->call->words;
	int64_t seconds;

	if (w->n != 1 && w->n != 3) {
		fail_count(c);
		return;
	}
	seconds = str_int(w->v[0]);
	if (w->n == 3)
		seconds += (int64_t)str_int(w->v[1]) - str_int(w->v[2]);
	if (seconds > 0)
		script_sleep(c->scripts, seconds);
}

/* ---- ctest_empty_binary_directory ------------------------------------------------ */

static void
answer_empty(struct script_command *c)
{
	struct scripts *s = c->scripts;
	const char *why;

	if (c->call->words.n != 1) {
		fail_count(c);
		return;
	}
	why = script_why_not_emptied(s->arena, c->call->words.v[0]);
	if (!why)
		return;
	if (s->dialect->has[DIALECT_EMPTY_DIRECTORY_REASON])
		script_reply_error(
			c->reply, str_fmt(s->arena,
					  "Did not remove the binary directory:\n "
					  "%.*s\nbecause:\n %s",
					  STR_ARG(c->call->words.v[0]), why));
	else
		fail_command(c,
			str_fmt(s->arena, "problem removing the binary directory: %.*s",
				STR_ARG(c->call->words.v[0])));
}

/* ---- ctest_run_script ------------------------------------------------------------ */

/* Returns the value for RETURN_VALUE. */
static int
run_one(struct script_command *c, struct str script, bool is_process)
{
	struct scripts *s = c->scripts;
	int value = is_process ? script_run_process(s, script, c->call->environment)
			       : script_run(s, script, c->call->environment);

	if (value && s->dialect->has[DIALECT_DECLARATIVE_SCRIPTS])
		return -1;
	return value;
}

static void
answer_run_script(struct script_command *c)
{
	const struct str_list *w = &c->call->words;
	bool is_process = w->n && str_is(w->v[0], "NEW_PROCESS");
	struct str variable = STR_NONE;
	size_t keyword_at = w->n;
	int value = 0;

	for (size_t i = 0; i < w->n && keyword_at == w->n; i++)
		if (str_is(w->v[i], "RETURN_VALUE")) {
			variable = i + 1 < w->n ? w->v[i + 1] : STR_NONE;
			keyword_at = i;
		}
	if (w->n == 0) {
		fail_count(c);
		return;
	}
	c->scripts->below = script_depth_below(c);
	for (size_t i = is_process; i < w->n && !c->scripts->interrupted; i++) {
		if (keyword_at < w->n && (i == keyword_at || i == keyword_at + 1))
			continue;
		value = run_one(c, w->v[i], is_process);
		c->reply->has_error |=
			value && (is_process || !script_exists(c->scripts, w->v[i]));
		if (variable.n)
			script_reply_set(c->reply, variable,
				str_fmt(c->scripts->arena, "%d", value));
	}
}

/* ---- all ------------------------------------------------------------------------- */

void
script_answer(struct script_command *c)
{
	static const struct {
		const char *name;
		void (*answer)(struct script_command *c);
		bool goes_on; /* continues a command that has begun */
	} commands[] = {
		{"ctest_sleep", answer_sleep, false},
		{"ctest_empty_binary_directory", answer_empty, false},
		{"_cctr_ctest_read_custom_files", script_answer_custom_files, false},
		{"_cctr_ctest_read_custom_file", script_answer_custom_file, true},
		{"ctest_run_script", answer_run_script, false},
		{"_cctr_ctest_start", script_answer_start, false},
		{"_cctr_ctest_configured", script_answer_configured, true},
		{"_cctr_ctest_customized", script_answer_customized, true},
		{"_cctr_go_on", script_answer_go_on, true},
	};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (str_is(c->call->command, commands[i].name)) {
			if (commands[i].goes_on || !script_depth_exceeded(c))
				commands[i].answer(c);
			return;
		}
	if (!script_depth_exceeded(c) && !script_answer_step(c))
		fail_command(c, STR("is not known to cctr"));
}
