/*
 * Arena, and what grows in it: text, vectors, buffers. See base.h for the contracts.
 *
 * An arena is a list of blocks. Each new block is twice as large as the one before, up to
 * a huge page. An allocation that is larger has a block of its own, which is zeroed by
 * the system: its pages take no memory until they are written.
 *
 * Under AddressSanitizer what is free is poisoned, and so are some bytes between
 * allocations, and the old bytes of a vector or buffer that has grown. So it finds
 * overruns, and the use of what was rewound or has moved.
 */
#include "runner/base/base.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/base/poison.h"

enum { FIRST_BLOCK = 4096, HUGE_PAGE = 2 << 20, EXIT_LACK = 70 };
/* Bytes before an allocation, and where text begins: AddressSanitizer knows bytes by
 * eights. */
enum { RED_ZONE = CCTR_ASAN ? 16 : 0, TEXT_UNIT = CCTR_ASAN ? 8 : 1 };

struct block {
	struct block *older;
	size_t used, cap;
	size_t dirty; /* bytes from here on are zero */
	alignas(max_align_t) char bytes[];
};
/* The most that a block of one huge page can hold. Larger blocks are mapped. */
#define LARGEST_BLOCK (HUGE_PAGE - sizeof(struct block))
/* spare: the last block that was dropped. It serves a caller that rewinds and allocates
 * in turns across the end of a block. */
struct arena {
	struct block *newest, *spare;
	size_t total, next_size;
};

void
invariant_failed(const char *file, int line, const char *text)
{
	fprintf(stderr, "cctr: internal error at %s:%d: %s\n", file, line, text);
	abort();
}

/* Writes no buffered text: the tests that ended are in the files already, and a log gets
 * no half entry. The guardian ends the programs that still run. */
void
program_end(const char *line)
{
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		_exit(EXIT_LACK);
	_exit(EXIT_LACK);
}

/* ---- arena ----------------------------------------------------------------------- */

void
memory_end(void)
{
	program_end("cctr: out of memory\n");
}

void *
memory_or_end(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		memory_end();
	return p;
}

void *
memory_resized_or_end(void *p, size_t n)
{
	void *resized = realloc(p, n ? n : 1);

	if (!resized)
		memory_end();
	return resized;
}

void
memory_free(void *p)
{
	free(p);
}

/* cap rounded up to 64 KiB, which is a whole number of pages on every machine. */
static size_t
mapped_size(size_t cap)
{
	enum { PAGE = 64 << 10 };

	return (sizeof(struct block) + cap + RED_ZONE + PAGE - 1) / PAGE * PAGE;
}

/* Zeroed memory, in huge pages where it fills them: otherwise the page faults, one for
 * each 4 KiB, are most of the time that a large table takes. NULL: no memory. */
static struct block *
block_map(size_t size)
{
	char *p = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p % HUGE_PAGE;
	if (before)
		(void)munmap(p, before);
	(void)munmap(p + before + size, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
	(void)madvise(p + before, size, MADV_HUGEPAGE);
#endif
	return (struct block *)(p + before);
}

static void
block_link(struct arena *a, struct block *b)
{
	b->older = a->newest;
	b->used = 0;
	a->newest = b;
	a->total += b->cap;
}

static bool
block_take_spare(struct arena *a, size_t at_least)
{
	struct block *b = a->spare;

	if (!b || b->cap < at_least)
		return false;
	a->spare = NULL;
	block_link(a, b);
	return true;
}

/* is_zero: the block is zeroed, and its pages take no memory until they are written. */
static struct block *
block_new(size_t cap, bool is_zero)
{
	bool is_mapped = cap >= LARGEST_BLOCK;
	struct block *b;

	if (cap > SIZE_MAX / 2)
		memory_end();
	b = is_mapped ? block_map(mapped_size(cap))
	    : is_zero ? calloc(1, sizeof *b + cap)
		      : malloc(sizeof *b + cap);
	if (!b)
		memory_end();
	b->cap = cap;
	b->dirty = is_mapped || is_zero ? 0 : cap;
	POISON(b->bytes, is_mapped ? mapped_size(cap) - sizeof *b : cap);
	return b;
}

static void
block_add(struct arena *a, size_t at_least)
{
	bool is_large = at_least > a->next_size;

	if (block_take_spare(a, at_least))
		return;
	block_link(a, block_new(is_large ? at_least : a->next_size, is_large));
	a->next_size *= 2;
	if (a->next_size > LARGEST_BLOCK)
		a->next_size = LARGEST_BLOCK;
}

struct arena *
arena_open(void)
{
	struct arena *a = malloc(sizeof *a);

	if (!a)
		memory_end();
	*a = (struct arena){.next_size = FIRST_BLOCK};
	return a;
}

static void
block_free(struct block *b)
{
	if (!b)
		return;
	if (b->cap < LARGEST_BLOCK) {
		UNPOISON(b->bytes, b->cap);
		free(b);
		return;
	}
	UNPOISON(b, mapped_size(b->cap));
	(void)munmap(b, mapped_size(b->cap));
}

static struct block *
block_unlink(struct arena *a)
{
	struct block *b = a->newest;

	a->newest = b->older;
	a->total -= b->cap;
	return b;
}

/* A block that is not large is kept as the spare one. */
static void
block_drop(struct arena *a)
{
	struct block *b = block_unlink(a);

	if (b->cap > LARGEST_BLOCK || (a->spare && a->spare->cap >= b->cap)) {
		block_free(b);
		return;
	}
	block_free(a->spare);
	POISON(b->bytes, b->used);
	b->dirty = b->used > b->dirty ? b->used : b->dirty;
	a->spare = b;
}

void
arena_close(struct arena *a)
{
	if (!a)
		return;
	while (a->newest)
		block_free(block_unlink(a));
	block_free(a->spare);
	free(a);
}

/* unit: a power of two. Memory that was used before is not cleared. */
static void *
alloc_aligned(struct arena *a, size_t size, size_t unit)
{
	struct block *b = a->newest;
	size_t at = b ? (b->used + RED_ZONE + unit - 1) & ~(unit - 1) : 0;

	if (size == 0)
		size = 1;
	if (!b || at > b->cap || b->cap - at < size) {
		block_add(a, size);
		b = a->newest;
		at = 0;
	}
	b->used = at + size;
	UNPOISON(b->bytes + at, size);
	return b->bytes + at;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	char *p = alloc_aligned(a, size, alignof(max_align_t));
	struct block *b = a->newest;
	size_t at = (size_t)(p - b->bytes);

	if (at < b->dirty)
		memset(p, 0, (b->used < b->dirty ? b->used : b->dirty) - at);
	return p;
}

void *
arena_alloc_array(struct arena *a, size_t size, size_t n)
{
	if (size && n > SIZE_MAX / size)
		memory_end();
	return arena_alloc(a, size * n);
}

struct arena_mark
arena_mark(struct arena *a)
{
	return (struct arena_mark){a->newest, a->newest ? a->newest->used : 0};
}

void
arena_rewind(struct arena *a, struct arena_mark m)
{
	while (a->newest != m.block) {
		INVARIANT(a->newest);
		block_drop(a);
	}
	if (a->newest) {
		struct block *b = a->newest;

		POISON(b->bytes + m.used, b->used - m.used);
		b->dirty = b->used > b->dirty ? b->used : b->dirty;
		b->used = m.used;
	}
}

size_t
arena_bytes(const struct arena *a)
{
	return a->total;
}

/* Like arena_alloc, but neither aligned nor zeroed: there is much text, and its bytes are
 * written at once. */
static char *
text_alloc(struct arena *a, size_t size)
{
	return alloc_aligned(a, size, TEXT_UNIT);
}

struct str
str_dup(struct arena *a, struct str s)
{
	char *p = text_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return (struct str){p, s.n};
}

struct str
str_vfmt(struct arena *a, const char *fmt, va_list args)
{
	char most[256];
	va_list again;
	int n;
	char *p;

	va_copy(again, args);
	n = vsnprintf(most, sizeof most, fmt, again);
	va_end(again);
	INVARIANT(n >= 0);
	p = text_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof most)
		memcpy(p, most, (size_t)n + 1);
	else
		vsnprintf(p, (size_t)n + 1, fmt, args);
	return (struct str){p, (size_t)n};
}

struct str
str_fmt(struct arena *a, const char *fmt, ...)
{
	va_list args;
	struct str s;

	va_start(args, fmt);
	s = str_vfmt(a, fmt, args);
	va_end(args);
	return s;
}

const char *
str_fmt_z(struct arena *a, const char *fmt, ...)
{
	va_list args;
	struct str s;

	va_start(args, fmt);
	s = str_vfmt(a, fmt, args);
	va_end(args);
	return s.p;
}

const char *
str_z(struct arena *a, struct str s)
{
	return str_dup(a, s).p;
}

/* ---- vector and buf -------------------------------------------------------------- */

/* Under AddressSanitizer: what has moved is not used any more. A caller's first bytes,
 * which are in no arena, stay as they are. */
static void
poison_moved(struct arena *a, void *p, size_t n)
{
	for (struct block *b = CCTR_ASAN && p ? a->newest : NULL; b; b = b->older)
		if ((uintptr_t)p - (uintptr_t)b->bytes < b->cap)
			POISON(p, n);
}

/* The capacity after cap; first: after none. Under AddressSanitizer small ones grow one
 * by one, so that most additions move what is there. */
static size_t
next_cap(size_t cap, size_t first)
{
	if (CCTR_ASAN && cap < 4 * first)
		return cap + 1;
	return cap ? cap * 2 : first;
}

void *
vec_grow(struct arena *a, void *v, size_t size, size_t *cap)
{
	size_t n = next_cap(*cap, 8);
	char *p = arena_alloc_array(a, size, n);

	INVARIANT(size > 0 && *cap <= SIZE_MAX / 2);
	if (v && *cap)
		memcpy(p, v, *cap * size);
	poison_moved(a, v, *cap * size);
	*cap = n;
	return p;
}

struct str_list
str_vec_list(const str_vec *v)
{
	return (struct str_list){v->v, v->n};
}

static void
buf_resize(struct buf *b, size_t cap)
{
	char *p = text_alloc(b->arena, cap);

	if (b->n)
		memcpy(p, b->p, b->n);
	p[b->n] = '\0';
	poison_moved(b->arena, b->p, b->cap);
	b->p = p;
	b->cap = cap;
}

void
buf_room(struct buf *b, size_t n)
{
	size_t need, cap;

	INVARIANT(b->arena);
	if (n > SIZE_MAX / 2 - b->n)
		memory_end();
	need = b->n + n + 1;
	if (need <= b->cap)
		return;
	for (cap = b->cap; cap < need;)
		cap = next_cap(cap, 64);
	buf_resize(b, cap);
}

void
buf_reserve(struct buf *b, size_t n)
{
	if (b->n == 0)
		buf_resize(b, n + 1);
	else
		buf_room(b, n);
}

void
buf_fill(struct buf *b, char c, size_t n)
{
	buf_room(b, n);
	memset(b->p + b->n, c, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void
buf_number(struct buf *b, uint64_t value, size_t width)
{
	char text[24];
	size_t n = 0;

	for (; n == 0 || value > 0; value /= 10)
		text[sizeof text - ++n] = (char)('0' + value % 10);
	if (n < width)
		buf_fill(b, ' ', width - n);
	buf_add(b, text + sizeof text - n, n);
}

void
buf_join(struct buf *b, struct str_list l, struct str separator)
{
	for (size_t i = 0; i < l.n; i++) {
		if (i)
			buf_str(b, separator);
		buf_str(b, l.v[i]);
	}
}

struct str
str_join(struct arena *a, struct str_list l, struct str separator)
{
	struct buf b = {.arena = a};

	buf_join(&b, l, separator);
	return buf_as_str(&b);
}

void
buf_escaped(struct buf *b, struct str s, const char *characters)
{
	struct str special = str_of(characters);

	for (size_t i = 0; i < s.n; i++) {
		if (str_find(special, s.p[i]) < special.n)
			buf_char(b, '\\');
		buf_char(b, s.p[i]);
	}
}

void
buf_fmt(struct buf *b, const char *fmt, ...)
{
	va_list args, again;
	size_t room;
	int n;

	buf_room(b, 1);
	room = b->cap - b->n;
	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(b->p + b->n, room, fmt, again);
	va_end(again);
	INVARIANT(n >= 0);
	if ((size_t)n >= room) {
		buf_room(b, (size_t)n);
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, args);
	}
	va_end(args);
	b->n += (size_t)n;
}

struct str
buf_as_str(const struct buf *b)
{
	return (struct str){b->n ? b->p : "", b->n};
}
