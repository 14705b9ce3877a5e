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
