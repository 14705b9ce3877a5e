/* Memory, then a file. See spool.h. */
#include "runner/base/spool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/base/files.h"

struct spool
spool_in(struct arena *a, const char *directory)
{
	INVARIANT(a && directory);
	return (struct spool){
		.arena = a, .directory = directory, .kept = {.arena = a}, .file = -1};
}

static void
unmap_file(struct spool *s)
{
	if (s->mapped)
		munmap(s->mapped, s->mapped_size);
	s->mapped = NULL;
}

/* Writable, since lines are cut out of the text at the end. */
static bool
map_file(struct spool *s)
{
	void *p;

	if (s->mapped && s->mapped_size == s->file_size)
		return true;
	unmap_file(s);
	p = mmap(NULL, (size_t)s->file_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->file,
		0);
	if (p == MAP_FAILED)
		return false;
	s->mapped = p;
	s->mapped_size = (size_t)s->file_size;
	return true;
}

static void
close_file(struct spool *s)
{
	unmap_file(s);
	file_close(&s->file);
}

/* The disk is full, or the like: the content of the file is read back into memory. */
static void
return_to_memory(struct spool *s)
{
	struct buf all = {.arena = s->arena};
	char part[65536];

	unmap_file(s);
	s->no_file = true;
	while (all.n < s->file_size) {
		uint64_t left = s->file_size - all.n;
		size_t n = left < sizeof part ? (size_t)left : sizeof part;
		ssize_t got = file_get_at(s->file, part, n, (off_t)all.n);

		if (got > 0) {
			buf_add(&all, part, (size_t)got);
			continue;
		}
		s->lost = got < 0 ? errno : EIO;
		/* Places in the text stay. */
		buf_fill(&all, ' ', (size_t)left);
	}
	buf_str(&all, buf_as_str(&s->kept));
	s->kept = all;
	close_file(s);
	s->file_size = 0;
}

static bool
append_to_file(struct spool *s, struct str bytes)
{
	if (s->file < 0)
		s->file = file_unnamed_in(s->directory);
	return s->file >= 0 && lseek(s->file, (off_t)s->file_size, SEEK_SET) >= 0 &&
	       file_put(s->file, bytes);
}

uint64_t
spool_size(const struct spool *s)
{
	return s->file_size + s->kept.n;
}

void
spool_keep(struct spool *s, const char *p, size_t n)
{
	INVARIANT(p || !n);
	buf_add(&s->kept, p, n);
}

bool
spool_is_full(const struct spool *s)
{
	return s->kept.n > SPOOL_CEILING && !s->no_file;
}

void
spool_flush(struct spool *s, size_t rest)
{
	struct str bytes = {s->kept.p, s->kept.n - rest};

	INVARIANT(rest <= s->kept.n);
	if (append_to_file(s, bytes)) {
		s->file_size += bytes.n;
		memmove(s->kept.p, s->kept.p + bytes.n, rest);
		s->kept.n = rest;
	} else {
		return_to_memory(s);
	}
}

void
spool_add(struct spool *s, struct str bytes)
{
	struct long_reader r = {.text = &(struct long_text){bytes, false}};
	struct str piece;

	while (long_text_next(&r, &piece)) {
		spool_keep(s, piece.p, piece.n);
		if (spool_is_full(s))
			spool_flush(s, 0);
	}
}

struct long_text
spool_text(struct spool *s)
{
	if (s->file_size && s->kept.n)
		spool_flush(s, 0);
	if (s->file_size && !map_file(s))
		return_to_memory(s);
	if (s->file_size)
		return (struct long_text){{s->mapped, s->mapped_size}, true};
	return long_text_of(buf_as_str(&s->kept));
}

ssize_t
spool_get(const struct spool *s, uint64_t at, char *p, size_t n)
{
	uint64_t left = spool_size(s) - at;
	ssize_t got;

	INVARIANT(at < spool_size(s) || s->lost);
	if (s->lost) {
		errno = s->lost;
		return -1;
	}
	if (at >= s->file_size) {
		n = n < left ? n : (size_t)left;
		memcpy(p, s->kept.p + (at - s->file_size), n);
		return (ssize_t)n;
	}
	left = s->file_size - at;
	got = file_get_at(s->file, p, n < left ? n : (size_t)left, (off_t)at);
	if (got == 0)
		errno = EIO;
	return got > 0 ? got : -1;
}

/* The last bytes of the file; none where they cannot be read. */
static void
add_file_tail(struct buf *b, const struct spool *s, uint64_t n)
{
	size_t room = n < s->file_size ? (size_t)n : (size_t)s->file_size, got = 0;
	ssize_t part;

	buf_room(b, room);
	do {
		part = file_get_at(s->file, b->p + b->n + got, room - got,
			(off_t)(s->file_size - room + got));
		got += part > 0 ? (size_t)part : 0;
	} while (got < room && part > 0);
	b->n += got == room ? got : 0;
}

struct str
spool_tail(const struct spool *s, struct arena *a, size_t n)
{
	struct buf b = {.arena = a};
	struct str kept = buf_as_str(&s->kept);

	buf_room(&b, 1);
	if (n > kept.n && s->file_size)
		add_file_tail(&b, s, n - kept.n);
	buf_str(&b, str_from(kept, kept.n > n ? kept.n - n : 0));
	return buf_as_str(&b);
}

/* The file keeps its size: the next bytes overwrite its end. */
void
spool_shorten(struct spool *s, uint64_t n)
{
	INVARIANT(n <= spool_size(s));
	if (n >= s->file_size) {
		s->kept.n = (size_t)(n - s->file_size);
		return;
	}
	s->kept.n = 0;
	s->file_size = n;
}

void
spool_close(struct spool *s)
{
	close_file(s);
}
