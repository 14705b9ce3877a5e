/* What a test wrote. See capture.h. */
#include "runner/run/capture.h"

#include <string.h>

struct capture
capture_in(
	struct arena *a, const char *directory, const struct capture_listener *listener)
{
	INVARIANT(listener->tag.n);
	return (struct capture){.listener = *listener, .store = spool_in(a, directory)};
}

/* ---- the store ------------------------------------------------------------------- */

/* Text that is moved to the file without a tag need not be read again. The last rest
 * bytes stay in memory, since a tag may begin there. */
static void
flush_store(struct capture *c, size_t rest)
{
	c->has_tag = c->has_tag || str_has(buf_as_str(&c->store.kept), c->listener.tag);
	spool_flush(&c->store, rest);
}

/* How many bytes at the end stay in memory: a line that is not too long stays in one
 * piece until it is complete. */
static size_t
rest_of(const struct capture *c)
{
	uint64_t rest = spool_size(&c->store) - c->line_at;

	return c->every_line && rest > c->listener.tag.n + 1 && rest < SPOOL_CEILING / 2
		       ? (size_t)rest
		       : c->listener.tag.n - 1;
}

static void
keep_bytes(struct capture *c, const char *p, size_t n)
{
	spool_keep(&c->store, p, n);
	if (spool_is_full(&c->store))
		flush_store(c, rest_of(c));
}

static struct long_text
stored_text(struct capture *c)
{
	if (c->store.file >= 0 && c->store.kept.n)
		flush_store(c, 0);
	return spool_text(&c->store);
}

/* ---- bytes to lines -------------------------------------------------------------- */

/* The line that ends here. Where it began in the file, all of the text is mapped. */
static struct long_text
line_of(struct capture *c)
{
	uint64_t at = c->line_at;
	struct long_text all;

	if (at >= c->store.file_size)
		return long_text_of(str_from(
			buf_as_str(&c->store.kept), (size_t)(at - c->store.file_size)));
	all = stored_text(c);
	return long_text_from(&all, (size_t)at);
}

/* Gives the next n bytes of a long line to the listener before they are kept; the first
 * time together with the line's beginning. */
static void
tell_part(struct capture *c, const char *p, size_t n)
{
	uint64_t before = spool_size(&c->store) - c->line_at;

	if (!c->every_line || !c->listener.part || before + n < CAPTURE_LONG_LINE)
		return;
	if (before && before < CAPTURE_LONG_LINE)
		c->listener.part(c->listener.context, line_of(c).s);
	c->listener.part(c->listener.context, str_cut(p, n));
}

static void
add_piece(struct capture *c, const char *p, size_t n)
{
	if (n == 0)
		return;
	tell_part(c, p, n);
	keep_bytes(c, p, n);
	c->in_line = true;
}

static void
release_cr(struct capture *c)
{
	for (; c->held_cr; c->held_cr--)
		add_piece(c, "\r", 1);
}

/* Only with every_line. */
static void
tell_line(struct capture *c)
{
	struct long_text line = line_of(c);

	if (!c->listener.line(c->listener.context, &line)) {
		spool_shorten(&c->store, c->line_at);
		return;
	}
	long_text_let_go(&line, 0, line.s.n);
	c->line_at = spool_size(&c->store) + 1;
	keep_bytes(c, "\n", 1);
}

static void
end_line(struct capture *c)
{
	c->held_cr = 0;
	c->in_line = false;
	if (c->every_line)
		tell_line(c);
	else
		keep_bytes(c, "\n", 1);
}

/* Adds text without CR and NUL: whole lines are kept unchanged. */
static void
add_plain(struct capture *c, const char *p, size_t n)
{
	release_cr(c);
	keep_bytes(c, p, n);
	c->in_line = p[n - 1] != '\n';
}

static size_t
until_special(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] != '\n' && p[i] != '\r' && p[i] != '\0')
		i++;
	return i;
}

static void
add_special(struct capture *c, const char *p, size_t n)
{
	while (n) {
		size_t k = until_special(p, n);

		if (k) {
			release_cr(c);
			add_piece(c, p, k);
			p += k;
			n -= k;
			continue;
		}
		if (*p == '\r')
			c->held_cr++;
		else
			end_line(c);
		p++;
		n--;
	}
}

void
capture_add(struct capture *c, const char *p, size_t n)
{
	bool plain = !c->every_line && n && *p != '\n' && !memchr(p, '\r', n) &&
		     !memchr(p, '\0', n);

	INVARIANT(p || !n);
	if (plain)
		add_plain(c, p, n);
	else
		add_special(c, p, n);
}

/* ---- the end --------------------------------------------------------------------- */

/* Closes a gap: moves n bytes from from to to, which is before it. */
static void
move_back(const struct long_text *all, size_t to, size_t from, size_t n)
{
	char *p = str_own(all->s);

	if (to == from)
		return;
	while (n) {
		size_t part = n < LONG_TEXT_PIECE ? n : LONG_TEXT_PIECE;

		memmove(p + to, p + from, part);
		long_text_let_go(all, to, to + part);
		long_text_let_go(all, from, from + part);
		to += part;
		from += part;
		n -= part;
	}
}

/* The line that contains the tag at hit; the line begins at or after from. */
static struct str
line_around(const struct long_text *all, size_t from, size_t hit)
{
	struct long_text before = {str_cut(all->s.p + from, hit - from), all->is_mapped};
	size_t at = long_text_search_back(&before, before.s.n, STR("\n"));
	size_t begin = at < before.s.n ? from + at + 1 : from;

	return str_cut(all->s.p + begin, long_text_search(all, hit, STR("\n")) - begin);
}

/* Shows the lines with a tag to the listener, and removes those that it does not want.
 * Returns the length of what remains. */
static size_t
cut_tag_lines(struct capture *c, const struct long_text *all)
{
	size_t to = 0, from = 0, hit = 0, read = 0, n = all->s.n;

	while ((hit = long_text_search(all, hit, c->listener.tag)) < n) {
		struct long_text line = {line_around(all, from, hit), all->is_mapped};
		size_t begin = (size_t)(line.s.p - all->s.p);

		hit = begin + line.s.n + 1;
		read = long_text_pass(all, read, hit);
		if (c->listener.line(c->listener.context, &line))
			continue;
		move_back(all, to, from, begin - from);
		to += begin - from;
		from = hit;
	}
	move_back(all, to, from, n - from);
	return to + n - from;
}

static void
leave_out_unfinished(struct capture *c)
{
	struct long_text t;
	size_t at;

	c->held_cr = 0;
	c->in_line = false;
	if (c->every_line) {
		spool_shorten(&c->store, c->line_at);
		return;
	}
	t = stored_text(c);
	at = long_text_search_back(&t, t.s.n, STR("\n"));
	spool_shorten(&c->store, at < t.s.n ? at + 1 : 0);
}

struct long_text
capture_end(struct capture *c)
{
	struct long_text t;
	size_t n;

	if (!c->is_cut)
		release_cr(c);
	if (c->is_cut && (c->in_line || c->held_cr))
		leave_out_unfinished(c);
	else if (c->in_line)
		end_line(c);
	t = stored_text(c);
	if (c->every_line || t.s.n == 0 || (c->store.file >= 0 && !c->has_tag))
		return t;
	n = cut_tag_lines(c, &t);
	if (n == t.s.n)
		return t;
	spool_shorten(&c->store, n);
	return stored_text(c);
}

void
capture_close(struct capture *c)
{
	spool_close(&c->store);
}
