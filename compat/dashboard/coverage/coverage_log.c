/* See coverage_log.h. */
#include "compat/dashboard/coverage/coverage_log.h"

#include <time.h>

#include "compat/dashboard/step/site.h"
#include "runner/base/files.h"

void
coverage_log_open(struct coverage_log *l)
{
	coverage_say(l->c, CHANNEL_VERBOSE, "Open file: CoverageLog-%u\n", l->n);
	l->scratch = arena_open();
	l->text = (struct buf){.arena = l->scratch};
	xml_begin(&l->xml, &l->text, 0);
	site_open(&l->xml, l->c->in);
	xml_open(&l->xml, "CoverageLog");
	site_time(&l->xml, "StartDateTime", "StartTime", time(NULL));
}

void
coverage_log_close(struct coverage_log *l)
{
	struct coverage *c = l->c;
	struct str name = str_fmt(c->arena, "CoverageLog-%u", l->n++);

	site_time(&l->xml, "EndDateTime", "EndTime", time(NULL));
	xml_close(&l->xml);
	xml_close(&l->xml);
	buf_char(&l->text, '\n');
	coverage_say(c, CHANNEL_VERBOSE, "Close file: %s.xml\n", name.p);
	if (!step_write(c->in, c->result, name.p, buf_as_str(&l->text)))
		l->is_bad = true;
	arena_close(l->scratch);
}

void
coverage_log_drop(struct coverage_log *l)
{
	arena_close(l->scratch);
}

void
coverage_log_file(struct xml *x, struct str path, struct str below)
{
	xml_open(x, "File");
	xml_attribute(x, "Name", path_name(path));
	xml_attribute(x, "FullPath", below);
}

void
coverage_log_line(struct xml *x, size_t number, int count,
	const struct branch_coverage *branches, struct str text)
{
	xml_open(x, "Line");
	xml_attribute_fmt(x, "Number", "%zu", number);
	xml_attribute_fmt(x, "Count", "%d", count);
	if (branches) {
		xml_attribute_fmt(x, "BranchesTested", "%d", branches->tested);
		xml_attribute_fmt(x, "BranchesUntested", "%d", branches->untested);
	}
	xml_text(x, text);
	xml_close(x);
}

void
coverage_summary_open(
	struct coverage_summary *s, struct coverage *c, int64_t started_s, int digits)
{
	*s = (struct coverage_summary){
		.c = c, .text = {.arena = arena_open()}, .started_s = started_s};
	xml_begin(&s->xml, &s->text, 0);
	s->xml.digits = digits;
	site_open(&s->xml, c->in);
	xml_open(&s->xml, "Coverage");
	site_time(&s->xml, "StartDateTime", "StartTime", started_s);
}

bool
coverage_summary_close(
	struct coverage_summary *s, int64_t tested, int64_t untested, double percent)
{
	struct xml *x = &s->xml;
	int64_t now = time(NULL);
	bool ok;

	site_number(x, "LOCTested", tested);
	site_number(x, "LOCUntested", untested);
	site_number(x, "LOC", tested + untested);
	site_double(x, "PercentCoverage", percent);
	site_time(x, "EndDateTime", "EndTime", now);
	site_number(x, "ElapsedMinutes", (now - s->started_s) / 60);
	xml_close(x);
	xml_close(x);
	buf_char(&s->text, '\n');
	ok = step_write(s->c->in, s->c->result, "Coverage", buf_as_str(&s->text));
	arena_close(s->text.arena);
	return ok;
}
