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
		.details_room = {.arena = a},
		.known = map_in(a),
		.match = m->is_set ? m : NULL,
		.by_line = true};

	for (size_t i = 0; i < m->patterns.n; i++)
		o.by_line = o.by_line && stays_in_line(m->patterns.v[i]->text);
	return o;
}

void
run_output_close(struct run_output *o)
{
	if (o->search)
		match_search_close(o->search);
	o->search = NULL;
}

void
run_output_begin(struct run_output *o)
{
	o->details = STR_NONE;
	o->searched = 0;
	run_output_close(o);
	if (run_output_waits(o))
		o->search = match_search_open(o->arena, &o->match->patterns);
}

/* From the first opening to the last closing tag. */
static bool
between(const struct long_text *line, struct str open, struct str close, struct str *text)
{
	size_t from = long_text_search(line, 0, open), to;

	if (from == line->s.n)
		return false;
	from += open.n;
	to = long_text_search_back(line, line->s.n, close);
	if (to == line->s.n || to < from)
		return false;
	*text = str_cut(line->s.p + from, to - from);
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
run_output_tag(struct run_output *o, const struct long_text *line)
{
	struct line_tag tag = {.kind = TAG_NONE};

	if (!long_text_has(line, STR("<CTest")))
		return tag;
	if (between(line, STR("<CTestDetails>"), STR("</CTestDetails>"), &tag.text)) {
		tag.kind = TAG_DETAILS;
		tag.is_news = true;
		o->details_room.n = 0;
		buf_str(&o->details_room, tag.text);
		o->details = tag.text = buf_as_str(&o->details_room);
	} else if (between(line, STR("<CTestLabel>"), STR("</CTestLabel>"), &tag.text)) {
		tag.kind = TAG_LABEL;
		tag.is_news = is_new_label(o, tag.text);
		if (tag.is_news) {
			tag.text = str_dup(o->arena, tag.text);
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

bool
run_output_line_matches(struct run_output *o, const struct long_text *line)
{
	if (!run_output_waits_for_line(o) || !match_first(&o->match->patterns, line))
		return false;
	o->match = NULL;
	return true;
}

bool
run_output_matches(struct run_output *o, const struct long_text *so_far)
{
	if (!run_output_waits(o))
		return false;
	match_search_read(o->search, str_from(so_far->s, o->searched));
	o->searched = so_far->s.n;
	if (!match_search_found(o->search))
		return false;
	o->match = NULL;
	return true;
}
