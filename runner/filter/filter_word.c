/* A glob goes back to its last "*" alone, so that it is never exponential. */
#include "runner/filter/filter_word.h"

#include "runner/base/utf8.h"

/* ---- globs ----------------------------------------------------------------------- */

/* The bytes of the first character; a byte that begins none is one of its own. */
static size_t
character_bytes(struct str s)
{
	uint32_t code;
	size_t n = utf8_next(s, &code);

	return n ? n : 1;
}

static struct str
first_character(struct str s)
{
	return str_cut(s.p, character_bytes(s));
}

/* Takes a character that may have a backslash before it. */
static struct str
take_member(struct str *set)
{
	struct str c;

	if (set->p[0] == '\\' && set->n > 1)
		*set = str_from(*set, 1);
	c = first_character(*set);
	*set = str_from(*set, c.n);
	return c;
}

/* Where the set that begins at s ends, with its "]"; 0: it does not end. A "]" that comes
 * first is a member. */
static size_t
set_bytes(struct str s)
{
	size_t at = s.n > 1 && (s.p[1] == '!' || s.p[1] == '^') ? 2 : 1, first = at;

	for (; at < s.n; at++) {
		if (s.p[at] == ']' && at > first)
			return at + 1;
		if (s.p[at] == '\\' && at + 1 < s.n)
			at++;
	}
	return 0;
}

/* set: what is between the brackets. */
static bool
is_in_set(struct str set, struct str c)
{
	bool is_inverse = set.p[0] == '!' || set.p[0] == '^', is_in = false;

	if (is_inverse)
		set = str_from(set, 1);
	while (set.n) {
		struct str low = take_member(&set), high = low;

		if (set.n > 1 && set.p[0] == '-') {
			set = str_from(set, 1);
			high = take_member(&set);
		}
		/* UTF-8 has the order of its code points. */
		if (str_order(low, c) <= 0 && str_order(c, high) <= 0)
			is_in = true;
	}
	return is_in != is_inverse;
}

/* Matches one element of the glob, which is no "*", with the first character of s, and
 * goes on in both. */
static bool
match_one(struct str *glob, struct str *s)
{
	struct str c = first_character(*s), wanted;
	size_t set = glob->p[0] == '[' ? set_bytes(*glob) : 0;

	if (set) {
		if (!is_in_set(str_cut(glob->p + 1, set - 2), c))
			return false;
		*glob = str_from(*glob, set);
	} else if (glob->p[0] == '?') {
		*glob = str_from(*glob, 1);
	} else {
		wanted = take_member(glob);
		if (!str_eq(wanted, c))
			return false;
	}
	*s = str_from(*s, c.n);
	return true;
}

static bool
match_glob(struct str glob, struct str s)
{
	struct str after_star = STR_NONE, at_star = STR_NONE;
	bool has_star = false;

	while (s.n || glob.n) {
		if (glob.n && glob.p[0] == '*') {
			glob = after_star = str_from(glob, 1);
			at_star = s;
			has_star = true;
		} else if (!s.n || !glob.n || !match_one(&glob, &s)) {
			if (!has_star || !at_star.n)
				return false;
			at_star = str_from(at_star, character_bytes(at_star));
			s = at_star;
			glob = after_star;
		}
	}
	return true;
}

/* ---- words ----------------------------------------------------------------------- */

static bool
has_wildcards(struct str glob)
{
	for (size_t i = 0; i < glob.n; i++) {
		if (glob.p[i] == '\\')
			i++;
		else if (glob.p[i] == '*' || glob.p[i] == '?' ||
			 (glob.p[i] == '[' && set_bytes(str_from(glob, i))))
			return true;
	}
	return false;
}

struct str
filter_word_plain(struct arena *a, struct str text)
{
	struct buf plain = {.arena = a};

	buf_z(&plain, "");
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\\' && i + 1 < text.n)
			i++;
		buf_char(&plain, text.p[i]);
	}
	return buf_as_str(&plain);
}

struct filter_word
filter_word_of_glob(struct arena *a, struct str text)
{
	if (has_wildcards(text))
		return (struct filter_word){.way = WORD_GLOB, .text = text};
	return (struct filter_word){
		.way = WORD_EQUAL, .text = filter_word_plain(a, text)};
}

bool
filter_word_matches(const struct filter_word *w, struct str s)
{
	switch (w->way) {
	case WORD_EQUAL:
		return str_eq(w->text, s);
	case WORD_PART:
		return str_has(s, w->text);
	case WORD_GLOB:
		return match_glob(w->text, s);
	case WORD_REGEX:
		return match_has(w->matcher, s);
	}
	BUG("no way of a word");
}
