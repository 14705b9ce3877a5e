/* One pass from left to right; nothing is copied before the first secret. See secrets.h.
 */
#include "compat/format/secrets.h"

#define MASK "***"

/* A part of the text that was looked at, up to its end, and its last '@' or, without one,
 * its end. */
struct reach {
	size_t end, sign;
};

struct scan {
	struct arena *arena;
	struct str text;
	bool is_word;
	size_t done; /* what is before it is already in out */
	struct reach word, path; /* a path ends where its query begins */
	struct buf out;
};

/* ---- names ----------------------------------------------------------------------- */

static char
fold_case(char c)
{
	return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
ends_like(struct str name, const char *ending)
{
	size_t n = strlen(ending);

	for (size_t i = 0; i < n; i++)
		if (n > name.n || fold_case(name.p[name.n - n + i]) != ending[i])
			return false;
	return true;
}

static bool
is_secret_name(struct str name)
{
	static const char *const endings[] = {"password", "passwd", "passphrase", "_pwd",
		"token", "secret", "apikey", "api_key", "access_key", "secret_key",
		"private_key", "credential", "credentials", "authorization"};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (ends_like(name, endings[i]))
			return true;
	return false;
}

static bool
is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* The name that ends before at. */
static struct str
name_before(struct str text, size_t at)
{
	size_t begin = at;

	while (begin && is_name_character(text.p[begin - 1]))
		begin--;
	return str_cut(text.p + begin, at - begin);
}

/* ---- ends ------------------------------------------------------------------------ */

/* Whether it is one of the characters. */
static bool
is_of(char c, const char *characters)
{
	return c && strchr(characters, c);
}

static bool
is_end(const struct scan *s, char c)
{
	return !s->is_word && is_of(c, " \t\r\n\"'<>");
}

static size_t
end_of_word(const struct scan *s, size_t at)
{
	while (at < s->text.n && !is_end(s, s->text.p[at]))
		at++;
	return at;
}

/* After the quote that begins at from, or at the end of the word. */
static size_t
end_of_quoted(const struct scan *s, size_t from)
{
	char quote = from < s->text.n ? s->text.p[from] : '\0';
	size_t end;

	if (s->is_word || (quote != '"' && quote != '\''))
		return end_of_word(s, from);
	end = from + 1 + str_find(str_from(s->text, from + 1), quote);
	return end < s->text.n ? end + 1 : end;
}

static void
mask_range(struct scan *s, size_t from, size_t to)
{
	if (to > s->text.n)
		to = s->text.n;
	if (from >= to)
		return;
	buf_add(&s->out, s->text.p + s->done, from - s->done);
	buf_z(&s->out, MASK);
	s->done = to;
}

/* ---- the three kinds ------------------------------------------------------------- */

static size_t
end_of_authority(const struct scan *s, size_t at)
{
	while (at < s->text.n && !is_end(s, s->text.p[at]) &&
		!is_of(s->text.p[at], "/?#"))
		at++;
	return at;
}

/* The last '@' before the end of the word or one of `ends`, if it is not before `at`;
 * else that end. A part is looked at once, however many URLs it has. */
static size_t
last_sign(const struct scan *s, struct reach *r, const char *ends, size_t at)
{
	if (at >= r->end) {
		for (r->end = at; r->end < s->text.n; r->end++)
			if (is_end(s, s->text.p[r->end]) ||
				is_of(s->text.p[r->end], ends))
				break;
		r->sign = at + str_rfind(str_cut(s->text.p + at, r->end - at), '@');
	}
	return r->sign >= at ? r->sign : r->end;
}

static bool
is_port(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	return true;
}

/* Where a password has characters that a URL may not have, it seems to end the authority.
 * Returns the '@' after such a password, or where the authority ends. What looks like a
 * port is one, unless an '@' follows in its path, and not at the beginning of a name. */
static size_t
sign_after_odd_password(struct scan *s, size_t at, struct str authority)
{
	size_t colon = str_rfind(authority, ':'), end = at + authority.n, sign;

	if (colon == authority.n || authority.p[authority.n - 1] == ']')
		return end;
	if (!is_port(str_from(authority, colon + 1))) {
		sign = last_sign(s, &s->word, "", at);
		return sign < s->word.end ? sign : end;
	}
	/* A user has no brackets: this is an address. */
	if (*authority.p == '[')
		return end;
	sign = last_sign(s, &s->path, "?#", at);
	return sign < s->path.end && s->text.p[sign - 1] != '/' ? sign : end;
}

/* After "://". Returns where to continue. */
static size_t
take_authority(struct scan *s, size_t at)
{
	size_t end = end_of_authority(s, at), sign, colon;
	struct str authority = str_cut(s->text.p + at, end - at);

	sign = str_rfind(authority, '@');
	if (sign == authority.n)
		sign = sign_after_odd_password(s, at, authority) - at;
	if (sign == authority.n)
		return at;
	colon = str_find(str_cut(authority.p, sign), ':');
	mask_range(s, at + (colon < sign ? colon + 1 : 0), at + sign);
	return at + sign;
}

/* The name that a value is given to: NAME=, or cmake's NAME:TYPE=. */
static struct str
name_of_value(struct str text, size_t at)
{
	struct str name = name_before(text, at), type = name;
	size_t before = at - name.n;

	while (type.n && *type.p >= 'A' && *type.p <= 'Z')
		type = str_from(type, 1);
	if (!type.n && before && text.p[before - 1] == ':')
		return name_before(text, before - 1);
	return name;
}

/* Where the value that begins at from ends. name: where its name begins; a quote before
 * the name ends both. */
static size_t
end_of_value(const struct scan *s, size_t name, size_t from)
{
	char before = name ? s->text.p[name - 1] : '\0';

	if (!s->is_word && (before == '"' || before == '\''))
		return from + str_find(str_from(s->text, from), before);
	return end_of_quoted(s, from);
}

/* After the "=" of NAME=value. */
static size_t
take_value(struct scan *s, size_t at)
{
	struct str name = name_of_value(s->text, at - 1);
	size_t begin = (size_t)(name.p - s->text.p), end;
	bool is_query = begin && is_of(s->text.p[begin - 1], "?&");

	if (!is_secret_name(name))
		return at;
	end = end_of_value(s, begin, at);
	for (size_t i = at; is_query && i < end; i++)
		if (is_of(s->text.p[i], "&#"))
			end = i;
	mask_range(s, at, end);
	return end;
}

static bool
is_secret_option(struct str word)
{
	return str_begins(word, STR("--")) && is_secret_name(word);
}

/* After the blank or semicolon that follows an option. The value may have quotes. */
static size_t
take_argument(struct scan *s, size_t at)
{
	size_t name_end = at && s->text.p[at - 1] == '"' ? at - 1 : at, end;

	if (!is_secret_option(name_before(s->text, name_end)))
		return at + 1;
	while (at < s->text.n && (s->text.p[at] == ' ' || s->text.p[at] == ';'))
		at++;
	end = end_of_quoted(s, at);
	mask_range(s, at, end);
	return end;
}

static size_t
take_colon(struct scan *s, size_t at)
{
	if (str_begins(str_from(s->text, at), STR("://")))
		return take_authority(s, at + 3);
	return at + 1;
}

static struct str
mask_secrets(struct arena *a, struct str text, bool is_word)
{
	struct scan s = {
		.arena = a, .text = text, .is_word = is_word, .out = {.arena = a}};
	size_t at = 0;

	while (at < text.n)
		switch (text.p[at]) {
		case ':':
			at = take_colon(&s, at);
			break;
		case '=':
			at = take_value(&s, at + 1);
			break;
		case ' ':
		case ';':
			at = take_argument(&s, at);
			break;
		default:
			at++;
		}
	if (!s.done)
		return text;
	buf_str(&s.out, str_from(text, s.done));
	return buf_as_str(&s.out);
}

struct str
secrets_masked(struct arena *a, struct str text)
{
	return mask_secrets(a, text, false);
}

struct str
secrets_masked_word(struct arena *a, struct str word)
{
	struct scan s = {.arena = a, .text = word, .is_word = true, .out = {.arena = a}};

	if (!str_has(word, STR("://")) && str_find(word, '=') == word.n) {
		(void)take_authority(&s, 0);
		buf_str(&s.out, str_from(word, s.done));
		return s.done ? buf_as_str(&s.out) : word;
	}
	return mask_secrets(a, word, true);
}

struct str
secrets_masked_value(struct arena *a, struct str name, struct str value)
{
	bool has_quotes =
		str_find(value, '"') < value.n || str_find(value, '\'') < value.n;

	if (value.n && is_secret_name(name))
		return STR(MASK);
	return mask_secrets(a, value, !has_quotes);
}

struct str_list
secrets_masked_words(struct arena *a, struct str_list words)
{
	str_vec shown = {0};

	for (size_t i = 0; i < words.n; i++) {
		bool is_secret = i > 0 && is_secret_option(words.v[i - 1]);

		VEC_PUSH(a, &shown,
			is_secret ? STR(MASK) : mask_secrets(a, words.v[i], true));
	}
	return str_vec_list(&shown);
}
