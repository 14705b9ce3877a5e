/* MD5 as its definition says: blocks of 64 bytes, four rounds of sixteen steps. See
 * md5.h. */
#include "compat/format/md5.h"

#include <stdio.h>

#include "runner/base/files.h"

enum { BLOCK = 64, LENGTH_AT = 56, STEPS = 64 };

/* The integer part of 2^32 * |sin(i + 1)|. */
static const uint32_t sines[STEPS] = {0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee,
	0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af,
	0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453,
	0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681,
	0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5,
	0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039,
	0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0,
	0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
static const unsigned char turns[4][4] = {
	{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/* The function of round i / 16 on the other three words; *word: the input word that step
 * i uses. */
static uint32_t
mix_words(unsigned i, const uint32_t s[4], unsigned *word)
{
	uint32_t b = s[1], c = s[2], d = s[3];

	switch (i / 16) {
	case 0:
		*word = i;
		return (b & c) | (~b & d);
	case 1:
		*word = (5 * i + 1) % 16;
		return (d & b) | (~d & c);
	case 2:
		*word = (3 * i + 5) % 16;
		return b ^ c ^ d;
	default:
		*word = 7 * i % 16;
		return c ^ (b | ~d);
	}
}

static void
add_block(uint32_t state[4], const unsigned char *p)
{
	uint32_t words[16], s[4] = {state[0], state[1], state[2], state[3]};

	for (unsigned i = 0; i < 16; i++, p += 4)
		words[i] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			   (uint32_t)p[3] << 24;
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned turn = turns[i / 16][i % 4], word;
		uint32_t f = mix_words(i, s, &word) + s[0] + sines[i] + words[word];

		s[0] = s[3];
		s[3] = s[2];
		s[2] = s[1];
		s[1] += f << turn | f >> (32 - turn);
	}
	for (unsigned i = 0; i < 4; i++)
		state[i] += s[i];
}

static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

/* rest: the bytes after the last whole block. size: of the whole input. */
static void
finish_digest(char text[MD5_TEXT], uint32_t state[4], const char *rest, uint64_t size)
{
	unsigned char last[2 * BLOCK] = {0};
	size_t n = (size_t)(size % BLOCK), end = n < LENGTH_AT ? BLOCK : 2 * BLOCK;

	if (n)
		memcpy(last, rest, n);
	last[n] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[end - 8 + i] = (unsigned char)(size * 8 >> 8 * i);
	for (size_t at = 0; at < end; at += BLOCK)
		add_block(state, last + at);
	for (unsigned i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", state[i / 4] >> 8 * (i % 4) & 0xff);
}

void
md5_text(char text[MD5_TEXT], struct str bytes)
{
	uint32_t state[4];
	size_t whole = bytes.n / BLOCK * BLOCK;

	memcpy(state, start, sizeof state);
	for (size_t at = 0; at < whole; at += BLOCK)
		add_block(state, (const unsigned char *)bytes.p + at);
	finish_digest(text, state, whole < bytes.n ? bytes.p + whole : NULL, bytes.n);
}

bool
md5_descriptor(char text[MD5_TEXT], int fd, uint64_t *size)
{
	char bytes[256 * BLOCK];
	size_t have = 0;
	uint32_t state[4];
	ssize_t got;

	memcpy(state, start, sizeof state);
	*size = 0;
	while ((got = file_get(fd, bytes + have, sizeof bytes - have)) > 0) {
		size_t whole;

		*size += (uint64_t)got;
		have += (size_t)got;
		whole = have / BLOCK * BLOCK;
		for (size_t at = 0; at < whole; at += BLOCK)
			add_block(state, (const unsigned char *)bytes + at);
		have -= whole;
		if (whole)
			memmove(bytes, bytes + whole, have);
	}
	finish_digest(text, state, bytes, *size);
	return got == 0;
}
