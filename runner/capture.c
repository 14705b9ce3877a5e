/* What a test wrote. See capture.h. */
#include "runner/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char tag[] = "<CTest";

struct capture
capture_in(
	struct arena *a, const char *directory, const struct capture_listener *listener)
{
	return (struct capture){
		.arena = a,
		.directory = directory,
		.listener = *listener,
		.kept = {.arena = a},
		.file = -1,
	};
}

/* ---- store: memory, then a file -------------------------------------------------------
 */

static void
unmap(struct capture *c)
{
	if (c->mapped)
		munmap(c->mapped, c->mapped_size);
	c->mapped = NULL;
}

/* Writable, since lines are cut out of it at the end. */
static bool
map(struct capture *c)
{
	void *p;

	if (c->mapped && c->mapped_size == c->file_size)
		return true;
	unmap(c);
	p = mmap(NULL, (size_t)c->file_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->file,
		0);
	if (p == MAP_FAILED)
		return false;
	c->mapped = p;
	c->mapped_size = (size_t)c->file_size;
	return true;
}

static int
open_unlinked(struct arena *a, const char *directory)
{
	int fd = -1;
	char *name;

#ifdef O_TMPFILE
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
	if (fd >= 0)
		return fd;
	name = arena_alloc(a, strlen(directory) + sizeof "/cctr-output-XXXXXX");
	strcpy(name, directory);
	strcat(name, "/cctr-output-XXXXXX");
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static bool
write_all(int fd, struct str s, uint64_t at)
{
	while (s.n) {
		ssize_t put = pwrite(fd, s.p, s.n, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += (uint64_t)put;
		s = str_from(s, (size_t)put);
	}
	return true;
}

static void
close_file(struct capture *c)
{
	unmap(c);
	if (c->file >= 0)
		close(c->file);
	c->file = -1;
}

/* The disk is full, or the like: what the file holds comes back. */
static void
return_to_memory(struct capture *c)
{
	struct buf all = {.arena = c->arena};
	char part[65536];

	unmap(c);
	c->no_file = true;
	while (all.n < c->file_size) {
		uint64_t left = c->file_size - all.n;
		size_t n = left < sizeof part ? (size_t)left : sizeof part;
		ssize_t got = pread(c->file, part, n, (off_t)all.n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		buf_add(&all, part, (size_t)got);
	}
	buf_str(&all, buf_as_str(&c->kept));
	c->kept = all;
	close_file(c);
	c->file_size = 0;
}

static char *
find_tag(char *p, const char *end)
{
	return memmem(p, (size_t)(end - p), tag, sizeof tag - 1);
}

/* From memory to the end of the file, but for the last bytes: a tag may begin there. What
 * is in the file need not be read again where it has none. */
static void
flush(struct capture *c, size_t rest)
{
	struct str s = {c->kept.p, c->kept.n - rest};

	c->has_tag = c->has_tag || find_tag(c->kept.p, c->kept.p + c->kept.n);
	if (c->file < 0)
		c->file = open_unlinked(c->arena, c->directory);
	if (c->file >= 0 && write_all(c->file, s, c->file_size)) {
		c->file_size += s.n;
		memmove(c->kept.p, c->kept.p + s.n, rest);
		c->kept.n = rest;
	} else {
		return_to_memory(c);
	}
}

/* A line that is not too long stays in one piece, until it is complete. */
static size_t
rest_of(const struct capture *c)
{
	uint64_t rest = c->file_size + c->kept.n - c->line_at;

	return c->every_line && rest > sizeof tag && rest < CAPTURE_CEILING / 2
		       ? (size_t)rest
		       : sizeof tag - 2;
}

static void
keep(struct capture *c, const char *p, size_t n)
{
	buf_add(&c->kept, p, n);
	if (c->kept.n > CAPTURE_CEILING && !c->no_file)
		flush(c, rest_of(c));
}

static struct str
stored(struct capture *c)
{
	if (c->file >= 0 && c->kept.n)
		flush(c, 0);
	if (c->file >= 0 && !map(c))
		return_to_memory(c);
	if (c->file >= 0)
		return (struct str){c->mapped, c->mapped_size};
	return buf_as_str(&c->kept);
}

static void
shorten(struct capture *c, uint64_t n)
{
	if (n >= c->file_size) {
		c->kept.n = (size_t)(n - c->file_size);
		return;
	}
	c->kept.n = 0;
	unmap(c);
	if (ftruncate(c->file, (off_t)n) == 0)
		c->file_size = n;
}

/* ---- bytes to lines
 * -------------------------------------------------------------------- */

static void
piece(struct capture *c, const char *p, size_t n)
{
	if (n == 0)
		return;
	keep(c, p, n);
	c->in_line = true;
}

static void
release_cr(struct capture *c)
{
	for (; c->held_cr; c->held_cr--)
		piece(c, "\r", 1);
}

/* The line that has just ended. One that began in the file is seen there. */
static struct str
line_of(struct capture *c)
{
	uint64_t at = c->line_at;

	if (at < c->file_size)
		return str_from(stored(c), (size_t)at);
	return str_from(buf_as_str(&c->kept), (size_t)(at - c->file_size));
}

/* With every_line. */
static void
tell_line(struct capture *c)
{
	if (!c->listener.line(c->listener.context, line_of(c))) {
		shorten(c, c->line_at);
		return;
	}
	unmap(c);
	c->line_at = c->file_size + c->kept.n + 1;
	keep(c, "\n", 1);
	c->listener.grown(c->listener.context);
}

static void
end_line(struct capture *c)
{
	c->held_cr = 0;
	c->in_line = false;
	if (c->every_line)
		tell_line(c);
	else
		keep(c, "\n", 1);
}

/* Neither CR nor NUL in it: whole lines are kept as they are. */
static void
add_plain(struct capture *c, const char *p, size_t n)
{
	release_cr(c);
	keep(c, p, n);
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
			piece(c, p, k);
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

	if (plain)
		add_plain(c, p, n);
	else
		add_special(c, p, n);
}

/* ---- the end
 * --------------------------------------------------------------------------- */

/* Shows the lines with a tag to the listener; those it does not want are closed up. */
static size_t
cut_tag_lines(struct capture *c, char *text, size_t n)
{
	char *end = text + n, *to = text, *from = text, *hit = text;

	while ((hit = find_tag(hit, end))) {
		char *line = memrchr(from, '\n', (size_t)(hit - from));
		char *next = memchr(hit, '\n', (size_t)(end - hit));

		line = line ? line + 1 : from;
		if (!c->listener.line(
			    c->listener.context, str_cut(line, (size_t)(next - line)))) {
			memmove(to, from, (size_t)(line - from));
			to += line - from;
			from = next + 1;
		}
		hit = next + 1;
	}
	if (to != from)
		memmove(to, from, (size_t)(end - from));
	return (size_t)(to - text) + (size_t)(end - from);
}

struct str
capture_so_far(struct capture *c)
{
	struct str s = stored(c);

	return c->every_line ? str_cut(s.p, (size_t)c->line_at) : s;
}

static void
leave_out_unfinished(struct capture *c)
{
	struct str s;
	const char *end;

	c->held_cr = 0;
	c->in_line = false;
	if (c->every_line) {
		shorten(c, c->line_at);
		return;
	}
	s = stored(c);
	end = s.n ? memrchr(s.p, '\n', s.n) : NULL;
	shorten(c, end ? (size_t)(end + 1 - s.p) : 0);
}

struct str
capture_end(struct capture *c)
{
	struct str s;
	size_t n;

	if (!c->is_cut)
		release_cr(c);
	if (c->is_cut && (c->in_line || c->held_cr))
		leave_out_unfinished(c);
	else if (c->in_line)
		end_line(c);
	s = stored(c);
	if (c->every_line || s.n == 0 || (c->file >= 0 && !c->has_tag))
		return s;
	n = cut_tag_lines(c, (char *)s.p, s.n);
	if (n != s.n) {
		shorten(c, n);
		s = stored(c);
	}
	return s;
}

void
capture_close(struct capture *c)
{
	close_file(c);
}
