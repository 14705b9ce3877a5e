/*
 * Pattern, NUL, subject: any bytes are parsed or refused with CMake's words; what is
 * parsed matches in bounds, and PCRE2, the Pike VM and the automaton, which gets the
 * subject in two pieces, or many times over, by states, bits and streams, say the same.
 */
#include "compat/format/regex.h"
#include "runner/regex/regex_bits.h"
#include "runner/regex/regex_dfa.h"
#include "runner/regex/regex_pike.h"
#include "runner/regex/regex_streams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SUBJECT_MOST = 64, LONG_SUBJECT = 6000 };

static void
check_match(struct str subject, const struct match *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct str g = m->groups[i];

		INVARIANT(
			!g.p || (g.p >= subject.p && g.p + g.n <= subject.p + subject.n));
	}
}

static bool
is_in_pieces(struct arena *a, const struct pattern *p, struct str subject, size_t cut)
{
	struct pattern_list l = {&p, 1};
	struct match_search *s = match_search_open(a, &l, 1);
	bool found;

	match_search_read(s, str_cut(subject.p, cut));
	match_search_read(s, str_from(subject, cut));
	found = match_search_found(s);
	match_search_close(s);
	return found;
}

static void
check_pike(struct arena *a, struct str text, struct str subject, const struct match *m)
{
	size_t places[2 * MATCH_GROUPS];
	struct regex_tree t;
	struct str why;
	bool found;

	INVARIANT(regex_parse(a, text, &t, &why));
	found = regex_pike_find(a, regex_program_build(a, &t, 1, true), subject, 0,
		places, 2 * (t.groups + 1));
	INVARIANT(found == (m != NULL));
	for (size_t i = 0; m && i < m->n; i++) {
		struct str g = m->groups[i];

		INVARIANT((g.p == NULL) == (places[2 * i + 1] == REGEX_NO_PLACE));
		INVARIANT(!g.p || (g.p == subject.p + places[2 * i] &&
					  g.p + g.n == subject.p + places[2 * i + 1]));
	}
}

/* A way to search; the others are NULL. */
struct way {
	struct regex_dfa *dfa;
	struct regex_bits *bits;
	struct regex_streams *streams;
};

static enum regex_reading
read_by(struct way by, struct regex_cursor *c, struct str subject, size_t *n,
	uint32_t *found)
{
	if (by.dfa)
		return regex_dfa_read(by.dfa, c, subject.p, n, found);
	if (by.bits)
		return regex_bits_read(by.bits, c, subject.p, n, found);
	return regex_streams_read(by.streams, c, subject.p, n, found);
}

static bool
occurs(struct arena *a, struct regex_sets *sets, struct way by, struct str subject)
{
	struct regex_cursor c = {.arena = a};
	uint32_t found = regex_cursor_begin(&c, sets);
	enum regex_reading r = REGEX_READ_ALL;

	while (subject.n && found == REGEX_NONE && r != REGEX_READ_DEAD) {
		size_t n = subject.n;

		r = read_by(by, &c, subject, &n, &found);
		subject = str_from(subject, n);
	}
	if (found == REGEX_NONE && r != REGEX_READ_DEAD)
		found = regex_cursor_end(&c, sets);
	return found != REGEX_NONE;
}

static void
check_states(struct arena *a, struct str text, struct str subject, bool expected)
{
	struct buf many = {.arena = a};
	struct regex_tree t;
	struct str why;
	const struct regex_program *p;
	struct regex_classes classes;
	struct regex_sets *sets;
	struct way ways[5];
	size_t n = 0;
	bool found;

	INVARIANT(regex_parse(a, text, &t, &why));
	p = regex_program_build(a, &t, 1, false);
	if (p->n > REGEX_BITS_MOST)
		return;
	classes = regex_classes_of(p);
	sets = regex_sets_new(a, p, &classes, 0, 1);
	ways[n++] = (struct way){.dfa = regex_dfa_open(a, sets)};
	ways[n++] = (struct way){.bits = regex_bits_new(a, sets, REGEX_PLAIN)};
	ways[n++] = (struct way){.bits = regex_bits_new(a, sets, REGEX_WIDEST)};
	ways[n++] = (struct way){.streams = regex_streams_new(a, sets, REGEX_PLAIN)};
	ways[n++] = (struct way){.streams = regex_streams_new(a, sets, REGEX_WIDEST)};
	if (!ways[n - 1].streams)
		n -= 2;
	for (size_t i = 1; i < n; i++)
		INVARIANT(occurs(a, sets, ways[i], subject) == expected);
	while (subject.n && many.n < LONG_SUBJECT)
		buf_str(&many, subject);
	found = occurs(a, sets, ways[0], buf_as_str(&many));
	for (size_t i = 1; i < n; i++)
		INVARIANT(occurs(a, sets, ways[i], buf_as_str(&many)) == found);
	regex_dfa_close(ways[0].dfa);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);
	struct str all = str_cut((const char *)data, size), why;
	size_t end = str_find(all, '\0');
	struct str text = str_cut(all.p, end);
	struct str subject = str_from(all, end < all.n ? end + 1 : end);
	const struct pattern *p = match_set_get(set, text, &why);
	struct match m;
	bool found;

	if (!subject.p)
		subject = STR("");
	if (subject.n > SUBJECT_MOST)
		subject.n = SUBJECT_MOST;
	INVARIANT((p->matcher == NULL) == (why.n > 0));
	if (!p->matcher)
		INVARIANT(str_begins(why, STR("RegularExpression::compile()")));
	found = match_find(p->matcher, subject, 0, &m);
	if (found)
		check_match(subject, &m);
	INVARIANT(match_has(p->matcher, subject) == found);
	if (p->matcher) {
		size_t cut = subject.n ? size % subject.n : 0;

		INVARIANT(is_in_pieces(a, p, subject, cut) == found);
		check_pike(a, text, subject, found ? &m : NULL);
		check_states(a, text, subject, found);
	}
	match_set_close(set);
	arena_close(a);
	return 0;
}
