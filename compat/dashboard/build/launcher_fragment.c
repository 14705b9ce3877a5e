/*
 * Rules for warnings, and fragments of Build.xml. See launcher_fragment.h.
 *
 * The build step writes CTestLaunchConfig.cmake, with one fact in it. The file is read as
 * text, not evaluated, since every command of a build reads it.
 */
#include "compat/dashboard/build/launcher_fragment.h"

#include <errno.h>
#include <string.h>

#include "compat/console/report_text.h"
#include "compat/format/md5.h"
#include "compat/format/regex.h"
#include "compat/format/xml.h"
#include "runner/base/files.h"

typedef VEC(const struct pattern *) pattern_vec;

struct launch_rules {
	struct arena *arena;
	struct match_set *set;
	pattern_vec warnings, suppressions;
};

bool
launched_failed(const struct launched *l)
{
	return !command_succeeded(&l->end);
}

struct str
launched_path(struct arena *a, const struct launched *l, struct str logs)
{
	struct buf key = {.arena = a};
	char hash[MD5_TEXT];

	buf_str(&key, l->directory);
	for (size_t i = 0; i < l->words.n; i++)
		buf_str(&key, l->words.v[i]);
	md5_text(hash, buf_as_str(&key));
	return str_fmt(a, "%.*s/%s-%s.xml", STR_ARG(logs),
		launched_failed(l) ? "error" : "warning", hash);
}

/* false: it does not exist, or it cannot be read, which is noted. */
static bool
read_input(struct arena *a, const struct launched *l, struct str path, struct str *text)
{
	if (file_read(a, str_z(a, path), text))
		return true;
	if (!error_is_no_file(errno))
		buf_fmt(l->unread, "cctr: cannot read %.*s: %s\n", STR_ARG(path),
			strerror(errno));
	return false;
}

/* ---- rules ----------------------------------------------------------------------- */

static void
add_rule(struct launch_rules *r, pattern_vec *to, struct str text, struct buf *complaint)
{
	struct str why = STR_NONE;

	VEC_PUSH(r->arena, to, match_set_get(r->set, text, &why));
	buf_str(complaint, why);
}

static void
add_rules(struct launch_rules *r, const struct launched *l, pattern_vec *to,
	struct str path, struct buf *complaint)
{
	struct str text, line;

	if (!read_input(r->arena, l, path, &text))
		return;
	while (str_take_crlf_line(&text, &line))
		add_rule(r, to, line, complaint);
}

struct launch_rules *
launch_rules_open(
	struct arena *a, const struct launched *l, struct str logs, struct buf *complaint)
{
	static const char *const words[] = {
		"(^|[ :])[Ww][Aa][Rr][Nn][Ii][Nn][Gg]",
		"(^|[ :])[Rr][Ee][Mm][Aa][Rr][Kk]",
		"(^|[ :])[Nn][Oo][Tt][Ee]",
	};
	struct launch_rules *r = NEW(a, struct launch_rules);

	INVARIANT(complaint);
	r->arena = a;
	r->set = match_set_open(a, regex_parse);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		add_rule(r, &r->warnings, str_of(words[i]), complaint);
	if (launched_failed(l) || (!l->out.n && !l->err.n))
		return r;
	add_rules(r, l, &r->warnings, str_fmt(a, "%.*s/CustomWarning.txt", STR_ARG(logs)),
		complaint);
	add_rules(r, l, &r->suppressions,
		str_fmt(a, "%.*s/CustomWarningSuppress.txt", STR_ARG(logs)), complaint);
	return r;
}

void
launch_rules_close(struct launch_rules *r)
{
	match_set_close(r->set);
}

static bool
is_matched(const pattern_vec *rules, struct str line)
{
	for (size_t i = 0; i < rules->n; i++)
		if (match_has(rules->v[i]->matcher, line))
			return true;
	return false;
}

static bool
is_filtered(const struct launched *l, struct str line)
{
	return l->filter_prefix.n && str_begins(line, l->filter_prefix);
}

static bool
has_warning(const struct launched *l, const struct launch_rules *r, struct str text)
{
	struct str line;

	while (str_take_crlf_line(&text, &line)) {
		if (!is_filtered(l, line) && is_matched(&r->warnings, line) &&
			!is_matched(&r->suppressions, line))
			return true;
	}
	return false;
}

bool
launched_warned(const struct launched *l, const struct launch_rules *r)
{
	return has_warning(l, r, l->out) || has_warning(l, r, l->err);
}

/* ---- the command ----------------------------------------------------------------- */

static void
add_element(struct xml *x, const char *name, struct str text)
{
	xml_open(x, name);
	if (text.n)
		xml_text(x, text);
	xml_close(x);
}

static void
add_known(struct xml *x, const char *name, struct str text)
{
	if (text.n)
		add_element(x, name, text);
}

/* The value of set(CTEST_SOURCE_DIRECTORY "..."), as the build step writes it. */
static struct str
source_directory(struct arena *a, const struct launched *l, struct str logs)
{
	const struct str head = STR("set(CTEST_SOURCE_DIRECTORY \"");
	struct str text, value;
	size_t at;

	if (!read_input(a, l, str_fmt(a, "%.*s/CTestLaunchConfig.cmake", STR_ARG(logs)),
		    &text))
		return STR_NONE;
	at = str_search(text, head);
	if (at == text.n)
		return STR_NONE;
	value = str_from(text, at + head.n);
	value = str_cut(value.p, str_find(value, '"'));
	while (value.n > 1 && value.p[value.n - 1] == '/')
		value.n--;
	return value;
}

static struct str
source_in(struct str source, struct str directory)
{
	if (directory.n && source.n > directory.n + 1 && str_begins(source, directory) &&
		source.p[directory.n] == '/')
		return str_from(source, directory.n + 1);
	return source;
}

/* The output of a rule without a target type is what it compiles. */
static struct str
output_type(const struct launched *l)
{
	static const struct {
		const char *type, *words;
	} known[] = {
		{"EXECUTABLE", "executable"},
		{"SHARED_LIBRARY", "shared library"},
		{"MODULE_LIBRARY", "module library"},
		{"STATIC_LIBRARY", "static library"},
	};

	if (!l->target_type.n)
		return l->source.n ? STR("object file") : STR("");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(l->target_type, known[i].type))
			return str_of(known[i].words);
	return STR("");
}

static void
add_action(struct xml *x, const struct launched *l, struct str logs)
{
	struct str directory = source_directory(x->out->arena, l, logs);

	xml_comment(x, "Meta-information about the build action");
	xml_open(x, "Action");
	add_known(x, "TargetName", l->target_name);
	add_known(x, "Language", l->language);
	add_known(x, "SourceFile", source_in(l->source, directory));
	add_known(x, "OutputFile", l->output);
	add_known(x, "OutputType", output_type(l));
	xml_close(x);
}

static void
add_command(struct xml *x, const struct launched *l)
{
	xml_comment(x, "Details of command");
	xml_open(x, "Command");
	add_known(x, "WorkingDirectory", l->directory);
	for (size_t i = 0; i < l->words.n; i++)
		add_element(x, "Argument", l->words.v[i]);
	xml_close(x);
}

/* ---- its result ------------------------------------------------------------------ */

static void
add_output(struct xml *x, const char *name, struct str text, const struct launched *l,
	const struct launch_rules *r)
{
	const char *between = "";
	struct str line;

	xml_open(x, name);
	while (str_take_crlf_line(&text, &line)) {
		if (is_filtered(l, line))
			continue;
		xml_text(x, str_of(between));
		if (is_matched(&r->suppressions, line))
			xml_text(x, STR("[CTest: warning suppressed] "));
		else if (is_matched(&r->warnings, line))
			xml_text(x, STR("[CTest: warning matched] "));
		xml_text(x, line);
		between = "\n";
	}
	xml_close(x);
}

static struct str
exit_condition(struct arena *a, const struct launched *l)
{
	if (l->end.ending == COMMAND_EXITED)
		return str_fmt(a, "%d", l->end.exit_code);
	if (command_has_error(&l->end))
		return str_fmt(a, "Error administrating child process: %.*s",
			STR_ARG(l->start_error));
	return str_fmt(a, "Terminated abnormally: %.*s",
		STR_ARG(report_signal(a, l->end.signal)));
}

static void
add_result(struct xml *x, const struct launched *l, const struct launch_rules *r)
{
	xml_comment(x, "Result of command");
	xml_open(x, "Result");
	add_output(x, "StdOut", l->out, l, r);
	add_output(x, "StdErr", l->err, l, r);
	add_element(x, "ExitCondition", exit_condition(x->out->arena, l));
	xml_close(x);
}

/* ---- labels ---------------------------------------------------------------------- */

static struct str
object_directory(struct arena *a, const struct launched *l)
{
	struct str above =
		l->current_directory.n ? l->current_directory : l->build_directory;

	if (!l->object_directory.n)
		return str_fmt(a, "%.*s/CMakeFiles/%.*s.dir", STR_ARG(above),
			STR_ARG(l->target_name));
	return path_join(a, l->build_directory, l->object_directory);
}

/* Labels of the target come first, then those of each source file after its name. */
static str_vec
read_labels(struct arena *a, const struct launched *l)
{
	struct str path = object_directory(a, l), text, line;
	bool is_ours = true;
	str_vec labels = {0};

	if (!read_input(a, l, str_fmt(a, "%.*s/Labels.txt", STR_ARG(path)), &text))
		return labels;
	while (str_take_crlf_line(&text, &line)) {
		if (!line.n || line.p[0] == '#')
			continue;
		if (line.p[0] != ' ')
			is_ours = str_eq(line, l->source);
		else if (is_ours)
			VEC_PUSH(a, &labels, str_from(line, 1));
	}
	str_list_sort(str_vec_list(&labels));
	return labels;
}

static void
add_labels(struct xml *x, const struct launched *l)
{
	str_vec labels = read_labels(x->out->arena, l);

	if (!labels.n)
		return;
	xml_comment(x, "Interested parties");
	xml_open(x, "Labels");
	for (size_t i = 0; i < labels.n; i++)
		if (!i || !str_eq(labels.v[i], labels.v[i - 1]))
			add_element(x, "Label", labels.v[i]);
	xml_close(x);
}

void
launched_fragment(struct buf *out, const struct launched *l, const struct launch_rules *r,
	struct str logs)
{
	enum { DEPTH = 2 };
	struct buf inner = {.arena = out->arena};
	struct xml x;

	INVARIANT(out);
	xml_begin(&x, &inner, DEPTH);
	xml_open(&x, "Failure");
	xml_attribute(&x, "type", launched_failed(l) ? STR("Error") : STR("Warning"));
	add_action(&x, l, logs);
	add_command(&x, l);
	add_result(&x, l, r);
	add_labels(&x, l);
	xml_close(&x);
	/* out ends in an unfinished line. */
	buf_char(out, '\n');
	buf_str(out, buf_as_str(&inner));
}
