/* Answers about leases. See alloc_text.h. */
#include "runner/control/alloc_text.h"

#include <ctype.h>

#include <cjson/cJSON.h>

#include "runner/base/json_members.h"
#include "runner/base/shell_word.h"

/* "id:0,slots:2;id:1,slots:1" */
static void
add_units(struct buf *b, const cJSON *type)
{
	const cJSON *u;
	bool is_next = false;

	cJSON_ArrayForEach(u, json_value_of(type, "units"))
	{
		buf_fmt(b, "%sid:%s,slots:%.0f", is_next ? ";" : "",
			json_text_of(u, "id"), json_number_of(u, "slots"));
		is_next = true;
	}
}

static bool
has_units(const cJSON *type)
{
	return cJSON_GetArraySize(json_value_of(type, "units")) > 0;
}

/* ---- for people ------------------------------------------------------------------ */

static void
add_holdings(struct buf *b, const cJSON *types)
{
	const cJSON *t;

	cJSON_ArrayForEach(t, types)
	{
		if (!has_units(t))
			continue;
		buf_fmt(b, "  %s ", json_text_of(t, "type"));
		add_units(b, t);
		buf_char(b, '\n');
	}
}

static void
add_lease(struct buf *b, const cJSON *e)
{
	const cJSON *t;

	buf_fmt(b, "%s %s", json_text_of(e, "id"), json_text_of(e, "request"));
	if (*json_text_of(e, "reason"))
		buf_fmt(b, ": %s", json_text_of(e, "reason"));
	if (json_is_text(e, "state", "ended"))
		buf_z(b, ", ended");
	if (json_value_of(e, "left"))
		buf_fmt(b, ", %.1f s left", json_number_of(e, "left"));
	buf_char(b, '\n');
	add_holdings(b, json_value_of(e, "holds"));
	cJSON_ArrayForEach(t, json_value_of(e, "lent")) buf_fmt(b, "  %s lent: %.0f\n",
		json_text_of(t, "type"), json_number_of(t, "slots"));
}

static void
add_text(struct buf *b, const cJSON *o)
{
	const cJSON *e = json_value_of(o, "lease");

	if (e)
		add_lease(b, e);
	cJSON_ArrayForEach(e, json_value_of(o, "leases")) add_lease(b, e);
}

/* ---- for shells ------------------------------------------------------------------ */

static void
add_quoted(struct buf *b, const char *s)
{
	shell_quoted(b, str_of(s));
	buf_char(b, '\n');
}

static void
add_name(struct buf *b, const char *variables, int group, const char *type)
{
	buf_fmt(b, "%s_%d_", variables, group);
	/* A name, whatever the answer says. */
	for (; *type; type++)
		buf_char(b, isalnum((unsigned char)*type)
				    ? (char)toupper((unsigned char)*type)
				    : '_');
}

/* A type of which nothing is left has no variable. */
static void
add_type(struct buf *b, const char *variables, int group, const cJSON *type)
{
	struct buf units = {.arena = b->arena};

	buf_z(b, has_units(type) ? "export " : "unset ");
	add_name(b, variables, group, json_text_of(type, "type"));
	if (!has_units(type)) {
		buf_char(b, '\n');
		return;
	}
	add_units(&units, type);
	buf_char(b, '=');
	add_quoted(b, str_z(b->arena, buf_as_str(&units)));
}

static void
add_group(struct buf *b, const char *variables, int group, const cJSON *types)
{
	struct buf names = {.arena = b->arena};
	const cJSON *t;

	cJSON_ArrayForEach(t, types)
	{
		add_type(b, variables, group, t);
		if (has_units(t))
			buf_fmt(&names, "%s%s", names.n ? "," : "",
				json_text_of(t, "type"));
	}
	buf_fmt(b, "export %s_%d=", variables, group);
	add_quoted(b, str_z(b->arena, buf_as_str(&names)));
}

static void
add_shell(struct buf *b, const cJSON *o, const char *variables)
{
	const cJSON *groups = json_value_of(o, "groups"), *g;
	const char *status = json_text_of(o, "request");
	int n = 0;

	buf_z(b, "CCTR_LEASE_STATUS=");
	add_quoted(b, *status ? status : "denied");
	buf_z(b, "CCTR_LEASE_ID=");
	add_quoted(b, json_text_of(json_value_of(o, "lease"), "id"));
	if (!groups)
		return;
	cJSON_ArrayForEach(g, groups) add_group(b, variables, n++, g);
	buf_fmt(b, "export %s_COUNT='%d'\n", variables, n);
}

/* ---------------------------------------------------------------------------------- */

static void
add_ids(struct buf *b, const cJSON *o)
{
	const cJSON *e;

	cJSON_ArrayForEach(
		e, json_value_of(o, "leases")) if (!json_is_text(e, "state", "ended"))
		buf_fmt(b, "%s\n", json_text_of(e, "id"));
}

static enum lease_status
status_of(const cJSON *o)
{
	const char *s = json_text_of(o, "request");

	if (!json_is_text(o, "status", "ok"))
		return LEASE_DENIED;
	if (strcmp(s, "granted") == 0)
		return LEASE_GRANTED;
	if (strcmp(s, "partial") == 0)
		return LEASE_PARTIAL;
	if (strcmp(s, "pending") == 0)
		return LEASE_PENDING;
	return strcmp(s, "canceled") == 0 ? LEASE_CANCELED : LEASE_DENIED;
}

enum lease_status
alloc_text(struct buf *out, struct str line, enum alloc_style style,
	const char *variables, struct str *why)
{
	cJSON *o = cJSON_ParseWithLength(line.p, line.n);
	enum lease_status status = status_of(o);

	*why = o ? str_dup(out->arena, str_of(json_text_of(o, "reason")))
		 : STR("the answer is no JSON");
	if (style == ALLOC_SHELL)
		add_shell(out, o, variables);
	else if (style == ALLOC_IDS)
		add_ids(out, o);
	else if (style == ALLOC_TIME && json_value_of(json_value_of(o, "lease"), "left"))
		buf_fmt(out, "%.3f\n", json_number_of(json_value_of(o, "lease"), "left"));
	else if (style == ALLOC_TEXT)
		add_text(out, o);
	cJSON_Delete(o);
	return status;
}
