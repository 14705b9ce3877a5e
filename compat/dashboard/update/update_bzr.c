/* Bazaar and Breezy, whose log needs the plugin xmloutput. */
#include "compat/dashboard/update/update_xml.h"
#include "compat/format/unix_path.h"

struct bzr {
	struct str url; /* where it pulls from */
	bool is_checkout;
	struct str revno;
};

static struct bzr *
bzr_of(struct update *u)
{
	struct bzr *b = u->state;

	if (!b) {
		u->state = b = NEW(u->arena, struct bzr);
		b->url = b->revno = STR("");
	}
	return b;
}

/* ---- the work tree's URL --------------------------------------------------------- */

static bool
read_info(void *context, struct str line)
{
	struct update *u = context;
	struct bzr *b = bzr_of(u);
	struct match m;

	if (update_match(u, line, "checkout of branch: *([^\t\r\n]+)$", &m)) {
		b->url = str_dup(u->arena, m.groups[1]);
		b->is_checkout = true;
	} else if (!b->is_checkout &&
		   update_match(u, line, "parent branch: *([^\t\r\n]+)$", &m)) {
		b->url = str_dup(u->arena, m.groups[1]);
	}
	return true;
}

static bool
read_revno(void *context, struct str line)
{
	struct update *u = context;
	struct match m;

	if (update_match(u, line, "^([0-9]+)$", &m))
		bzr_of(u)->revno = str_dup(u->arena, m.groups[1]);
	return true;
}

static struct str
ask_revision(struct update *u)
{
	struct listener info = {.context = u, .line = read_info};
	struct listener revno = {.context = u, .line = read_revno};

	bzr_of(u)->revno = STR("");
	bzr_of(u)->is_checkout = false;
	vcs_run_words(u, "info", &info, (const char *[]){update_tool(u), "info", NULL});
	vcs_run_words(
		u, "revno", &revno, (const char *[]){update_tool(u), "revno", NULL});
	return bzr_of(u)->revno;
}

static bool
note_old(struct update *u)
{
	update_note_prior(u, ask_revision(u));
	buf_fmt(&u->log, "Revision before update: %.*s\n", STR_ARG(u->old_rev));
	update_say_revision(u, "Old", u->old_rev);
	return true;
}

static bool
note_new(struct update *u)
{
	u->new_rev = ask_revision(u);
	buf_fmt(&u->log, "Revision after update: %.*s\n", STR_ARG(u->new_rev));
	update_say_revision(u, "New", u->new_rev);
	buf_fmt(&u->log, "URL = %.*s\n", STR_ARG(bzr_of(u)->url));
	return true;
}

/* ---- the update ------------------------------------------------------------------ */

static const char short_status[] = "^([-+R?XCP ])([NDKM ])([* ]) +(.+)$";

static struct str
plain_path(struct update *u, struct str path)
{
	return unix_slashes(u->arena, u->in->dialect, path);
}

static bool
is_changed(const struct match *m)
{
	return *m->groups[2].p != ' ' || *m->groups[3].p != ' ';
}

static bool
read_update(void *context, struct str line)
{
	struct update *u = context;
	struct match m;

	if (!update_match(u, line, short_status, &m))
		return true;
	if (*m.groups[1].p == 'C')
		update_state(u, FILE_CONFLICTING, plain_path(u, m.groups[4]));
	else if (is_changed(&m))
		update_state(u, FILE_UPDATED, plain_path(u, m.groups[4]));
	return true;
}

static bool
run_update(struct update *u)
{
	struct str words[] = {u->tool, STR("pull")};
	struct str url = update_operand(u, bzr_of(u)->url);
	struct str_list lists[] = {{words, 2}, update_options(u), {&url, 1}};
	struct listener err = {
		.context = u, .line = read_update, .lines = LINES_OF_PROGRESS};
	struct vcs_command c = {
		.words = vcs_join(u->arena, lists, 3), .prefix = "pull", .err = &err};

	return vcs_run_update(u, &c);
}

/* ---- revisions ------------------------------------------------------------------- */

/* The elements around file names say what happened to the files. */
static void
log_begin(struct xml_log *l, struct str element)
{
	static const struct {
		const char *element;
		char action;
	} actions[] = {{"modified", 'M'}, {"renamed", 'M'}, {"kind-changed", 'M'},
		{"added", 'A'}, {"removed", 'D'}, {"unknown", '?'}, {"conflicts", '?'}};
	char *action = l->context;

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (str_is(element, actions[i].element))
			*action = actions[i].action;
}

static void
take_committer(struct xml_log *l, struct str text)
{
	struct match m;

	l->rev.author = text;
	if (update_match(l->u, text, "(.*) <([A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+)>", &m)) {
		l->rev.author = str_dup(l->u->arena, m.groups[1]);
		l->rev.email = str_dup(l->u->arena, m.groups[2]);
	}
}

static void
log_end(struct xml_log *l, struct str element, struct str text)
{
	const char *action = l->context;
	bool is_link = str_is(element, "symlink");

	/* A character after the name marks a link. */
	text.n -= is_link;
	if (is_link || str_is(element, "file") || str_is(element, "directory")) {
		VEC_PUSH(l->u->arena, &l->changes,
			(struct change){*action, plain_path(l->u, text)});
	} else if (str_is(element, "revno")) {
		l->rev.rev = text;
	} else if (str_is(element, "committer")) {
		take_committer(l, text);
	} else if (str_is(element, "timestamp")) {
		l->rev.date = text;
	} else if (str_is(element, "message")) {
		l->rev.log = text;
	}
}

/* As the plugin names the encoding of its user. */
static const char *const encodings[] = {"ascii", "cp1252", "ANSI_X3.4-1968", NULL};

static const struct xml_log_type log_type = {
	.name = "bzr",
	.entry = "log",
	.windows = encodings,
	.begin = log_begin,
	.end = log_end,
};

static bool
load_revisions(struct update *u)
{
	char action = '?';
	struct xml_log l = {.u = u, .type = &log_type, .context = &action};
	struct str range =
		str_fmt(u->arena, "%.*s..%.*s", STR_ARG(u->old_rev), STR_ARG(u->new_rev));

	update_gathering(u);
	if (str_int(u->old_rev) > str_int(u->new_rev))
		return true;
	xml_log_open(&l);
	vcs_run_words(u, "log", &l.out,
		(const char *[]){update_tool(u), "log", "-v", "-r", range.p, "--xml",
			str_z(u->arena, update_operand(u, bzr_of(u)->url)), NULL});
	xml_log_close(&l);
	console_say(u->in->console, CHANNEL_OUTPUT, STR("\n"));
	return true;
}

/* ---- the work tree --------------------------------------------------------------- */

static bool
read_status(void *context, struct str line)
{
	struct update *u = context;
	struct match m;

	if (!update_match(u, line, short_status, &m))
		return true;
	if (*m.groups[1].p == 'C')
		update_local(u, FILE_CONFLICTING, plain_path(u, m.groups[4]));
	else if (strchr("+RP", *m.groups[1].p) || is_changed(&m))
		update_local(u, FILE_MODIFIED, plain_path(u, m.groups[4]));
	return true;
}

static bool
load_local(struct update *u)
{
	struct listener out = {.context = u, .line = read_status};

	vcs_run_words(u, "status", &out,
		(const char *[]){update_tool(u), "status", "-SV", NULL});
	return true;
}

const struct vcs vcs_bzr = {
	.name = "BZR",
	.word = "bzr",
	.markers = {".bzr"},
	.dot_is = "revision",
	.note_old = note_old,
	.update = run_update,
	.note_new = note_new,
	.load_revisions = load_revisions,
	.load_local = load_local,
};
