/* See cdash.h. */
#include "compat/instrument/cdash.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "compat/format/json_place.h"
#include "compat/instrument/instrument_file.h"
#include "compat/instrument/snippet.h"
#include "runner/base/files.h"
#include "runner/base/streams.h"
#include "runner/base/tree_removal.h"

/* ---- files ----------------------------------------------------------------------- */

struct reading {
	struct arena *arena;
	const struct instrumentation *instrumentation;
	struct buf *complaints;
};

static void
add_complaint(const struct reading *r, struct str text)
{
	buf_str(r->complaints, text);
	buf_char(r->complaints, '\n');
}

/* NULL after a complaint: the file holds no JSON. */
static const struct json_value *
read_json(const struct reading *r, struct str path)
{
	struct json_document d;
	struct str_list whys;
	struct str text;

	if (!file_read(r->arena, path.p, &text)) {
		add_complaint(
			r, str_fmt(r->arena, "File not found: %.*s", STR_ARG(path)));
		return NULL;
	}
	d = json_read(r->arena, r->instrumentation->dialect, JSON_STRICT, text);
	if (d.root)
		return d.root;
	d.path = path;
	whys = json_refusal(r->arena, r->instrumentation->dialect, &d);
	for (size_t k = 0; k < whys.n; k++)
		add_complaint(r, whys.v[k]);
	return NULL;
}

static struct str
member_text(const struct reading *r, const struct json_value *v, const char *name)
{
	const struct json_value *member = json_member(v, name);

	return member ? json_value_text(r->arena, member) : STR("");
}

/* ---- sorting snippets ------------------------------------------------------------ */

/* Where snippets of the role go below cdash/. "": nowhere; NULL: the role is unknown. */
static const char *
folder_of(struct str role)
{
	static const struct {
		const char *role, *folder;
	} known[] = {{"configure", "configure"}, {"generate", "configure"},
		{"compile", "build"}, {"link", "build"}, {"custom", "build"},
		{"build", ""}, {"cmakeBuild", "build"}, {"cmakeInstall", "build"},
		{"install", "build"}, {"ctest", "build"}, {"test", "test"}};

	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (str_is(role, known[k].role))
			return known[k].folder;
	return NULL;
}

/* The folder for one snippet; STR_NONE: it is not wanted. */
static struct str
destination_of(const struct reading *r, struct str path)
{
	const struct json_value *snippet = read_json(r, path);
	const struct json_value *role = json_member(snippet, "role");
	const struct json_value *target = json_member(snippet, "target");
	struct str name = role ? json_value_text(r->arena, role) : STR("");
	const char *folder = folder_of(name);

	if (!snippet)
		return STR_NONE;
	if (!json_is(snippet, JSON_OBJECT) || !role) {
		add_complaint(r,
			str_fmt(r->arena, "CMake Error: Expected snippet file %.*s to %s",
				STR_ARG(path),
				json_is(snippet, JSON_OBJECT) ? "have a key 'role'"
							      : "contain an object"));
		return STR_NONE;
	}
	if (!folder) {
		add_complaint(
			r, str_fmt(r->arena, "Unexpected snippet type encountered: %.*s",
				   STR_ARG(name)));
		return STR_NONE;
	}
	if (!*folder)
		return STR_NONE;
	if (strcmp(folder, "build") != 0)
		return str_of(folder);
	if (!target)
		return STR("build/commands");
	return str_fmt(r->arena, "build/targets/%.*s",
		STR_ARG(json_value_text(r->arena, target)));
}

static struct str
cdash_folder(const struct reading *r, const char *name)
{
	return str_fmt(r->arena, "%.*s/%s", STR_ARG(r->instrumentation->cdash), name);
}

static bool
copy_snippet(const struct reading *r, struct str from, struct str folder, struct str name)
{
	struct str where = str_fmt(r->arena, "%.*s/%.*s",
		STR_ARG(r->instrumentation->cdash), STR_ARG(folder));
	struct str text;

	return directory_make(r->arena, where.p) && file_read(r->arena, from.p, &text) &&
	       instrument_file_write(r->arena, r->instrumentation,
		       str_fmt_z(r->arena, "cdash/%.*s", STR_ARG(folder)), name, text);
}

bool
cdash_prepare(struct arena *a, const struct instrumentation *i, struct str_list snippets)
{
	static const char *const folders[] = {
		"configure", "build/targets", "build/commands", "test"};
	struct buf complaints = {.arena = a};
	struct reading r = {a, i, &complaints};
	bool ok = true;

	/* A folder without a snippet is an empty element of the step's file. */
	for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
		directory_try_make(a, cdash_folder(&r, folders[k]).p);
	for (size_t k = 0; k < snippets.n; k++) {
		struct str path =
			str_fmt(a, "%.*s/%.*s", STR_ARG(i->data), STR_ARG(snippets.v[k]));
		struct str folder = destination_of(&r, path);

		if (!folder.p || copy_snippet(&r, path, folder, snippets.v[k])) {
			unlink(path.p);
			continue;
		}
		ok = false;
		add_complaint(&r, str_fmt(a, "CMake Error: Failed to copy %.*s to %.*s",
					  STR_ARG(path), STR_ARG(folder)));
	}
	streams_put(STREAM_ERROR, buf_as_str(&complaints));
	return ok;
}

/* ---- elements -------------------------------------------------------------------- */

/* "afterHostMemoryUsed": "AfterHostMemoryUsed" */
static struct str
capitalise_name(struct arena *a, struct str name)
{
	struct str copy = str_dup(a, name);

	if (copy.n)
		str_own(copy)[0] = (char)toupper((unsigned char)copy.p[0]);
	return copy;
}

/* Without cdashVerbose only the program is shown. */
static struct str
shown_command(const struct reading *r, struct str command)
{
	size_t n = str_find(command, ' ');

	if (r->instrumentation->options[OPTION_CDASH_VERBOSE] || n == command.n)
		return command;
	return str_fmt(r->arena, "%.*s (truncated)", STR_ARG(str_cut(command.p, n)));
}

static void
add_attributes(struct xml *x, const struct reading *r, const struct json_value *snippet)
{
	static const char *const left_out[] = {
		"role", "target", "targetType", "targetLabels"};

	for (const struct json_value *v = json_first(snippet); v; v = v->next) {
		struct str value = json_value_text(r->arena, v);
		bool is_wanted = !json_is(v, JSON_ARRAY) && !json_is(v, JSON_OBJECT);

		for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
			is_wanted = is_wanted && !str_is(v->name, left_out[k]);
		if (is_wanted)
			xml_attribute(x, str_z(r->arena, v->name),
				str_is(v->name, "command") ? shown_command(r, value)
							   : value);
	}
}

static void
add_measurements(struct xml *x, const struct reading *r, const struct json_value *load)
{
	for (const struct json_value *v = json_first(load); v; v = v->next) {
		xml_open(x, "NamedMeasurement");
		xml_attribute(x, "type", STR("numeric/double"));
		xml_attribute(x, "name", capitalise_name(r->arena, v->name));
		xml_open(x, "Value");
		xml_text(x, json_value_text(r->arena, v));
		xml_close(x);
		xml_close(x);
	}
}

static void
add_outputs(struct xml *x, const struct reading *r, const struct json_value *snippet)
{
	const struct json_value *name = json_first(json_member(snippet, "outputs"));
	const struct json_value *size = json_first(json_member(snippet, "outputSizes"));

	if (!name || !size)
		return;
	xml_open(x, "Outputs");
	for (; name && size; name = name->next, size = size->next) {
		xml_open(x, "Output");
		xml_attribute(x, "name", json_value_text(r->arena, name));
		xml_attribute(x, "size", json_value_text(r->arena, size));
		xml_close(x);
	}
	xml_close(x);
}

/* The snippet at path; NULL after a complaint: it cannot be shown. */
static const struct json_value *
read_snippet(const struct reading *r, struct str path)
{
	static const char *const required[] = {
		"command", "role", "dynamicSystemInformation"};
	const struct json_value *snippet = read_json(r, path);

	for (size_t k = 0; snippet && k < sizeof required / sizeof *required; k++)
		if (!json_member(snippet, required[k])) {
			add_complaint(r, str_fmt(r->arena, "%.*s is missing the '%s' key",
						 STR_ARG(path), required[k]));
			snippet = NULL;
		}
	return snippet;
}

/* A test's element is there already. */
static void
add_snippet(struct xml *x, const struct reading *r, struct str path)
{
	const struct json_value *snippet = read_snippet(r, path);
	struct str role = member_text(r, snippet, "role");
	bool is_test = str_is(role, "test");

	if (!snippet)
		return;
	if (!is_test) {
		xml_open(x, str_z(r->arena, capitalise_name(r->arena, role)));
		add_attributes(x, r, snippet);
	}
	add_measurements(x, r, json_member(snippet, "dynamicSystemInformation"));
	add_outputs(x, r, snippet);
	if (!is_test)
		xml_close(x);
	unlink(path.p);
}

static void
add_folder(struct xml *x, const struct reading *r, struct str folder)
{
	str_vec names = {0};

	if (!directory_read(r->arena, folder.p, &names))
		return;
	xml_open(x, "Commands");
	for (size_t k = 0; k < names.n; k++)
		if (!str_begins(names.v[k], STR(".")))
			add_snippet(x, r, path_join(r->arena, folder, names.v[k]));
	xml_close(x);
}

/* ---- the steps ------------------------------------------------------------------- */

void
cdash_add_commands(struct xml *x, struct arena *a, const struct instrumentation *i,
	const char *folder, struct buf *complaints)
{
	struct reading r = {a, i, complaints};

	add_folder(x, &r, cdash_folder(&r, folder));
}

/* What CMake has noted about its targets. */
static const struct json_value *
content_targets(const struct reading *r)
{
	struct str name = instrument_file_newest(r->arena, r->instrumentation, "content");

	return name.p ? json_member(
				read_json(r, str_fmt(r->arena, "%.*s/content/%.*s",
						     STR_ARG(r->instrumentation->data),
						     STR_ARG(name))),
				"targets")
		      : NULL;
}

static void
add_labels(struct xml *x, const struct reading *r, const struct json_value *labels)
{
	if (!json_first(labels))
		return;
	xml_open(x, "Labels");
	for (const struct json_value *v = json_first(labels); v; v = v->next) {
		xml_open(x, "Label");
		xml_text(x, json_value_text(r->arena, v));
		xml_close(x);
	}
	xml_close(x);
}

/* Until 4.1 a target's type and labels are in the snippet of its link. */
static const struct json_value *
link_snippet(const struct reading *r, struct str folder)
{
	str_vec names = {0};

	if (directory_read(r->arena, folder.p, &names))
		for (size_t k = 0; k < names.n; k++)
			if (str_begins(names.v[k], STR("link-")))
				return read_json(
					r, path_join(r->arena, folder, names.v[k]));
	return NULL;
}

static void
add_target(struct xml *x, const struct reading *r, const struct json_value *targets,
	struct str folder, struct str name)
{
	bool is_in_link =
		!r->instrumentation->dialect->has[DIALECT_INSTRUMENTATION_OPTIONS];
	struct str path = path_join(r->arena, folder, name), type;
	const struct json_value *target =
		is_in_link ? link_snippet(r, path)
			   : json_member(targets, str_z(r->arena, name));

	xml_open(x, "Target");
	xml_attribute(x, "name", name);
	type = member_text(r, target, is_in_link ? "targetType" : "type");
	xml_attribute(x, "type", type.n ? type : STR("UNKNOWN"));
	add_labels(x, r, json_member(target, is_in_link ? "targetLabels" : "labels"));
	add_folder(x, r, path);
	xml_close(x);
	if (!tree_remove(r->arena, path.p))
		add_complaint(r, str_fmt(r->arena, "cctr: cannot remove %.*s: %s",
					 STR_ARG(path), strerror(errno)));
}

void
cdash_add_build(struct xml *x, struct arena *a, const struct instrumentation *i,
	struct buf *complaints)
{
	struct reading r = {a, i, complaints};
	struct str folder = cdash_folder(&r, "build/targets");
	const struct json_value *targets;
	str_vec names = {0};

	if (directory_read(a, folder.p, &names)) {
		targets = content_targets(&r);
		xml_open(x, "Targets");
		for (size_t k = 0; k < names.n; k++)
			if (path_is_directory(path_join(a, folder, names.v[k]).p))
				add_target(x, &r, targets, folder, names.v[k]);
		xml_close(x);
	}
	cdash_add_commands(x, a, i, "build/commands", complaints);
}

static void
swap_paths(struct str *a, struct str *b)
{
	struct str kept = *a;

	*a = *b;
	*b = kept;
}

/* The snippet of an earlier attempt would else be in the next file as what the test has
 * measured. */
struct cdash_tests
cdash_tests(struct arena *a, const struct instrumentation *i, struct buf *complaints)
{
	struct reading r = {a, i, complaints};
	struct cdash_tests tests = {.by_name = map_in(a)};
	struct str folder = cdash_folder(&r, "test");
	str_vec names = {0};

	if (!directory_read(a, folder.p, &names))
		return tests;
	for (size_t k = 0; k < names.n; k++) {
		struct str path = path_join(a, folder, names.v[k]);
		struct str name = member_text(&r, read_json(&r, path), "testName");
		uint32_t at = map_get(&tests.by_name, name);

		if (at == MAP_NONE) {
			map_set(&tests.by_name, name, (uint32_t)tests.paths.n);
			VEC_PUSH(a, &tests.paths, path);
			continue;
		}
		if (str_order(snippet_end(path), snippet_end(tests.paths.v[at])) > 0)
			swap_paths(&path, &tests.paths.v[at]);
		if (name.n)
			unlink(path.p);
	}
	return tests;
}

void
cdash_add_test(struct xml *x, struct arena *a, const struct instrumentation *i,
	const struct cdash_tests *tests, struct str name, struct buf *complaints)
{
	struct reading r = {a, i, complaints};
	uint32_t at = map_get(&tests->by_name, name);

	if (at != MAP_NONE)
		add_snippet(x, &r, tests->paths.v[at]);
}
