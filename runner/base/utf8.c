/* UTF-8. See utf8.h. */
#include "runner/base/utf8.h"

size_t
utf8_next(struct str s, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = s.n ? (unsigned char)s.p[0] : 0xff;
	size_t n = first < 0x80   ? 1
		   : first < 0xc2 ? 0
		   : first < 0xe0 ? 2
		   : first < 0xf0 ? 3
		   : first < 0xf5 ? 4
				  : 0;
	uint32_t c = n == 1 ? first : first & (0x7fu >> n);

	if (n == 0 || n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		unsigned char next = (unsigned char)s.p[i];

		if ((next & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (next & 0x3f);
	}
	if (c < smallest[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*code = c;
	return n;
}

size_t
utf8_piece(struct str s, size_t most)
{
	enum { BEHIND = 3 }; /* most bytes of a character after its first */
	size_t n = s.n < most ? s.n : most;

	for (size_t k = 0; n < s.n && k <= BEHIND && k < n; k++)
		if (((unsigned char)s.p[n - k] & 0xc0) != 0x80)
			return n - k;
	return n;
}

void
utf8_put(struct buf *out, uint32_t code)
{
	unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};

	INVARIANT(code <= 0x10FFFF);
	buf_char(out, (char)(lead[more] | code >> 6 * more));
	while (more--)
		buf_char(out, (char)(0x80 | (code >> 6 * more & 0x3f)));
}
