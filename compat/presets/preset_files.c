/*
 * From file names to presets: reading, includes, and the checks of a single preset. Each
 * file is read once. A file's own presets come first, then those of the files that it
 * includes. The stack of open files is explicit, since files are untrusted input.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/presets/preset_set.h"
#include "runner/base/files.h"

/* ---- one file -------------------------------------------------------------------- */

/* A directory counts as an empty file. */
static bool
read_text(struct preset_set *s, struct preset_file *file)
{
	const char *path = str_z(s->a, file->path);

	if (file->document.text.p || file_read(s->a, path, &file->document.text) ||
		errno == EISDIR)
		return true;
	if (!error_is_absence(errno)) {
		const char *why =
			str_fmt(s->a, "%s cannot be read: %s", path, strerror(errno)).p;

		return preset_wrong(s, why, NOWHERE, "%s", why);
	}
	return preset_wrong(s, "File not found", NOWHERE, "File not found: %s", path);
}

static bool
parse(struct preset_set *s, struct preset_file *file)
{
	file->document = json_read(s->a, s->dialect, JSON_STRICT, file->document.text);
	file->document.path = file->path;
	return file->document.root || preset_wrong_text(s, file);
}

static int
number(const struct json_value *object, const char *name)
{
	const struct json_value *v = json_member(object, name);

	return v ? json_number_int(v) : 0;
}

static bool
too_new(struct preset_set *s, const struct preset_file *file, const char *name,
	const struct json_value *minimum, unsigned have)
{
	return preset_wrong(s, "\"cmakeMinimumRequired\" version too new",
		AT(file, json_member(minimum, name)),
		"\"cmakeMinimumRequired\" %s version %d must be less than %u", name,
		number(minimum, name), have);
}

static bool
check_minimum(struct preset_set *s, const struct preset_file *file)
{
	const struct json_value *minimum =
		json_member(file->document.root, "cmakeMinimumRequired");
	unsigned have[] = {s->dialect->version / 1000, s->dialect->version % 1000,
		s->dialect->patch};
	static const char *const names[] = {"major", "minor", "patch"};

	for (size_t i = 0; minimum && i < 3; i++) {
		unsigned wanted = (unsigned)number(minimum, names[i]);

		if (wanted > have[i])
			return too_new(s, file, names[i], minimum, have[i]);
		if (wanted < have[i])
			break;
	}
	return true;
}

const struct json_value *
preset_down(const struct json_value *v, const char *const path[FIELD_PATH])
{
	for (size_t i = 0; v && i < FIELD_PATH && path[i]; i++)
		v = json_member(v, path[i]);
	return v;
}

bool
preset_is_nothing(const struct json_value *v)
{
	return !v || (json_is(v, JSON_STRING) && !v->text.n) ||
	       (json_is(v, JSON_ARRAY) && !v->n);
}

/* ---- presets of a file ----------------------------------------------------------- */

static void
take_pairs(
	struct preset_set *s, struct preset_pairs *pairs, const struct json_value *object)
{
	const struct json_value *m;

	pairs->names = map_in(s->a);
	for (m = json_first(object); m; m = m->next) {
		struct preset_pair pair = {m->name, m};

		map_set(&pairs->names, pair.name, (uint32_t)pairs->v.n);
		VEC_PUSH(s->a, &pairs->v, pair);
	}
}

/* Until version 11 of the format the name is "dev", from then on "author". */
static const struct json_value *
own_field(const struct json_value *v, const struct preset_field *field)
{
	const char *author[FIELD_PATH] = {field->path[0], "author"};
	const struct json_value *found = preset_down(v, field->path);

	if (!found && field->path[1] && strcmp(field->path[1], "dev") == 0)
		found = preset_down(v, author);
	return field->is_text && preset_is_nothing(found) ? NULL : found;
}

static struct preset *
preset_new(struct preset_set *s, enum preset_kind kind, const struct preset_file *file,
	const struct json_value *v)
{
	struct preset *p = NEW(s->a, struct preset);
	size_t n;
	const struct preset_field *fields = preset_fields(kind, &n);

	*p = (struct preset){.kind = kind, .file = file, .json = v};
	p->name = json_member(v, "name")->text;
	p->is_hidden = json_is(json_member(v, "hidden"), JSON_TRUE);
	p->condition = json_member(v, "condition");
	p->fields = NEW_ARRAY(s->a, const struct json_value *, n);
	p->texts = NEW_ARRAY(s->a, struct str, n);
	p->lists = NEW_ARRAY(s->a, struct str_list, n);
	for (size_t i = 0; i < n; i++)
		p->fields[i] = own_field(v, &fields[i]);
	take_pairs(s, &p->environment, json_member(v, "environment"));
	take_pairs(s, &p->variables,
		json_member(
			v, kind == PRESET_CONFIGURE ? "cacheVariables" : "variables"));
	return p;
}

static bool
add_preset(struct preset_set *s, struct preset *p)
{
	bool is_aged = p->kind == PRESET_CONFIGURE &&
		       s->dialect->has[DIALECT_PRESET_AGE_BEFORE_DUPLICATE];
	uint32_t *at = map_at(&s->kinds[p->kind].names, p->name);

	if (is_aged && !preset_age_check(s, p))
		return false;
	if (*at != MAP_NONE)
		return preset_wrong(s, "Duplicate presets", NOWHERE,
			"Duplicate preset: \"%.*s\"", STR_ARG(p->name));
	*at = (uint32_t)s->kinds[p->kind].v.n;
	VEC_PUSH(s->a, &s->kinds[p->kind].v, p);
	return is_aged || preset_age_check(s, p);
}

static bool
add_presets(struct preset_set *s, const struct preset_file *file, enum preset_kind kind)
{
	const struct json_value *array =
		json_member(file->document.root, preset_kind_member(kind));
	struct json_value *v;

	for (v = json_first(array); v; v = v->next)
		if (!preset_pre_expand(s, file, kind, v) ||
			!add_preset(s, preset_new(s, kind, file, v)))
			return false;
	return true;
}

struct preset *
preset_find(const struct preset_set *s, enum preset_kind kind, struct str name)
{
	uint32_t at = map_get(&s->kinds[kind].names, name);

	return at == MAP_NONE ? NULL : s->kinds[kind].v.v[at];
}

/* ---- includes -------------------------------------------------------------------- */

/* A file whose includes are being read. */
struct frame {
	struct preset_file *file;
	const struct json_value *next; /* element of include */
	bool has_implied; /* CMakePresets.json comes next */
};
struct reading {
	struct preset_set *s;
	struct str implied; /* the file that the user's file includes implicitly, or "" */
	struct str text; /* of the first file, if it is already read */
	VEC(struct frame) open;
};

/* Adds to `from` all files that `to` reaches. */
static void
reach(struct preset_set *s, struct preset_file *from, const struct preset_file *to)
{
	/* Files are numbered in the order in which they are found: one word per 64 of
	 * them. */
	size_t words = s->files.n / 64 + 1, had = from->reaches ? from->reaches[0] : 0;
	uint64_t *grown = NEW_ARRAY(s->a, uint64_t, words + 1);

	grown[0] = words;
	for (size_t i = 0; i < had; i++)
		grown[i + 1] |= from->reaches[i + 1];
	for (size_t i = 0; to->reaches && i < to->reaches[0]; i++)
		grown[i + 1] |= to->reaches[i + 1];
	grown[to->index / 64 + 1] |= UINT64_C(1) << to->index % 64;
	from->reaches = grown;
}

bool
preset_file_reaches(const struct preset_file *from, const struct preset_file *to)
{
	size_t word = to->index / 64;

	return from == to || (from->reaches && word < from->reaches[0] &&
				     from->reaches[word + 1] >> to->index % 64 & 1);
}

static bool
open_file(struct reading *r, struct preset_file *file)
{
	struct preset_set *s = r->s;
	const struct json_value *include;
	bool is_first;

	if (!read_text(s, file) || !parse(s, file) || !preset_schema_check(s, file) ||
		!check_minimum(s, file))
		return false;
	for (int kind = 0; kind < PRESET_KINDS; kind++)
		if (!add_presets(s, file, (enum preset_kind)kind))
			return false;
	file->is_open = true;
	is_first = r->open.n == 0;
	include = json_member(file->document.root, "include");
	VEC_PUSH(s->a, &r->open,
		(struct frame){file, json_first(include), is_first && r->implied.n});
	return true;
}

/* A text that is the same for all names of one file. */
static struct str
identity(struct arena *a, struct str path)
{
	struct stat st;

	if (stat(str_z(a, path), &st) != 0)
		return path;
	return str_fmt(a, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
}

static bool
cyclic(struct preset_set *s, struct str path)
{
	bool is_new = s->dialect->has[DIALECT_PRESET_ERROR_KINDS];

	return preset_wrong(s, "Cyclic include among preset files", NOWHERE,
		"Cyclic include among %s files: %.*s", is_new ? "presets" : "preset",
		STR_ARG(path));
}

/* Opens the file at path, which `from` includes (NULL for the first file). */
static bool
enter(struct reading *r, struct preset_file *from, struct str path)
{
	struct preset_set *s = r->s;
	uint32_t *at = map_at(&s->paths, identity(s->a, path));
	struct preset_file *file;

	if (*at != MAP_NONE) {
		file = s->files.v[*at];
		if (file->is_open)
			return cyclic(s, path);
		reach(s, from, file);
		return true;
	}
	*at = (uint32_t)s->files.n;
	file = NEW(s->a, struct preset_file);
	*file = (struct preset_file){.path = path,
		.directory = path_parent(path),
		.index = s->files.n,
		.document.text = from ? STR_NONE : r->text};
	VEC_PUSH(s->a, &s->files, file);
	return open_file(r, file);
}

/* The path of an included file, as spelled. */
static struct str
included(struct arena *a, struct str directory, struct str name)
{
	return str_begins(name, STR("/"))
		       ? name
		       : str_fmt(a, "%.*s/%.*s", STR_ARG(directory), STR_ARG(name));
}

static bool
include_next(struct reading *r, struct frame *f)
{
	struct preset_set *s = r->s;
	struct preset_file *file = f->file;
	const struct json_value *v = f->next;
	struct str name;

	f->next = v->next;
	if (preset_expand_include(s, file, v->text, &name) != MACRO_OK)
		return preset_wrong(s, "Invalid \"include\" field", AT(file, v),
			"Invalid \"include\" field");
	return enter(r, file, included(s->a, file->directory, name));
}

static void
close_file(struct reading *r)
{
	struct preset_file *file = r->open.v[--r->open.n].file;

	file->is_open = false;
	if (r->open.n)
		reach(r->s, r->open.v[r->open.n - 1].file, file);
}

static bool
read_from(struct reading *r, struct str path)
{
	if (!enter(r, NULL, path))
		return false;
	while (r->open.n) {
		struct frame *f = &r->open.v[r->open.n - 1];
		struct preset_file *file = f->file;

		if (f->next) {
			if (!include_next(r, f))
				return false;
		} else if (f->has_implied) {
			f->has_implied = false;
			if (!enter(r, file, r->implied))
				return false;
		} else {
			close_file(r);
		}
	}
	return true;
}

static int
by_name(const void *a, const void *b)
{
	struct preset *const *x = a, *const *y = b;

	return str_order((*x)->name, (*y)->name);
}

static void
sort_presets(struct preset_set *s)
{
	for (int k = 0; k < PRESET_KINDS; k++) {
		size_t n = s->kinds[k].v.n;

		s->kinds[k].by_name = NEW_ARRAY(s->a, struct preset *, n);
		if (!n)
			continue;
		memcpy(s->kinds[k].by_name, s->kinds[k].v.v,
			n * sizeof *s->kinds[k].by_name);
		qsort(s->kinds[k].by_name, n, sizeof *s->kinds[k].by_name, by_name);
	}
}

static bool
read_all(struct reading *r, struct str path)
{
	if (!read_from(r, path))
		return false;
	sort_presets(r->s);
	return true;
}

bool
preset_files_read(struct preset_set *s, struct str named)
{
	struct str own = path_join(s->a, s->directory, STR("CMakePresets.json"));
	struct str user = path_join(s->a, s->directory, STR("CMakeUserPresets.json"));
	struct reading r = {.s = s, .implied = STR("")};

	if (named.n)
		return read_all(&r, path_join(s->a, s->directory, named));
	if (!path_may_exist(user.p))
		return read_all(&r, own);
	if (path_may_exist(own.p))
		r.implied = own;
	return read_all(&r, user);
}

bool
preset_files_parse(struct preset_set *s, struct str text)
{
	struct reading r = {.s = s, .implied = STR(""), .text = text};

	return read_all(&r, path_join(s->a, s->directory, STR("CMakePresets.json")));
}

void
preset_set_close(struct preset_set *s)
{
	if (s->patterns)
		match_set_close(s->patterns);
}
