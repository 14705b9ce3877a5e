/* Mercurial. A template makes its log XML. */
#include "compat/dashboard/update/update_xml.h"

static const char template[] = "<logentry\n"
			       "   revision=\"{node|short}\">\n"
			       "  <author>{author|person}</author>\n"
			       "  <email>{author|email}</email>\n"
			       "  <date>{date|isodate}</date>\n"
			       "  <msg>{desc}</msg>\n"
			       "  <files>{files}</files>\n"
			       "  <file_adds>{file_adds}</file_adds>\n"
			       "  <file_dels>{file_dels}</file_dels>\n"
			       "</logentry>\n";

/* ---- the revision of the work tree ----------------------------------------------- */

static struct str
ask_revision(struct update *u)
{
	struct first_match rev = {u, "^([0-9a-f]+)", STR("")};
	struct listener out = {.context = &rev, .line = first_match};

	vcs_run_words(
		u, "rev", &out, (const char *[]){update_tool(u), "identify", "-i", NULL});
	return rev.text;
}

static bool
run_update(struct update *u)
{
	struct str words[] = {u->tool, STR("update"), STR("-v")};
	struct str_list lists[] = {{words, 3}, update_options(u)};
	struct vcs_command c = {
		.words = vcs_join(u->arena, lists, 2), .prefix = "update"};

	vcs_run_words(
		u, "pull", NULL, (const char *[]){update_tool(u), "pull", "-v", NULL});
	return vcs_run_update(u, &c);
}

/* ---- revisions ------------------------------------------------------------------- */

static void
log_attribute(struct xml_log *l, struct str name, struct str value)
{
	if (str_is(name, "revision"))
		l->rev.rev = value;
}

static void
add_files(struct xml_log *l, struct str text)
{
	while (text.n) {
		size_t end = str_find(text, ' ');
		bool is_last = end == text.n;

		VEC_PUSH(l->u->arena, &l->changes,
			(struct change){'U', str_cut(text.p, end)});
		text = str_from(text, is_last ? end : end + 1);
		if (!is_last && !text.n)
			VEC_PUSH(l->u->arena, &l->changes, (struct change){'U', STR("")});
	}
}

/* Finds the names of files in the text, in any of its formats. */
static void
mark_files(struct xml_log *l, struct str text, char action)
{
	for (size_t i = 0; i < l->changes.n && text.n; i++)
		if (!l->changes.v[i].path.n || str_has(text, l->changes.v[i].path))
			l->changes.v[i].action = action;
}

static void
log_end(struct xml_log *l, struct str element, struct str text)
{
	if (str_is(element, "author"))
		l->rev.author = text;
	else if (str_is(element, "email"))
		l->rev.email = text;
	else if (str_is(element, "date"))
		l->rev.date = text;
	else if (str_is(element, "msg"))
		l->rev.log = text;
	else if (str_is(element, "files"))
		add_files(l, text);
	else if (str_is(element, "file_adds"))
		mark_files(l, text, 'A');
	else if (str_is(element, "file_dels"))
		mark_files(l, text, 'D');
}

static const struct xml_log_type log_type = {
	.name = "hg",
	.entry = "logentry",
	.attribute = log_attribute,
	.end = log_end,
};

static bool
load_revisions(struct update *u)
{
	struct xml_log l = {.u = u, .type = &log_type};
	struct str range =
		str_fmt(u->arena, "%.*s:%.*s", STR_ARG(u->old_rev), STR_ARG(u->new_rev));

	xml_log_open(&l);
	listener_feed(u, &l.out, "log", STR("<?xml version=\"1.0\"?>\n<log>\n"));
	l.out.total = 0;
	vcs_run_words(u, "log", &l.out,
		(const char *[]){update_tool(u), "log", "--removed", "-r", range.p,
			"--template", template, NULL});
	l.out.total = 0;
	listener_feed(u, &l.out, "log", STR("</log>\n"));
	xml_log_close(&l);
	return true;
}

/* ---- the work tree --------------------------------------------------------------- */

static bool
read_status(void *context, struct str line)
{
	struct update *u = context;
	struct match m;

	if (update_match(u, line, "([MARC!?I]) (.*)", &m) && m.groups[2].n &&
		strchr("MAR!", *m.groups[1].p))
		update_local(u, FILE_MODIFIED, m.groups[2]);
	return true;
}

static bool
load_local(struct update *u)
{
	struct listener out = {.context = u, .line = read_status};

	vcs_run_words(
		u, "status", &out, (const char *[]){update_tool(u), "status", NULL});
	return true;
}

const struct vcs vcs_hg = {
	.name = "HG",
	.word = "hg",
	.markers = {".hg"},
	.dot_is = "revision",
	.revision = ask_revision,
	.note_old = update_note_old,
	.update = run_update,
	.note_new = update_note_new,
	.load_revisions = load_revisions,
	.load_local = load_local,
};
