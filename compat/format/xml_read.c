/*
 * One pass over the text; the names of open elements are a stack of slices of it, so that
 * depth costs no recursion. See xml_read.h.
 */
#include "compat/format/xml_read.h"

#include "compat/format/utf8.h"

static const char invalid[] = "not well-formed (invalid token)";
static const char unclosed[] = "unclosed token";
static const char no_element[] = "no element found";
static const char unclosed_cdata[] = "unclosed CDATA section";

enum { FEW_ATTRIBUTES = 8 };
struct attribute {
	struct str name, value;
};
typedef VEC(struct attribute) attributes;

struct xml_reader {
	struct arena *arena;
	const struct xml_events *events;
	const char *p, *end;
	const char *error;
	const char *wrong; /* where */
	str_vec open;
	attributes attributes; /* of the element that begins */
	bool had_root;
};

static bool
fail(struct xml_reader *r, const char *at, const char *error)
{
	r->error = error;
	r->wrong = at;
	return false;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
	       (unsigned char)c >= 0x80;
}

static bool
is_in_name(char c)
{
	return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static struct str
rest(const struct xml_reader *r)
{
	return str_cut(r->p, (size_t)(r->end - r->p));
}

static void
skip_blanks(struct xml_reader *r)
{
	while (r->p < r->end && is_blank(*r->p))
		r->p++;
}

static struct str
take_name(struct xml_reader *r)
{
	const char *start = r->p;

	if (r->p < r->end && begins_name(*r->p))
		while (r->p < r->end && is_in_name(*r->p))
			r->p++;
	return str_cut(start, (size_t)(r->p - start));
}

/* One character that XML has: its bytes, 0 for any other. */
static size_t
character(struct str s)
{
	uint32_t code;
	size_t n = utf8_next(s, &code);

	if (n == 0 || code == 0xfffe || code == 0xffff)
		return 0;
	return code >= 0x20 || code == '\t' || code == '\n' || code == '\r' ? n : 0;
}

/* Up to an ending that must come: "-->". false after fail. */
static bool
skip_to(struct xml_reader *r, const char *start, const char *ending, const char *error,
	struct str *skipped)
{
	struct str all = rest(r);
	size_t n = str_search(all, str_of(ending));

	for (size_t at = 0, width; at < n; at += width) {
		width = character(str_from(all, at));
		if (width == 0)
			return fail(r, r->p + at, invalid);
	}
	if (n == all.n)
		return fail(r, start, error);
	*skipped = str_cut(all.p, n);
	r->p += n + strlen(ending);
	return true;
}

static void
put_utf8(struct buf *b, uint32_t code)
{
	if (code < 0x80) {
		buf_char(b, (char)code);
		return;
	}
	if (code < 0x800) {
		buf_char(b, (char)(0xc0 | code >> 6));
	} else if (code < 0x10000) {
		buf_char(b, (char)(0xe0 | code >> 12));
		buf_char(b, (char)(0x80 | (code >> 6 & 63)));
	} else {
		buf_char(b, (char)(0xf0 | code >> 18));
		buf_char(b, (char)(0x80 | (code >> 12 & 63)));
		buf_char(b, (char)(0x80 | (code >> 6 & 63)));
	}
	buf_char(b, (char)(0x80 | (code & 63)));
}

/* "#60" or "#x3C"; false when it is no number. */
static bool
number_of(struct str s, uint32_t *code)
{
	uint32_t base = s.n > 1 && s.p[1] == 'x' ? 16 : 10;
	size_t i = base == 16 ? 2 : 1;

	*code = 0;
	if (i >= s.n)
		return false;
	for (; i < s.n; i++) {
		const char *digits = "0123456789abcdef", *found;
		char c = s.p[i];

		if (c >= 'A' && c <= 'F')
			c = (char)(c + ('a' - 'A'));
		found = c ? strchr(digits, c) : NULL;
		if (!found || (uint32_t)(found - digits) >= base)
			return false;
		if (*code <= 0x10ffff)
			*code = *code * base + (uint32_t)(found - digits);
	}
	return true;
}

static bool
is_character(uint32_t code)
{
	return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && code != 0xfffe &&
	       code != 0xffff &&
	       (code >= 0x20 || code == '\t' || code == '\n' || code == '\r');
}

/* At "&": what it stands for is added to b. */
static bool
read_reference(struct xml_reader *r, struct buf *b)
{
	static const struct {
		const char *name;
		char c;
	} known[] = {
		{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
	const char *start = r->p++;
	struct str name;
	uint32_t code;

	while (r->p < r->end && (is_in_name(*r->p) || *r->p == '#'))
		r->p++;
	name = str_cut(start + 1, (size_t)(r->p - start - 1));
	if (r->p == r->end)
		return fail(r, start, unclosed);
	if (*r->p != ';' || name.n == 0)
		return fail(r, r->p, invalid);
	r->p++;
	if (name.p[0] == '#') {
		if (!number_of(name, &code))
			return fail(r, start, invalid);
		if (!is_character(code))
			return fail(r, start, "reference to invalid character number");
		put_utf8(b, code);
		return true;
	}
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(name, known[i].name)) {
			buf_char(b, known[i].c);
			return true;
		}
	return fail(r, start, "undefined entity");
}

/* At the first of the two characters of an end of line. */
static bool
ends_line(const struct xml_reader *r)
{
	return *r->p == '\r' && r->p + 1 < r->end && r->p[1] == '\n';
}

/* Text with every end of line as a newline. */
static void
tell_text(struct xml_reader *r, struct str text)
{
	size_t end;

	while (text.n) {
		end = str_find(text, '\r');
		if (end)
			r->events->text(r->events->context, str_cut(text.p, end));
		text = str_from(text, end);
		if (!text.n)
			return;
		r->events->text(r->events->context, STR("\n"));
		text = str_from(text, text.n > 1 && text.p[1] == '\n' ? 2 : 1);
	}
}

/* Blanks of all kinds, and ends of lines, count as one space each. The text itself, if it
 * has no such blank and no reference. */
static bool
read_value(struct xml_reader *r, const char *start, struct str *value)
{
	struct buf text = {.arena = r->arena};
	const char *plain;
	char quote;

	if (r->p == r->end)
		return fail(r, start, unclosed);
	quote = *r->p;
	if (quote != '"' && quote != '\'')
		return fail(r, r->p, invalid);
	plain = ++r->p;
	while (r->p < r->end && *r->p != quote) {
		size_t n = character(rest(r));
		bool is_other = *r->p == '&' || (is_blank(*r->p) && *r->p != ' ');

		if (n == 0 || *r->p == '<')
			return fail(r, r->p, invalid);
		if (is_other && !text.n)
			buf_add(&text, plain, (size_t)(r->p - plain));
		if (*r->p == '&') {
			if (!read_reference(r, &text))
				return false;
			continue;
		}
		if (is_other)
			buf_char(&text, ' ');
		else if (text.n)
			buf_add(&text, r->p, n);
		r->p += n + ends_line(r);
	}
	if (r->p == r->end)
		return fail(r, start, unclosed);
	r->p++;
	*value = text.n ? buf_as_str(&text) : str_cut(plain, (size_t)(r->p - 1 - plain));
	return true;
}

/* A name that is there already: by a map once there are many. */
static bool
is_known(struct xml_reader *r, struct map *names, struct str name)
{
	const attributes *all = &r->attributes;
	uint32_t *known;

	if (all->n < FEW_ATTRIBUTES) {
		for (size_t i = 0; i < all->n; i++)
			if (str_eq(all->v[i].name, name))
				return true;
		return false;
	}
	for (size_t i = 0; i < all->n && all->n == FEW_ATTRIBUTES; i++)
		map_set(names, all->v[i].name, 0);
	known = map_at(names, name);
	if (*known != MAP_NONE)
		return true;
	*known = 0;
	return false;
}

/* Up to ">" or "/>", which stays. */
static bool
read_attributes(struct xml_reader *r, const char *start)
{
	struct map names = map_in(r->arena);

	r->attributes.n = 0;
	while (r->p < r->end) {
		bool apart = is_blank(*r->p);
		struct str name, value;

		skip_blanks(r);
		if (r->p == r->end)
			break;
		if (*r->p == '>' || *r->p == '/')
			return true;
		if (!apart)
			return fail(r, r->p, invalid);
		name = take_name(r);
		skip_blanks(r);
		if (r->p == r->end)
			break;
		if (name.n == 0 || *r->p != '=')
			return fail(r, r->p, invalid);
		r->p++;
		skip_blanks(r);
		if (!read_value(r, start, &value))
			return false;
		if (is_known(r, &names, name))
			return fail(r, name.p, "duplicate attribute");
		VEC_PUSH(r->arena, &r->attributes, (struct attribute){name, value});
	}
	return fail(r, start, unclosed);
}

/* At "<" and a letter. */
static bool
read_begin(struct xml_reader *r)
{
	const char *start = r->p++;
	struct str name = take_name(r);
	const attributes *all = &r->attributes;
	bool is_empty;

	if (!read_attributes(r, start))
		return false;
	is_empty = *r->p == '/';
	r->p += is_empty;
	if (r->p == r->end)
		return fail(r, start, unclosed);
	if (*r->p != '>')
		return fail(r, r->p, invalid);
	r->p++;
	r->had_root = true;
	r->events->begin(r->events->context, name);
	for (size_t i = 0; i < all->n && r->events->attribute; i++)
		r->events->attribute(r->events->context, all->v[i].name, all->v[i].value);
	if (is_empty)
		r->events->end(r->events->context, name);
	else
		VEC_PUSH(r->arena, &r->open, name);
	return true;
}

/* At "</". */
static bool
read_end(struct xml_reader *r)
{
	const char *start = r->p;
	struct str name;

	r->p += 2;
	name = take_name(r);
	skip_blanks(r);
	if (r->p == r->end)
		return fail(r, start, unclosed);
	if (name.n == 0 || *r->p != '>')
		return fail(r, r->p, invalid);
	if (!str_eq(name, r->open.v[r->open.n - 1]))
		return fail(r, name.p, "mismatched tag");
	r->p++;
	r->open.n--;
	r->events->end(r->events->context, name);
	return true;
}

/* "version" and its value come first. */
static bool
is_declaration(struct str s)
{
	s = str_trim(s);
	if (!str_begins(s, STR("version")))
		return false;
	s = str_trim(str_from(s, strlen("version")));
	if (!str_begins(s, STR("=")))
		return false;
	s = str_trim(str_from(s, 1));
	return s.n > 1 && (*s.p == '"' || *s.p == '\'') &&
	       str_find(str_from(s, 1), *s.p) < s.n - 1;
}

/* At "<?". */
static bool
read_instruction(struct xml_reader *r, bool is_first)
{
	const char *start = r->p;
	struct str name, text;

	r->p += 2;
	name = take_name(r);
	if (r->p == r->end)
		return fail(r, start, unclosed);
	if (!name.n || (!is_blank(*r->p) && !str_begins(rest(r), STR("?"))))
		return fail(r, r->p, invalid);
	if (!skip_to(r, start, "?>", unclosed, &text))
		return false;
	if (is_first && str_is(name, "xml") && !is_declaration(text))
		return fail(r, start, "XML declaration not well-formed");
	return true;
}

/* At "<!" or "<?" wherever it stands: comments, instructions, CDATA, a document type. */
static bool
read_other(struct xml_reader *r, const char *text)
{
	const char *start = r->p;
	struct str all = rest(r), skipped;

	if (str_begins(all, STR("<!--"))) {
		r->p += 4;
		return skip_to(r, start, "-->", unclosed, &skipped);
	}
	if (str_begins(all, STR("<![CDATA[")) && r->open.n) {
		r->p += 9;
		if (!skip_to(r, start, "]]>", unclosed_cdata, &skipped))
			return false;
		tell_text(r, skipped);
		return true;
	}
	if (str_begins(all, STR("<?xml")) && all.n > 5 && is_blank(all.p[5]) &&
		start != text)
		return fail(r, start,
			r->had_root && !r->open.n
				? "junk after document element"
				: "XML or text declaration not at start of entity");
	if (str_begins(all, STR("<?")))
		return read_instruction(r, start == text);
	if (str_begins(all, STR("<!DOCTYPE")) && !r->had_root) {
		r->p += 9;
		return skip_to(r, r->end, ">", no_element, &skipped);
	}
	return fail(r, start, all.n < 3 ? unclosed : invalid);
}

/* Text between tags, up to "<" or the end. */
static bool
read_text(struct xml_reader *r)
{
	const char *start = r->p;
	struct buf decoded = {.arena = r->arena};

	while (r->p < r->end && *r->p != '<' && *r->p != '&') {
		size_t n = character(rest(r));

		if (n == 0)
			return fail(r, r->p, invalid);
		if (str_begins(rest(r), STR("]]>")))
			return fail(r, r->p, invalid);
		r->p += n;
	}
	if (r->p > start)
		tell_text(r, str_cut(start, (size_t)(r->p - start)));
	if (r->p < r->end && *r->p == '&') {
		if (!read_reference(r, &decoded))
			return false;
		r->events->text(r->events->context, buf_as_str(&decoded));
	}
	return true;
}

static bool
is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Something that is neither blank nor a tag, outside of the root: a word of its own, or
 * not even that. */
static bool
refuse_outside(struct xml_reader *r)
{
	const char *p = r->p;
	bool is_word = is_in_name(*p);

	while (p < r->end && is_in_name(*p))
		p++;
	if (is_word ? p < r->end && !is_blank(*p) && !is_one_of(*p, ">),|[%;+*?")
		    : !is_one_of(*p, "\"'%#()[]|,>;"))
		return fail(r, p, invalid);
	return fail(
		r, r->p, r->had_root ? "junk after document element" : "syntax error");
}

static bool
read_tag(struct xml_reader *r, const char *text)
{
	char next = r->p + 1 < r->end ? r->p[1] : '\0';

	if (r->p + 1 == r->end)
		return fail(r, r->p, unclosed);
	if (next == '!' || next == '?')
		return read_other(r, text);
	if (r->open.n == 0 && r->had_root)
		return fail(r, r->p,
			begins_name(next) ? "junk after document element" : invalid);
	if (next == '/' && r->open.n)
		return read_end(r);
	if (!begins_name(next))
		return fail(r, r->p + 1, invalid);
	return read_begin(r);
}

struct xml_fault
xml_read_to(struct arena *a, struct str text, const struct xml_events *events)
{
	struct xml_reader r = {.arena = a, .events = events};
	struct str body = text;
	bool good = true;

	if (str_begins(text, STR("\xef\xbb\xbf")))
		body = str_from(text, 3);
	r.p = body.p;
	r.end = body.p + body.n;
	while (good && r.p < r.end) {
		if (r.open.n == 0)
			skip_blanks(&r);
		if (r.p == r.end)
			break;
		if (*r.p == '<')
			good = read_tag(&r, body.p);
		else
			good = r.open.n ? read_text(&r) : refuse_outside(&r);
	}
	if (good && (r.open.n || !r.had_root))
		good = fail(&r, r.end, no_element);
	return (struct xml_fault){.text = r.error,
		.at = good ? text.n : (size_t)(r.wrong - text.p),
		.is_end = r.error == unclosed || r.error == no_element ||
			  r.error == unclosed_cdata};
}

const char *
xml_read(struct arena *a, struct str text, const struct xml_events *events, size_t *line)
{
	struct xml_fault fault = xml_read_to(a, text, events);

	*line = 1;
	for (size_t i = 0; fault.text && i < fault.at; i++)
		*line +=
			text.p[i] == '\n' ||
			(text.p[i] == '\r' && (i + 1 == text.n || text.p[i + 1] != '\n'));
	return fault.text;
}
