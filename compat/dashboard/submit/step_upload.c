/* The upload step: files that the server stores unchanged. See step.h. */
#include "compat/dashboard/step/step.h"

#include <errno.h>
#include <time.h>

#include "compat/dashboard/step/site.h"
#include "compat/format/encode.h"
#include "runner/base/files.h"

/* A file that is not there is an empty one to ctest. */
static void
note_unread(const struct step_input *in, struct str file, int error)
{
	if (error_is_absence(error))
		return;
	console_fmt(in->console, CHANNEL_ERROR, "cctr: cannot read %.*s: %s\n",
		STR_ARG(file), strerror(error));
	console_note_loss(in->console);
}

static void
add_file(const struct step_input *in, struct xml *x, struct str file)
{
	struct buf text = {.arena = in->arena};
	struct str bytes = STR("");

	step_fmt(in, CHANNEL_OUTPUT, "\tUpload file: %.*s\n", STR_ARG(file));
	if (!file_read(in->arena, step_path(in, file), &bytes)) {
		bytes = STR("");
		note_unread(in, file, errno);
	}
	encode_base64(&text, bytes, false);
	xml_open(x, "File");
	xml_attribute(x, "filename", file);
	xml_open(x, "Content");
	xml_attribute(x, "encoding", STR("base64"));
	xml_text(x, buf_as_str(&text));
	xml_close(x);
	xml_close(x);
}

/* The names as given, sorted, without duplicates. */
static struct str_list
files_of(const struct step_input *in)
{
	struct str_list given = step_values(&in->call, "FILES");
	struct str_list files = str_list_dup(in->arena, given);

	str_list_make_set(&files);
	return files;
}

bool
step_upload(const struct step_input *in, struct step_result *r)
{
	struct str_list files = files_of(in);
	struct buf text = {.arena = in->arena};
	struct xml x;

	xml_begin(&x, &text, 0);
	site_open_short(&x, in);
	xml_open(&x, "Upload");
	if (in->dialect->has[DIALECT_XML_UPLOAD_TIME])
		site_number(&x, "Time", time(NULL));
	for (size_t i = 0; i < files.n; i++)
		add_file(in, &x, files.v[i]);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return step_write(in, r, "Upload", buf_as_str(&text)) || step_fail(r);
}
