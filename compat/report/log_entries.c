/*
 * A walk over the lines of a log. Of a long line only the beginning and the last bytes
 * are kept, so that the memory does not depend on what tests wrote. See log_entries.h.
 */
#include "compat/report/log_entries.h"

#include "runner/base/files.h"

#define RULE STR("----------------------------------------------------------")
#define END_OF_OUTPUT STR("<end of output>")

enum { PIECE = 65536, HEAD_MOST = 65536, TAIL_MOST = 15 };

struct log_line {
	struct str head, tail; /* the first and the last bytes */
	uint64_t at, next; /* its beginning, and that of the next line */
};
enum place_in_log { BETWEEN, AFTER_TITLE, IN_HEAD, BEFORE_OUTPUT, IN_OUTPUT, AFTER_TAIL };
struct log_walk {
	struct arena *arena;
	log_entries entries;
	enum place_in_log place;
	struct log_entry entry;
	uint64_t total; /* of the tests, as the first title says; 0: none yet */
	bool is_dated; /* the line before said when the test started */
	bool has_end; /* the line before ended the output, perhaps */
	uint64_t end_at; /* where it did so */
	bool is_ended; /* end_at was followed by the test's time */
	uint64_t output_end;
};

/* ---- lines ----------------------------------------------------------------------- */

/* "3/7 Testing: name" */
static bool
read_title(struct str line, const char *word, uint64_t *number, uint64_t *total,
	struct str *name)
{
	size_t slash = str_find(line, '/');
	struct str rest = str_from(line, slash < line.n ? slash + 1 : line.n);
	size_t blank = str_find(rest, ' ');

	if (!str_unsigned(str_cut(line.p, slash), UINT32_MAX, number) ||
		!str_unsigned(str_cut(rest.p, blank), UINT32_MAX, total))
		return false;
	rest = str_from(rest, blank);
	*name = str_from(rest, rest.n < strlen(word) ? rest.n : strlen(word));
	return str_begins(rest, str_of(word));
}

/* Whether the line begins with the name in quotes and the text. */
static bool
is_said_of(struct str line, struct str name, struct str text)
{
	return line.n >= name.n + 2 && line.p[0] == '"' &&
	       str_eq(str_cut(line.p + 1, name.n), name) && line.p[name.n + 1] == '"' &&
	       str_begins(str_from(line, name.n + 2), text);
}

static void
begin_entry(struct log_walk *w, const struct log_line *l)
{
	uint64_t total;
	struct str name;

	w->place = BETWEEN;
	if (!read_title(l->head, " Testing: ", &w->entry.number, &total, &name) ||
		(w->total && total != w->total))
		return;
	w->total = total;
	w->entry.begin = l->at;
	w->entry.name = str_dup(w->arena, name);
	w->place = AFTER_TITLE;
}

static void
check_title(struct log_walk *w, const struct log_line *l)
{
	uint64_t number, total;
	struct str name;

	if (read_title(l->head, " Test: ", &number, &total, &name) &&
		number == w->entry.number && str_eq(name, w->entry.name))
		w->place = IN_HEAD;
	else
		begin_entry(w, l);
	w->is_dated = false;
}

/* The words of a command may have lines of their own. */
static void
read_head(struct log_walk *w, const struct log_line *l)
{
	if (w->is_dated && str_is(l->head, "Output:"))
		w->place = BEFORE_OUTPUT;
	w->is_dated = is_said_of(l->head, w->entry.name, STR(" start time:"));
}

static void
begin_output(struct log_walk *w, const struct log_line *l)
{
	w->place = str_eq(l->head, RULE) ? IN_OUTPUT : BETWEEN;
	w->entry.output = l->next;
	w->has_end = w->is_ended = false;
}

static void
read_output(struct log_walk *w, const struct log_line *l)
{
	if (w->has_end && str_begins(l->head, STR("Test time ="))) {
		w->is_ended = true;
		w->output_end = w->end_at;
	}
	if (w->is_ended && is_said_of(l->head, w->entry.name, STR(" time elapsed: ")))
		w->place = AFTER_TAIL;
	w->has_end = str_ends(l->tail, END_OF_OUTPUT);
	w->end_at = l->next - 1 - END_OF_OUTPUT.n;
}

static void
end_entry(struct log_walk *w, const struct log_line *l)
{
	if (!str_eq(l->head, RULE)) {
		w->place = IN_OUTPUT;
		read_output(w, l);
		return;
	}
	w->entry.output_n = w->output_end - w->entry.output;
	w->entry.end = l->next;
	VEC_PUSH(w->arena, &w->entries, w->entry);
	w->place = BETWEEN;
}

static void
walk_line(struct log_walk *w, const struct log_line *l)
{
	static void (*const at[])(struct log_walk * w, const struct log_line *l) = {
		[BETWEEN] = begin_entry,
		[AFTER_TITLE] = check_title,
		[IN_HEAD] = read_head,
		[BEFORE_OUTPUT] = begin_output,
		[IN_OUTPUT] = read_output,
		[AFTER_TAIL] = end_entry,
	};

	at[w->place](w, l);
}

/* ---- logs ------------------------------------------------------------------------ */

static struct str
last_bytes(struct str s, size_t n)
{
	return str_from(s, s.n > n ? s.n - n : 0);
}

/* Takes a line that has its newline. */
static bool
take_whole_line(struct str *text, struct str *line)
{
	return str_find(*text, '\n') < text->n && str_take_line(text, line);
}

log_entries
log_entries_of(struct arena *a, struct str text)
{
	struct log_walk w = {.arena = a};
	struct str rest = text, line;

	while (take_whole_line(&rest, &line)) {
		uint64_t at = (uint64_t)(line.p - text.p);

		walk_line(&w, &(struct log_line){.head = line,
				      .tail = last_bytes(line, TAIL_MOST),
				      .at = at,
				      .next = at + line.n + 1});
	}
	return w.entries;
}

/* A line of which only a part is kept. */
struct part_line {
	struct buf head, tail;
	uint64_t at, n;
};

static void
add_piece(struct part_line *p, struct str piece)
{
	size_t room = HEAD_MOST - p->head.n;
	struct str tail = last_bytes(piece, TAIL_MOST);

	buf_str(&p->head, str_cut(piece.p, piece.n < room ? piece.n : room));
	if (p->tail.n + tail.n > TAIL_MOST) {
		size_t drop = p->tail.n + tail.n - TAIL_MOST;

		memmove(p->tail.p, p->tail.p + drop, p->tail.n - drop);
		p->tail.n -= drop;
	}
	buf_str(&p->tail, tail);
	p->n += piece.n;
}

static void
end_line(struct log_walk *w, struct part_line *p)
{
	walk_line(w, &(struct log_line){.head = buf_as_str(&p->head),
			     .tail = buf_as_str(&p->tail),
			     .at = p->at,
			     .next = p->at + p->n + 1});
	p->at += p->n + 1;
	p->n = p->head.n = p->tail.n = 0;
}

static void
walk_piece(struct log_walk *w, struct part_line *p, struct str piece)
{
	struct str line;

	while (take_whole_line(&piece, &line)) {
		add_piece(p, line);
		end_line(w, p);
	}
	add_piece(p, piece);
}

bool
log_entries_read(struct arena *a, int file, log_entries *entries)
{
	struct log_walk w = {.arena = a};
	struct part_line p = {.head.arena = a, .tail.arena = a};
	char *piece = arena_alloc(a, PIECE);
	ssize_t got;

	INVARIANT(entries);
	buf_reserve(&p.head, HEAD_MOST);
	buf_reserve(&p.tail, TAIL_MOST);
	while ((got = file_get(file, piece, PIECE)) > 0)
		walk_piece(&w, &p, str_cut(piece, (size_t)got));
	*entries = w.entries;
	return got == 0;
}
