/* Answers as text. See control_text.h. */
#include "runner/control/control_text.h"

#include <cjson/cJSON.h>

#include "runner/base/json_members.h"

static void
add_waits(struct buf *b, const cJSON *o)
{
	buf_fmt(b, "waits for %s", json_text_of(o, "waits"));
	if (json_value_of(o, "name"))
		buf_fmt(b, " %s", json_text_of(o, "name"));
	if (json_value_of(o, "for"))
		buf_fmt(b, " of %s", json_text_of(o, "for"));
	if (json_value_of(o, "wanted"))
		buf_fmt(b, ": %.0f wanted, %.0f free", json_number_of(o, "wanted"),
			json_number_of(o, "free"));
}

static void
add_test(struct buf *b, const cJSON *o)
{
	buf_fmt(b, "%.0f %s ", json_number_of(o, "number"), json_text_of(o, "test"));
	if (json_value_of(o, "result"))
		buf_fmt(b, "has ended: %s", json_text_of(o, "result"));
	else if (json_value_of(o, "waits"))
		add_waits(b, o);
	else
		buf_fmt(b, "runs for %.1f s", json_number_of(o, "seconds"));
	if (json_value_of(o, "left"))
		buf_fmt(b, ", %.1f s left", json_number_of(o, "left"));
	if (json_number_of(o, "attempt") > 1)
		buf_fmt(b, ", attempt %.0f", json_number_of(o, "attempt"));
	buf_char(b, '\n');
}

static void
add_run(struct buf *b, const cJSON *o)
{
	const cJSON *running = json_value_of(o, "running"), *t;

	cJSON_ArrayForEach(t, running) add_test(b, t);
	buf_fmt(b, "%.0f of %.0f tests have ended, %.0f failed%s\n",
		json_number_of(o, "ended"), json_number_of(o, "tests"),
		json_number_of(o, "failed"),
		cJSON_IsTrue(json_value_of(o, "paused")) ? ", paused" : "");
}

static void
add_partition(struct buf *b, const cJSON *o)
{
	const cJSON *all = json_value_of(o, "resources"), *r;

	buf_fmt(b, "%s %s %s%s, %.0f of %.0f tests have ended, %.0f slots %.0f %% busy",
		json_text_of(o, "uid"), json_text_of(o, "partition"),
		json_text_of(o, "state"),
		json_value_of(o, "stopping") ? " (stopping)" : "",
		json_number_of(o, "ended"), json_number_of(o, "tests"),
		json_number_of(o, "slots"), 100 * json_number_of(o, "utilisation"));
	cJSON_ArrayForEach(r, all)
		buf_fmt(b, ", %s %.0f of %.0f held", json_text_of(r, "type"),
			json_number_of(r, "held"), json_number_of(r, "slots"));
	buf_char(b, '\n');
}

static void
add_partitions(struct buf *b, const cJSON *o)
{
	const cJSON *all = json_value_of(o, "partitions"), *p;

	if (json_value_of(o, "warning"))
		buf_fmt(b, "Warning: %s\n", json_text_of(o, "warning"));
	cJSON_ArrayForEach(p, all) add_partition(b, p);
}

static void
add_answer(struct buf *out, const cJSON *o)
{
	if (json_value_of(o, "output"))
		buf_z(out, json_text_of(o, "output"));
	else if (json_value_of(o, "partitions"))
		add_partitions(out, o);
	else if (json_value_of(o, "tree"))
		buf_fmt(out, "%.0f %s\n", json_number_of(o, "pid"),
			json_text_of(o, "tree"));
	else if (json_value_of(o, "test"))
		add_test(out, o);
	else
		add_run(out, o);
}

bool
control_text(struct buf *out, struct str line, struct str *why)
{
	cJSON *o = cJSON_ParseWithLength(line.p, line.n);
	bool is_ok = json_is_text(o, "status", "ok");

	if (is_ok)
		add_answer(out, o);
	else
		*why = o ? str_dup(out->arena, str_of(json_text_of(o, "reason")))
			 : STR("the answer is no JSON");
	cJSON_Delete(o);
	return is_ok;
}
