/* Setters of the options of the resource pool. See resource_options.h. */
#include "compat/options/option_parse.h"
#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"

#define SLOTS_PER "slots_per_"

static bool
refuse_value(struct option_parse *p, const struct option_use *use)
{
	return option_error(p, "'%.*s' given invalid value '%.*s'", STR_ARG(use->spelled),
		STR_ARG(use->value));
}

/* Reads TYPE=VALUE or TYPE:VALUE. */
static bool
read_type(struct str text, struct str *type, struct str *value)
{
	size_t equals = str_find(text, '='), colon = str_find(text, ':');
	size_t end = equals < colon ? equals : colon;

	if (end == text.n)
		return false;
	*type = str_cut(text.p, end);
	*value = str_from(text, end + 1);
	return pool_is_type_name(*type);
}

/* FIRST-LAST: instances with these numbers. */
static bool
read_range(struct str value, size_t dash, struct resource_number *r)
{
	uint64_t last;

	r->is_listed = true;
	if (!str_unsigned(str_cut(value.p, dash), UINT32_MAX, &r->first) ||
		!str_unsigned(str_from(value, dash + 1), UINT32_MAX, &last) ||
		last < r->first || last - r->first >= POOL_INSTANCES_MOST)
		return false;
	r->n = last - r->first + 1;
	return true;
}

/* N, N:SLOTS, FIRST-LAST, an amount of memory, or "physical". */
static bool
read_instances(struct str value, struct resource_number *r)
{
	size_t colon = str_find(value, ':'), dash = str_find(value, '-');
	bool has_slots = colon < value.n;

	r->is_listed = false;
	r->n = r->slots = 1;
	r->is_physical = str_is(r->type, POOL_PROCESSORS) && str_is(value, "physical");
	if (r->is_physical)
		return true;
	if (dash < value.n)
		return read_range(value, dash, r);
	if (pool_is_amount(value))
		return pool_read_slots(value, POOL_SLOTS_MOST, &r->slots);
	return str_unsigned(str_cut(value.p, colon), POOL_INSTANCES_MOST, &r->n) &&
	       (!has_slots || str_unsigned(str_from(value, colon + 1), POOL_SLOTS_MOST,
				      &r->slots));
}

static bool
add_factor(struct option_parse *p, const struct option_use *use, struct str type,
	struct str value)
{
	struct resource_number factor = {.type = type, .slots = 1};

	if (!str_unsigned(value, POOL_SLOTS_MOST, &factor.n) || factor.n == 0)
		return refuse_value(p, use);
	VEC_PUSH(p->a, &p->o->resources.factors, factor);
	return true;
}

bool
option_set_resource(struct option_parse *p, const struct option_use *use)
{
	static const struct str factor = {SLOTS_PER, sizeof SLOTS_PER - 1};
	struct resource_number number;
	struct str value;

	if (!read_type(use->value, &number.type, &value))
		return refuse_value(p, use);
	/* canary's spelling of --oversubscribe */
	if (str_begins(number.type, factor))
		return add_factor(p, use, str_from(number.type, factor.n), value);
	if (!read_instances(value, &number))
		return refuse_value(p, use);
	VEC_PUSH(p->a, &p->o->resources.numbers, number);
	return true;
}

bool
option_set_oversubscribe(struct option_parse *p, const struct option_use *use)
{
	struct str type, value;

	return read_type(use->value, &type, &value) ? add_factor(p, use, type, value)
						    : refuse_value(p, use);
}

bool
option_set_partition(struct option_parse *p, const struct option_use *use)
{
	struct partition_text t;
	struct str why;

	if (!partition_text_read(p->a, use->value, &t, &why))
		return option_error(p, "'%.*s' given '%.*s': %.*s", STR_ARG(use->spelled),
			STR_ARG(use->value), STR_ARG(why));
	VEC_PUSH(p->a, &p->o->resources.partitions, t);
	return true;
}

bool
option_set_show_resources(struct option_parse *p, const struct option_use *use)
{
	enum show_resources *show = &p->o->resources.show;

	if (!use->has_value || str_is(use->value, "human"))
		*show = SHOW_RESOURCES_HUMAN;
	else if (str_is(use->value, "json"))
		*show = SHOW_RESOURCES_JSON;
	else
		return refuse_value(p, use);
	return true;
}

bool
option_set_share_host(struct option_parse *p, const struct option_use *use)
{
	p->o->resources.shares_host = true;
	p->o->resources.host_folder = use->has_value ? use->value : STR("");
	return !use->has_value || use->value.n || refuse_value(p, use);
}

bool
option_set_private_tmp(struct option_parse *p, const struct option_use *use)
{
	p->o->run.private_tmp = true;
	p->o->run.keep_failed_tmp = use->has_value && str_is(use->value, "keep-failed");
	return !use->has_value || p->o->run.keep_failed_tmp || refuse_value(p, use);
}
