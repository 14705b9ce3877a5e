/* See variables.h. */
#include "runner/remote/variables.h"

#include "runner/base/environment.h"

/* An item that begins with it is "first-last", places in the base; after a second one, a
 * variable that begins with it. */
#define MARK '\1'

static bool
is_same(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

/* Whether both have the same name: the variable has another value here. */
static bool
is_same_name(const char *a, const char *b)
{
	size_t n = a ? strcspn(a, "=") : 0;

	return a && strncmp(a, b, n + 1) == 0;
}

/* The place of the variable in the base, from `from` on; SIZE_MAX: it has none there. */
static size_t
place_of(const char *const *base, size_t from, const char *variable)
{
	for (; base[from]; from++)
		if (is_same(base[from], variable))
			return from;
	return SIZE_MAX;
}

/* How many variables from here on are those of the base from there on. */
static size_t
run_length(const char *const *base, const char *const *environment)
{
	size_t n = 0;

	while (environment[n] && is_same(base[n], environment[n]))
		n++;
	return n;
}

const char *const *
variables_shorten(
	struct arena *a, const char *const *base, const char *const *environment)
{
	const char **items =
		NEW_ARRAY(a, const char *, environment_count(environment) + 1);
	size_t n = 0, at = 0;

	while (*environment) {
		size_t place = place_of(base, at, *environment);

		if (place != SIZE_MAX) {
			size_t run = run_length(base + place, environment);

			items[n++] =
				str_fmt(a, "%c%zu-%zu", MARK, place, place + run - 1).p;
			at = place + run;
			environment += run;
			continue;
		}
		at += is_same_name(base[at], *environment);
		items[n++] = **environment == MARK
				     ? str_fmt(a, "%c%s", MARK, *environment).p
				     : *environment;
		environment++;
	}
	return items;
}

/* false: the text is no run of places in a base of that length. */
static bool
read_run(struct str text, size_t length, uint64_t *first, uint64_t *last)
{
	struct str rest = text;

	return str_unsigned(str_take(&rest, '-'), length, first) &&
	       str_unsigned(rest, length, last) && *first <= *last && *last < length;
}

const char *const *
variables_restore(struct arena *a, const char *const *base, const char *const *items)
{
	size_t length = environment_count(base);
	VEC(const char *) v = {0};

	for (; *items; items++) {
		uint64_t first, last;

		if (**items != MARK || (*items)[1] == MARK) {
			VEC_PUSH(a, &v, *items + (**items == MARK));
			continue;
		}
		if (!read_run(str_of(*items + 1), length, &first, &last) ||
			v.n > 2 * length + environment_count(items))
			return NULL;
		for (; first <= last; first++)
			VEC_PUSH(a, &v, base[first]);
	}
	VEC_PUSH(a, &v, NULL);
	return v.v;
}
