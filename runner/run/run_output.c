/* Tags, TIMEOUT_AFTER_MATCH, expressions of the verdict. See run_output.h. */
#include "runner/run/run_output.h"

#include "runner/base/loop.h"
#include "runner/model/verdict.h"

struct run_output
run_output_of(struct arena *a, const struct test *t, const struct output_tags *tags)
{
	INVARIANT(t && tags->head && *tags->head);
	return (struct run_output){.arena = a,
		.test = t,
		.tags = tags,
		.details_room = {.arena = a},
		.known = map_in(a),
		.waits = t->properties->timeout_after_match.is_set};
}

static void
close_search(struct match_search **s)
{
	if (*s)
		match_search_close(*s);
	*s = NULL;
}

static void
close_awaited(struct awaited *w)
{
	if (!w->arena)
		return;
	match_search_close(w->search);
	arena_close(w->arena);
	*w = (struct awaited){.arena = NULL};
}

void
run_output_close(struct run_output *o)
{
	close_awaited(&o->awaited);
	close_awaited(&o->before_line);
	close_search(&o->verdict);
	o->line_read = 0;
}

void
run_output_begin(struct run_output *o)
{
	run_output_close(o);
	o->details = STR_NONE;
	if (!o->waits)
		return;
	o->awaited.arena = arena_open();
	o->awaited.search = match_search_open(
		o->awaited.arena, &o->test->properties->timeout_after_match.patterns, 1);
}

/* The text between the first opening and the last closing tag. */
static bool
find_tag(const struct long_text *line, const struct tag_words *words, struct str *text)
{
	struct str open = str_of(words->open), close = str_of(words->close);
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

/* Neither declared nor printed before. */
static bool
is_new_label(struct run_output *o, struct str label)
{
	const struct str_list *declared = &o->test->properties->labels;

	if (o->known.n == 0)
		for (size_t i = 0; i < declared->n; i++)
			map_add(&o->known, declared->v[i]);
	return !map_has(&o->known, label);
}

/* The line has a tag and is not searched: the search goes back to the state before it. */
static void
leave_line_out(struct run_output *o)
{
	if (!o->line_read)
		return;
	close_awaited(&o->awaited);
	o->awaited = o->before_line;
	o->before_line = (struct awaited){.arena = NULL};
	o->line_read = 0;
}

struct line_tag
run_output_tag(struct run_output *o, const struct long_text *line)
{
	struct line_tag tag = {.kind = TAG_NONE};

	INVARIANT(line);
	if (!long_text_has(line, str_of(o->tags->head)))
		return tag;
	if (find_tag(line, &o->tags->details, &tag.text)) {
		tag.kind = TAG_DETAILS;
		tag.is_news = true;
		o->details_room.n = 0;
		buf_str(&o->details_room, tag.text);
		o->details = tag.text = buf_as_str(&o->details_room);
	} else if (find_tag(line, &o->tags->label, &tag.text)) {
		tag.kind = TAG_LABEL;
		tag.is_news = is_new_label(o, tag.text);
		if (tag.is_news) {
			tag.text = str_dup(o->arena, tag.text);
			map_add(&o->known, tag.text);
			VEC_PUSH(o->arena, &o->labels, tag.text);
		}
	}
	if (tag.kind != TAG_NONE)
		leave_line_out(o);
	return tag;
}

/* ---- searches -------------------------------------------------------------------- */

bool
run_output_waits(const struct run_output *o)
{
	return o->waits;
}

void
run_output_part(struct run_output *o, struct str bytes)
{
	if (!o->waits)
		return;
	INVARIANT(o->awaited.search);
	if (!o->line_read) {
		o->before_line.arena = arena_open();
		o->before_line.search =
			match_search_copy(o->before_line.arena, o->awaited.search);
	}
	match_search_read(o->awaited.search, bytes);
	o->line_read += bytes.n;
}

bool
run_output_matches(struct run_output *o, const struct long_text *line)
{
	struct match_search *s = o->awaited.search;
	struct long_reader r = {.text = line, .from = o->line_read, .to = o->line_read};
	struct str piece;

	if (!o->waits)
		return false;
	INVARIANT(s);
	close_awaited(&o->before_line);
	o->line_read = 0;
	while (match_search_goes_on(s) && long_text_next(&r, &piece))
		match_search_read(s, piece);
	match_search_read(s, STR("\n"));
	if (!match_search_found(s))
		return false;
	o->waits = false;
	return true;
}

static void
read_piece(struct run_output *o, const struct long_text *output, size_t most)
{
	size_t left = output->s.n - o->verdict_read, n = left < most ? left : most;

	match_search_read(o->verdict, str_cut(output->s.p + o->verdict_read, n));
	long_text_let_go(output, o->verdict_read, o->verdict_read + n);
	o->verdict_read += n;
}

bool
run_output_search(struct run_output *o, const struct outcome *of)
{
	enum { SLICE_NS = 2000000, FIRST_PIECE = 1 << 10, LONGEST_PIECE = 1 << 18 };
	struct long_text output = outcome_text(of);
	uint64_t began_ns, passed_ns = 0;
	size_t most =
		FIRST_PIECE; /* doubled as long as that takes much less than a slice */

	INVARIANT(of);
	if (!o->verdict) {
		o->verdict = verdict_search_open(o->arena, o->test->properties);
		o->verdict_read = 0;
	}
	if (!o->verdict)
		return true;
	began_ns = loop_now_ns();
	while (match_search_goes_on(o->verdict) && o->verdict_read < output.s.n) {
		if (passed_ns >= SLICE_NS)
			return false;
		read_piece(o, &output, most);
		passed_ns = loop_now_ns() - began_ns;
		if (passed_ns < SLICE_NS / 4 && most < LONGEST_PIECE)
			most *= 2;
	}
	return true;
}
