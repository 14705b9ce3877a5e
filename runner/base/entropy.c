/* See entropy.h. */
#include "runner/base/entropy.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static bool
read_entropy(void *bytes, size_t n)
{
	return getrandom(bytes, n, GRND_NONBLOCK) == (ssize_t)n;
}

uint64_t
entropy_number(void)
{
	uint64_t n = 0;
	struct timespec t;

	if (read_entropy(&n, sizeof n))
		return n;
	clock_gettime(CLOCK_REALTIME, &t);
	return n ^ (uint64_t)t.tv_nsec ^ ((uint64_t)t.tv_sec << 30) ^
	       ((uint64_t)getpid() << 14);
}

bool
entropy_text(char text[ENTROPY_TEXT_SIZE])
{
	unsigned char bytes[ENTROPY_BYTES];

	if (!read_entropy(bytes, sizeof bytes))
		return false;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return true;
}
