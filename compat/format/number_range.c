/* The value of -I. Numbers are read as atoi and atof do; an empty part counts as not
 * given. */
#include "compat/format/number_range.h"

#include <errno.h>

#include "runner/base/files.h"

struct parts {
	struct str rest;
	bool is_more; /* another part follows, even if it is empty */
};

/* The part before the next comma. */
static struct str
next_part(struct parts *p)
{
	size_t comma = str_find(p->rest, ',');
	struct str part = {p->rest.p, comma};

	p->is_more = comma < p->rest.n;
	p->rest = str_from(p->rest, p->is_more ? comma + 1 : comma);
	return part;
}

/* The first line without its end. As in ctest, a line without a newline loses its last
 * byte. */
static struct str
first_line(struct str content)
{
	size_t end = str_find(content, '\n');

	return str_cut(content.p, end < content.n || !end ? end : end - 1);
}

static int
number_of(struct str part)
{
	return part.n ? str_int(part) : RANGE_DEFAULT;
}

/* If text names a file, replaces it by the file's first line. A name that is too long for
 * a file is not one. */
static bool
read_named(struct arena *a, struct str *text, struct diag *d)
{
	struct str content;

	if (!text->n)
		return true;
	if (file_read(a, str_z(a, *text), &content)) {
		*text = first_line(content);
		return true;
	}
	return error_is_no_file(errno) || errno == ENAMETOOLONG ||
	       diag_unreadable(d, *text, errno);
}

bool
number_range_parse(
	struct arena *a, struct str text, struct number_range *r, struct diag *d)
{
	INVARIANT(r && d);
	VEC(int) extra = {0};
	struct str stride;
	struct parts parts;

	*r = (struct number_range){.is_given = text.n > 0};
	if (!read_named(a, &text, d))
		return false;
	parts = (struct parts){text, true};
	r->start = number_of(next_part(&parts));
	r->end = number_of(next_part(&parts));
	stride = next_part(&parts);
	r->stride = stride.n ? (float)str_double(stride) : RANGE_DEFAULT;
	while (parts.is_more)
		VEC_PUSH(a, &extra, str_int(next_part(&parts)));
	r->extra = extra.v;
	r->extra_n = extra.n;
	return true;
}
