/* The notes step: texts that are submitted with the results. See step.h. */
#include "compat/dashboard/step/step.h"

#include <errno.h>

#include "compat/dashboard/step/site.h"
#include "runner/base/files.h"

/* A file in Testing/Notes is a note too. */
static void
add_found(const struct dashboard *d, str_vec *files)
{
	struct str path = path_join(d->arena, d->binary, STR("Testing/Notes"));
	str_vec names = {0};

	console_read_directory(d->console, d->arena, path, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct str file = path_join(d->arena, path, names.v[i]);

		if (!path_is_directory(file.p))
			VEC_PUSH(d->arena, files, file);
	}
}

/* Line by line: the last line also gets a newline. */
static struct str
text_of(const struct dashboard *d, struct str file)
{
	struct str text;

	if (!file_read(d->arena, str_z(d->arena, file), &text)) {
		if (!error_is_absence(errno) && errno != EISDIR)
			console_note_loss(d->console);
		console_fmt(d->console, CHANNEL_ERROR,
			"Problem reading file: %.*s while creating notes\n",
			STR_ARG(file));
		return str_fmt(d->arena, "Problem reading file: %.*s\n", STR_ARG(file));
	}
	return text.n && text.p[text.n - 1] != '\n'
		       ? str_fmt(d->arena, "%.*s\n", STR_ARG(text))
		       : text;
}

static void
add_note(const struct dashboard *d, struct xml *x, struct str file)
{
	struct str text;

	console_fmt(d->console, CHANNEL_OUTPUT, "\tAdd file: %.*s\n", STR_ARG(file));
	text = text_of(d, file);
	xml_open(x, "Note");
	xml_attribute(x, "Name", file);
	site_now(x);
	xml_open(x, "Text");
	if (text.n)
		xml_text(x, text);
	xml_close(x);
	xml_close(x);
}

bool
step_notes(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	struct str_list asked = step_values(c, "FILES"); /* by a script */
	struct str_list named =
		asked.n ? asked : str_vec_list(&d->options->dashboard.notes);
	struct buf text = {.arena = d->arena};
	str_vec files = {0};
	struct xml x;

	(void)r;
	for (size_t i = 0; i < named.n; i++)
		VEC_PUSH(d->arena, &files, named.v[i]);
	if (!asked.n)
		add_found(d, &files);
	if (files.n == 0)
		return true;
	if (!asked.n)
		console_say(d->console, CHANNEL_OUTPUT, STR("Create notes file\n"));
	xml_begin(&x, &text, 0);
	site_open_short(&x, d);
	xml_open(&x, "Notes");
	for (size_t i = 0; i < files.n; i++)
		add_note(d, &x, files.v[i]);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return dashboard_write(d, "Notes", buf_as_str(&text));
}
