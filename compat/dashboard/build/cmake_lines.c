/* Works byte by byte; keeps a line only while it may still be one that matters. See
 * cmake_lines.h. */
#include "compat/dashboard/build/cmake_lines.h"

#include <string.h>

/* Precedes a status. */
#define MARK "-- "
/* The list of generators follows. */
#define REFUSED "CMake Error: Could not create named generator"
/* "The X option is deprecated.  Use -WY instead." */
#define ADVICE "The "
#define ADVICE_MIDDLE " is deprecated.  Use -W"

static bool
may_become(struct str line, const char *head)
{
	size_t n = strlen(head);

	return memcmp(line.p, head, line.n < n ? line.n : n) == 0;
}

static bool
is_advice(struct str line)
{
	return str_begins(line, STR(ADVICE)) && str_has(line, STR(ADVICE_MIDDLE));
}

static void
end_line(struct cmake_lines *l, struct buf *out, struct buf *stray)
{
	struct str line = buf_as_str(&l->line);
	struct buf *to = is_advice(line) ? stray : out;

	buf_str(to, line);
	buf_char(to, '\n');
	l->is_list = str_begins(line, STR(REFUSED));
	l->line.n = 0;
}

static void
begin_line(struct cmake_lines *l, char c, struct buf *out)
{
	struct str line;

	buf_char(&l->line, c);
	line = buf_as_str(&l->line);
	l->passes = true;
	if (str_is(line, MARK))
		l->line.n = 0;
	else if (may_become(line, MARK) || may_become(line, REFUSED) ||
		 may_become(line, ADVICE))
		l->passes = false;
	else
		cmake_lines_end(l, out);
}

void
cmake_lines_add(
	struct cmake_lines *l, struct str bytes, struct buf *out, struct buf *stray)
{
	for (size_t i = 0; i < bytes.n; i++) {
		char c = bytes.p[i];

		if (l->is_list || l->passes)
			buf_char(l->is_list ? stray : out, c);
		else if (c == '\n')
			end_line(l, out, stray);
		else
			begin_line(l, c, out);
		if (c == '\n')
			l->passes = false;
	}
}

void
cmake_lines_end(struct cmake_lines *l, struct buf *out)
{
	buf_str(out, buf_as_str(&l->line));
	l->line.n = 0;
}
