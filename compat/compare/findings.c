/* See findings.h. */
#include "compat/compare/findings.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/compare/text_compare.h"
#include "runner/base/files.h"

/* Larger files are not compared, since all of them would be in memory. */
#define BYTES_MOST (UINT64_C(256) << 20)

/* Something that each run has, or may have. */
struct part {
	struct str label; /* "standard output", "Testing/TAG" */
	struct str files[3]; /* of ctest, cctr and ctest again; STR_NONE: it has none */
	enum mask_kind kind; /* MASK_KINDS: as the file's name says */
};
enum { CTEST, CCTR, AGAIN, RUNS };

struct finder {
	struct arena *arena, *scratch;
	const struct findings_request *request;
	const struct compare_run *runs[RUNS];
	VEC(struct part) parts;
	struct map numbers; /* label -> index in parts */
	struct buf diffs;
	str_vec equal, different, own, of_cctr;
	struct diag *diag;
};

/* ---- the parts ------------------------------------------------------------------- */

static const char *
file_name(const struct finder *f, int run, struct str file)
{
	return path_join(f->arena, f->runs[run]->folder, file).p;
}

static bool
is_stream(struct str file)
{
	return str_is(file, "out") || str_is(file, "err");
}

/* Where the run wrote "0/TAG": "/tree/Testing/TAG". */
static struct str
place_of(const struct finder *f, struct str file)
{
	struct str rest = file, number = str_take(&rest, '/');
	uint64_t item;

	if (!str_unsigned(number, f->request->aside->items.n - 1, &item))
		BUG("a file that no run has");
	return rest.n ? path_join(f->arena, f->request->aside->items.v[item].path, rest)
		      : f->request->aside->items.v[item].path;
}

/* "0/TAG" as "Testing/TAG". */
static struct str
label_of(const struct finder *f, struct str file)
{
	struct str tree = f->request->tree, path;

	if (is_stream(file))
		return str_is(file, "out") ? STR("standard output")
					   : STR("standard error");
	path = place_of(f, file);
	return str_begins(path, tree) && path.n > tree.n + 1 ? str_from(path, tree.n + 1)
							     : path;
}

/* A tag is masked unless it was there before: that is an earlier dashboard's. */
static struct str
masked_label(const struct finder *f, struct str file)
{
	struct str label = label_of(f, file);

	return aside_has(f->arena, f->request->aside, file)
		       ? label
		       : mask_path(f->request->mask, f->arena, label);
}

/* MASK_KINDS: as the file's name says. */
static enum mask_kind
kind_of(const struct finder *f, struct str file)
{
	if (is_stream(file))
		return MASK_CONSOLE;
	return str_eq(place_of(f, file), f->request->output_log) ? MASK_OUTPUT_LOG
								 : MASK_KINDS;
}

static void
add_file(struct finder *f, int run, struct str file)
{
	struct str label = masked_label(f, file);
	uint32_t number = map_number(&f->numbers, label);

	if (number == f->parts.n)
		VEC_PUSH(f->arena, &f->parts,
			(struct part){.label = label, .kind = kind_of(f, file)});
	f->parts.v[number].files[run] = file;
}

static void
find_parts(struct finder *f)
{
	f->numbers = map_in(f->arena);
	for (int run = 0; run < RUNS; run++)
		for (size_t i = 0; f->runs[run] && i < f->runs[run]->files.n; i++)
			add_file(f, run, f->runs[run]->files.v[i]);
}

/* ---- one part -------------------------------------------------------------------- */

static bool
read_link(struct finder *f, const char *path, struct str *text)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target);

	*text = str_dup(f->scratch, str_cut(target, n > 0 ? (size_t)n : 0));
	return n >= 0;
}

/* What has no text. A pipe would wait for somebody who writes. */
static bool
name_kind(mode_t mode, struct str *text)
{
	*text = S_ISFIFO(mode)   ? STR("a pipe\n")
		: S_ISSOCK(mode) ? STR("a socket\n")
				 : STR("a device\n");
	return true;
}

static bool
read_text(struct finder *f, int run, struct str file, struct str *text)
{
	const char *path = file_name(f, run, file);
	struct stat st;
	bool is_read = lstat(path, &st) == 0;

	if (is_read && (uint64_t)st.st_size > BYTES_MOST)
		return diag_error(f->diag, (struct place){.file = label_of(f, file)},
			"is too large to be compared");
	if (is_read)
		is_read = S_ISLNK(st.st_mode)   ? read_link(f, path, text)
			  : S_ISREG(st.st_mode) ? file_read(f->scratch, path, text)
						: name_kind(st.st_mode, text);
	return is_read ||
	       diag_system(f->diag, label_of(f, file), "cannot be read", errno);
}

/* With one more line where the last one of the text has no newline. */
static struct str_list
mark_open_end(struct finder *f, struct str_list lines, struct str text)
{
	str_vec v = {0};

	if (!text.n || str_ends(text, STR("\n")))
		return lines;
	VEC_PUSH_ALL(f->scratch, &v, lines);
	VEC_PUSH(f->scratch, &v, STR("\\ No newline at the end"));
	return str_vec_list(&v);
}

static bool
read_lines(struct finder *f, const struct part *p, int run, struct str_list *lines)
{
	struct str text;
	enum mask_kind kind = p->kind;

	if (!read_text(f, run, p->files[run], &text))
		return false;
	if (kind == MASK_KINDS)
		kind = mask_kind_of_file(p->label, text);
	*lines = (f->request->is_unordered ? mask_unordered : mask_lines)(
		f->request->mask, f->scratch, kind, text);
	*lines = mark_open_end(f, *lines, text);
	return true;
}

static void
add_diff(struct finder *f, const struct part *p, struct str diff)
{
	buf_fmt(&f->diffs, "--- %s: %.*s\n+++ %s: %.*s\n%.*s\n", f->runs[CTEST]->name,
		STR_ARG(p->label), f->runs[CCTR]->name, STR_ARG(p->label), STR_ARG(diff));
}

/* A file that ctest does not have, though a run of cctr may have left one before. */
static bool
is_of_cctr(struct str label)
{
	return str_begins(path_name(label), STR("cctr-"));
}

static bool
compare_texts(struct finder *f, const struct part *p)
{
	struct str_list lines[RUNS] = {{0}};
	bool has_again = f->runs[AGAIN] && p->files[AGAIN].n;
	struct text_comparison c;

	for (int run = 0; run < (has_again ? RUNS : AGAIN); run++)
		if (!read_lines(f, p, run, &lines[run]))
			return false;
	c = text_compare(
		f->scratch, lines[CTEST], lines[CCTR], has_again ? &lines[AGAIN] : NULL);
	if (c.different && is_of_cctr(p->label))
		VEC_PUSH(f->arena, &f->of_cctr, p->label);
	else if (c.different) {
		VEC_PUSH(f->arena, &f->different, p->label);
		add_diff(f, p, c.diff);
	} else
		VEC_PUSH(f->arena, c.own ? &f->own : &f->equal, p->label);
	return true;
}

/* Only one of them has it. */
static void
add_lonely(struct finder *f, const struct part *p)
{
	bool has_ctest = p->files[CTEST].n > 0;
	bool is_own = f->runs[AGAIN] && has_ctest != (p->files[AGAIN].n > 0);

	if (!has_ctest && is_of_cctr(p->label))
		VEC_PUSH(f->arena, &f->of_cctr, p->label);
	else if (is_own)
		VEC_PUSH(f->arena, &f->own, p->label);
	else {
		VEC_PUSH(f->arena, &f->different, p->label);
		buf_fmt(&f->diffs, "Only %s wrote %.*s\n\n",
			f->runs[has_ctest ? CTEST : CCTR]->name, STR_ARG(p->label));
	}
}

static bool
compare_part(struct finder *f, const struct part *p)
{
	struct arena_mark mark = arena_mark(f->scratch);
	bool ok = true;

	if (p->files[CTEST].n && p->files[CCTR].n)
		ok = compare_texts(f, p);
	else if (p->files[CTEST].n || p->files[CCTR].n)
		add_lonely(f, p);
	else
		VEC_PUSH(f->arena, &f->own, p->label);
	arena_rewind(f->scratch, mark);
	return ok;
}

static void
compare_codes(struct finder *f)
{
	int codes[RUNS] = {0};

	for (int run = 0; run < RUNS; run++)
		if (f->runs[run])
			codes[run] = compare_run_code(f->runs[run]);
	if (codes[CTEST] == codes[CCTR])
		VEC_PUSH(f->arena, &f->equal, STR("exit code"));
	else if (f->runs[AGAIN] && codes[AGAIN] != codes[CTEST])
		VEC_PUSH(f->arena, &f->own, STR("exit code"));
	else {
		VEC_PUSH(f->arena, &f->different, STR("exit code"));
		buf_fmt(&f->diffs, "--- %s: exit code\n+++ %s: exit code\n-%d\n+%d\n\n",
			f->runs[CTEST]->name, f->runs[CCTR]->name, codes[CTEST],
			codes[CCTR]);
	}
}

/* ---- the text -------------------------------------------------------------------- */

static void
add_list(struct buf *out, const char *title, const str_vec *labels)
{
	if (!labels->n)
		return;
	buf_fmt(out, "%s\n", title);
	for (size_t i = 0; i < labels->n; i++)
		buf_fmt(out, "  %.*s\n", STR_ARG(labels->v[i]));
}

static struct str
text_of(struct finder *f)
{
	struct buf out = {.arena = f->arena};

	buf_str(&out, buf_as_str(&f->diffs));
	add_list(&out, "Equal:", &f->equal);
	add_list(&out, "Differs from run to run, with ctest alone too:", &f->own);
	add_list(&out, "Of cctr alone:", &f->of_cctr);
	add_list(&out, "Different:", &f->different);
	buf_z(&out, f->different.n ? "" : "Nothing differs.\n");
	return buf_as_str(&out);
}

bool
findings_of(struct arena *a, const struct findings_request *r, struct findings *found,
	struct diag *d)
{
	struct finder f = {.arena = a,
		.scratch = arena_open(),
		.request = r,
		.runs = {r->ctest, r->cctr, r->again},
		.diffs.arena = a,
		.diag = d};
	bool ok = true;

	INVARIANT(r->ctest && r->cctr && r->aside->items.n);
	find_parts(&f);
	compare_codes(&f);
	for (size_t i = 0; i < f.parts.n; i++)
		ok = compare_part(&f, &f.parts.v[i]) && ok;
	arena_close(f.scratch);
	*found = (struct findings){f.different.n > 0, text_of(&f)};
	return ok;
}
