/* Tags and TIMEOUT_AFTER_MATCH. See run_output.h. */
#include "runner/run_output.h"

#include <string.h>

/* A pattern of ordinary characters matches inside one line or not at all. */
static bool
stays_in_line(struct str pattern)
{
	for (size_t i = 0; i < pattern.n; i++)
		if (strchr(".[^$\\\n", pattern.p[i]))
			return false;
	return true;
}

struct run_output
run_output_of(struct arena *a, const struct test *t)
{
	const struct timeout_after_match *m = &t->properties->timeout_after_match;
	struct run_output o = {.arena = a,
		.test = t,
		.known = map_in(a),
		.match = m->is_set ? m : NULL,
		.by_line = true};

	for (size_t i = 0; i < m->patterns.n; i++)
		o.by_line = o.by_line && stays_in_line(m->patterns.v[i]->text);
	return o;
}

/* From the first opening to the last closing tag. */
static bool
between(struct str line, struct str open, struct str close, struct str *text)
{
	size_t from = str_search(line, open), to = line.n;

	if (from == line.n)
		return false;
	from += open.n;
	while (to > from && !str_ends(str_cut(line.p + from, to - from), close))
		to--;
	if (to == from)
		return false;
	*text = str_cut(line.p + from, to - from - close.n);
	return true;
}

/* Not declared, and not said before. */
static bool
is_new_label(struct run_output *o, struct str label)
{
	const struct str_list *declared = &o->test->properties->labels;

	if (o->known.n == 0)
		for (size_t i = 0; i < declared->n; i++)
			map_set(&o->known, declared->v[i], 0);
	return map_get(&o->known, label) == MAP_NONE;
}

struct line_tag
run_output_tag(struct run_output *o, struct str line)
{
	struct line_tag tag = {.kind = TAG_NONE};

	if (!str_has(line, STR("<CTest")))
		return tag;
	if (between(line, STR("<CTestDetails>"), STR("</CTestDetails>"), &tag.text)) {
		tag.kind = TAG_DETAILS;
		tag.is_news = true;
		o->details = tag.text = str_dup(o->arena, tag.text);
	} else if (between(line, STR("<CTestLabel>"), STR("</CTestLabel>"), &tag.text)) {
		tag.kind = TAG_LABEL;
		tag.is_news = is_new_label(o, tag.text);
		tag.text = str_dup(o->arena, tag.text);
		if (tag.is_news) {
			map_set(&o->known, tag.text, 0);
			VEC_PUSH(o->arena, &o->labels, tag.text);
		}
	}
	return tag;
}

bool
run_output_waits_for_line(const struct run_output *o)
{
	return o->match && o->by_line;
}

bool
run_output_waits(const struct run_output *o)
{
	return o->match && !o->by_line;
}

static bool
find(struct run_output *o, struct str subject)
{
	for (size_t i = 0; i < o->match->patterns.n; i++) {
		const struct matcher *m = o->match->patterns.v[i]->matcher;

		if (!m || !match_has(m, subject))
			continue;
		o->match = NULL;
		return true;
	}
	return false;
}

bool
run_output_line_matches(struct run_output *o, struct str line)
{
	return run_output_waits_for_line(o) && find(o, line);
}

bool
run_output_matches(struct run_output *o, struct str so_far)
{
	return run_output_waits(o) && find(o, so_far);
}
