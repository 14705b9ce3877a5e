/* Lines and columns are counted when a message needs them. See json_place.h. */
#include "compat/format/json_place.h"

#include "runner/base/files.h"

struct spot {
	size_t line, column;
};

/* The text without the byte order mark; *at becomes a position in it. */
static struct str
skip_mark(struct str text, size_t *at)
{
	size_t mark = str_begins(text, STR("\xef\xbb\xbf")) ? 3 : 0;

	*at = *at > mark ? *at - mark : 0;
	return str_from(text, mark);
}

/* "\n", "\r\n" and a lone "\r" end a line. */
static struct spot
spot_of(struct str text, size_t at)
{
	struct spot s = {.line = 1};
	size_t from = 0;

	text = skip_mark(text, &at);
	for (size_t i = 0; i < at && i < text.n; i++) {
		if (text.p[i] != '\r' && text.p[i] != '\n')
			continue;
		if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
			i++;
		from = i + 1;
		s.line++;
	}
	s.column = at - from + 1;
	return s;
}

/* The last line if there are fewer, since here a lone "\r" ends no line. */
static struct str
line_of(struct str text, size_t number)
{
	size_t end = str_find(text, '\n');

	for (; number > 1 && end < text.n; number--) {
		text = str_from(text, end + 1);
		end = str_find(text, '\n');
	}
	return str_cut(text.p, end);
}

static struct str
message_at(struct arena *a, const struct dialect *dialect,
	const struct json_document *document, size_t at, struct str message)
{
	struct spot s = spot_of(document->text, at);
	struct str where = str_fmt(a, "Error: @%zu,%zu", s.line, s.column);

	if (dialect->has[DIALECT_SPEC_ERROR_PLACES])
		where = str_fmt(
			a, "%.*s:%zu", STR_ARG(path_name(document->path)), s.line);
	return str_fmt(a, "%.*s: %.*s\n%.*s\n%*s^", STR_ARG(where), STR_ARG(message),
		STR_ARG(line_of(skip_mark(document->text, &at), s.line)),
		(int)(s.column - 1), "");
}

struct str
json_place_text(struct arena *a, const struct dialect *dialect,
	const struct json_document *document, const struct json_value *value,
	struct str message)
{
	INVARIANT(document);
	return value && value->kind != JSON_NULL
		       ? message_at(a, dialect, document, value->at, message)
		       : message;
}

/* All faults in one message. */
static struct str
faults_text(struct arena *a, const struct json_document *document)
{
	struct buf b = {.arena = a};

	buf_fmt(&b, "JSON Parse Error: %.*s:\n", STR_ARG(document->path));
	for (size_t i = 0; i < document->faults_n; i++) {
		const struct json_fault *f = &document->faults[i];
		struct spot s = spot_of(document->text, f->at);

		buf_fmt(&b, "* Line %zu, Column %zu\n  %.*s\n", s.line, s.column,
			STR_ARG(f->why));
		if (f->detail == SIZE_MAX)
			continue;
		s = spot_of(document->text, f->detail);
		buf_fmt(&b, "See Line %zu, Column %zu for detail.\n", s.line, s.column);
	}
	return buf_as_str(&b);
}

struct str_list
json_refusal(struct arena *a, const struct dialect *dialect,
	const struct json_document *document)
{
	str_vec v = {0};

	INVARIANT(document);
	if (!document->faults_n)
		VEC_PUSH(a, &v, STR("A JSON document cannot be empty"));
	else if (!dialect->has[DIALECT_SPEC_ERROR_PLACES])
		VEC_PUSH(a, &v, faults_text(a, document));
	else
		for (size_t i = 0; i < document->faults_n; i++)
			VEC_PUSH(a, &v,
				message_at(a, dialect, document, document->faults[i].at,
					document->faults[i].why));
	return str_vec_list(&v);
}
