/* Traces of compilers. See compile_trace.h. */
#include "compat/instrument/compile_trace.h"

#include <sys/stat.h>

#include "compat/instrument/instrument_file.h"
#include "runner/base/files.h"

#define OPTION "-ftime-trace="

/* When the file was changed; -1: there is no such file. */
static time_t
changed_at(struct str path)
{
	struct stat st;

	return path.n && stat(path.p, &st) == 0 && !S_ISDIR(st.st_mode) ? st.st_mtime
									: -1;
}

/* The path without the last extension of its name, which becomes *extension. */
static struct str
cut_extension(struct str path, struct str *extension)
{
	struct str name = path_name(path);
	size_t dot = name.n;

	while (dot > 0 && name.p[dot - 1] != '.')
		dot--;
	*extension = dot ? str_from(name, dot - 1) : STR("");
	return str_cut(path.p, path.n - extension->n);
}

static struct str
named_path(struct arena *a, struct str_list words, struct str_list outputs)
{
	struct str stem, extension = STR("");

	for (size_t k = 0; k < words.n; k++)
		if (str_begins(words.v[k], STR(OPTION)) && words.v[k].n > strlen(OPTION))
			return str_from(words.v[k], strlen(OPTION));
	if (!outputs.n)
		return STR("");
	stem = cut_extension(outputs.v[0], &extension);
	return extension.n ? str_fmt(a, "%.*s.json", STR_ARG(stem)) : STR("");
}

struct compile_trace
compile_trace_find(struct arena *a, const struct instrumentation *i,
	struct str_list words, struct str_list outputs)
{
	struct compile_trace t = {named_path(a, words, outputs), -1};

	/* A relative path is one in the build tree only if the file is there already. */
	if (t.path.n) {
		struct str in_build = path_join(a, i->build, t.path);

		t.path = path_join(a, path_here(a), t.path);
		if (changed_at(t.path) < 0 && changed_at(in_build) >= 0)
			t.path = in_build;
	}
	t.changed = changed_at(t.path);
	return t;
}

bool
compile_trace_keep(struct arena *a, const struct instrumentation *i,
	const struct compile_trace *t, struct str suffix, struct str *copy)
{
	time_t changed = changed_at(t->path);
	struct str stem, extension, name, text;

	*copy = STR_NONE;
	if (changed < 0 || changed == t->changed)
		return true;
	stem = cut_extension(path_name(t->path), &extension);
	name = str_fmt(
		a, "%.*s-%.*s%.*s", STR_ARG(stem), STR_ARG(suffix), STR_ARG(extension));
	if (!file_read(a, t->path.p, &text) ||
		!instrument_file_write(a, i, "data/compile-trace", name, text))
		return false;
	*copy = str_fmt(a, "compile-trace/%.*s", STR_ARG(name));
	return true;
}
