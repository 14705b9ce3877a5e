/* Files that steps of this process wrote come before files found on disk. See
 * submit_parts.h. */
#include "compat/dashboard/submit/submit_parts.h"

#include "runner/base/files.h"

struct choice {
	const struct step_input *in;
	struct str folder;
	str_vec coverage_logs;
	struct map known;
	str_vec files;
};

static void
choose_file(struct choice *c, struct str name)
{
	if (map_add(&c->known, name))
		VEC_PUSH(c->in->arena, &c->files, name);
}

static bool
is_there(const struct choice *c, struct str name)
{
	struct arena *a = c->in->arena;

	return path_may_exist(str_z(a, path_join(a, c->folder, name)));
}

/* Logs beside a Coverage.xml. ctest also reports that there are none if that part is not
 * asked for. */
static void
find_coverage_logs(struct choice *c)
{
	struct arena *a = c->in->arena;
	str_vec names = {0}, *logs = &c->coverage_logs;

	if (!is_there(c, STR("Coverage.xml")))
		return;
	console_read_directory(c->in->console, a, c->folder, &names);
	for (size_t i = 0; i < names.n; i++)
		if (str_begins(names.v[i], STR("CoverageLog")) &&
			!path_is_directory(str_z(a, path_join(a, c->folder, names.v[i]))))
			VEC_PUSH(a, logs, names.v[i]);
	if (!logs->n)
		step_say(c->in, CHANNEL_ERROR, STR("Problem globbing\n"));
	str_list_sort(str_vec_list(logs));
}

static void
choose_part(struct choice *c, enum part part)
{
	static const struct {
		enum part part;
		const char *name;
	} found[] = {
		{PART_UPDATE, "Update.xml"},
		{PART_CONFIGURE, "Configure.xml"},
		{PART_BUILD, "Build.xml"},
		{PART_TEST, "Test.xml"},
		{PART_COVERAGE, "Coverage.xml"},
		{PART_MEMCHECK, "DynamicAnalysis.xml"},
		{PART_MEMCHECK, "DynamicAnalysis-Test.xml"},
		{PART_MEMCHECK, "Purify.xml"},
		{PART_NOTES, "Notes.xml"},
		{PART_UPLOAD, "Upload.xml"},
	};

	for (size_t i = 0; i < c->in->files->n; i++)
		if (c->in->files->v[i].part == part)
			choose_file(c, c->in->files->v[i].path);
	if (part == PART_EXTRA_FILES && c->in->options)
		for (size_t i = 0; i < c->in->options->dashboard.extra_files.n; i++)
			choose_file(c, c->in->options->dashboard.extra_files.v[i]);
	for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
		struct str name = str_of(found[i].name);

		if (found[i].part == part && is_there(c, name))
			choose_file(c, name);
	}
	for (size_t i = 0; i < c->coverage_logs.n && part == PART_COVERAGE; i++)
		choose_file(c, c->coverage_logs.v[i]);
	if (part == PART_DONE)
		choose_file(c, STR("Done.xml"));
}

/* FILES: sorted, before all other files. */
static void
choose_files(struct choice *c, struct str_list given, struct step_result *r)
{
	struct arena *a = c->in->arena;
	struct str_list sorted = str_list_dup(a, given);

	str_list_sort(sorted);
	for (size_t i = 0; i < sorted.n; i++)
		if (path_may_exist(step_path(c->in, sorted.v[i])))
			choose_file(c, sorted.v[i]);
		else
			VEC_PUSH(a, &r->errors,
				str_fmt(a,
					"File \"%.*s\" does not exist.  Cannot submit a "
					"non-existent file.",
					STR_ARG(sorted.v[i])));
}

struct str_list
submit_parts(const struct step_input *in, struct step_result *r)
{
	const struct step_call *call = &in->call;
	struct str_list names = step_values(call, "PARTS");
	struct str_list given = step_values(call, "FILES");
	struct choice c = {.in = in,
		.folder = str_fmt(in->arena, "%.*s/Testing/%.*s", STR_ARG(in->binary),
			STR_ARG(in->stamp.tag)),
		.known = map_in(in->arena)};
	bool is_free = !step_has(call, "PARTS") && !step_has(call, "FILES");
	bool chosen[PARTS];

	for (int i = 0; i < PARTS; i++)
		chosen[i] = is_free;
	for (size_t i = 0; i < names.n; i++) {
		enum part part = part_parse(names.v[i]);

		if (part < PARTS)
			chosen[part] = true;
		else
			VEC_PUSH(in->arena, &r->errors,
				str_fmt(in->arena, "Part name \"%.*s\" is invalid.",
					STR_ARG(names.v[i])));
	}
	find_coverage_logs(&c);
	choose_files(&c, given, r);
	for (int i = 0; i < PARTS; i++)
		if (chosen[i])
			choose_part(&c, (enum part)i);
	return str_vec_list(&c.files);
}
