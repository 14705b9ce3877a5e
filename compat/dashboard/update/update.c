/* Files, revisions and texts that all version control systems share. See update.h. */
#include "compat/dashboard/update/update.h"

#include <time.h>

#include "compat/dashboard/step/step_start.h"
#include "compat/format/unix_path.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/sort.h"

const struct revision update_unknown = {
	.rev = {"Unknown", 7}, .date = {"Unknown", 7}, .author = {"Unknown", 7}};

void
update_begin(struct update *u)
{
	u->prior = update_unknown;
	u->old_rev = u->new_rev = u->command = STR("");
	u->log = (struct buf){.arena = u->arena};
	buf_room(&u->log, 1);
	u->files_by_place = map_in(u->arena);
}

/* ---- files ----------------------------------------------------------------------- */

static struct str
place_of(struct update *u, const struct updated_file *f)
{
	return str_fmt(
		u->arena, "%.*s%c%.*s", STR_ARG(f->directory), '\0', STR_ARG(f->name));
}

struct str
update_path(const struct update *u, const struct updated_file *f)
{
	return f->directory.n ? str_fmt(u->arena, "%.*s/%.*s", STR_ARG(f->directory),
					STR_ARG(f->name))
			      : f->name;
}

struct str
update_operand(const struct update *u, struct str path)
{
	return path.n && *path.p == '-' ? str_fmt(u->arena, "./%.*s", STR_ARG(path))
					: path;
}

/* The file with this path; if there is none, makes one: updated, with unknown
 * revisions. */
static struct updated_file *
find_file(struct update *u, struct str path)
{
	size_t slash = str_rfind(path, '/');
	struct str name =
		str_dup(u->arena, str_from(path, slash < path.n ? slash + 1 : 0));
	struct str directory = unix_directory(u->arena, u->in->dialect, path);
	struct updated_file file = {.directory = directory, .name = name};
	uint32_t at = map_number(&u->files_by_place, place_of(u, &file));

	if (at == u->files.n)
		VEC_PUSH(u->arena, &u->files, file);
	return &u->files.v[at];
}

void
update_state(struct update *u, enum file_state state, struct str path)
{
	find_file(u, path)->state = state;
}

void
update_local(struct update *u, enum file_state state, struct str path)
{
	struct updated_file *file = find_file(u, path);

	file->state = state;
	if (!file->rev && !file->prior)
		file->prior = &u->prior;
}

SORT_BY(sort_files, struct updated_file, TEXTUAL(directory) TEXTUAL(name))

/* Sorting invalidates the map, so it is built again. */
void
update_sort(struct update *u)
{
	sort_files(u->files.v, u->files.n);
	u->files_by_place = map_in(u->arena);
	for (size_t i = 0; i < u->files.n; i++)
		map_add(&u->files_by_place, place_of(u, &u->files.v[i]));
}

/* ---- revisions ------------------------------------------------------------------- */

static struct revision *
keep_revision(struct arena *a, const struct revision *r)
{
	struct revision *kept = NEW(a, struct revision);

	*kept = (struct revision){
		.rev = str_dup(a, r->rev),
		.date = str_dup(a, r->date),
		.author = str_dup(a, r->author),
		.email = str_dup(a, r->email),
		.committer = str_dup(a, r->committer),
		.committer_email = str_dup(a, r->committer_email),
		.commit_date = str_dup(a, r->commit_date),
		.log = str_dup(a, r->log),
	};
	return kept;
}

void
update_log_revision(struct update *u, const struct revision *rev)
{
	buf_fmt(&u->log, "Found revision %.*s\n  author = %.*s\n  date = %.*s\n",
		STR_ARG(rev->rev), STR_ARG(rev->author), STR_ARG(rev->date));
}

void
update_revision(struct update *u, const struct revision *rev, const change_vec *changes)
{
	const struct revision *kept;

	INVARIANT(changes);
	/* The facts about the old revision itself. */
	if (str_eq(rev->rev, u->old_rev)) {
		u->prior = *keep_revision(u->arena, rev);
		return;
	}
	update_dot(u);
	update_log_revision(u, rev);
	kept = keep_revision(u->arena, rev);
	for (size_t i = 0; i < changes->n; i++) {
		const struct change *c = &changes->v[i];
		struct updated_file *file = find_file(u, c->path);

		buf_z(&u->log, "  ");
		buf_char(&u->log, c->action);
		buf_fmt(&u->log, " %.*s \n", STR_ARG(c->path));
		file->prior = file->rev ? file->rev : &u->prior;
		file->rev = kept;
	}
}

/* ---- texts ----------------------------------------------------------------------- */

void
update_dot(struct update *u)
{
	console_say(u->in->console, CHANNEL_OUTPUT, STR("."));
}

void
update_gathering(struct update *u)
{
	console_fmt(u->in->console, CHANNEL_OUTPUT,
		"   Gathering version information (one . per %s):\n    ", u->vcs->dot_is);
}

void
update_say_revision(struct update *u, const char *which, struct str rev)
{
	console_fmt(u->in->console, CHANNEL_OUTPUT,
		"   %s revision of repository is: %.*s\n", which, STR_ARG(rev));
}

void
update_note_prior(struct update *u, struct str rev)
{
	u->old_rev = rev;
	u->prior.rev = rev;
}

bool
update_note_old(struct update *u)
{
	update_note_prior(u, u->vcs->revision(u));
	update_say_revision(u, "Old", u->old_rev);
	return true;
}

bool
update_note_new(struct update *u)
{
	u->new_rev = u->vcs->revision(u);
	update_say_revision(u, "New", u->new_rev);
	return true;
}

/* ---- settings -------------------------------------------------------------------- */

const char *
update_tool(const struct update *u)
{
	return str_z(u->arena, u->tool);
}

struct str
update_key(const struct update *u, const char *key)
{
	INVARIANT(*key);
	return step_key(u->in, key);
}

struct str_list
update_options(struct update *u)
{
	struct str options = update_key(u, "UpdateOptions");

	if (!options.n)
		options = update_key(
			u, str_fmt_z(u->arena, "%sUpdateOptions", u->vcs->name));
	return custom_command_words(u->arena, options);
}

struct str
update_nightly(struct update *u, const char *format)
{
	char text[64];
	int64_t seconds;
	time_t moment;
	struct tm utc;

	if (u->in->stamp.model != MODEL_NIGHTLY ||
		!start_moment(u->in, &u->in->stamp, &seconds))
		return STR("");
	moment = (time_t)seconds;
	gmtime_r(&moment, &utc);
	return str_dup(
		u->arena, str_cut(text, strftime(text, sizeof text, format, &utc)));
}

bool
update_match(struct update *u, struct str line, const char *pattern, struct match *match)
{
	INVARIANT(pattern && match);
	return match_find(match_set_get(u->patterns, str_of(pattern), NULL)->matcher,
		line, 0, match);
}
