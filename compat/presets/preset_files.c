/*
 * From file names to documents: reading, includes, and the checks of a file as a whole.
 * See preset_files.h. The stack of open files is explicit, since files are untrusted
 * input.
 */
#include "compat/presets/preset_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/presets/preset_macro.h"
#include "compat/presets/preset_schema.h"
#include "runner/base/files.h"

struct entry {
	struct preset_file file;
	uint64_t *reaches; /* files that it includes, itself too: one bit per file */
	bool is_open; /* its includes are being read */
};
/* A file whose includes are being read. */
struct frame {
	struct entry *entry;
	const struct json_value *next; /* element of include */
	bool has_implied; /* CMakePresets.json comes next */
};
struct preset_files {
	struct arena *a;
	const struct preset_files_request *request; /* while files are read */
	struct str implied; /* the file that the user's file includes implicitly, or "" */
	VEC(struct entry *) v;
	struct map identities; /* index into v */
	VEC(struct frame) open;
};

/* ---- one file -------------------------------------------------------------------- */

static bool
find_earlier_text(const struct preset_files *earlier, struct str path, struct str *text)
{
	for (size_t i = 0; earlier && i < earlier->v.n; i++) {
		const struct json_document *d = &earlier->v.v[i]->file.document;

		if (str_eq(d->path, path) && d->text.p) {
			*text = d->text;
			return true;
		}
	}
	return false;
}

/* A directory counts as an empty file. */
static bool
read_text(const struct preset_files_request *r, struct str path, struct str *text)
{
	struct preset_faults *f = r->faults;
	const char *z = str_z(f->a, path);

	if (text->p || find_earlier_text(r->earlier, path, text) ||
		(r->named.n ? file_read_named : file_read)(f->a, z, text) ||
		errno == EISDIR)
		return true;
	if (!error_is_absence(errno)) {
		const char *why =
			str_fmt_z(f->a, "%s cannot be read: %s", z, strerror(errno));

		return preset_wrong(f, why, NOWHERE, "%s", why);
	}
	return preset_wrong(f, "File not found", NOWHERE, "File not found: %s", z);
}

static bool
read_document(const struct preset_files_request *r, struct json_document *d)
{
	struct preset_faults *f = r->faults;
	struct str path = d->path;

	if (!read_text(r, path, &d->text))
		return false;
	*d = json_read(f->a, f->dialect, JSON_STRICT, d->text);
	d->path = path;
	return d->root || preset_wrong_text(f, d);
}

static int
member_number(const struct json_value *object, const char *name)
{
	const struct json_value *v = json_member(object, name);

	return v ? json_number_int(v) : 0;
}

static bool
refuse_minimum(struct preset_faults *f, const struct preset_file *file, const char *name,
	const struct json_value *minimum, unsigned have)
{
	return preset_wrong(f, "\"cmakeMinimumRequired\" version too new",
		AT(&file->document, json_member(minimum, name)),
		"\"cmakeMinimumRequired\" %s version %d must be less than %u", name,
		member_number(minimum, name), have);
}

static bool
check_minimum(struct preset_faults *f, const struct preset_file *file)
{
	const struct json_value *minimum =
		json_member(file->document.root, "cmakeMinimumRequired");
	unsigned have[] = {f->dialect->version / 1000, f->dialect->version % 1000,
		f->dialect->patch};
	static const char *const names[] = {"major", "minor", "patch"};

	for (size_t i = 0; minimum && i < 3; i++) {
		unsigned wanted = (unsigned)member_number(minimum, names[i]);

		if (wanted > have[i])
			return refuse_minimum(f, file, names[i], minimum, have[i]);
		if (wanted < have[i])
			break;
	}
	return true;
}

/* ---- includes -------------------------------------------------------------------- */

/* Adds to `from` all files that `to` reaches. */
static void
add_reached(struct preset_files *files, struct entry *from, const struct entry *to)
{
	/* Files are numbered in the order in which they are found: one word per 64 of
	 * them. */
	size_t words = files->v.n / 64 + 1, had = from->reaches ? from->reaches[0] : 0;
	uint64_t *grown = NEW_ARRAY(files->a, uint64_t, words + 1);

	grown[0] = words;
	for (size_t i = 0; i < had; i++)
		grown[i + 1] |= from->reaches[i + 1];
	for (size_t i = 0; to->reaches && i < to->reaches[0]; i++)
		grown[i + 1] |= to->reaches[i + 1];
	grown[to->file.index / 64 + 1] |= UINT64_C(1) << to->file.index % 64;
	from->reaches = grown;
}

bool
preset_files_reach(const struct preset_files *files, const struct preset_file *from,
	const struct preset_file *to)
{
	const uint64_t *reaches = files->v.v[from->index]->reaches;
	size_t word = to->index / 64;

	return from == to ||
	       (reaches && word < reaches[0] && reaches[word + 1] >> to->index % 64 & 1);
}

static bool
open_file(struct preset_files *files, struct entry *e)
{
	const struct preset_files_request *r = files->request;
	struct preset_file *file = &e->file;
	struct frame frame = {.entry = e};

	if (!read_document(r, &file->document) ||
		!preset_schema_check(r->faults, &file->document, &file->version) ||
		!check_minimum(r->faults, file) || !r->take(r->taker, file))
		return false;
	e->is_open = true;
	frame.has_implied = files->open.n == 0 && files->implied.n;
	frame.next = json_first(json_member(file->document.root, "include"));
	VEC_PUSH(files->a, &files->open, frame);
	return true;
}

/* A text that is the same for all names of one file. */
static struct str
file_identity(struct arena *a, struct str path)
{
	struct stat st;

	if (stat(str_z(a, path), &st) != 0)
		return path;
	return str_fmt(a, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
}

static bool
refuse_circle(struct preset_faults *f, struct str path)
{
	bool is_new = f->dialect->has[DIALECT_PRESET_ERROR_KINDS];

	return preset_wrong(f, "Cyclic include among preset files", NOWHERE,
		"Cyclic include among %s files: %.*s", is_new ? "presets" : "preset",
		STR_ARG(path));
}

/* Opens the file at path, which `from` includes (NULL for the first file). */
static bool
enter_file(struct preset_files *files, struct entry *from, struct str path)
{
	uint32_t *at = map_at(&files->identities, file_identity(files->a, path));
	struct entry *e;

	if (*at != MAP_NONE) {
		e = files->v.v[*at];
		if (e->is_open)
			return refuse_circle(files->request->faults, path);
		add_reached(files, from, e);
		return true;
	}
	*at = (uint32_t)files->v.n;
	e = NEW(files->a, struct entry);
	e->file = (struct preset_file){.document.path = path,
		.document.text = from ? STR_NONE : files->request->text,
		.directory = path_parent(path),
		.index = files->v.n};
	VEC_PUSH(files->a, &files->v, e);
	return open_file(files, e);
}

/* The path of an included file, as spelled. */
static struct str
included_path(struct arena *a, struct str directory, struct str name)
{
	return str_begins(name, STR("/"))
		       ? name
		       : str_fmt(a, "%.*s/%.*s", STR_ARG(directory), STR_ARG(name));
}

/* Until version 6 an include has no macros. */
static bool
expand_include(const struct preset_files *files, const struct preset_file *file,
	struct str text, struct str *name)
{
	struct preset_macros m = {.a = files->a,
		.source_directory = files->request->directory,
		.file_directory = file->directory,
		.version = file->version};

	*name = text;
	return file->version < 7 || preset_expand(&m, text, name) == MACRO_OK;
}

static bool
enter_next(struct preset_files *files, struct frame *frame)
{
	struct entry *e = frame->entry;
	const struct json_value *v = frame->next;
	struct str name;

	frame->next = v->next;
	if (!expand_include(files, &e->file, v->text, &name))
		return preset_wrong(files->request->faults, "Invalid \"include\" field",
			AT(&e->file.document, v), "Invalid \"include\" field");
	return enter_file(files, e, included_path(files->a, e->file.directory, name));
}

static void
close_file(struct preset_files *files)
{
	struct entry *e = files->open.v[--files->open.n].entry;

	e->is_open = false;
	if (files->open.n)
		add_reached(files, files->open.v[files->open.n - 1].entry, e);
}

static bool
read_from(struct preset_files *files, struct str path)
{
	if (!enter_file(files, NULL, path))
		return false;
	while (files->open.n) {
		struct frame *frame = &files->open.v[files->open.n - 1];

		if (frame->next) {
			if (!enter_next(files, frame))
				return false;
		} else if (frame->has_implied) {
			frame->has_implied = false;
			if (!enter_file(files, frame->entry, files->implied))
				return false;
		} else {
			close_file(files);
		}
	}
	return true;
}

/* The first file. The user's file implies the project's. */
static struct str
first_path(struct preset_files *files)
{
	const struct preset_files_request *r = files->request;
	struct str own = path_join(files->a, r->directory, STR("CMakePresets.json"));
	struct str user = path_join(files->a, r->directory, STR("CMakeUserPresets.json"));

	if (r->named.n)
		return path_join(files->a, r->directory, r->named);
	if (r->text.p || !path_may_exist(user.p))
		return own;
	if (path_may_exist(own.p))
		files->implied = own;
	return user;
}

const struct preset_files *
preset_files_read(const struct preset_files_request *request, bool *is_read)
{
	struct arena *a = request->faults->a;
	struct preset_files *files = NEW(a, struct preset_files);

	INVARIANT(is_read);
	*files = (struct preset_files){
		.a = a, .request = request, .implied = STR(""), .identities = map_in(a)};
	*is_read = read_from(files, first_path(files));
	files->request = NULL;
	return files;
}
