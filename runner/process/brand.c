/* The mark of a run in a resource limit. See brand.h. */
#include "runner/process/brand.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/entropy.h"

/* Bit 61 is set, bit 60 is clear, then 36 bits for the run and 24 for the number of the
 * start. */
#define BRAND_BIT ((uint64_t)1 << 61)
#define NUMBER_BITS 24
#define NUMBERS ((uint64_t)1 << NUMBER_BITS)
#define RUN_BITS 36

/* One state per process, because resource limits belong to the process. */
static struct {
	uint64_t run, last_number, hard_limit;
} own;

static bool
is_brand(uint64_t value)
{
	return value >> (NUMBER_BITS + RUN_BITS) == BRAND_BIT >> (NUMBER_BITS + RUN_BITS);
}

void
brand_begin(void)
{
	struct rlimit now;
	uint64_t brand = BRAND_BIT | (entropy_number() % ((uint64_t)1 << RUN_BITS))
					     << NUMBER_BITS;

	if (own.run || getrlimit(RLIMIT_RTTIME, &now) != 0)
		return;
	if (now.rlim_cur != RLIM_INFINITY && !is_brand(now.rlim_cur))
		return;
	if (now.rlim_max != RLIM_INFINITY && now.rlim_max < (brand | (NUMBERS - 1)))
		return;
	own.hard_limit = now.rlim_max;
	own.run = brand;
}

struct rlimit
brand_limit(uint64_t brand)
{
	return (struct rlimit){.rlim_cur = brand, .rlim_max = own.hard_limit};
}

void
brand_put(uint64_t brand)
{
	const struct rlimit limit = brand_limit(brand);

	if (brand)
		setrlimit(RLIMIT_RTTIME, &limit);
}

void
brand_remove(void)
{
	const struct rlimit limit = {
		.rlim_cur = own.hard_limit, .rlim_max = own.hard_limit};

	if (own.run)
		setrlimit(RLIMIT_RTTIME, &limit);
}

void
brand_forget(void)
{
	own.run = own.last_number = 0;
}

uint64_t
brand_of_run(void)
{
	return own.run;
}

uint64_t
brand_next(void)
{
	own.last_number = own.last_number % (NUMBERS - 1) + 1;
	return own.run ? own.run | own.last_number : 0;
}

uint64_t
brand_of_process(struct proc_folder *f, int pid)
{
	static const char name[] = "\nMax realtime timeout ";
	char text[4096];
	const char *at;
	uint64_t value;

	if (!proc_folder_read(f, pid, "limits", text, sizeof text))
		return 0;
	at = strstr(text, name);
	value = at ? strtoull(at + sizeof name - 1, NULL, 10) : 0;
	return is_brand(value) ? value : 0;
}

bool
brand_is_same_run(uint64_t a, uint64_t b)
{
	return a && a >> NUMBER_BITS == b >> NUMBER_BITS;
}
