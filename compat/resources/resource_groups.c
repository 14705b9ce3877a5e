/*
 * Parses RESOURCE_GROUPS. See resource_groups.h.
 *
 *   groups = group {";" group}     group = [count] | [count ","] need {"," need}
 *   need = type ":" slots [unit]   type = [a-z_][a-z0-9_]*   unit = "K" | "M" | "G" | "T"
 *
 * with any number of separators in place of one. As in ctest, a ';' directly after a ','
 * does not end its group: the group continues with what follows, and is dropped if
 * nothing follows.
 *
 * The unit is cctr's own: an amount of memory, with a slot for each MiB. ctest breaks or
 * wraps around on large numbers; here they are reported as too large.
 */
#include "compat/resources/resource_groups.h"

#include <limits.h>

#include "runner/resources/pool_sources.h"

/* Limit for all groups: a larger count would only fill the memory. */
enum { COUNT_MOST = 1 << 20 };

typedef VEC(struct resource_group) resource_group_vec;
struct reader {
	struct arena *a;
	struct str in;
	size_t at;
	bool is_too_large; /* some number */
	/* the group being read */
	uint64_t count;
	VEC(struct requirement) needs;
	size_t before; /* groups of earlier texts */
	resource_group_vec groups;
};

static char
peek_char(const struct reader *r)
{
	return r->at < r->in.n ? r->in.p[r->at] : '\0';
}

static bool
is_end(const struct reader *r)
{
	return r->at == r->in.n;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
begins_type(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

static bool
read_number(struct reader *r, uint64_t most, uint64_t *value)
{
	size_t n = 0;

	while (r->at + n < r->in.n && is_digit(r->in.p[r->at + n]))
		n++;
	r->at += n;
	if (!str_unsigned(str_cut(r->in.p + r->at - n, n), most, value)) {
		r->is_too_large = true;
		*value = 0;
	}
	return n > 0;
}

static bool
read_slots(struct reader *r, uint64_t *slots)
{
	size_t from = r->at;
	struct str text;

	if (!read_number(r, UINT64_MAX, slots))
		return false;
	text = str_cut(r->in.p + from, r->at - from + !is_end(r));
	if (pool_is_amount(text))
		r->at++;
	else
		text.n = r->at - from;
	if (!pool_read_slots(text, INT_MAX, slots)) {
		r->is_too_large = true;
		*slots = 0;
	}
	return true;
}

static bool
read_need(struct reader *r)
{
	struct requirement need;
	size_t from = r->at;

	if (!begins_type(peek_char(r)))
		return false;
	while (begins_type(peek_char(r)) || is_digit(peek_char(r)))
		r->at++;
	need.type = str_cut(r->in.p + from, r->at - from);
	if (peek_char(r) != ':')
		return false;
	r->at++;
	if (!read_slots(r, &need.slots))
		return false;
	VEC_PUSH(r->a, &r->needs, need);
	return true;
}

/* Identical groups share their requirements. */
static void
end_group(struct reader *r)
{
	struct resource_group g = {r->needs.v, r->needs.n};

	if (r->count > COUNT_MOST - r->before - r->groups.n) {
		r->is_too_large = true;
		r->count = 0;
	}
	for (uint64_t i = 0; i < r->count; i++)
		VEC_PUSH(r->a, &r->groups, g);
	r->count = 1;
	r->needs.v = NULL;
	r->needs.n = r->needs.cap = 0;
}

/* What comes after a count or a requirement. */
enum next { NEXT_GROUP, NEXT_NEED, NEXT_BAD };

static enum next
read_separator(struct reader *r)
{
	if (is_end(r) || peek_char(r) == ';') {
		end_group(r);
		return NEXT_GROUP;
	}
	if (peek_char(r) != ',')
		return NEXT_BAD;
	while (peek_char(r) == ',')
		r->at++;
	if (is_end(r))
		end_group(r);
	return is_end(r) || peek_char(r) == ';' ? NEXT_GROUP : NEXT_NEED;
}

static bool
read_groups(struct reader *r)
{
	enum next next = NEXT_GROUP;

	for (;;) {
		if (next == NEXT_GROUP) {
			while (peek_char(r) == ';')
				r->at++;
			if (is_end(r))
				return true;
		}
		if (next == NEXT_GROUP && is_digit(peek_char(r))) {
			if (!read_number(r, COUNT_MOST, &r->count))
				return false;
		} else if (!read_need(r)) {
			return false;
		}
		next = read_separator(r);
		if (next == NEXT_BAD)
			return false;
	}
}

/* The room of an array of n groups, a power of two. */
static size_t
room_of(size_t n)
{
	size_t room = 1;

	while (room < n)
		room *= 2;
	return room;
}

static void
append_groups(struct arena *a, struct resource_groups *to, const resource_group_vec *more)
{
	size_t n = to->n + more->n;
	struct resource_group *v = to->v;

	if (!v || room_of(n) > room_of(to->n)) {
		v = arena_alloc_array(a, sizeof *v, room_of(n));
		for (size_t i = 0; i < to->n; i++)
			v[i] = to->v[i];
	}
	for (size_t i = 0; i < more->n; i++)
		v[to->n + i] = more->v[i];
	*to = (struct resource_groups){.v = v, .n = n};
}

enum groups_text
resource_groups_parse(struct arena *a, struct str text, struct resource_groups *groups)
{
	struct reader r = {.a = a, .in = text, .count = 1, .before = groups->n};

	if (!read_groups(&r))
		return GROUPS_MALFORMED;
	if (r.is_too_large)
		return GROUPS_TOO_LARGE;
	append_groups(a, groups, &r.groups);
	return GROUPS_RIGHT;
}
