/* Names of nodes. See node_list.h. */
#include "runner/remote/node_list.h"

#include <ctype.h>

enum { DIGITS_MOST = 9 };

struct names {
	struct arena *arena;
	str_vec v;
	struct map seen;
	const char *why;
};

static bool
refuse_names(struct names *n, const char *why)
{
	n->why = why;
	return false;
}

/* No letter of a name means anything to a shell, and no name looks like an option. */
static bool
is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.p[i]) && !strchr("._-@:", s.p[i]))
			return false;
	return s.n > 0 && s.p[0] != '-';
}

static bool
add_name(struct names *n, struct str name)
{
	if (!is_name(name))
		return refuse_names(n,
			"a name has other characters than letters, digits and "
			".-_@:");
	if (n->v.n == NODES_MOST)
		return refuse_names(n, "there are too many nodes");
	if (map_get(&n->seen, name) != MAP_NONE)
		return refuse_names(n, "a name occurs twice");
	map_set(&n->seen, name, 1);
	VEC_PUSH(n->arena, &n->v, name);
	return true;
}

/* The names head, a number of the range, tail: 08-10 keeps the zeros. */
static bool
add_range(struct names *n, struct str head, struct str range, struct str tail)
{
	size_t dash = str_find(range, '-');
	struct str first = str_cut(range.p, dash), last = first;
	uint64_t from, to;

	if (dash < range.n)
		last = str_from(range, dash + 1);
	if (first.n > DIGITS_MOST || last.n > DIGITS_MOST ||
		!str_unsigned(first, UINT64_MAX, &from) ||
		!str_unsigned(last, UINT64_MAX, &to) || from > to)
		return refuse_names(n, "a range is not written as 1-3");
	for (; from <= to; from++)
		if (!add_name(n, str_fmt(n->arena, "%.*s%0*llu%.*s", STR_ARG(head),
					 (int)first.n, (unsigned long long)from,
					 STR_ARG(tail))))
			return false;
	return true;
}

/* One entry of the list, with at most one pair of brackets. */
static bool
add_entry(struct names *n, struct str entry)
{
	size_t open = str_find(entry, '['), close = str_find(entry, ']');
	struct str ranges, range;

	if (open == entry.n)
		return add_name(n, entry);
	if (close == entry.n || close < open)
		return refuse_names(n, "a bracket is not closed");
	ranges = str_cut(entry.p + open + 1, close - open - 1);
	do {
		size_t comma = str_find(ranges, ',');

		range = str_cut(ranges.p, comma);
		ranges = str_from(ranges, comma < ranges.n ? comma + 1 : comma);
		if (!add_range(
			    n, str_cut(entry.p, open), range, str_from(entry, close + 1)))
			return false;
	} while (ranges.n);
	return true;
}

/* The position of the first comma outside of brackets. */
static size_t
entry_end(struct str text)
{
	bool inside = false;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '[' || text.p[i] == ']')
			inside = text.p[i] == '[';
		else if (text.p[i] == ',' && !inside)
			return i;
	}
	return text.n;
}

bool
node_list_read(struct arena *a, struct str text, struct str_list *names, const char **why)
{
	struct names n = {.arena = a, .seen = map_in(a)};
	bool more = true;

	while (more) {
		size_t end = entry_end(text);

		if (!add_entry(&n, str_dup(a, str_cut(text.p, end)))) {
			*why = n.why;
			return false;
		}
		more = end < text.n;
		text = str_from(text, more ? end + 1 : end);
	}
	*names = str_vec_list(&n.v);
	return true;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Adds the next word of the text to the buffer. false: a quote is not closed. */
static bool
take_word(struct str *text, struct buf *word)
{
	char quote = '\0';
	size_t i = 0;

	for (; i < text->n && (quote || !is_blank(text->p[i])); i++) {
		char c = text->p[i];

		if (quote && c == quote)
			quote = '\0';
		else if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else if (c == '\\' && quote != '\'' && i + 1 < text->n)
			buf_char(word, text->p[++i]);
		else
			buf_char(word, c);
	}
	*text = str_from(*text, i);
	return !quote;
}

bool
launcher_read(struct arena *a, struct str text, struct str_list *words)
{
	str_vec v = {0};

	for (text = str_trim(text); text.n; text = str_trim(text)) {
		struct buf word = {.arena = a};

		buf_room(&word, 1);
		if (!take_word(&text, &word))
			return false;
		VEC_PUSH(a, &v, buf_as_str(&word));
	}
	*words = str_vec_list(&v);
	return v.n > 0;
}

/* The word with the node in place of each {node}. */
static const char *
fill_in_node(struct arena *a, struct str word, const char *node)
{
	struct buf b = {.arena = a};

	while (word.n) {
		size_t at = str_search(word, STR("{node}"));

		buf_add(&b, word.p, at);
		if (at == word.n)
			break;
		buf_z(&b, node);
		word = str_from(word, at + strlen("{node}"));
	}
	return b.n ? b.p : "";
}

const char *const *
launcher_fill(struct arena *a, struct str_list launcher, struct str_list agent,
	const char *node)
{
	const char **words = NEW_ARRAY(a, const char *, launcher.n *(agent.n + 1) + 1);
	size_t n = 0;

	for (size_t i = 0; i < launcher.n; i++) {
		if (!str_is(launcher.v[i], "{agent}")) {
			words[n++] = fill_in_node(a, launcher.v[i], node);
			continue;
		}
		for (size_t k = 0; k < agent.n; k++)
			words[n++] = str_z(a, agent.v[k]);
	}
	return words;
}
