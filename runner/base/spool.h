/*
 * Bytes that are added one behind the other: in memory up to a ceiling, beyond it in an
 * unlinked file, so that memory stays bounded; where the file cannot be written, memory
 * it is.
 */
#ifndef CCTR_RUNNER_BASE_SPOOL_H
#define CCTR_RUNNER_BASE_SPOOL_H

#include "runner/base/long_text.h"

enum { SPOOL_CEILING = 1 << 20 };

struct spool {
	struct arena *arena;
	const char *directory; /* for the file */
	bool no_file; /* it could not be written */
	int lost; /* an errno: what was in the file could not be read; 0: all is there */
	struct buf kept; /* what is not in the file */
	int file; /* -1: all is in memory */
	uint64_t file_size;
	void *mapped;
	size_t mapped_size;
};

struct spool spool_in(struct arena *a, const char *directory);
void spool_close(struct spool *s);
uint64_t spool_size(const struct spool *s);
/* Into memory alone. */
void spool_keep(struct spool *s, const char *p, size_t n);
/* There is more in memory than should be. */
bool spool_is_full(const struct spool *s);
/* From memory to the end of the file, but for the last bytes. */
void spool_flush(struct spool *s, size_t rest);
/* Both. */
void spool_add(struct spool *s, struct str bytes);
/* All of it; valid until the next call. */
struct long_text spool_text(struct spool *s);
/* Only the first n bytes stay. */
void spool_shorten(struct spool *s, uint64_t n);

#endif
