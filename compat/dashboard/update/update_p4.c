/*
 * Perforce. Revisions are change lists; another command gives the author of a change
 * list.
 */
#include "compat/dashboard/update/update_run.h"
#include "compat/settings/custom_commands.h"

#include "runner/cmakelang/cmake_text.h"

#define UNKNOWN "<unknown>"

struct person {
	struct str name, email;
};
struct p4 {
	struct map users; /* index into people */
	VEC(struct person) people;
};

static struct p4 *
p4_of(struct update *u)
{
	struct p4 *p = u->state;

	if (!p) {
		u->state = p = NEW(u->arena, struct p4);
		p->users = map_in(u->arena);
	}
	return p;
}

/* The command, its global options, and the words, up to a NULL. */
static struct str_list
words_of(struct update *u, const char *const *words)
{
	struct str client[] = {STR("-c"), update_key(u, "P4Client")};
	struct str english[] = {STR("-L"), STR("en")};
	struct str_list lists[] = {{&u->tool, 1}, {client, client[1].n ? 2 : 0},
		{english, 2}, custom_command_words(u->arena, update_key(u, "P4Options")),
		vcs_words(u->arena, words)};

	return vcs_join(u->arena, lists, 5);
}

static bool
run_p4(struct update *u, const char *prefix, struct listener *out,
	const char *const *words)
{
	struct vcs_command c = {
		.words = words_of(u, words), .prefix = prefix, .out = out};

	return vcs_run(u, &c);
}

/* All files below the source directory. */
static struct str
path_below(struct update *u, const char *what)
{
	return str_fmt(u->arena, "%.*s/...%s", STR_ARG(u->source), what);
}

/* ---- the revision of the work tree ----------------------------------------------- */

static struct str
ask_change(struct update *u)
{
	struct first_match number = {u, "^Change ([0-9]+) on", STR("0")};
	struct listener out = {.context = &number, .line = first_match};

	if (!run_p4(u, "p4_changes", &out,
		    (const char *[]){
			    "changes", "-m", "1", "-t", path_below(u, "#have").p, NULL}))
		return STR(UNKNOWN);
	return number.text;
}

/* ---- the update ------------------------------------------------------------------ */

static bool
update_by_custom(struct update *u, struct str custom)
{
	struct vcs_command c = {.words = cmake_list_split(u->arena, custom, true),
		.prefix = "p4_customsync"};

	return vcs_run_update(u, &c);
}

static bool
run_update(struct update *u)
{
	struct str custom = update_key(u, "P4UpdateCustom");
	struct str nightly, target;
	struct vcs_command c = {.prefix = "p4_sync"};

	if (custom.n)
		return update_by_custom(u, custom);
	if (str_is(u->old_rev, UNKNOWN)) {
		u->command = STR("Unknown current revision");
		console_say(u->in->console, CHANNEL_ERROR,
			STR("   Unknown current revision\n"));
		return false;
	}
	nightly = update_nightly(u, "@\"%Y/%m/%d %H:%M:%S\"");
	target = str_fmt(
		u->arena, "%.*s%.*s", STR_ARG(path_below(u, "")), STR_ARG(nightly));
	c.words = vcs_join(u->arena,
		(struct str_list[]){words_of(u, (const char *[]){"sync", NULL}),
			update_options(u), {&target, 1}},
		3);
	return vcs_run_update(u, &c);
}

/* ---- people ---------------------------------------------------------------------- */

static bool
read_user(void *context, struct str line)
{
	struct update *u = context;
	struct arena *a = u->arena;
	struct p4 *p = p4_of(u);
	struct match m;

	if (!update_match(u, line, "^(.+) <(.*)> \\((.*)\\) accessed (.*)$", &m))
		return true;
	map_set(&p->users, str_dup(a, m.groups[1]), (uint32_t)p->people.n);
	VEC_PUSH(a, &p->people,
		(struct person){str_dup(a, m.groups[3]), str_dup(a, m.groups[2])});
	return false;
}

static struct person
person_of(struct update *u, struct str name)
{
	struct p4 *p = p4_of(u);
	struct listener out = {.context = u, .line = read_user};
	uint32_t at = map_get(&p->users, name);

	if (at == MAP_NONE) {
		run_p4(u, "users", &out,
			(const char *[]){
				"users", "-m", "1", str_z(u->arena, name), NULL});
		at = map_get(&p->users, name);
	}
	return at == MAP_NONE ? (struct person){STR(""), STR("")} : p->people.v[at];
}

/* ---- a change list --------------------------------------------------------------- */

/* Empty lines separate the parts. */
struct description {
	struct update *u;
	enum { PART_HEADER, PART_BODY, PART_TITLE, PART_FILES, PARTS_OF_IT } part;
	struct revision rev;
	struct buf log;
	change_vec changes;
};

static void
read_title(struct description *d, struct str line)
{
	struct arena *a = d->u->arena;
	struct person person;
	struct match m;

	if (!update_match(d->u, line, "^Change ([0-9]+) by (.+)@(.+) on (.*)$", &m))
		return;
	d->rev.rev = str_dup(a, m.groups[1]);
	d->rev.date = d->rev.commit_date = str_dup(a, m.groups[4]);
	person = person_of(d->u, m.groups[2]);
	d->rev.author = d->rev.committer = person.name;
	d->rev.email = d->rev.committer_email = person.email;
}

/* "//depot/a/b" is "a/b" */
static struct str
path_in_depot(struct str path)
{
	size_t slash;

	if (!str_begins(path, STR("//")))
		return path;
	slash = 2 + str_find(str_from(path, 2), '/');
	return slash < path.n ? str_from(path, slash + 1) : path;
}

static void
read_file(struct description *d, struct str line)
{
	static const struct {
		const char *word;
		char action;
	} actions[] = {{"add", 'A'}, {"delete", 'D'}, {"edit", 'M'}, {"integrate", 'M'}};
	struct change change = {.action = '?'};
	struct match m;

	if (!update_match(d->u, line, "^\\.\\.\\. (.*)#[0-9]+ ([^ ]+)$", &m))
		return;
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (str_is(m.groups[2], actions[i].word))
			change.action = actions[i].action;
	change.path = str_dup(d->u->arena, path_in_depot(m.groups[1]));
	VEC_PUSH(d->u->arena, &d->changes, change);
}

static void
end_part(struct description *d)
{
	d->part++;
	if (d->part < PARTS_OF_IT)
		return;
	d->rev.log = d->log.n ? str_dup(d->u->arena, buf_as_str(&d->log)) : STR("");
	update_revision(d->u, &d->rev, &d->changes);
	d->part = PART_HEADER;
	d->rev = (struct revision){0};
	d->log.n = 0;
}

static bool
read_description(void *context, struct str line)
{
	struct description *d = context;

	if (!line.n) {
		end_part(d);
	} else if (d->part == PART_HEADER) {
		read_title(d, line);
	} else if (d->part == PART_BODY) {
		if (*line.p == '\t')
			buf_str(&d->log, str_from(line, 1));
		buf_char(&d->log, '\n');
	} else if (d->part == PART_FILES) {
		read_file(d, line);
	}
	return true;
}

/* The output is read after the command has ended, since reading asks for authors. */
static void
describe_change(struct update *u, struct str number)
{
	struct buf said = {.arena = u->arena};
	struct description d = {.u = u, .log = {.arena = u->arena}};
	struct listener out = {
		.context = &d, .line = read_description, .lines = LINES_EXACT};
	struct vcs_command c = {
		.words = words_of(u, (const char *[]){"describe", "-s",
					     str_z(u->arena, number), NULL}),
		.prefix = "p4_describe",
		.instead = &said};

	vcs_run(u, &c);
	if (said.n)
		listener_feed(u, &out, "p4_describe", buf_as_str(&said));
}

/* ---- revisions ------------------------------------------------------------------- */

struct numbers {
	struct update *u;
	str_vec list;
};

static bool
read_numbers(void *context, struct str line)
{
	struct numbers *n = context;
	struct match m;

	if (update_match(n->u, line, "^Change ([0-9]+) on", &m))
		VEC_PUSH(n->u->arena, &n->list, str_dup(n->u->arena, m.groups[1]));
	return true;
}

static bool
load_revisions(struct update *u)
{
	struct numbers numbers = {.u = u};
	struct listener out = {.context = &numbers, .line = read_numbers};
	struct str range;

	if (str_is(u->old_rev, UNKNOWN) || str_is(u->new_rev, UNKNOWN)) {
		console_say(u->in->console, CHANNEL_OUTPUT,
			STR("   At least one of the revisions is unknown. "
			    "No repository changes will be reported.\n"));
		return false;
	}
	range = str_fmt(u->arena, "@%.*s,%.*s", STR_ARG(u->old_rev), STR_ARG(u->new_rev));
	run_p4(u, "p4_changes", &out,
		(const char *[]){"changes", path_below(u, range.p).p, NULL});
	for (size_t i = numbers.list.n; i > 0; i--)
		describe_change(u, numbers.list.v[i - 1]);
	return true;
}

/* ---- the work tree --------------------------------------------------------------- */

struct differences {
	struct update *u;
	struct str path;
	bool is_known; /* the file is known to be modified */
};

static bool
read_difference(void *context, struct str line)
{
	struct differences *d = context;
	struct match m;

	if (update_match(d->u, line, "^==== (.*)#[0-9]+ - (.*)", &m)) {
		d->path = str_dup(d->u->arena, m.groups[1]);
		d->is_known = false;
	} else if (!d->is_known) {
		update_local(d->u, FILE_MODIFIED, d->path);
		d->is_known = true;
	}
	return true;
}

static bool
load_local(struct update *u)
{
	struct differences differences = {u, STR(""), false};
	struct listener out = {.context = &differences, .line = read_difference};

	run_p4(u, "p4_diff", &out,
		(const char *[]){"diff", "-dn", path_below(u, "").p, NULL});
	return true;
}

const struct vcs vcs_p4 = {
	.name = "P4",
	.word = "p4",
	.markers = {".p4", ".p4config"},
	.dot_is = "revision",
	.revision = ask_change,
	.note_old = update_note_old,
	.update = run_update,
	.note_new = update_note_new,
	.load_revisions = load_revisions,
	.load_local = load_local,
};
