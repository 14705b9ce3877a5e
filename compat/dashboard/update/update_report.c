/* Update.xml: what was updated, by directory and file. See update.h. */
#include "compat/dashboard/step/site.h"
#include "compat/dashboard/update/update.h"
#include "compat/report/report_junit.h"

static void
add_revision(struct xml *x, const struct revision *r)
{
	site_text(x, "CheckinDate", r->date);
	site_text(x, "Author", r->author);
	site_text(x, "Email", r->email);
	site_text(x, "Committer", r->committer);
	site_text(x, "CommitterEmail", r->committer_email);
	site_text(x, "CommitDate", r->commit_date);
	site_text(x, "Log", r->log);
	site_text(x, "Revision", r->rev);
}

static void
add_file(struct xml *x, struct update *u, const struct updated_file *f)
{
	static const char *const states[FILE_STATES] = {
		[FILE_UPDATED] = "Updated",
		[FILE_MODIFIED] = "Modified",
		[FILE_CONFLICTING] = "Conflicting",
	};

	xml_open(x, states[f->state]);
	site_text(x, "File", f->name);
	site_text(x, "Directory", f->directory);
	site_text(x, "FullName", update_path(u, f));
	add_revision(x, f->rev ? f->rev : &update_unknown);
	site_text(x, "PriorRevision", f->prior ? f->prior->rev : update_unknown.rev);
	xml_close(x);
}

static void
add_files(struct xml *x, struct update *u)
{
	size_t i = 0;

	update_sort(u);
	while (i < u->files.n) {
		struct str directory = u->files.v[i].directory;

		xml_open(x, "Directory");
		site_text(x, "Name", directory);
		for (; i < u->files.n && str_eq(u->files.v[i].directory, directory); i++)
			add_file(x, u, &u->files.v[i]);
		xml_close(x);
	}
}

static void
add_build(struct xml *x, struct update *u)
{
	const struct step_input *in = u->in;
	struct str change = update_key(u, "ChangeId");

	site_text(x, "Site", update_key(u, "Site"));
	site_text(x, "BuildName",
		report_build_name(u->arena, in->dialect, update_key(u, "BuildName")));
	site_text(x, "BuildStamp", site_stamp(in));
	site_time(x, "StartDateTime", "StartTime", u->started_s);
	site_text(x, "UpdateCommand", u->command);
	site_text(x, "UpdateType", str_of(u->vcs->name));
	if (change.n)
		site_text(x, "ChangeId", change);
}

static void
add_revisions(struct xml *x, struct update *u)
{
	if (!u->vcs->note_new)
		return;
	if (u->new_rev.n)
		site_text(x, "Revision", u->new_rev);
	if (u->old_rev.n && !str_eq(u->old_rev, u->new_rev))
		site_text(x, "PriorRevision", u->old_rev);
	if (u->vcs->path)
		site_text(x, "SVNPath", u->vcs->path(u));
}

struct str
update_report(struct update *u, int64_t ended_s, struct str failure)
{
	struct buf text = {.arena = u->arena};
	struct xml x;

	xml_begin(&x, &text, 0);
	xml_declaration(&x);
	xml_open(&x, "Update");
	xml_attribute(&x, "mode", STR("Client"));
	site_generator(&x, u->in);
	add_build(&x, u);
	add_revisions(&x, u);
	add_files(&x, u);
	site_time(&x, "EndDateTime", "EndTime", ended_s);
	site_number(&x, "ElapsedMinutes", (ended_s - u->started_s) / 60);
	xml_open(&x, "UpdateReturnStatus");
	if (failure.n)
		xml_text(&x, failure);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return buf_as_str(&text);
}
