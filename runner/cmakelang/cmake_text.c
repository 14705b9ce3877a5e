/* Lists and truth as CMake reads them. See cmake_text.h for the contracts. */
#include "runner/cmakelang/cmake_text.h"

static void
list_element(struct arena *a, str_vec *out, struct buf *b, bool keep_empty)
{
	if (b->n || keep_empty)
		VEC_PUSH(a, out, str_dup(a, buf_as_str(b)));
	b->n = 0;
}

/* The usual list has neither brackets nor backslashes: its elements are slices, not
 * copies. */
static struct str_list
split_plain(struct arena *a, struct str s, bool keep_empty)
{
	str_vec out = {0};

	for (;;) {
		size_t n = str_find(s, ';');

		if (n || keep_empty)
			VEC_PUSH(a, &out, str_cut(s.p, n));
		if (n == s.n)
			return str_vec_list(&out);
		s = str_from(s, n + 1);
	}
}

struct str_list
cmake_list_split(struct arena *a, struct str s, bool keep_empty)
{
	struct buf b = {.arena = a};
	str_vec out = {0};
	int depth = 0;

	if (s.n == 0)
		return (struct str_list){0};
	if (str_find(s, ';') == s.n) {
		VEC_PUSH(a, &out, s);
		return str_vec_list(&out);
	}
	if (str_find(s, '[') == s.n && str_find(s, ']') == s.n &&
		str_find(s, '\\') == s.n)
		return split_plain(a, s, keep_empty);
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '\\' && i + 1 < s.n && s.p[i + 1] == ';') {
			buf_char(&b, s.p[++i]);
			continue;
		}
		depth += (c == '[') - (c == ']');
		if (c == ';' && depth == 0)
			list_element(a, &out, &b, keep_empty);
		else
			buf_char(&b, c);
	}
	list_element(a, &out, &b, keep_empty);
	return str_vec_list(&out);
}

static bool
word_in(struct str s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq_nocase(s, str_of(words[i])))
			return true;
	return false;
}

bool
cmake_is_on(struct str s)
{
	static const char *const words[] = {"1", "ON", "YES", "TRUE", "Y"};

	return word_in(s, words, sizeof words / sizeof *words);
}

bool
cmake_is_off(struct str s)
{
	static const char *const words[] = {"", "0", "OFF", "NO", "FALSE", "N", "IGNORE"};

	return word_in(s, words, sizeof words / sizeof *words) || str_is(s, "NOTFOUND") ||
	       str_ends(s, STR("-NOTFOUND"));
}

void
cmake_quote(struct buf *b, struct str s)
{
	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '"' || c == '\\' || c == '$' || c == '@')
			buf_char(b, '\\');
		if (c == '\r')
			buf_z(b, "\\r");
		else
			buf_char(b, c);
	}
	buf_char(b, '"');
}

void
cmake_set(struct buf *b, struct str name, struct str value)
{
	buf_z(b, "string(CONCAT ");
	cmake_quote(b, name);
	buf_char(b, ' ');
	cmake_quote(b, value);
	buf_z(b, ")\n");
}

void
cmake_set_environment(struct buf *b, const struct environment_change *changes, size_t n)
{
	INVARIANT(changes || !n);
	for (size_t i = 0; i < n; i++) {
		const struct environment_change *c = &changes[i];

		buf_z(b, c->unset ? "unset(" : "set(");
		cmake_quote(b, str_fmt(b->arena, "ENV{%.*s}", STR_ARG(c->name)));
		if (!c->unset) {
			buf_char(b, ' ');
			cmake_quote(b, c->value);
		}
		buf_z(b, ")\n");
	}
}

void
cmake_include(struct buf *b, struct str file)
{
	buf_z(b, "include(");
	cmake_quote(b, file);
	buf_z(b, " NO_POLICY_SCOPE)\n");
}
