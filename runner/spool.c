/* Memory, then a file. See spool.h. */
#include "runner/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct spool
spool_in(struct arena *a, const char *directory)
{
	return (struct spool){
		.arena = a, .directory = directory, .kept = {.arena = a}, .file = -1};
}

static void
unmap(struct spool *s)
{
	if (s->mapped)
		munmap(s->mapped, s->mapped_size);
	s->mapped = NULL;
}

/* Writable, since lines are cut out of it at the end. */
static bool
map(struct spool *s)
{
	void *p;

	if (s->mapped && s->mapped_size == s->file_size)
		return true;
	unmap(s);
	p = mmap(NULL, (size_t)s->file_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->file,
		0);
	if (p == MAP_FAILED)
		return false;
	s->mapped = p;
	s->mapped_size = (size_t)s->file_size;
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
close_file(struct spool *s)
{
	unmap(s);
	if (s->file >= 0)
		close(s->file);
	s->file = -1;
}

/* The disk is full, or the like: what the file holds comes back. */
static void
return_to_memory(struct spool *s)
{
	struct buf all = {.arena = s->arena};
	char part[65536];

	unmap(s);
	s->no_file = true;
	while (all.n < s->file_size) {
		uint64_t left = s->file_size - all.n;
		size_t n = left < sizeof part ? (size_t)left : sizeof part;
		ssize_t got = pread(s->file, part, n, (off_t)all.n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		buf_add(&all, part, (size_t)got);
	}
	buf_str(&all, buf_as_str(&s->kept));
	s->kept = all;
	close_file(s);
	s->file_size = 0;
}

uint64_t
spool_size(const struct spool *s)
{
	return s->file_size + s->kept.n;
}

void
spool_keep(struct spool *s, const char *p, size_t n)
{
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

	if (s->file < 0)
		s->file = open_unlinked(s->arena, s->directory);
	if (s->file >= 0 && write_all(s->file, bytes, s->file_size)) {
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
	if (s->file >= 0 && s->kept.n)
		spool_flush(s, 0);
	if (s->file >= 0 && !map(s))
		return_to_memory(s);
	if (s->file >= 0)
		return (struct long_text){{s->mapped, s->mapped_size}, true};
	return long_text_of(buf_as_str(&s->kept));
}

void
spool_shorten(struct spool *s, uint64_t n)
{
	if (n >= s->file_size) {
		s->kept.n = (size_t)(n - s->file_size);
		return;
	}
	s->kept.n = 0;
	unmap(s);
	if (ftruncate(s->file, (off_t)n) == 0)
		s->file_size = n;
}

void
spool_close(struct spool *s)
{
	close_file(s);
}
