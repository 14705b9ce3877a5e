/* Only for problems that are reported, reads the place that a message names. See
 * build_xml.h. */
#include "compat/dashboard/build/build_xml.h"

#include <ctype.h>

#include "compat/dashboard/step/site.h"
#include "compat/format/secrets.h"
#include "compat/format/unix_path.h"
#include "compat/instrument/cdash.h"
#include "runner/base/files.h"

/* ---- source files ---------------------------------------------------------------- */

static bool
has_drive(struct str path)
{
	return path.n > 2 && isalpha((unsigned char)path.p[0]) && path.p[1] == ':' &&
	       path.p[2] == '/';
}

/* Absolute in CMake's sense: a drive and "//" are roots on every system. */
static struct str
full_path(const struct step_input *in, struct str path)
{
	struct arena *a = in->arena;
	size_t root = has_drive(path) ? 2 : str_begins(path, STR("//")) ? 1 : 0;
	struct str rest;

	if (str_begins(path, STR("~"))) {
		size_t end = str_find(path, '/');
		struct str home = str_of(unix_home(a, str_cut(path.p, end)));

		rest = str_from(path, home.n || end == path.n ? end : end + 1);
		path = str_fmt(a, "%.*s%.*s", STR_ARG(home), STR_ARG(rest));
	}
	rest = path_join(a, in->directory, str_from(path, root));
	return str_fmt(a, "%.*s%.*s", (int)root, path.p, STR_ARG(rest));
}

/* Until 4.0: removes the source directory from the front of the path. */
static struct str
below_source(const struct step_input *in, struct str path)
{
	struct str root = full_path(in, step_key(in, "SourceDirectory"));

	root = str_fmt(in->arena, "%.*s/", STR_ARG(root));
	return str_replace(in->arena, full_path(in, path), root, STR(""));
}

/* Since 4.0: removes the source directory without its slash, wherever it occurs. */
static struct str
without_source(const struct step_input *in, struct str path)
{
	struct arena *a = in->arena;

	if (!str_begins(path, STR("/")))
		path = str_fmt(a, "%.*s/%.*s", STR_ARG(in->directory), STR_ARG(path));
	return str_replace(
		a, path_on_disk(a, path), step_key(in, "SourceDirectory"), STR(""));
}

/* A source file as a message spells it: relative to the project's directory if it is
 * below it. */
static struct str
build_xml_source(const struct step_input *in, struct str file)
{
	const struct str dots = STR("/.../");
	struct arena *a = in->arena;
	struct str path = unix_slashes(a, in->dialect, file);
	size_t slash;

	if (str_has(path, dots)) {
		path = str_replace(a, path, dots, STR(""));
		slash = str_find(path, '/');
		return slash < path.n ? str_from(path, slash + 1) : path;
	}
	return in->dialect->has[DIALECT_DIRECTORY_NAMES_AS_GIVEN]
		       ? without_source(in, path)
		       : below_source(in, path);
}

/* ---- problems -------------------------------------------------------------------- */

static void
add_place(struct xml *x, const struct step_input *in, struct build_matchers *m,
	struct str message)
{
	struct str file;
	int line;

	if (!m || !build_matchers_place(m, message, &file, &line))
		return;
	file = build_xml_source(in, file);
	if (!file.n || line < 0)
		return;
	site_text(x, "SourceFile", file);
	site_number(x, "SourceLineNumber", line);
}

static void
add_problem(struct xml *x, const struct step_input *in, const struct build_record *r,
	const struct build_problem *p, bool is_last)
{
	xml_open(x, p->is_error ? "Error" : "Warning");
	site_number(x, "BuildLogLine", (int64_t)p->log_line);
	site_text(x, "Text", p->text);
	add_place(x, in, r->output->matchers, p->text);
	site_text(x, "PreContext", p->before);
	xml_open(x, "PostContext");
	xml_text(x, buf_as_str(&p->after));
	if (is_last)
		xml_text(x, STR("\nThe maximum number of reported warnings or errors has "
				"been reached!!!\n"));
	xml_close(x);
	site_number(x, "RepeatCount", 0);
	xml_close(x);
}

/* At most the configured number of each kind; a negative number: all. */
static void
add_problems(struct xml *x, const struct step_input *in, const struct build_record *r)
{
	int errors = r->output->errors_most, warnings = r->output->warnings_most;

	for (size_t i = 0; i < r->output->problems.n; i++) {
		const struct build_problem *p = r->output->problems.v[i];
		int *left = p->is_error ? &errors : &warnings;

		if (*left == 0)
			continue;
		*left -= *left > 0;
		add_problem(x, in, r, p, *left == 0);
	}
}

static void
add_fragments(struct xml *x, const struct build_launch *l)
{
	struct arena *a = x->out->arena;

	for (size_t i = 0; i < l->fragments.n; i++) {
		struct str text;

		xml_content(x);
		if (console_read_file(l->in->console, a, l->fragments.v[i], &text))
			buf_str(x->out, text);
	}
}

void
build_xml(struct buf *text, const struct step_input *in, const struct build_record *r)
{
	const struct instrumentation *recorded = step_instrumentation(in);
	struct buf complaints = {.arena = in->arena};
	struct xml x;

	xml_begin(&x, text, 0);
	site_open(&x, in);
	site_subprojects(&x, in);
	xml_open(&x, "Build");
	site_time(&x, "StartDateTime", "StartBuildTime", r->started_s);
	if (in->dialect->has[DIALECT_XML_BUILD_DIRECTORIES]) {
		site_text(&x, "SourceDirectory", step_key(in, "SourceDirectory"));
		site_text(&x, "BinaryDirectory", in->binary);
	}
	site_text(&x, "BuildCommand", secrets_masked(in->arena, r->command));
	if (r->launch->is_on)
		add_fragments(&x, r->launch);
	else
		add_problems(&x, in, r);
	if (recorded)
		cdash_add_build(&x, in->arena, recorded, &complaints);
	step_complain(in, &complaints);
	xml_open(&x, "Log");
	xml_attribute(&x, "Encoding", STR("base64"));
	xml_attribute(&x, "Compression", STR("bin/gzip"));
	xml_close(&x);
	site_time(&x, "EndDateTime", "EndBuildTime", r->ended_s);
	site_number(&x, "ElapsedMinutes", (r->ended_s - r->started_s) / 60);
	xml_close(&x);
	xml_close(&x);
	buf_char(text, '\n');
}
