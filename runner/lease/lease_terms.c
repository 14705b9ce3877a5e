/* See lease_terms.h. */
#include "runner/lease/lease_terms.h"

#include "runner/resources/pool_sources.h"

static bool
read_term(struct str text, struct requirement *q, const char **why)
{
	size_t colon = str_find(text, ':');
	bool has_slots = colon < text.n;
	struct str name = str_cut(text.p, colon);
	size_t at = str_find(name, '@');

	*q = (struct requirement){
		.type = str_cut(text.p, at), .slots = 1, .instance = STR_NONE};
	if (at < name.n)
		q->instance = str_from(name, at + 1);
	*why = "a resource is <type>:<slots>, such as gpus:1";
	if (!pool_is_type_name(q->type) || (at < name.n && !q->instance.n))
		return false;
	if (has_slots &&
		!pool_read_slots(str_from(text, colon + 1), POOL_SLOTS_MOST, &q->slots))
		return false;
	*why = "a resource has at least one slot";
	return q->slots > 0;
}

bool
lease_terms_read(
	struct arena *a, struct str text, struct resource_groups *g, const char **why)
{
	VEC(struct requirement) v = {0};
	struct resource_group *group = NEW(a, struct resource_group);

	while (text.n) {
		struct requirement q;

		if (!read_term(str_take(&text, ','), &q, why))
			return false;
		if (v.n == LEASE_TERMS_MOST)
			return fail_why(why, "there are more than 1024 resources");
		q.type = str_dup(a, q.type);
		if (q.instance.p)
			q.instance = str_dup(a, q.instance);
		VEC_PUSH(a, &v, q);
	}
	*group = (struct resource_group){v.v, v.n};
	*g = (struct resource_groups){.v = group, .n = v.n ? 1 : 0};
	return true;
}
