/* Affinity masks. See processors.h. */
#include "runner/process/processors.h"

#include <unistd.h>

#ifdef __linux__

#include <sched.h>
#include <string.h>

enum { WORD_BITS = 8 * sizeof(unsigned long) };

/* Of that process; 0: this one. */
static struct processors
processors_of(struct arena *a, pid_t process)
{
	struct processors_mask mask;
	struct processors p = {NULL, 0};

	memset(&mask, 0, sizeof mask);
	if (sched_getaffinity(process, sizeof mask.bits, (cpu_set_t *)mask.bits) != 0)
		return p;
	p.v = NEW_ARRAY(a, unsigned, PROCESSORS_MOST);
	for (unsigned i = 0; i < PROCESSORS_MOST; i++)
		if (mask.bits[i / WORD_BITS] >> i % WORD_BITS & 1)
			p.v[p.n++] = i;
	return p;
}

struct processors
processors_here(struct arena *a)
{
	return processors_of(a, 0);
}

size_t
processors_confined(void)
{
	struct arena *scratch = arena_open();
	size_t here = processors_here(scratch).n, first = processors_of(scratch, 1).n;

	arena_close(scratch);
	return here < first ? here : 0;
}

void
processors_write(struct processors_mask *mask, struct processors p)
{
	unsigned last = p.n ? p.v[p.n - 1] : 0;

	INVARIANT(last < PROCESSORS_MOST);
	mask->bytes = (last / WORD_BITS + 1) * sizeof *mask->bits;
	memset(mask->bits, 0, mask->bytes);
	for (size_t i = 0; i < p.n; i++)
		mask->bits[p.v[i] / WORD_BITS] |= 1ul << p.v[i] % WORD_BITS;
}

#else

struct processors
processors_here(struct arena *a)
{
	(void)a;
	return (struct processors){NULL, 0};
}

size_t
processors_confined(void)
{
	return 0;
}

void
processors_write(struct processors_mask *mask, struct processors p)
{
	(void)p;
	mask->bytes = 0;
}

#endif

size_t
processors_count(void)
{
	struct arena *scratch = arena_open();
	size_t here = processors_here(scratch).n;
	long n = here ? (long)here : sysconf(_SC_NPROCESSORS_ONLN);

	arena_close(scratch);
	return n > 0 ? (size_t)n : 1;
}
