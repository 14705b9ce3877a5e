/*
 * CVS. There are no revisions of the whole tree: each file that the update names has its
 * own log, of which the first one or two revisions count.
 */
#include "compat/dashboard/update/update_run.h"

#include "runner/base/files.h"

/* ---- the update ------------------------------------------------------------------ */

/* Either stream: which of them names removed files depends on the release. */
static bool
read_update(void *context, struct str line)
{
	struct update *u = context;
	struct match m;

	if (update_match(u, line, "^([UP])  *(.*)", &m))
		update_state(u, FILE_UPDATED, m.groups[2]);
	else if (update_match(u, line, "^([MRA])  *(.*)", &m))
		update_state(u, FILE_MODIFIED, m.groups[2]);
	else if (update_match(u, line, "^([C])  *(.*)", &m))
		update_state(u, FILE_CONFLICTING, m.groups[2]);
	else if (update_match(u, line,
			 "cvs[^ ]* update: `?([^']*)'? is no longer in the repository",
			 &m) ||
		 update_match(u, line,
			 "cvs[^ ]* update: "
			 "warning: `?([^']*)'? is not \\(any longer\\) pertinent",
			 &m))
		update_state(u, FILE_UPDATED, m.groups[1]);
	return true;
}

static bool
run_update(struct update *u)
{
	struct str words[] = {u->tool, STR("-z3"), STR("update")}, usual = STR("-dP");
	struct str_list options = update_options(u);
	struct str nightly = update_nightly(u, "-D%Y-%m-%d %H:%M:%S UTC");
	struct str_list lists[] = {{words, 3},
		options.n ? options : (struct str_list){&usual, 1},
		{&nightly, nightly.n ? 1 : 0}};
	struct listener out = {.context = u, .line = read_update};
	struct listener err = {.context = u, .line = read_update};
	struct vcs_command c = {.words = vcs_join(u->arena, lists, 3),
		.prefix = "up",
		.out = &out,
		.err = &err};

	return vcs_run_update(u, &c);
}

/* ---- the log of a file ----------------------------------------------------------- */

enum { MOST_REVISIONS = 2 };

struct cvs_log {
	struct update *u;
	struct revision *found[MOST_REVISIONS];
	size_t n, wanted;
	bool is_in_list; /* after the header */
	struct revision rev;
	struct buf text;
};

static void
end_revision(struct cvs_log *l)
{
	if (l->rev.rev.n) {
		l->rev.log =
			l->text.n ? str_dup(l->u->arena, buf_as_str(&l->text)) : STR("");
		update_log_revision(l->u, &l->rev);
		l->found[l->n] = NEW(l->u->arena, struct revision);
		*l->found[l->n++] = l->rev;
	}
	l->rev = (struct revision){0};
	l->text.n = 0;
}

static void
add_text(struct cvs_log *l, struct str line)
{
	buf_str(&l->text, line);
	buf_char(&l->text, '\n');
}

static void
read_revision(struct cvs_log *l, struct str line)
{
	struct arena *a = l->u->arena;
	struct match m;

	if (l->text.n) {
		add_text(l, line);
	} else if (!l->rev.rev.n &&
		   update_match(l->u, line, "^revision +([^ ]*) *$", &m)) {
		l->rev.rev = str_dup(a, m.groups[1]);
	} else if (!l->rev.date.n &&
		   update_match(l->u, line, "^date: +([^;]+); +author: +([^;]+);", &m)) {
		l->rev.date = str_dup(a, m.groups[1]);
		l->rev.author = str_dup(a, m.groups[2]);
	} else if (!update_match(l->u, line, "^branches: .*$", &m)) {
		add_text(l, line);
	}
}

static bool
read_log(void *context, struct str line)
{
	static const char end[] = "====================================================="
				  "========================";
	struct cvs_log *l = context;

	if (str_is(line, end)) {
		end_revision(l);
		return false;
	}
	if (str_is(line, "----------------------------")) {
		l->is_in_list = true;
		end_revision(l);
		return l->n < l->wanted;
	}
	if (l->is_in_list)
		read_revision(l, line);
	return true;
}

/* -b: the main branch; -r<tag> if the directory is on a branch. */
static struct str
branch_option(struct update *u, struct str directory)
{
	struct str path = path_join(
		u->arena, path_join(u->arena, u->source, directory), STR("CVS/Tag"));
	struct str text, line;

	if (file_read(u->arena, path.p, &text) && str_take_crlf_line(&text, &line) &&
		line.n > 1 && *line.p == 'T')
		return str_fmt(u->arena, "-r%.*s", STR_ARG(str_from(line, 1)));
	return STR("-b");
}

static void
load_file(struct update *u, struct str branch, struct updated_file *f)
{
	struct cvs_log l = {.u = u,
		.text = {.arena = u->arena},
		.wanted = f->state == FILE_UPDATED ? 2 : 1};
	struct listener out = {.context = &l, .line = read_log};

	update_dot(u);
	vcs_run_words(u, "log", &out,
		(const char *[]){update_tool(u), "log", "-N", branch.p,
			str_z(u->arena, update_operand(u, update_path(u, f))), NULL});
	if (f->state == FILE_UPDATED)
		f->rev = l.found[0];
	f->prior = l.found[f->state == FILE_UPDATED ? 1 : 0];
}

static bool
load_revisions(struct update *u)
{
	struct str branch = STR("");

	update_sort(u);
	for (size_t i = 0; i < u->files.n; i++) {
		struct updated_file *f = &u->files.v[i];

		if (i == 0 || !str_eq(f->directory, f[-1].directory))
			branch = branch_option(u, f->directory);
		load_file(u, branch, f);
	}
	return true;
}

const struct vcs vcs_cvs = {
	.name = "CVS",
	.word = "cvs",
	.markers = {"CVS"},
	.dot_is = "updated file",
	.update = run_update,
	.load_revisions = load_revisions,
};
