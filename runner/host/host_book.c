/* The text: a head with sum and length, then lines. See host_book.h. */
#include "runner/host/host_book.h"

#include <stdio.h>

#define HEAD "cctr-host 1 "
#define TICKET_MOST (UINT64_MAX - 1)
enum { SUM_DIGITS = 16, LENGTH_DIGITS = 8 };
#define HEAD_BYTES (sizeof HEAD - 1 + SUM_DIGITS + 1 + LENGTH_DIGITS + 1)

/* ---- reading --------------------------------------------------------------------- */

static bool
take_number(struct str *line, uint64_t most, uint64_t *value)
{
	return str_unsigned(str_take(line, ' '), most, value);
}

bool
host_is_word(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~')
			return false;
	return s.n > 0;
}

static bool
read_owner(struct arena *a, struct str line, struct host_book *b)
{
	struct host_owner o = {.slot = 0};

	if (!take_number(&line, HOST_OWNERS_MOST - 1, &o.slot) ||
		!take_number(&line, UINT64_MAX, &o.pid) ||
		!take_number(&line, UINT64_MAX, &o.start) ||
		!take_number(&line, UINT64_MAX, &o.brand) ||
		!take_number(&line, TICKET_MOST, &o.ticket) ||
		!take_number(&line, UINT32_MAX, &o.overtaken) ||
		!take_number(&line, UINT64_MAX, &o.seen_s) || line.n ||
		host_book_find(b, o.slot))
		return false;
	VEC_PUSH(a, &b->owners, o);
	return true;
}

static bool
read_claim(struct arena *a, struct str line, struct host_owner *o)
{
	struct host_claim c = {.waiting = 0};
	struct str rest;

	if (!o || !take_number(&line, UINT32_MAX, &c.slots))
		return false;
	c.name = rest = line;
	if (!host_is_word(str_take(&rest, ' ')) || !host_is_word(rest))
		return false;
	VEC_PUSH(a, &o->claims, c);
	return true;
}

/* Of the claim before it. */
static bool
read_part(struct str line, struct host_owner *o, bool stays)
{
	struct host_claim *c = o && o->claims.n ? &o->claims.v[o->claims.n - 1] : NULL;
	uint64_t *to = !c ? NULL : stays ? &c->staying : &c->waiting;

	return to && !*to && str_unsigned(line, c->slots, to) && *to;
}

static bool
read_wish(struct arena *a, struct str line, struct host_owner *o)
{
	struct host_wish w;

	if (!o || !take_number(&line, UINT32_MAX, &w.slots) ||
		!take_number(&line, UINT64_MAX, &w.among) || !host_is_word(line))
		return false;
	w.type = line;
	VEC_PUSH(a, &o->wishes, w);
	return true;
}

static bool
read_line(struct arena *a, struct str line, struct host_book *b)
{
	struct str word = str_take(&line, ' ');
	struct host_owner *last = b->owners.n ? &b->owners.v[b->owners.n - 1] : NULL;

	if (str_is(word, "run"))
		return read_owner(a, line, b);
	if (str_is(word, "has"))
		return read_claim(a, line, last);
	if (str_is(word, "waits") || str_is(word, "stays"))
		return read_part(line, last, str_is(word, "stays"));
	return str_is(word, "wants") && read_wish(a, line, last);
}

/* false: the head is not that of such a text, or the text is not what was written. */
static bool
take_body(struct str text, struct str *body)
{
	struct str head, sum;
	uint64_t length;

	if (text.n < HEAD_BYTES || !str_begins(text, STR(HEAD)))
		return false;
	head = str_cut(text.p + sizeof HEAD - 1, HEAD_BYTES - sizeof HEAD);
	sum = str_take(&head, ' ');
	if (text.p[HEAD_BYTES - 1] != '\n' || sum.n != SUM_DIGITS ||
		!str_unsigned(head, text.n - HEAD_BYTES, &length))
		return false;
	*body = str_cut(text.p + HEAD_BYTES, (size_t)length);
	for (size_t i = 0; i < SUM_DIGITS; i++)
		if (sum.p[i] != "0123456789abcdef"[str_sum(STR_SUM_EMPTY, *body) >>
							   (4 * (SUM_DIGITS - 1 - i)) &
						   15])
			return false;
	return true;
}

bool
host_book_read(struct arena *a, struct str text, struct host_book *b)
{
	struct str body, line;

	*b = (struct host_book){.owners = {.n = 0}};
	if (!text.n)
		return true;
	if (!take_body(text, &body))
		return false;
	while (body.n)
		if (!str_take_line(&body, &line) || !read_line(a, line, b)) {
			b->owners.n = 0;
			return false;
		}
	return true;
}

/* ---- writing --------------------------------------------------------------------- */

static void
put_numbers(struct buf *out, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_char(out, ' ');
		buf_number(out, v[i], 0);
	}
}

static void
put_part(struct buf *out, const char *word, uint64_t slots)
{
	if (!slots)
		return;
	buf_z(out, word);
	put_numbers(out, &slots, 1);
}

/* Numbers that are counted up stay at the highest that can be read. */
static void
put_owner(struct buf *out, const struct host_owner *o)
{
	uint64_t ticket = o->ticket < TICKET_MOST ? o->ticket : TICKET_MOST;
	uint64_t overtaken = o->overtaken < UINT32_MAX ? o->overtaken : UINT32_MAX;
	const uint64_t numbers[] = {
		o->slot, o->pid, o->start, o->brand, ticket, overtaken, o->seen_s};

	buf_z(out, "run");
	put_numbers(out, numbers, sizeof numbers / sizeof *numbers);
	for (size_t i = 0; i < o->claims.n; i++) {
		buf_z(out, "\nhas");
		put_numbers(out, &o->claims.v[i].slots, 1);
		buf_char(out, ' ');
		buf_str(out, o->claims.v[i].name);
		put_part(out, "\nwaits", o->claims.v[i].waiting);
		put_part(out, "\nstays", o->claims.v[i].staying);
	}
	for (size_t i = 0; i < o->wishes.n; i++) {
		const uint64_t wish[] = {o->wishes.v[i].slots, o->wishes.v[i].among};

		buf_z(out, "\nwants");
		put_numbers(out, wish, sizeof wish / sizeof *wish);
		buf_char(out, ' ');
		buf_str(out, o->wishes.v[i].type);
	}
	buf_char(out, '\n');
}

/* Over the blanks before the lines, which begin at `at`. */
static void
put_head(struct buf *out, size_t at)
{
	char head[HEAD_BYTES + 1];
	struct str body = str_cut(out->p + at + HEAD_BYTES, out->n - at - HEAD_BYTES);

	snprintf(head, sizeof head, HEAD "%016llx %08zu\n",
		(unsigned long long)str_sum(STR_SUM_EMPTY, body), body.n);
	memcpy(out->p + at, head, HEAD_BYTES);
}

bool
host_book_write(struct buf *out, const struct host_book *b)
{
	size_t at = out->n;

	buf_fill(out, ' ', HEAD_BYTES);
	for (size_t i = 0; i < b->owners.n; i++)
		put_owner(out, &b->owners.v[i]);
	if (out->n - at > HOST_BYTES_MOST)
		return false;
	put_head(out, at);
	return true;
}

/* ---- owners ---------------------------------------------------------------------- */

struct host_owner *
host_book_find(struct host_book *b, uint64_t slot)
{
	for (size_t i = 0; i < b->owners.n; i++)
		if (b->owners.v[i].slot == slot)
			return &b->owners.v[i];
	return NULL;
}

void
host_book_drop(struct host_book *b, const struct host_owner *o)
{
	size_t at = (size_t)(o - b->owners.v);

	INVARIANT(at < b->owners.n);
	b->owners.v[at] = b->owners.v[--b->owners.n];
}

uint64_t
host_book_next_ticket(const struct host_book *b)
{
	uint64_t most = 0;

	for (size_t i = 0; i < b->owners.n; i++)
		if (b->owners.v[i].ticket > most)
			most = b->owners.v[i].ticket;
	return most + 1;
}
