/*
 * Git. An update fetches, and resets the work tree to what was fetched for the branch;
 * the user's own command may replace both. Submodules follow.
 */
#include "compat/dashboard/update/update_git.h"

#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

/* ---- one line -------------------------------------------------------------------- */

struct first_line {
	struct arena *arena;
	struct str text;
};

static bool
take_line(void *context, struct str line)
{
	struct first_line *l = context;

	l->text = str_dup(l->arena, line);
	return false;
}

/* *said: its first line, or "". false: it failed. */
static bool
ask_for(struct update *u, const char *prefix, const char *const *words, struct str *said)
{
	struct first_line first = {u->arena, STR("")};
	struct listener out = {.context = &first, .line = take_line};
	bool ok = vcs_run_words(u, prefix, &out, words);

	*said = first.text;
	return ok;
}

static struct str
ask_git(struct update *u, const char *prefix, const char *const *words)
{
	struct str said;

	ask_for(u, prefix, words, &said);
	return said;
}

static struct str
ask_head(struct update *u)
{
	return ask_git(u, "rl",
		(const char *[]){
			update_tool(u), "rev-list", "-n", "1", "HEAD", "--", NULL});
}

/* ---- fetch and reset ------------------------------------------------------------- */

/* A relative path, except the usual one, is relative to the working directory. */
static struct str
git_directory(struct update *u)
{
	struct str said;

	if (ask_for(u, "rev-parse",
		    (const char *[]){update_tool(u), "rev-parse", "--git-dir", NULL},
		    &said) &&
		said.n && !str_is(said, ".git"))
		return said;
	return str_fmt(u->arena, "%.*s/.git", STR_ARG(u->source));
}

/* The first head that is marked for merging; the log has all lines up to it. */
static struct str
find_fetched(struct update *u)
{
	struct str directory = git_directory(u);
	struct str path = str_fmt(u->arena, "%.*s/FETCH_HEAD", STR_ARG(directory));
	struct str text, line, found = STR("");

	if (!file_read(u->arena, step_path(u->in, path), &text)) {
		buf_fmt(&u->log, "Unable to open %s\n", path.p);
		return found;
	}
	while (!found.n && str_take_crlf_line(&text, &line)) {
		buf_fmt(&u->log, "FETCH_HEAD> %.*s\n", STR_ARG(line));
		if (!str_has(line, STR("\tnot-for-merge\t")) &&
			str_find(line, '\t') < line.n)
			found = str_cut(line.p, str_find(line, '\t'));
	}
	if (!found.n)
		buf_z(&u->log, "FETCH_HEAD has no upstream branch candidate!\n");
	return found;
}

static bool
fetch_and_reset(struct update *u)
{
	struct str fetch[] = {u->tool, STR("fetch")};
	struct str_list lists[] = {{fetch, 2}, update_options(u)};
	struct vcs_command c = {.words = vcs_join(u->arena, lists, 2), .prefix = "fetch"};
	struct str found;

	if (!vcs_run_update(u, &c))
		return false;
	found = find_fetched(u);
	return found.n && vcs_run_words(u, "reset", NULL,
				  (const char *[]){update_tool(u), "reset", "--hard",
					  str_z(u->arena, found), NULL});
}

static bool
update_itself(struct update *u)
{
	struct str custom = update_key(u, "GITUpdateCustom");
	struct vcs_command c = {.prefix = "custom"};

	if (!custom.n)
		return fetch_and_reset(u);
	c.words = cmake_list_split(u->arena, custom, true);
	return vcs_run_update(u, &c);
}

/* ---- submodules ------------------------------------------------------------------ */

struct git_version {
	int parts[3];
	bool is_known;
};

static struct git_version
read_version(struct str said)
{
	struct git_version v = {.is_known = str_begins(said, STR("git version "))};

	said = str_from(said, v.is_known ? strlen("git version ") : 0);
	for (int i = 0; i < 3 && v.is_known; i++) {
		size_t n = 0;

		while (n < said.n && said.p[n] >= '0' && said.p[n] <= '9')
			n++;
		v.parts[i] = str_int(str_cut(said.p, n));
		v.is_known = n > 0 && (i == 2 || (n < said.n && said.p[n] == '.'));
		said = str_from(said, n + (v.is_known && i < 2));
	}
	return v;
}

static struct git_version
version_of(struct update *u)
{
	struct str said;
	bool ok = ask_for(
		u, "version", (const char *[]){update_tool(u), "--version", NULL}, &said);

	return read_version(ok ? said : STR(""));
}

/* Asks for the version once, or again if the answer has none. */
static bool
is_older(struct update *u, int major, int minor, int patch)
{
	const int wanted[] = {major, minor, patch};
	struct git_version *v = u->state;

	if (!v)
		v = u->state = NEW(u->arena, struct git_version);
	if (!v->is_known)
		*v = version_of(u);
	for (int i = 0; i < 3 && v->is_known; i++)
		if (v->parts[i] != wanted[i])
			return v->parts[i] < wanted[i];
	return !v->is_known;
}

static bool
run_submodule(struct update *u, struct str top, const char *what, bool recursive)
{
	const char *words[] = {update_tool(u), "submodule", what,
		recursive ? "--recursive" : NULL, NULL};
	struct vcs_command c = {.words = vcs_words(u->arena, words),
		.prefix = "submodule",
		.directory = top.p};

	return vcs_run(u, &c);
}

static struct str
top_directory(struct update *u)
{
	struct str up = ask_git(u, "rev-parse",
		(const char *[]){update_tool(u), "rev-parse", "--show-cdup", NULL});

	return path_join(u->arena, u->source, up);
}

static bool
run_update(struct update *u)
{
	bool sub_update, sub_sync, has_modules;
	struct str top;

	if (!update_itself(u))
		return false;
	top = top_directory(u);
	has_modules = path_exists(path_join(u->arena, top, STR(".gitmodules")).p);
	sub_update = !is_older(u, 1, 6, 5);
	if (!sub_update && has_modules)
		buf_z(&u->log, "Git < 1.6.5 cannot update submodules recursively\n");
	sub_sync = !is_older(u, 1, 8, 1);
	if (!sub_sync && has_modules)
		buf_z(&u->log, "Git < 1.8.1 cannot synchronize submodules recursively\n");
	if (cmake_is_on(update_key(u, "GITInitSubmodules")) &&
		!run_submodule(u, top, "init", false))
		return false;
	return run_submodule(u, top, "sync", sub_sync) &&
	       run_submodule(u, top, "update", sub_update);
}

/* ---- what has changed ------------------------------------------------------------ */

static bool
load_revisions(struct update *u)
{
	struct str range =
		str_fmt(u->arena, "%.*s..%.*s", STR_ARG(u->old_rev), STR_ARG(u->new_rev));
	const char *list[] = {
		update_tool(u), "rev-list", "--reverse", range.p, "--", NULL};
	const char *show[] = {update_tool(u), "diff-tree", "--stdin", "--always", "-z",
		"-r", "--pretty=raw", "--encoding=utf-8", NULL};
	struct git_commits commits;
	struct vcs_command c = {.words = vcs_words(u->arena, show),
		.prefix = "dt",
		.out = &commits.out,
		.feeder = vcs_words(u->arena, list)};

	git_commits_open(&commits, u);
	vcs_run(u, &c);
	git_commits_close(&commits);
	return true;
}

static void
mark_modified(struct update *u, const change_vec *changes)
{
	for (size_t i = 0; i < changes->n; i++)
		update_local(u, FILE_MODIFIED, changes->v[i].path);
}

static bool
load_local(struct update *u)
{
	struct git_diff diff;

	vcs_run_words(u, "ui", NULL,
		(const char *[]){update_tool(u), "update-index", "--refresh", NULL});
	git_diff_open(&diff, u);
	vcs_run_words(u, "di", &diff.out,
		(const char *[]){update_tool(u), "diff-index", "-z", "HEAD", "--", NULL});
	mark_modified(u, &diff.changes);
	return true;
}

const struct vcs vcs_git = {
	.name = "GIT",
	.word = "git",
	.markers = {".git"},
	.dot_is = "revision",
	.revision = ask_head,
	.note_old = update_note_old,
	.update = run_update,
	.note_new = update_note_new,
	.load_revisions = load_revisions,
	.load_local = load_local,
};
