/*
 * Members of a struct as bytes, by one table for writing and for reading. Numbers are
 * big-endian. What is read is foreign: nothing of it is trusted.
 */
#ifndef CCTR_RUNNER_BASE_FIELDS_H
#define CCTR_RUNNER_BASE_FIELDS_H

#include "runner/base/base.h"

enum field_type {
	FIELD_END,
	FIELD_INT, /* int, or an enum: 4 bytes */
	FIELD_NUMBER, /* uint64_t or int64_t, 8 bytes */
	FIELD_BOOL, /* bool, 1 byte */
	FIELD_BYTES, /* struct str: 4 bytes with its length, then its bytes */
	FIELD_TEXT, /* const char *, as FIELD_BYTES, without a NUL */
	FIELD_WORDS, /* NULL-ended: 4 bytes with their number, then each as FIELD_TEXT */
	FIELD_TEXTS, /* struct str_list: as FIELD_WORDS, of FIELD_BYTES */
	FIELD_NUMBERS, /* struct field_numbers: 4 bytes with their number, then 4 each */
	FIELD_SPECIAL /* written as FIELD_INT; its caller reads it */
};
struct field {
	enum field_type type;
	size_t offset; /* of the member */
};
#define FIELD_OF(object, type, member)                                                   \
	{                                                                                \
		FIELD_##type, offsetof(object, member)                                   \
	}

struct field_numbers {
	unsigned *v;
	size_t n;
};

/* The bytes that are not read yet. Texts are in the arena, or in the bytes. */
struct field_reader {
	struct arena *arena;
	struct str rest;
	const char *why; /* NULL: nothing is wrong so far */
};

/* The last bytes of the value; the lowest come last. */
void field_put_number(struct buf *b, uint64_t value, int bytes);
uint64_t field_number_at(const char *p, int bytes);
/* Replaces the bytes at `at` that field_put_number has added there. */
void field_set_number(struct buf *b, size_t at, uint64_t value, int bytes);
/* fields ends with FIELD_END. */
void fields_write(struct buf *b, const struct field *fields, const void *object);
/* false: r->why says what is wrong. */
CCTR_MUST_CHECK bool field_read(struct field_reader *r, enum field_type type, void *p);
/* All fields, none of them FIELD_SPECIAL, and nothing after them. false: r->why. */
CCTR_MUST_CHECK bool fields_read(
	struct field_reader *r, const struct field *fields, void *object);
/* Always false. */
bool field_refuse(struct field_reader *r, const char *why);

#endif
