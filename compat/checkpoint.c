/* One line per test, written as it ends: a killed run has them all. See checkpoint.h. */
#include "compat/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "runner/files.h"

struct checkpoint_report {
	struct report report;
	int file; /* -1: not to be written */
};

static void
take(struct checkpoint *c, struct str line, const struct selection *s,
	const uint32_t *nodes)
{
	uint64_t number;
	uint32_t node;

	if (!str_unsigned(str_trim(line), s->largest_number, &number))
		return;
	node = nodes[number];
	if (node == MAP_NONE || c->finished[node])
		return;
	c->finished[node] = true;
	c->finished_n++;
}

/* By number; MAP_NONE: not selected. */
static uint32_t *
nodes_by_number(struct arena *a, const struct selection *s)
{
	uint32_t *nodes = NEW_ARRAY(a, uint32_t, s->largest_number + 1);

	for (size_t i = 0; i <= s->largest_number; i++)
		nodes[i] = MAP_NONE;
	for (size_t i = 0; i < s->n; i++)
		nodes[s->v[i].number] = (uint32_t)i;
	return nodes;
}

struct checkpoint
checkpoint_read(struct arena *a, struct str path, const struct selection *s)
{
	struct checkpoint c = {0};
	uint32_t *nodes;
	struct str text, line;

	if (!file_read(a, str_z(a, path), &text))
		return c;
	c.was_there = true;
	c.finished = NEW_ARRAY(a, bool, s->n);
	nodes = nodes_by_number(a, s);
	while (str_take_line(&text, &line))
		take(&c, line, s, nodes);
	return c;
}

static void
event(struct report *report, const struct event *e)
{
	struct checkpoint_report *r = (struct checkpoint_report *)report;
	char line[24];
	int n;

	if (e->kind != EVENT_END || !e->is_last || r->file < 0)
		return;
	n = snprintf(line, sizeof line, "%u\n", e->attempt->number);
	if (write(r->file, line, (size_t)n) == n)
		return;
	close(r->file);
	r->file = -1;
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct checkpoint_report *r = (struct checkpoint_report *)report;

	(void)d;
	if (r->file >= 0)
		close(r->file);
	return true;
}

struct report *
checkpoint_open(struct arena *a, struct str path)
{
	static const struct report_type type = {"checkpoint", event, close_report, NULL};
	struct checkpoint_report *r = NEW(a, struct checkpoint_report);

	r->report.type = &type;
	r->file = open(str_z(a, path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return &r->report;
}
