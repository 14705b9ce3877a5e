/* The text of runner/host/host_book.h with these lines, with a sum of the test's own. */
#ifndef CCTR_TESTS_UNIT_HOST_TEXT_H
#define CCTR_TESTS_UNIT_HOST_TEXT_H

#include "runner/base/base.h"

static inline struct buf
host_text(struct arena *a, struct str lines)
{
	struct buf text = {.arena = a};
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < lines.n; i++)
		sum = (sum ^ (unsigned char)lines.p[i]) * 0x100000001b3u;
	buf_fmt(&text, "cctr-host 1 %016llx %08zu\n", (unsigned long long)sum, lines.n);
	buf_str(&text, lines);
	return text;
}

#endif
