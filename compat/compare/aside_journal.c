/* See aside_journal.h. */
#include "compat/compare/aside_journal.h"

#define FIRST_LINE "cctr compare 1"

struct str
aside_journal_text(struct arena *a, const aside_items *items)
{
	struct buf b = {.arena = a};

	buf_z(&b, FIRST_LINE "\n");
	for (size_t i = 0; i < items->n; i++) {
		const struct aside_item *item = &items->v[i];

		INVARIANT(str_find(item->path, '\n') == item->path.n);
		buf_fmt(&b, "%s %.*s\n", item->was_there ? "present" : "absent",
			STR_ARG(item->path));
	}
	buf_z(&b, "end\n");
	return buf_as_str(&b);
}

/* "present /tree/Testing" */
static bool
read_item(struct arena *a, struct str line, struct aside_item *item)
{
	struct str word = str_take(&line, ' ');

	item->was_there = str_is(word, "present");
	item->path = str_dup(a, line);
	return (item->was_there || str_is(word, "absent")) && line.n &&
	       line.p[0] == '/' && str_find(line, '\0') == line.n;
}

bool
aside_journal_read(struct arena *a, aside_items *items, struct str text)
{
	struct aside_item item;
	struct str line;

	items->n = 0;
	if (!str_ends(text, STR("\nend\n")) || !str_take_line(&text, &line) ||
		!str_is(line, FIRST_LINE))
		return false;
	while (str_take_line(&text, &line) && text.n) {
		if (!read_item(a, line, &item))
			return false;
		VEC_PUSH(a, items, item);
	}
	return true;
}
