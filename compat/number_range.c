/* The value of -I. Numbers are read as atoi and atof do; a part that is empty is not
 * given. */
#include "compat/number_range.h"

#include "runner/files.h"

/* The part before the next comma; *rest loses it. */
static struct str
next(struct str *rest)
{
	size_t comma = str_find(*rest, ',');
	struct str part = {rest->p, comma};

	*rest = str_from(*rest, comma < rest->n ? comma + 1 : comma);
	return part;
}

static int
number_of(struct str part)
{
	return part.n ? str_int(part) : RANGE_DEFAULT;
}

struct number_range
number_range_parse(struct arena *a, struct str text)
{
	struct number_range r = {.is_given = text.n > 0};
	VEC(int) extra = {0};
	struct str content, stride;

	if (text.n && !path_is_directory(str_z(a, text)) &&
		file_read(a, str_z(a, text), &content))
		text = str_cut(content.p, str_find(content, '\n'));
	r.start = number_of(next(&text));
	r.end = number_of(next(&text));
	stride = next(&text);
	r.stride = stride.n ? (float)str_double(stride) : RANGE_DEFAULT;
	while (text.n)
		VEC_PUSH(a, &extra, str_int(next(&text)));
	r.extra = extra.v;
	r.extra_n = extra.n;
	return r;
}
