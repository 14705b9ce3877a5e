/*
 * A line that matches nothing, as nearly all do, costs one search for the texts that the
 * expressions require (required_literals.h). An expression is tried only if one of its
 * texts was found, in a form that finds the same with less backtracking. See
 * build_matchers.h.
 */
#include "compat/dashboard/build/build_matchers.h"

#include "compat/dashboard/build/build_rules.h"
#include "compat/format/regex.h"
#include "compat/format/required_literals.h"
#include "compat/format/aho_corasick.h"
#include "runner/regex/match.h"

struct rules {
	const struct pattern **v;
	size_t n;
	size_t first; /* the number of v[0] in the matcher */
};
struct build_matchers {
	struct arena *arena;
	struct match_set *set;
	struct rules rules[BUILD_RULE_KINDS];
	struct aho_corasick *literals;
	struct number_set found;
	const struct pattern *places[BUILD_PLACES];
	struct buf plain;
};

/* ---- opening --------------------------------------------------------------------- */

/* ctest reports an error in an expression when it compiles it. */
static const struct pattern *
compile_pattern(struct build_matchers *m, struct str text, struct buf *complaint)
{
	struct str why = STR_NONE;
	const struct pattern *p = match_set_get(m->set, text, &why);

	buf_str(complaint, why);
	return p->matcher ? match_set_get(m->set, regex_lean(m->arena, text), NULL) : p;
}

static struct rules
rules_of(struct build_matchers *m, const struct str_list *custom, const char *const *own,
	struct buf *complaint)
{
	struct rules r = {0};
	size_t n = custom->n;

	for (size_t i = 0; own[i]; i++)
		n++;
	r.v = NEW_ARRAY(m->arena, const struct pattern *, n);
	for (size_t i = 0; i < custom->n; i++)
		r.v[r.n++] = compile_pattern(m, custom->v[i], complaint);
	for (size_t i = 0; own[i]; i++)
		r.v[r.n++] = compile_pattern(m, str_of(own[i]), complaint);
	return r;
}

static void
add_required_literals(struct build_matchers *m, const struct rules *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct required_literals l =
			required_literals_of(m->arena, r->v[i]->text);

		for (size_t k = 0; k < l.n; k++)
			aho_corasick_add(m->literals, l.texts[k], r->first + i);
		if (!l.n)
			aho_corasick_add(m->literals, STR(""), r->first + i);
	}
}

struct build_matchers *
build_matchers_open(struct arena *a, const struct custom *custom, struct buf *complaint)
{
	const struct str_list *lists[BUILD_RULE_KINDS] = {
		[BUILD_RULE_ERROR] = &custom->error_match,
		[BUILD_RULE_NO_ERROR] = &custom->error_exception,
		[BUILD_RULE_WARNING] = &custom->warning_match,
		[BUILD_RULE_NO_WARNING] = &custom->warning_exception,
	};
	struct build_matchers *m = NEW(a, struct build_matchers);
	size_t n = 0;

	INVARIANT(custom && complaint);
	m->arena = a;
	m->set = match_set_open(a, regex_parse);
	m->plain.arena = a;
	for (int kind = 0; kind < BUILD_RULE_KINDS; kind++) {
		m->rules[kind] =
			rules_of(m, lists[kind], build_rule_texts[kind], complaint);
		m->rules[kind].first = n;
		n += m->rules[kind].n;
	}
	m->literals = aho_corasick_new(a, n);
	m->found = number_set_in(a, n);
	for (int kind = 0; kind < BUILD_RULE_KINDS; kind++)
		add_required_literals(m, &m->rules[kind]);
	aho_corasick_build(m->literals);
	for (size_t i = 0; i < BUILD_PLACES; i++)
		m->places[i] =
			match_set_get(m->set, str_of(build_places[i].expression), NULL);
	return m;
}

void
build_matchers_close(struct build_matchers *m)
{
	match_set_close(m->set);
}

/* ---- colours --------------------------------------------------------------------- */

/* The length of "ESC [ digits and ; m" at the beginning of the text, or 0. */
static size_t
colour_length(struct str s)
{
	size_t n = 2;

	if (s.n < 3 || s.p[0] != '\033' || s.p[1] != '[')
		return 0;
	while (n < s.n && ((s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == ';'))
		n++;
	return n < s.n && s.p[n] == 'm' ? n + 1 : 0;
}

/* The line without its colour codes; in *room if it has any. */
static struct str
remove_colours(struct buf *room, struct str line)
{
	size_t next = str_find(line, '\033');

	if (next == line.n)
		return line;
	room->n = 0;
	while (line.n) {
		size_t skipped;

		next = str_find(line, '\033');
		buf_add(room, line.p, next);
		line = str_from(line, next);
		skipped = colour_length(line);
		if (!skipped && line.n)
			buf_char(room, '\033');
		line = str_from(line, skipped || !line.n ? skipped : 1);
	}
	return buf_as_str(room);
}

/* ---- judgement ------------------------------------------------------------------- */

static bool
is_matched(const struct build_matchers *m, enum build_rule_kind kind, struct str line)
{
	const struct rules *r = &m->rules[kind];

	for (size_t i = 0; i < r->n; i++)
		if (number_set_has(&m->found, r->first + i) &&
			match_has(r->v[i]->matcher, line))
			return true;
	return false;
}

enum build_line
build_matchers_judge(struct build_matchers *m, struct str line, bool looks_for_errors,
	bool looks_for_warnings)
{
	if (!looks_for_errors && !looks_for_warnings)
		return BUILD_PLAIN;
	line = remove_colours(&m->plain, line);
	aho_corasick_search(m->literals, line, &m->found);
	if (looks_for_errors && is_matched(m, BUILD_RULE_ERROR, line) &&
		!is_matched(m, BUILD_RULE_NO_ERROR, line))
		return BUILD_ERROR;
	if (looks_for_warnings && is_matched(m, BUILD_RULE_WARNING, line) &&
		!is_matched(m, BUILD_RULE_NO_WARNING, line))
		return BUILD_WARNING;
	return BUILD_PLAIN;
}

bool
build_matchers_place(
	struct build_matchers *m, struct str message, struct str *file, int *line)
{
	struct match found;

	INVARIANT(file && line);
	for (size_t i = 0; i < BUILD_PLACES; i++)
		if (match_find(m->places[i]->matcher, message, 0, &found)) {
			*file = found.groups[build_places[i].file];
			*line = str_int(found.groups[build_places[i].line]);
			return true;
		}
	return false;
}
