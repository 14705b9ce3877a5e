/*
 * The three parts of a commit have different line ends: header and message are lines, the
 * changes are fields. NUL ends every part, and so shows that a part is missing. See
 * update_git.h.
 */
#include "compat/dashboard/update/update_git.h"

#include <ctype.h>
#include <stdlib.h>
#include <time.h>

enum { INDENT = 4 };

/* ---- changes --------------------------------------------------------------------- */

static void
add_change(struct git_diff *d, char action, struct str path)
{
	VEC_PUSH(d->u->arena, &d->changes,
		(struct change){action, str_dup(d->u->arena, path)});
}

/* ":<mode> <mode> <name> <name> <action><score>" */
static void
read_header(struct git_diff *d, struct str line)
{
	for (int blanks = 0; blanks < 4; blanks++) {
		size_t at = str_find(line, ' ');

		if (at == line.n)
			return;
		line = str_from(line, at);
		while (line.n && *line.p == ' ')
			line = str_from(line, 1);
	}
	if (!line.n)
		return;
	d->change.action = *line.p;
	d->field = DIFF_SOURCE;
}

static void
read_field(struct git_diff *d, struct str line)
{
	char action = d->change.action;

	if (line.n && *line.p == ':') {
		d->field = DIFF_NONE;
		read_header(d, line);
	} else if (d->field == DIFF_TARGET) {
		add_change(d, 'A', line);
		d->field = DIFF_NONE;
	} else if (d->field == DIFF_SOURCE) {
		if (action == 'R')
			add_change(d, 'D', line);
		else if (action != 'C')
			add_change(d, action, line);
		d->field = action == 'R' || action == 'C' ? DIFF_TARGET : DIFF_NONE;
	}
}

static bool
read_diff(void *context, struct str line)
{
	read_field(context, line);
	return true;
}

void
git_diff_open(struct git_diff *d, struct update *u)
{
	*d = (struct git_diff){.u = u,
		.out = {.context = d,
			.line = read_diff,
			.lines = LINES_EXACT,
			.ends_by_nul = true}};
}

/* ---- people ---------------------------------------------------------------------- */

struct person {
	struct str name, email, date;
};

static struct str
date_of(struct arena *a, const char *text)
{
	char date[64];
	char *end;
	time_t seconds = (time_t)strtol(text, &end, 10);
	long zone = strtol(end, NULL, 10);
	struct tm utc;

	if (!gmtime_r(&seconds, &utc) ||
		!strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &utc))
		return STR("");
	return str_fmt(a, zone < 0 ? "%s -%04lu" : "%s +%04lu", date,
		zone < 0 ? 0 - (unsigned long)zone : (unsigned long)zone);
}

/* "A U Thor <author@example.com> 1700000000 +0130" */
static struct person
read_person(struct arena *a, struct str text)
{
	size_t less = str_find(text, '<'), greater;
	struct person p = {.name = str_cut(text.p, less)};

	while (p.name.n && isspace((unsigned char)*p.name.p))
		p.name = str_from(p.name, 1);
	while (p.name.n && isspace((unsigned char)p.name.p[p.name.n - 1]))
		p.name.n--;
	p.name = str_dup(a, p.name);
	text = str_from(text, less < text.n ? less + 1 : less);
	greater = str_find(text, '>');
	p.email = str_dup(a, str_cut(text.p, greater));
	p.date = date_of(
		a, str_z(a, str_from(text, greater < text.n ? greater + 1 : greater)));
	return p;
}

/* ---- commits --------------------------------------------------------------------- */

static void
begin_commit(struct git_commits *c)
{
	c->section = COMMIT_HEADER;
	c->out.ends_by_nul = false;
	c->rev = (struct revision){0};
	c->log.n = 0;
	c->diff.changes.n = 0;
	c->diff.field = DIFF_NONE;
}

static void
end_commit(struct git_commits *c)
{
	struct update *u = c->diff.u;

	c->rev.log = c->log.n ? buf_as_str(&c->log) : STR("");
	update_revision(u, &c->rev, &c->diff.changes);
	begin_commit(c);
}

static void
read_header_line(struct git_commits *c, struct str line)
{
	struct arena *a = c->diff.u->arena;
	struct person p;

	if (str_begins(line, STR("commit "))) {
		c->rev.rev = str_dup(a, str_from(line, 7));
	} else if (str_begins(line, STR("author "))) {
		p = read_person(a, str_from(line, 7));
		c->rev.author = p.name;
		c->rev.email = p.email;
		c->rev.date = p.date;
	} else if (str_begins(line, STR("committer "))) {
		p = read_person(a, str_from(line, 10));
		c->rev.committer = p.name;
		c->rev.committer_email = p.email;
		c->rev.commit_date = p.date;
	}
}

static void
end_section(struct git_commits *c)
{
	/* No changes follow a message that ends with NUL. */
	bool has_diff = c->section == COMMIT_BODY && c->out.ended_by == '\n';

	if (c->section == COMMIT_HEADER) {
		c->section = COMMIT_BODY;
	} else if (has_diff) {
		c->section = COMMIT_DIFF;
		c->out.ends_by_nul = true;
	} else {
		end_commit(c);
	}
}

static bool
read_commit(void *context, struct str line)
{
	struct git_commits *c = context;

	if (!line.n) {
		end_section(c);
	} else if (c->section == COMMIT_HEADER) {
		read_header_line(c, line);
	} else if (c->section == COMMIT_BODY) {
		if (line.n > INDENT)
			buf_str(&c->log, str_from(line, INDENT));
		buf_char(&c->log, '\n');
	} else {
		read_field(&c->diff, line);
	}
	return true;
}

void
git_commits_open(struct git_commits *c, struct update *u)
{
	*c = (struct git_commits){.log = {.arena = u->arena}};
	git_diff_open(&c->diff, u);
	c->out = (struct listener){
		.context = c, .line = read_commit, .lines = LINES_EXACT};
	begin_commit(c);
}

void
git_commits_close(struct git_commits *c)
{
	listener_feed(c->diff.u, &c->out, "dt", (struct str){"\0", 1});
}
