/* The last value of each element counts, at any depth. See submit_answer.h. */
#include "compat/dashboard/submit/submit_answer.h"

struct reading {
	struct arena *arena;
	struct buf text; /* of the innermost element */
	struct str status, message, build;
};

static void
begin_element(void *context, struct str name)
{
	struct reading *r = context;

	(void)name;
	r->text.n = 0;
}

static void
take_text(void *context, struct str more)
{
	struct reading *r = context;

	buf_str(&r->text, more);
}

static void
end_element(void *context, struct str name)
{
	struct reading *r = context;
	struct str *value = str_is(name, "status")    ? &r->status
			    : str_is(name, "message") ? &r->message
			    : str_is(name, "buildId") ? &r->build
						      : NULL;

	if (value)
		*value = str_dup(r->arena, buf_as_str(&r->text));
}

struct submit_answer
submit_answer_read(struct arena *a, struct str body)
{
	struct reading r = {.arena = a, .text = {.arena = a}, .status = STR("OK")};
	const struct xml_events events = {.context = &r,
		.begin = begin_element,
		.text = take_text,
		.end = end_element};
	struct submit_answer answer = {0};
	struct str capitals = str_upper(a, body);

	INVARIANT(a);
	if (str_has(body, STR("<cdash"))) {
		/* ctest takes a NUL for the end of the document. */
		answer.fault = xml_read(str_cut(body.p, str_find(body, '\0')), &events);
		answer.is_refused = !str_eq_nocase(r.status, STR("OK")) &&
				    !str_eq_nocase(r.status, STR("SUCCESS"));
		answer.message = r.message;
		answer.has_build = !answer.is_refused;
		answer.build = r.build;
	}
	answer.warns = str_has(capitals, STR("WARNING"));
	answer.has_error = str_has(capitals, STR("ERROR"));
	return answer;
}
