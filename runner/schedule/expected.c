/*
 * A test without a time of its own gets the mean of those of the same executable, else of
 * those that share a label, else the median of all, else EXPECTED_DEFAULT_S. A COST below
 * zero asks for the end of the queue: such a test is taken as one that takes no time.
 */
#include "runner/schedule/expected.h"

#include "runner/base/numbers.h"

#define EXPECTED_DEFAULT_S 1.0
#define EXPECTED_MOST_S 1e9 /* so that sums of times are numbers */

struct mean {
	double sum;
	size_t n;
};
struct means {
	struct arena *a;
	struct map names;
	VEC(struct mean) v;
};

static void
means_add(struct means *m, struct str name, double seconds)
{
	uint32_t at = map_number(&m->names, name);

	if (at == m->v.n)
		VEC_PUSH(m->a, &m->v, (struct mean){0, 0});
	m->v.v[at].sum += seconds;
	m->v.v[at].n++;
}

/* Adds what is known of the name; nothing when it is not. */
static void
means_get(const struct means *m, struct str name, struct mean *into)
{
	uint32_t at = map_get(&m->names, name);

	if (at == MAP_NONE)
		return;
	into->sum += m->v.v[at].sum;
	into->n += m->v.v[at].n;
}

static double
guess_time(const struct test *t, const struct means *executables,
	const struct means *labels, double median)
{
	struct mean m = {0, 0};

	if (t->command.n)
		means_get(executables, t->command.v[0], &m);
	for (size_t i = 0; i < t->properties->labels.n && !m.n; i++)
		means_get(labels, t->properties->labels.v[i], &m);
	return m.n ? m.sum / (double)m.n : median;
}

/* false: neither declared nor recorded. The cost that ctest records is no time: it
 * averages COST as if that were seconds, and a failure or a serial run wipes it. */
static bool
own_time(const struct test *t, const struct recorded *recorded, double *seconds)
{
	double declared = t->properties->cost;

	*seconds = recorded ? recorded->seconds : 0;
	if (declared < 0)
		*seconds = 0;
	else if (*seconds == 0)
		*seconds = t->properties->expected_s > 0 ? t->properties->expected_s
							 : declared;
	if (*seconds > EXPECTED_MOST_S)
		*seconds = EXPECTED_MOST_S;
	return declared < 0 || *seconds > 0;
}

struct expected *
expected_times(
	struct arena *a, const struct selection *s, const struct recorded *recorded)
{
	struct expected *v = NEW_ARRAY(a, struct expected, s->n);
	double *known = NEW_ARRAY(a, double, s->n), median;
	struct means executables = {.a = a, .names = map_in(a)};
	struct means labels = {.a = a, .names = map_in(a)};
	size_t n = 0;

	INVARIANT(s);
	for (size_t i = 0; i < s->n; i++) {
		const struct test *t = selected_test(s, i);

		v[i].is_guess =
			!own_time(t, recorded ? &recorded[i] : NULL, &v[i].seconds);
		if (v[i].is_guess)
			continue;
		known[n++] = v[i].seconds;
		if (t->command.n)
			means_add(&executables, t->command.v[0], v[i].seconds);
		for (size_t l = 0; l < t->properties->labels.n; l++)
			means_add(&labels, t->properties->labels.v[l], v[i].seconds);
	}
	median = n ? numbers_median(known, n) : EXPECTED_DEFAULT_S;
	for (size_t i = 0; i < s->n; i++)
		if (v[i].is_guess)
			v[i].seconds = guess_time(
				selected_test(s, i), &executables, &labels, median);
	return v;
}
