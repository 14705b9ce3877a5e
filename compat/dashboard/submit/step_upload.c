/* The upload step: files that the server stores unchanged. See step.h. */
#include "compat/dashboard/step/step.h"

#include <time.h>

#include "compat/dashboard/step/site.h"
#include "compat/format/encode.h"
#include "runner/base/files.h"

static void
add_file(struct dashboard *d, struct xml *x, struct str file)
{
	struct buf text = {.arena = d->arena};
	struct str bytes = STR("");

	step_fmt(d, CHANNEL_OUTPUT, "\tUpload file: %.*s\n", STR_ARG(file));
	if (!file_read(d->arena, str_z(d->arena, file), &bytes))
		bytes = STR("");
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
files_of(const struct dashboard *d, const struct step_call *c)
{
	struct str_list given = step_values(c, "FILES");
	struct str_list files = str_list_dup(d->arena, given);

	str_list_make_set(&files);
	return files;
}

bool
step_upload(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	struct str_list files = files_of(d, c);
	struct buf text = {.arena = d->arena};
	struct xml x;

	xml_begin(&x, &text, 0);
	site_open_short(&x, d);
	xml_open(&x, "Upload");
	if (d->dialect->has[DIALECT_UPLOAD_TIME])
		site_number(&x, "Time", time(NULL));
	for (size_t i = 0; i < files.n; i++)
		add_file(d, &x, files.v[i]);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return dashboard_write(d, "Upload", buf_as_str(&text)) || step_fail(r);
}
