/*
 * Arena, slices, buffers, name map. See base.h for the contracts.
 *
 * An arena is a list of blocks that double up to 1 MiB; what is larger has a block of its
 * own, whose pages take no memory until they are written. Under AddressSanitizer the free
 * part of a block is poisoned, so that a slice that outlives a rewind is found.
 */
#include "runner/base.h"

#include <ctype.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#if defined(__SANITIZE_ADDRESS__)
#define CCTR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CCTR_ASAN 1
#endif
#endif
#ifdef CCTR_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, EXIT_NO_MEMORY = 70 };

struct block {
	struct block *older;
	size_t used, cap;
	alignas(max_align_t) char bytes[];
};
struct arena {
	struct block *newest;
	size_t total, next_size;
};

void
invariant_failed(const char *file, int line, const char *text)
{
	fprintf(stderr, "cctr: internal error at %s:%d: %s\n", file, line, text);
	abort();
}

/* ---- arena ----------------------------------------------------------------------- */

CCTR_NORETURN static void
no_memory(void)
{
	fputs("cctr: out of memory\n", stderr);
	exit(EXIT_NO_MEMORY);
}

/* true: the block is zero. */
static bool
block_add(struct arena *a, size_t at_least)
{
	bool is_large = at_least > a->next_size;
	size_t cap = is_large ? at_least : a->next_size;
	struct block *b;

	if (cap > SIZE_MAX - sizeof *b)
		no_memory();
	b = is_large ? calloc(1, sizeof *b + cap) : malloc(sizeof *b + cap);
	if (!b)
		no_memory();
	b->older = a->newest;
	b->used = 0;
	b->cap = cap;
	POISON(b->bytes, cap);
	a->newest = b;
	a->total += cap;
	if (a->next_size < LARGEST_BLOCK)
		a->next_size *= 2;
	return is_large;
}

struct arena *
arena_open(void)
{
	struct arena *a = malloc(sizeof *a);

	if (!a)
		no_memory();
	*a = (struct arena){.next_size = FIRST_BLOCK};
	return a;
}

static void
block_drop(struct arena *a)
{
	struct block *b = a->newest;

	a->newest = b->older;
	a->total -= b->cap;
	UNPOISON(b->bytes, b->cap);
	free(b);
}

void
arena_close(struct arena *a)
{
	if (!a)
		return;
	while (a->newest)
		block_drop(a);
	free(a);
}

static void *
alloc_aligned(struct arena *a, size_t size, size_t unit)
{
	struct block *b = a->newest;
	size_t at = b ? (b->used + unit - 1) / unit * unit : 0;
	bool is_zero = false;
	char *p;

	if (size == 0)
		size = 1;
	if (!b || at > b->cap || b->cap - at < size) {
		is_zero = block_add(a, size);
		b = a->newest;
		at = 0;
	}
	p = b->bytes + at;
	b->used = at + size;
	UNPOISON(p, size);
	return is_zero ? p : memset(p, 0, size);
}

void *
arena_alloc(struct arena *a, size_t size)
{
	return alloc_aligned(a, size, alignof(max_align_t));
}

void *
arena_alloc_array(struct arena *a, size_t size, size_t n)
{
	if (size && n > SIZE_MAX / size)
		no_memory();
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
		POISON(a->newest->bytes + m.used, a->newest->used - m.used);
		a->newest->used = m.used;
	}
}

size_t
arena_bytes(const struct arena *a)
{
	return a->total;
}

/* Text needs no alignment, and there is much of it. */
static char *
text_alloc(struct arena *a, size_t size)
{
	return alloc_aligned(a, size, 1);
}

/* ---- str ------------------------------------------------------------------------- */

struct str
str_of(const char *z)
{
	return z ? (struct str){z, strlen(z)} : STR_NONE;
}

struct str
str_cut(const char *p, size_t n)
{
	return (struct str){p, n};
}

bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
str_is(struct str a, const char *z)
{
	return str_eq(a, str_of(z));
}

bool
str_eq_nocase(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || strncasecmp(a.p, b.p, a.n) == 0);
}

int
str_order(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool
str_begins(struct str s, struct str head)
{
	return s.n >= head.n && (head.n == 0 || memcmp(s.p, head.p, head.n) == 0);
}

bool
str_ends(struct str s, struct str tail)
{
	return s.n >= tail.n &&
	       (tail.n == 0 || memcmp(s.p + s.n - tail.n, tail.p, tail.n) == 0);
}

static bool
blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str
str_trim(struct str s)
{
	while (s.n && blank(*s.p))
		s = str_from(s, 1);
	while (s.n && blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str
str_from(struct str s, size_t at)
{
	INVARIANT(at <= s.n);
	return at ? (struct str){s.p + at, s.n - at} : s;
}

size_t
str_find(struct str s, char c)
{
	const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;

	return hit ? (size_t)(hit - s.p) : s.n;
}

size_t
str_rfind(struct str s, char c)
{
	for (size_t i = s.n; i > 0; i--)
		if (s.p[i - 1] == c)
			return i - 1;
	return s.n;
}

size_t
str_search(struct str s, struct str part)
{
	const char *hit;

	if (part.n == 0)
		return 0;
	hit = s.n ? memmem(s.p, s.n, part.p, part.n) : NULL;
	return hit ? (size_t)(hit - s.p) : s.n;
}

bool
str_has(struct str s, struct str part)
{
	return part.n == 0 || str_search(s, part) < s.n;
}

struct str
str_dup(struct arena *a, struct str s)
{
	char *p = text_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
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
str_z(struct arena *a, struct str s)
{
	return str_dup(a, s).p;
}

bool
str_unsigned(struct str s, uint64_t limit, uint64_t *value)
{
	uint64_t v = 0;

	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned digit = (unsigned char)s.p[i] - '0';

		if (digit > 9 || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (v > limit)
		return false;
	*value = v;
	return true;
}

double
str_double(struct str s)
{
	char text[400];
	size_t n = s.n < sizeof text - 1 ? s.n : sizeof text - 1;

	if (n)
		memcpy(text, s.p, n);
	text[n] = '\0';
	return strtod(text, NULL);
}

int
str_int(struct str s)
{
	char text[64];
	size_t n;
	long v;

	while (s.n && isspace((unsigned char)*s.p))
		s = str_from(s, 1);
	n = s.n < sizeof text - 1 ? s.n : sizeof text - 1;
	if (n)
		memcpy(text, s.p, n);
	text[n] = '\0';
	v = strtol(text, NULL, 10);
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int)v;
}

bool
str_list_has(struct str_list l, struct str s)
{
	for (size_t i = 0; i < l.n; i++)
		if (str_eq(l.v[i], s))
			return true;
	return false;
}

/* ---- vector and buf -------------------------------------------------------------- */

void *
vec_grow(struct arena *a, void *v, size_t size, size_t *cap)
{
	size_t n = *cap ? *cap * 2 : 8;
	char *p = arena_alloc_array(a, size, n);

	if (v && *cap)
		memcpy(p, v, *cap * size);
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
	b->p = p;
	b->cap = cap;
}

static void
buf_room(struct buf *b, size_t n)
{
	size_t need, cap;

	if (n > SIZE_MAX / 2 - b->n)
		no_memory();
	need = b->n + n + 1;
	if (need <= b->cap)
		return;
	cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap *= 2;
	buf_resize(b, cap);
}

void
buf_add(struct buf *b, const void *p, size_t n)
{
	buf_room(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void
buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void
buf_z(struct buf *b, const char *z)
{
	buf_add(b, z, strlen(z));
}

void
buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
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

/* ---- map ------------------------------------------------------------------------- */

static uint32_t
hash_of(struct str s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (uint32_t)(h ^ h >> 32);
}

struct map
map_in(struct arena *a)
{
	return (struct map){.arena = a};
}

/* The slot that holds the key, or the free one where it belongs. */
static struct map_slot *
slot_of(const struct map *m, struct str key, uint32_t hash)
{
	size_t i = hash & (m->cap - 1);

	while (m->slots[i].key.p &&
		!(m->slots[i].hash == hash && str_eq(m->slots[i].key, key)))
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static void
map_resize(struct map *m, size_t cap)
{
	struct map old = *m;

	m->cap = cap;
	m->slots = NEW_ARRAY(m->arena, struct map_slot, m->cap);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].key.p)
			*slot_of(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
}

/* At three quarters it is full. */
static bool
map_has_room(const struct map *m, size_t n)
{
	return n * 4 <= m->cap * 3;
}

void
map_reserve(struct map *m, size_t n)
{
	size_t cap = m->cap ? m->cap : 16;

	while (n * 4 > cap * 3)
		cap *= 2;
	if (cap > m->cap)
		map_resize(m, cap);
}

uint32_t
map_get(const struct map *m, struct str key)
{
	struct map_slot *s;

	if (m->n == 0)
		return MAP_NONE;
	s = slot_of(m, key, hash_of(key));
	return s->key.p ? s->value : MAP_NONE;
}

uint32_t *
map_at(struct map *m, struct str key)
{
	uint32_t hash = hash_of(key);
	struct map_slot *s;

	if (!map_has_room(m, m->n + 1))
		map_resize(m, m->cap ? m->cap * 2 : 16);
	s = slot_of(m, key, hash);
	if (!s->key.p) {
		s->key = key.p ? key : STR("");
		s->hash = hash;
		s->value = MAP_NONE;
		m->n++;
	}
	return &s->value;
}

void
map_set(struct map *m, struct str key, uint32_t value)
{
	*map_at(m, key) = value;
}
