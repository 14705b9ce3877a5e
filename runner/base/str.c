/* Slices: comparing, searching, reading numbers. See base.h for the contracts. The
 * functions that make new text are in base.c, beside the arena. */
#include "runner/base/base.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "runner/base/sort.h"

bool
str_eq_nocase(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || strncasecmp(a.p, b.p, a.n) == 0);
}

int
str_order(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool
str_ends(struct str s, struct str tail)
{
	return s.n >= tail.n &&
	       (tail.n == 0 || memcmp(s.p + s.n - tail.n, tail.p, tail.n) == 0);
}

/* Moves the letters from first to last by that much. */
static struct str
move_letters(struct arena *a, struct str s, char first, char last, int by)
{
	size_t i = 0;
	char *p;

	while (i < s.n && !(s.p[i] >= first && s.p[i] <= last))
		i++;
	if (i == s.n)
		return s;
	s = str_dup(a, s);
	p = str_own(s);
	for (; i < s.n; i++)
		if (p[i] >= first && p[i] <= last)
			p[i] = (char)(p[i] + by);
	return s;
}

struct str
str_lower(struct arena *a, struct str s)
{
	return move_letters(a, s, 'A', 'Z', 'a' - 'A');
}

struct str
str_upper(struct arena *a, struct str s)
{
	return move_letters(a, s, 'a', 'z', 'A' - 'a');
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str
str_trim(struct str s)
{
	while (s.n && is_blank(*s.p))
		s = str_from(s, 1);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

size_t
str_find(struct str s, char c)
{
	const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;

	return hit ? (size_t)(hit - s.p) : s.n;
}

size_t
str_rfind(struct str s, char c)
{
	for (size_t i = s.n; i > 0; i--)
		if (s.p[i - 1] == c)
			return i - 1;
	return s.n;
}

size_t
str_search(struct str s, struct str part)
{
	const char *hit;

	if (part.n == 0)
		return 0;
	hit = s.n ? memmem(s.p, s.n, part.p, part.n) : NULL;
	return hit ? (size_t)(hit - s.p) : s.n;
}

bool
str_has(struct str s, struct str part)
{
	return part.n == 0 || str_search(s, part) < s.n;
}

struct str
str_replace(struct arena *a, struct str text, struct str part, struct str by)
{
	size_t at = part.n ? str_search(text, part) : text.n;
	struct buf out = {.arena = a};

	if (at == text.n)
		return text;
	while (at < text.n) {
		buf_add(&out, text.p, at);
		buf_str(&out, by);
		text = str_from(text, at + part.n);
		at = str_search(text, part);
	}
	buf_str(&out, text);
	return buf_as_str(&out);
}

bool
str_is_of(struct str s, const char *bytes)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr(bytes, s.p[i]))
			return false;
	return true;
}

struct str
str_take(struct str *text, char separator)
{
	size_t n = str_find(*text, separator);
	struct str part = str_cut(text->p, n);

	*text = str_from(*text, n < text->n ? n + 1 : n);
	return part;
}

bool
str_take_line(struct str *text, struct str *line)
{
	if (!text->n)
		return false;
	*line = str_take(text, '\n');
	return true;
}

bool
str_take_whole_line(struct str *text, struct str *line)
{
	return str_find(*text, '\n') < text->n && str_take_line(text, line);
}

bool
str_take_crlf_line(struct str *text, struct str *line)
{
	if (!str_take_line(text, line))
		return false;
	line->n -= str_ends(*line, STR("\r"));
	return true;
}

bool
str_unsigned(struct str s, uint64_t limit, uint64_t *value)
{
	uint64_t v = 0;

	INVARIANT(value);
	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned digit = (unsigned char)s.p[i] - '0';

		if (digit > 9 || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (v > limit)
		return false;
	*value = v;
	return true;
}

double
str_double(struct str s)
{
	char text[400];
	size_t n = s.n < sizeof text - 1 ? s.n : sizeof text - 1;

	if (n)
		memcpy(text, s.p, n);
	text[n] = '\0';
	return strtod(text, NULL);
}

bool
str_seconds(struct str s, double *seconds)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	char *end;

	*seconds = strtod(s.p, &end);
	if (end == s.p || *seconds - *seconds != 0)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (end + 1 == s.p + s.n && *end == units[i].unit) {
			*seconds *= units[i].seconds;
			return true;
		}
	return end == s.p + s.n;
}

int
str_int(struct str s)
{
	char text[64];
	size_t n;

	while (s.n && isspace((unsigned char)*s.p))
		s = str_from(s, 1);
	n = s.n < sizeof text - 1 ? s.n : sizeof text - 1;
	if (n)
		memcpy(text, s.p, n);
	text[n] = '\0';
	return (int)strtol(text, NULL, 10);
}

uint64_t
seconds_to_ns(double seconds)
{
	double ns = seconds * 1e9;

	if (!(ns > 0))
		return 0;
	return ns < (double)UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

int64_t
whole_seconds(double seconds)
{
	const double most = 1e12; /* thirty thousand years */

	if (seconds > most)
		seconds = most;
	if (seconds < -most)
		seconds = -most;
	return isnan(seconds) ? 0 : (int64_t)seconds;
}

uint64_t
str_sum(uint64_t sum, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		sum = (sum ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
	return sum;
}

bool
str_list_has(struct str_list l, struct str s)
{
	for (size_t i = 0; i < l.n; i++)
		if (str_eq(l.v[i], s))
			return true;
	return false;
}

SORT_BY(sort_texts, struct str, TEXTUAL_ITSELF)

void
str_list_sort(struct str_list l)
{
	sort_texts(l.v, l.n);
}

void
str_list_make_set(struct str_list *l)
{
	size_t kept = 0;

	INVARIANT(!l->n || l->v);
	str_list_sort(*l);
	for (size_t i = 0; i < l->n; i++)
		if (i == 0 || !str_eq(l->v[i], l->v[kept - 1]))
			l->v[kept++] = l->v[i];
	l->n = kept;
}

struct str_list
str_list_dup(struct arena *a, struct str_list l)
{
	struct str_list copy = {NULL, l.n};

	if (l.n)
		copy.v = NEW_ARRAY(a, struct str, l.n);
	for (size_t i = 0; i < l.n; i++)
		copy.v[i] = str_dup(a, l.v[i]);
	return copy;
}

const char **
str_list_words(struct arena *a, struct str_list l)
{
	const char **words = NEW_ARRAY(a, const char *, l.n + 1);

	INVARIANT(l.v || !l.n);
	for (size_t i = 0; i < l.n; i++)
		words[i] = str_z(a, l.v[i]);
	return words;
}
