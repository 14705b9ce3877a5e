/*
 * A sequence of bytes that grows: in memory up to a ceiling, beyond it in an unlinked
 * file, so that memory stays bounded. Where the file cannot be written, the bytes stay in
 * memory.
 */
#ifndef CCTR_RUNNER_BASE_SPOOL_H
#define CCTR_RUNNER_BASE_SPOOL_H

#include <sys/types.h>

#include "runner/base/long_text.h"

enum { SPOOL_CEILING = 1 << 20 };

struct spool {
	struct arena *arena;
	const char *directory; /* where the file is made */
	bool no_file; /* the file could not be written */
	/* an errno: the file's content could not be read back; 0: nothing is lost */
	int lost;
	struct buf kept; /* the bytes that are not in the file */
	int file; /* -1: all is in memory */
	uint64_t file_size;
	void *mapped;
	size_t mapped_size;
};

struct spool spool_in(struct arena *a, const char *directory);
void spool_close(struct spool *s);
uint64_t spool_size(const struct spool *s);
/* Adds the bytes in memory. */
void spool_keep(struct spool *s, const char *p, size_t n);
/* More is in memory than the ceiling allows. */
bool spool_is_full(const struct spool *s);
/* Moves the bytes from memory to the end of the file, except for the last rest bytes. */
void spool_flush(struct spool *s, size_t rest);
/* spool_keep, then spool_flush where the spool is full. */
void spool_add(struct spool *s, struct str bytes);
/* All bytes; valid until the next call. */
struct long_text spool_text(struct spool *s);
/* Copies bytes from the position at on: at least one, at most n, where there is one. -1
 * leaves errno: they are lost. */
ssize_t spool_get(const struct spool *s, uint64_t at, char *p, size_t n);
/* A copy of the last n bytes, or of as many as can be read. */
struct str spool_tail(const struct spool *s, struct arena *a, size_t n);
/* Keeps only the first n bytes. */
void spool_shorten(struct spool *s, uint64_t n);

#endif
