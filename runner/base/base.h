/*
 * What every file uses: arena, vector and text buffer (base.c), slice (str.c), name map
 * (map.c).
 *
 * Memory: three lifetimes, three arenas (run, attempt, scratch). The caller that passes
 * the arena owns the result. malloc is called in base.c and nowhere else; when memory is
 * exhausted the program ends with exit code 70, so callers never test for it.
 */
#ifndef CCTR_RUNNER_BASE_BASE_H
#define CCTR_RUNNER_BASE_BASE_H

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define CCTR_MUST_CHECK __attribute__((warn_unused_result))
#define CCTR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define CCTR_NORETURN __attribute__((noreturn))
#else
#define CCTR_MUST_CHECK
#define CCTR_PRINTF(fmt, args)
#define CCTR_NORETURN
#endif

/* cctr itself is wrong: say where and abort, in every build type. */
CCTR_NORETURN void invariant_failed(const char *file, int line, const char *text);
#define INVARIANT(cond) ((cond) ? (void)0 : invariant_failed(__FILE__, __LINE__, #cond))
#define BUG(text) invariant_failed(__FILE__, __LINE__, text)

/* result = call, which returns -1 and an errno: again while a signal interrupts it. */
#define RETRY_EINTR(result, call)                                                        \
	do                                                                               \
		(result) = (call);                                                       \
	while ((result) < 0 && errno == EINTR)

/* Ends the program at once with the line and exit code 70: it lacks what it cannot go on
 * without. */
CCTR_NORETURN void program_end(const char *line);

/* ---- arena: one lifetime, freed together ----------------------------------------- */

struct arena;
struct arena_mark {
	void *block;
	size_t used;
};

struct arena *arena_open(void);
/* For a library that allocates memory by itself: when memory is exhausted the program
 * ends with a message and exit code 70. The library frees the memory with free(). */
void *memory_or_end(size_t n);
void *memory_resized_or_end(void *p, size_t n);
/* For what a library has allocated, and leaves to its caller. */
void memory_free(void *p);
/* Ends the program in the same way, for a library that reports that there is no
 * memory. */
CCTR_NORETURN void memory_end(void);
void arena_close(struct arena *a);
/* Zeroed, aligned for any object. */
void *arena_alloc(struct arena *a, size_t size);
/* Frees everything that was allocated after the mark. */
struct arena_mark arena_mark(struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark m);
size_t arena_bytes(const struct arena *a);

#define NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define NEW_ARRAY(a, type, n) ((type *)arena_alloc_array((a), sizeof(type), (n)))
void *arena_alloc_array(struct arena *a, size_t size, size_t n);

/* ---- str: a borrowed slice ------------------------------------------------------- */

struct str {
	const char *p;
	size_t n;
};
struct str_list {
	struct str *v;
	size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_NONE ((struct str){NULL, 0})
#define STR_ARG(s) str_precision((s).n), (s).p /* for "%.*s" */

/* Text longer than INT_MAX is cut there: a negative precision would mean "no
 * precision". */
static inline int
str_precision(size_t n)
{
	return n < INT_MAX ? (int)n : INT_MAX;
}

/* NULL gives STR_NONE. */
static inline struct str
str_of(const char *z)
{
	return z ? (struct str){z, strlen(z)} : STR_NONE;
}

static inline struct str
str_cut(const char *p, size_t n)
{
	return (struct str){p, n};
}

/* For functions of libraries whose parameter lacks the const that it keeps. */
static inline void *
drop_const(const void *p)
{
	return (void *)(uintptr_t)p;
}

/* The bytes of a slice, for the owner, who may change them. */
static inline char *
str_own(struct str s)
{
	return drop_const(s.p);
}

static inline bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
str_is(struct str a, const char *z)
{
	return str_eq(a, str_of(z));
}

static inline bool
str_begins(struct str s, struct str head)
{
	return s.n >= head.n && (head.n == 0 || memcmp(s.p, head.p, head.n) == 0);
}

static inline struct str
str_from(struct str s, size_t at)
{
	INVARIANT(at <= s.n);
	return at ? (struct str){s.p + at, s.n - at} : s;
}

bool str_eq_nocase(struct str a, struct str b); /* ASCII */
int str_order(struct str a, struct str b); /* bytewise, for sorting */
bool str_ends(struct str s, struct str tail);
/* s itself where nothing changes; ASCII. */
struct str str_lower(struct arena *a, struct str s);
struct str str_upper(struct arena *a, struct str s);
struct str str_trim(struct str s); /* blanks, tabs, CR, LF at both ends */
/* Index of the first / last c, or s.n when there is none. */
size_t str_find(struct str s, char c);
size_t str_rfind(struct str s, char c);
/* Index of the first occurrence of part, or s.n. */
size_t str_search(struct str s, struct str part);
bool str_has(struct str s, struct str part);
/* text with `by` in place of each part; an empty part is in no text. */
struct str str_replace(struct arena *a, struct str text, struct str part, struct str by);
/* ASCII letters and digits. */
#define STR_ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
bool str_is_of(struct str s, const char *bytes); /* has no byte but these */
/* Takes the text up to the first separator, which is dropped, or all of it. */
struct str str_take(struct str *text, char separator);
/* Takes the first line, without its newline, from the text. The last one may lack its
 * newline. false: the text is empty. */
bool str_take_line(struct str *text, struct str *line);
/* As str_take_line, but false where the newline is not there yet. */
bool str_take_whole_line(struct str *text, struct str *line);
/* As str_take_line; a CR before the newline is dropped, too. */
bool str_take_crlf_line(struct str *text, struct str *line);
/* Only these two promise a NUL after the last byte. */
struct str str_dup(struct arena *a, struct str s);
struct str str_fmt(struct arena *a, const char *fmt, ...) CCTR_PRINTF(2, 3);
/* As str_fmt, but without the length. */
const char *str_fmt_z(struct arena *a, const char *fmt, ...) CCTR_PRINTF(2, 3);
struct str str_vfmt(struct arena *a, const char *fmt, va_list args);
/* A NUL-ended copy for a system call. */
const char *str_z(struct arena *a, struct str s);
/* Decimal digits only, no sign, no blanks; false when malformed or over the limit. */
bool str_unsigned(struct str s, uint64_t limit, uint64_t *value);
/* As strtod and atof read it: the leading number, 0 when there is none. */
double str_double(struct str s);
/* "+60s", "-1.5m", "2h", "90". The text ends with NUL. false: it is no such time. */
bool str_seconds(struct str s, double *seconds);
/* As glibc's atoi reads it: of a larger number the low bits. */
int str_int(struct str s);

/* Texts may give times of any size. UINT64_MAX: more than fits. 0: negative, zero or not
 * a number. */
uint64_t seconds_to_ns(double seconds);
/* Without the fraction, limited in both directions so that it can be added to a date. 0:
 * not a number. */
int64_t whole_seconds(double seconds);

/* FNV-1a: the sum of `sum` and the bytes of s. The first sum is STR_SUM_EMPTY. */
#define STR_SUM_EMPTY UINT64_C(14695981039346656037)
uint64_t str_sum(uint64_t sum, struct str s);

/* Sets *why. Always false. */
static inline bool
fail_why(const char **why, const char *text)
{
	*why = text;
	return false;
}

bool str_list_has(struct str_list l, struct str s);
void str_list_sort(struct str_list l); /* by str_order */
/* Sorts the list and removes duplicates. */
void str_list_make_set(struct str_list *l);
/* Copies the list and its texts. */
struct str_list str_list_dup(struct arena *a, struct str_list l);
/* Each text as str_z, and NULL: words for exec. */
const char **str_list_words(struct arena *a, struct str_list l);
/* All of the list as one text. */
struct str str_join(struct arena *a, struct str_list l, struct str separator);

/* ---- vector: VEC(type) name; zero-initialised is empty; grows in an arena -------- */

#define VEC(type)                                                                        \
	struct {                                                                         \
		type *v;                                                                 \
		size_t n, cap;                                                           \
	}
#define VEC_PUSH(a, vec, ...)                                                            \
	((vec)->n == (vec)->cap ? ((vec)->v = vec_grow((a), (vec)->v, sizeof *(vec)->v,  \
					   &(vec)->cap),                                 \
					  (void)0)                                       \
				: (void)0,                                               \
		(void)((vec)->v[(vec)->n++] = (__VA_ARGS__)))
void *vec_grow(struct arena *a, void *v, size_t size, size_t *cap);
/* Pushes all elements of a list, which is another vector or a struct str_list. The list
 * is evaluated several times. */
#define VEC_PUSH_ALL(a, vec, list)                                                       \
	do                                                                               \
		for (size_t i_ = 0; i_ < (list).n; i_++)                                 \
			VEC_PUSH((a), (vec), (list).v[i_]);                              \
	while (0)

/* Binary search: i becomes the first number below n for which the expression in i holds,
 * n where it holds for none. It holds for every number after one for which it holds. */
#define BISECT(i, n, holds)                                                              \
	do {                                                                             \
		size_t low_ = 0, high_ = (n);                                            \
                                                                                         \
		while (low_ < high_) {                                                   \
			(i) = low_ + (high_ - low_) / 2;                                 \
			if (holds)                                                       \
				high_ = (i);                                             \
			else                                                             \
				low_ = (i) + 1;                                          \
		}                                                                        \
		(i) = low_;                                                              \
	} while (0)

typedef VEC(struct str) str_vec;
struct str_list str_vec_list(const str_vec *v); /* borrows */

/* ---- buf: bytes that grow -------------------------------------------------------- */

/* Lives in its arena; a NUL always follows the bytes. */
struct buf {
	struct arena *arena;
	char *p;
	size_t n, cap;
};

/* Makes room for at least n more bytes and the NUL. */
void buf_room(struct buf *b, size_t n);

static inline void
buf_add(struct buf *b, const void *p, size_t n)
{
	if (b->cap - b->n <= n)
		buf_room(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

static inline void
buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

static inline void
buf_z(struct buf *b, const char *z)
{
	buf_add(b, z, strlen(z));
}

static inline void
buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

/* Makes room for n more bytes, exactly n where the buffer is empty. */
void buf_reserve(struct buf *b, size_t n);
void buf_fill(struct buf *b, char c, size_t n);
/* As "%*llu", but faster. */
void buf_number(struct buf *b, uint64_t value, size_t width);
void buf_join(struct buf *b, struct str_list l, struct str separator);
/* Appends s with a backslash before each of the characters. */
void buf_escaped(struct buf *b, struct str s, const char *characters);
void buf_fmt(struct buf *b, const char *fmt, ...) CCTR_PRINTF(2, 3);
struct str buf_as_str(const struct buf *b); /* borrows, valid until the next add */

/* ---- map: str -> uint32_t, insertion only ---------------------------------------- */

#define MAP_NONE UINT32_MAX
struct map_entry {
	struct str key;
	uint32_t hash, value;
};
/* The entries are in the order of insertion: the index of an entry is the number of its
 * key. */
struct map {
	struct arena *arena;
	struct map_entry *entries;
	uint32_t *slots;
	size_t n, cap;
};

struct map map_in(struct arena *a);
void map_reserve(struct map *m, size_t n); /* room for n keys at once */
uint32_t map_get(const struct map *m, struct str key); /* MAP_NONE when absent */
/* Where the value of the key is, inserted as MAP_NONE when absent. The key is borrowed,
 * not copied. Valid until the next insertion. */
uint32_t *map_at(struct map *m, struct str key);
void map_set(struct map *m, struct str key, uint32_t value);
/* The value of the key in a map that only this function and map_add fill: its number, in
 * order of insertion from 0. The number of a new key is m->n before the call. */
uint32_t map_number(struct map *m, struct str key);
/* Adds the key to a set. false: the set has it already. */
bool map_add(struct map *m, struct str key);
bool map_has(const struct map *m, struct str key);
/* A set of these keys. */
struct map map_of(struct arena *a, struct str_list keys);

#endif
