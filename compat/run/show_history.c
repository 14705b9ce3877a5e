/* See show_history.h. */
#include "compat/run/show_history.h"

#include "runner/history/history_text.h"

/* Of each test so many of the latest attempts count. */
enum { ATTEMPTS_MOST = 200 };

bool
show_history_read(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct str *path,
	struct history_content *content)
{
	enum history_found found;

	*path = history_path(c->arena, s->temporary);
	found = history_read(c->arena, *path, s->options.configuration,
		selection_names(c->arena, selection), selection->n, ATTEMPTS_MOST,
		content, &c->diag);
	if (found == HISTORY_FOUND)
		return true;
	if (found == HISTORY_ABSENT)
		diag_error(&c->diag, (struct place){.file = *path},
			"there is no history; runs with --history=on write one");
	console_diag(c->console, &c->diag);
	return false;
}

enum exit_code
show_history(struct run_context *c, const struct run_settings *s,
	const struct selection *selection)
{
	const struct options *o = &s->options;
	struct arena *a = c->arena;
	bool *disabled = NEW_ARRAY(a, bool, selection->n);
	struct history_content content;
	struct past past;
	struct history_view view = {.configuration = o->configuration,
		.content = &content,
		.past = &past,
		.names = selection_names(a, selection),
		.disabled = disabled,
		.tells_attempts = o->selection.tests.n > 0};
	struct buf out = {.arena = a};

	for (size_t i = 0; i < selection->n; i++)
		disabled[i] = selected_test(selection, i)->properties->disabled;
	if (!show_history_read(c, s, selection, &view.path, &content))
		return EXIT_USAGE;
	past = past_of(a, &content, selection->n);
	(o->show_history == SHOW_HISTORY_JSON ? history_json : history_text)(&out, &view);
	console_raw(c->console, buf_as_str(&out));
	return EXIT_OK;
}
