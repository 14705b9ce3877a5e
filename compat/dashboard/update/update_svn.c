/*
 * Subversion. A work tree may contain external ones, each with its own revisions; the
 * first is the top one, whose path is "".
 */
#include "compat/dashboard/update/update_xml.h"
#include "compat/settings/custom_commands.h"

struct svn_tree {
	struct str path; /* in the source directory, "" for the top one */
	struct str url, root;
	struct str base; /* prefix of the paths in its log: "/trunk/" */
	struct str old_rev, new_rev;
};
struct svn {
	VEC(struct svn_tree) trees;
};

static struct svn *
svn_of(struct update *u)
{
	if (!u->state)
		u->state = NEW(u->arena, struct svn);
	return u->state;
}

/* The command, the words, and the options of all commands. */
static struct str_list
words_of(struct update *u, struct str_list words)
{
	struct str never[] = {STR("--non-interactive")};
	struct str_list all[] = {{&u->tool, 1}, words, {never, 1},
		custom_command_words(u->arena, update_key(u, "SVNOptions"))};

	return vcs_join(u->arena, all, 4);
}

static bool
run_svn(struct update *u, const char *prefix, struct listener *out, struct str_list words)
{
	struct vcs_command c = {
		.words = words_of(u, words), .prefix = prefix, .out = out};

	return vcs_run(u, &c);
}

static bool
run_two(struct update *u, const char *prefix, struct listener *out, const char *first,
	const struct str *second)
{
	struct str words[] = {str_of(first), second ? *second : STR("")};

	return run_svn(u, prefix, out, (struct str_list){words, second ? 2 : 1});
}

static void
run_cleanup(struct update *u)
{
	run_two(u, "cleanup", NULL, "cleanup", NULL);
}

/* ---- the trees ------------------------------------------------------------------- */

static struct svn_tree *
add_tree(struct update *u, struct str path)
{
	struct svn *s = svn_of(u);

	VEC_PUSH(u->arena, &s->trees,
		(struct svn_tree){.path = str_dup(u->arena, path),
			.url = STR(""),
			.root = STR(""),
			.base = STR(""),
			.old_rev = STR(""),
			.new_rev = STR("")});
	return &s->trees.v[s->trees.n - 1];
}

static bool
read_external(void *context, struct str line)
{
	struct update *u = context;
	struct match m;

	if (!update_match(u, line, "^X..... +(.+)$", &m))
		return true;
	if (str_begins(m.groups[1], u->source) && m.groups[1].n > u->source.n &&
		m.groups[1].p[u->source.n] == '/')
		m.groups[1] = str_from(m.groups[1], u->source.n + 1);
	add_tree(u, m.groups[1]);
	return true;
}

/* false: the trees are not known. */
static bool
find_trees(struct update *u)
{
	struct listener out = {.context = u, .line = read_external};

	if (svn_of(u)->trees.n)
		return true;
	add_tree(u, STR(""));
	return run_two(u, "external", &out, "status", NULL);
}

/* ---- facts about the trees ------------------------------------------------------- */

struct info {
	struct update *u;
	struct svn_tree *tree;
	struct str rev;
};

static bool
read_info(void *context, struct str line)
{
	struct info *i = context;
	struct arena *a = i->u->arena;
	struct match m;

	if (update_match(i->u, line, "^Revision: ([0-9]+)", &m))
		i->rev = str_dup(a, m.groups[1]);
	else if (update_match(i->u, line, "^URL: +([^ ]+) *$", &m))
		i->tree->url = str_dup(a, m.groups[1]);
	else if (update_match(i->u, line, "^Repository Root: +([^ ]+) *$", &m))
		i->tree->root = str_dup(a, m.groups[1]);
	return true;
}

static struct str
ask_revision(struct update *u, struct svn_tree *tree)
{
	struct info info = {u, tree, STR("")};
	struct str path = update_operand(u, tree->path);
	struct listener out = {.context = &info, .line = read_info};

	run_two(u, "info", &out, "info", &path);
	return info.rev;
}

static void
say_revision(struct update *u, const char *which, const char *when,
	const struct svn_tree *tree, struct str rev)
{
	buf_fmt(&u->log, "Revision for repository '%.*s' %s update: %.*s\n",
		STR_ARG(tree->path), when, STR_ARG(rev));
	console_fmt(u->in->console, CHANNEL_OUTPUT,
		"   %s revision of external repository '%.*s' is: %.*s\n", which,
		STR_ARG(tree->path), STR_ARG(rev));
}

static bool
note_old(struct update *u)
{
	struct svn *s = svn_of(u);

	if (!find_trees(u))
		return false;
	for (size_t i = 0; i < s->trees.n; i++) {
		struct svn_tree *tree = &s->trees.v[i];

		tree->old_rev = ask_revision(u, tree);
		say_revision(u, "Old", "before", tree, tree->old_rev);
	}
	update_note_prior(u, s->trees.v[0].old_rev);
	return true;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes "%20" and the like. */
static struct str
decode_url(struct arena *a, struct str url)
{
	struct buf text = {.arena = a};

	for (size_t i = 0; i < url.n; i++) {
		bool is_code = url.p[i] == '%' && i + 2 < url.n &&
			       hex_digit(url.p[i + 1]) >= 0 &&
			       hex_digit(url.p[i + 2]) >= 0;

		buf_char(&text, is_code ? (char)(hex_digit(url.p[i + 1]) << 4 |
						  hex_digit(url.p[i + 2]))
					: url.p[i]);
		i += is_code ? 2 : 0;
	}
	buf_char(&text, '/');
	return buf_as_str(&text);
}

static void
find_base(struct update *u, struct svn_tree *t)
{
	if (t->root.n && str_begins(t->url, t->root))
		t->base = decode_url(u->arena, str_from(t->url, t->root.n));
	buf_fmt(&u->log,
		"Repository '%.*s' URL = %.*s\nRepository '%.*s' Root = %.*s\n"
		"Repository '%.*s' Base = %.*s\n",
		STR_ARG(t->path), STR_ARG(t->url), STR_ARG(t->path), STR_ARG(t->root),
		STR_ARG(t->path), STR_ARG(t->base));
}

static bool
note_new(struct update *u)
{
	struct svn *s = svn_of(u);

	if (!find_trees(u))
		return false;
	for (size_t i = 0; i < s->trees.n; i++) {
		struct svn_tree *tree = &s->trees.v[i];

		tree->new_rev = ask_revision(u, tree);
		say_revision(u, "New", "after", tree, tree->new_rev);
		find_base(u, tree);
	}
	u->new_rev = s->trees.v[0].new_rev;
	return true;
}

static struct str
base_path(const struct update *u)
{
	const struct svn *s = u->state;

	return s && s->trees.n ? s->trees.v[0].base : STR("");
}

/* ---- the update ------------------------------------------------------------------ */

/* What happened to the file, or if nothing, to its properties. */
static bool
read_update(void *context, struct str line)
{
	struct update *u = context;
	struct match m;
	char what;

	if (!update_match(u, line, "^([ADUCGE ])([ADUCGE ])[B ] +(.+)$", &m))
		return true;
	what = *m.groups[1].p != ' ' ? *m.groups[1].p : *m.groups[2].p;
	if (what == 'G')
		update_state(u, FILE_MODIFIED, m.groups[3]);
	else if (what == 'C')
		update_state(u, FILE_CONFLICTING, m.groups[3]);
	else if (what == 'A' || what == 'D' || what == 'U')
		update_state(u, FILE_UPDATED, m.groups[3]);
	return true;
}

static bool
run_update(struct update *u)
{
	struct listener out = {.context = u, .line = read_update};
	struct str words[] = {STR("update")};
	struct str nightly = update_nightly(u, "-r{%Y-%m-%d %H:%M:%S +0000}");
	struct str_list lists[] = {
		{words, 1}, update_options(u), {&nightly, nightly.n ? 1 : 0}};
	struct vcs_command c = {.words = words_of(u, vcs_join(u->arena, lists, 3)),
		.prefix = "up",
		.out = &out};

	return vcs_run_update(u, &c);
}

/* ---- revisions ------------------------------------------------------------------- */

struct svn_log {
	struct svn_tree *tree;
	char action;
};

static void
log_begin(struct xml_log *l, struct str element)
{
	struct svn_log *s = l->context;

	if (str_is(element, "path"))
		s->action = '?';
}

static void
log_attribute(struct xml_log *l, struct str name, struct str value)
{
	struct svn_log *s = l->context;

	if (str_is(name, "revision"))
		l->rev.rev = value;
	else if (str_is(name, "action"))
		s->action = value.n ? value.p[0] : '\0';
}

static bool
is_base(struct str base, const change_vec *changes)
{
	for (size_t i = 0; i < changes->n; i++)
		if (str_begins(changes->v[i].path, base))
			return true;
	return false;
}

/* For a tree whose repository root is not known: the longest end of the URL with which a
 * path begins. */
static void
guess_base(struct update *u, struct svn_tree *tree, const change_vec *changes)
{
	tree->base = STR("/");
	for (size_t at = 0; at < tree->url.n; at++) {
		struct str base;

		if (tree->url.p[at] != '/')
			continue;
		base = decode_url(u->arena, str_from(tree->url, at));
		if (!is_base(base, changes))
			continue;
		tree->base = base;
		break;
	}
	buf_fmt(&u->log, "Guessed Base = %.*s\n", STR_ARG(tree->base));
}

/* The path in the work tree. */
static struct str
local_path(struct update *u, const struct svn_tree *tree, struct str path)
{
	if (path.n > tree->base.n && str_begins(path, tree->base))
		path = str_from(path, tree->base.n);
	return tree->path.n ? str_fmt(u->arena, "%.*s/%.*s", STR_ARG(tree->path),
				      STR_ARG(path))
			    : path;
}

static void
log_end(struct xml_log *l, struct str element, struct str text)
{
	struct svn_log *s = l->context;

	if (str_is(element, "path"))
		VEC_PUSH(l->u->arena, &l->changes,
			(struct change){s->action, local_path(l->u, s->tree, text)});
	else if (str_is(element, "author"))
		l->rev.author = text;
	else if (str_is(element, "date"))
		l->rev.date = text;
	else if (str_is(element, "msg"))
		l->rev.log = text;
}

static void
log_ended(struct xml_log *l)
{
	struct svn_log *s = l->context;

	if (str_eq(l->rev.rev, s->tree->old_rev) && !str_eq(l->rev.rev, l->u->old_rev))
		return;
	if (!s->tree->base.n && !s->tree->path.n && l->changes.n)
		guess_base(l->u, s->tree, &l->changes);
	update_revision(l->u, &l->rev, &l->changes);
}

static const struct xml_log_type log_type = {
	.name = "svn",
	.entry = "logentry",
	.begin = log_begin,
	.attribute = log_attribute,
	.end = log_end,
	.ended = log_ended,
};

static bool
load_tree(struct update *u, struct svn_tree *tree)
{
	struct svn_log context = {.tree = tree};
	struct xml_log l = {.u = u, .type = &log_type, .context = &context};
	struct str range = str_fmt(
		u->arena, "-r%.*s:%.*s", STR_ARG(tree->old_rev), STR_ARG(tree->new_rev));
	struct str words[] = {STR("log"), STR("--xml"), STR("-v"), range,
		update_operand(u, tree->path)};
	bool ok;

	if (str_int(tree->old_rev) >= str_int(tree->new_rev))
		words[3] = str_fmt(u->arena, "-r%.*s", STR_ARG(tree->new_rev));
	xml_log_open(&l);
	ok = run_svn(u, "log", &l.out, (struct str_list){words, 5});
	xml_log_close(&l);
	return ok;
}

static bool
load_revisions(struct update *u)
{
	struct svn *s = svn_of(u);
	bool ok = true;

	for (size_t i = 0; i < s->trees.n; i++)
		ok = load_tree(u, &s->trees.v[i]) && ok;
	return ok;
}

/* ---- the work tree --------------------------------------------------------------- */

static bool
read_status(void *context, struct str line)
{
	struct update *u = context;
	struct match m;

	if (!update_match(u, line, "^([ACDIMRX?!~ ])([CM ])[ L]... +(.+)$", &m))
		return true;
	for (int i = 1; i <= 2; i++) {
		char what = *m.groups[i].p;

		if (what == ' ')
			continue;
		if (what == 'C' || what == '~')
			update_local(u, FILE_CONFLICTING, m.groups[3]);
		else if (strchr("ADMR!", what))
			update_local(u, FILE_MODIFIED, m.groups[3]);
		break;
	}
	return true;
}

static bool
load_local(struct update *u)
{
	struct listener out = {.context = u, .line = read_status};

	run_two(u, "status", &out, "status", NULL);
	return true;
}

const struct vcs vcs_svn = {
	.name = "SVN",
	.word = "svn",
	.markers = {".svn"},
	.dot_is = "revision",
	.cleanup = run_cleanup,
	.note_old = note_old,
	.update = run_update,
	.note_new = note_new,
	.load_revisions = load_revisions,
	.load_local = load_local,
	.path = base_path,
};
