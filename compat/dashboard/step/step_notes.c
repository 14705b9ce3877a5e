/* The notes step: texts that are submitted with the results. See step.h. */
#include "compat/dashboard/step/step.h"

#include <errno.h>

#include "compat/dashboard/step/site.h"
#include "runner/base/files.h"

typedef bool file_reader(struct arena *a, const char *path, struct str *text);

/* A file in Testing/Notes is a note too. */
static void
add_found(const struct step_input *in, str_vec *files)
{
	struct str path = path_join(in->arena, in->binary, STR("Testing/Notes"));
	str_vec names = {0};

	console_read_directory(in->console, in->arena, path, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct str file = path_join(in->arena, path, names.v[i]);

		if (!path_is_directory(file.p))
			VEC_PUSH(in->arena, files, file);
	}
}

/* Line by line: the last line also gets a newline. */
static struct str
text_of(const struct step_input *in, struct str file, file_reader *read)
{
	struct str text;

	if (!read(in->arena, step_path(in, file), &text)) {
		if (!error_is_no_file(errno))
			console_note_loss(in->console);
		console_fmt(in->console, CHANNEL_ERROR,
			"Problem reading file: %.*s while creating notes\n",
			STR_ARG(file));
		return str_fmt(in->arena, "Problem reading file: %.*s\n", STR_ARG(file));
	}
	return text.n && text.p[text.n - 1] != '\n'
		       ? str_fmt(in->arena, "%.*s\n", STR_ARG(text))
		       : text;
}

static void
add_note(const struct step_input *in, struct xml *x, struct str file, file_reader *read)
{
	struct str text;

	console_fmt(in->console, CHANNEL_OUTPUT, "\tAdd file: %.*s\n", STR_ARG(file));
	text = text_of(in, file, read);
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
step_notes(const struct step_input *in, struct step_result *r)
{
	bool is_asked = step_has(&in->call, "FILES"); /* by a script */
	struct str_list named = is_asked ? step_values(&in->call, "FILES")
					 : str_vec_list(&in->options->dashboard.notes);
	struct buf text = {.arena = in->arena};
	str_vec files = {0};
	struct xml x;

	VEC_PUSH_ALL(in->arena, &files, named);
	if (!is_asked)
		add_found(in, &files);
	if (files.n == 0 && !is_asked)
		return true;
	if (!is_asked)
		console_say(in->console, CHANNEL_OUTPUT, STR("Create notes file\n"));
	xml_begin(&x, &text, 0);
	site_open_short(&x, in);
	xml_open(&x, "Notes");
	for (size_t i = 0; i < files.n; i++)
		add_note(in, &x, files.v[i], i < named.n ? file_read_named : file_read);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return step_write(in, r, "Notes", buf_as_str(&text));
}
