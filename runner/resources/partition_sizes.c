/* See partition_sizes.h. */
#include "runner/resources/partition_sizes.h"

#include "runner/resources/pool_sources.h"

#define NODES "nodes"

static bool
read_size(struct str text, struct partition_size *s, const char **why)
{
	*s = (struct partition_size){.kind = PARTITION_COUNT};
	if (str_is(text, "all"))
		s->kind = PARTITION_ALL;
	else if (str_is(text, "fill"))
		s->kind = PARTITION_FILL;
	else if (str_ends(text, STR("%")))
		s->kind = PARTITION_PERCENT;
	else
		return pool_read_slots(text, POOL_SLOTS_MOST, &s->n) ||
		       fail_why(why, "a size is a number, such as 4, 50%, all or fill");
	return s->kind != PARTITION_PERCENT ||
	       str_unsigned(str_cut(text.p, text.n - 1), 100, &s->n) ||
	       fail_why(why, "a part of the pool is 0% to 100%");
}

static bool
has_type(const struct partition_sizes *s, struct str type)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].type, type))
			return true;
	return false;
}

/* TYPE=SIZE */
static bool
read_term(struct str text, size_t equals, struct partition_sizes *s, const char **why)
{
	struct partition_term t = {.type = str_cut(text.p, equals)};

	if (!pool_is_type_name(t.type))
		return fail_why(why, "a size is <type>=<size>, such as gpus=4");
	if (has_type(s, t.type) || (s->has_nodes && str_is(t.type, NODES)))
		return fail_why(why, "a type has one size");
	if (!read_size(str_from(text, equals + 1), &t.size, why))
		return false;
	if (str_is(t.type, NODES)) {
		s->has_nodes = true;
		s->nodes = t.size;
	} else {
		s->v[s->n++] = t;
	}
	return true;
}

static bool
read_rest(struct str text, struct partition_sizes *s, const char **why)
{
	if (s->has_rest)
		return fail_why(why, "there is one size for all types");
	s->has_rest = true;
	return read_size(text, &s->rest, why) &&
	       (s->rest.kind != PARTITION_COUNT ||
		       fail_why(why, "a number is of a type, such as gpus=4"));
}

bool
partition_sizes_read(
	struct arena *a, struct str text, struct partition_sizes *s, const char **why)
{
	size_t most = 1;

	INVARIANT(s && why);
	for (size_t i = 0; i < text.n; i++)
		most += text.p[i] == ',';
	*s = (struct partition_sizes){.v = NEW_ARRAY(a, struct partition_term, most)};
	while (text.n) {
		struct str term = str_take(&text, ',');
		size_t equals = str_find(term, '=');

		if (!(equals < term.n ? read_term(term, equals, s, why)
				      : read_rest(term, s, why)))
			return false;
	}
	return true;
}
