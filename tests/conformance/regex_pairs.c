/*
 * For tests/conformance/regex: reads lines of two words in hexadecimal digits, a pattern
 * and a text, and prints for each what cctr makes of it: "error", "0", or "1" with the
 * match and its groups in hexadecimal digits. The text is also searched in pieces; where
 * that says something else, so does the line.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compat/format/regex.h"

enum { LINE_MOST = 1 << 20, PIECE = 7, BATCH = 256 };

static unsigned
digit(char c)
{
	return c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

static struct str
decode(struct arena *a, const char *hex)
{
	struct buf out = {.arena = a};

	for (; hex[0] && hex[1]; hex += 2)
		buf_char(&out, (char)(digit(hex[0]) << 4 | digit(hex[1])));
	return buf_as_str(&out);
}

static void
print_hex(struct str s)
{
	putchar(' ');
	for (size_t i = 0; i < s.n; i++)
		printf("%02x", (unsigned)(unsigned char)s.p[i]);
}

static bool
is_found_in_pieces(struct arena *a, const struct pattern *p, struct str text)
{
	struct pattern_list l = {&p, 1};
	struct match_search *s = match_search_open(a, &l, 1);
	bool found;

	for (; text.n; text = str_from(text, text.n < PIECE ? text.n : PIECE))
		match_search_read(s, str_cut(text.p, text.n < PIECE ? text.n : PIECE));
	found = match_search_found(s);
	match_search_close(s);
	return found;
}

static void
answer(struct arena *a, struct match_set *set, struct str pattern, struct str text)
{
	const struct pattern *p = match_set_get(set, pattern, NULL);
	struct match m;

	if (!p->matcher) {
		puts("error");
		return;
	}
	if (is_found_in_pieces(a, p, text) != match_find(p->matcher, text, 0, &m))
		fputs("in pieces ", stdout);
	if (!match_find(p->matcher, text, 0, &m)) {
		puts("0");
		return;
	}
	putchar('1');
	for (size_t i = 0; i < m.n; i++)
		print_hex(m.groups[i]);
	putchar('\n');
}

int
main(void)
{
	char *line = malloc(LINE_MOST), *pattern, *text;
	int status = line ? 0 : 1;

	while (status == 0 && !feof(stdin)) {
		struct arena *a = arena_open();
		struct match_set *set = match_set_open(a, regex_parse);

		for (int i = 0; i < BATCH && fgets(line, LINE_MOST, stdin); i++) {
			pattern = line;
			text = strchr(line, ' ');
			if (!text)
				return 1;
			*text++ = '\0';
			text[strcspn(text, "\n")] = '\0';
			answer(a, set, decode(a, pattern), decode(a, text));
		}
		match_set_close(set);
		arena_close(a);
	}
	free(line);
	return status;
}
