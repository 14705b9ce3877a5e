/* Setters of the options of the resource pool. See resource_options.h. */
#include "compat/options/option_parse.h"
#include "runner/resources/pool_sources.h"

static bool
refuse_value(struct option_parse *p, const struct option_use *use)
{
	return option_error(p, "'%.*s' given invalid value '%.*s'", STR_ARG(use->spelled),
		STR_ARG(use->value));
}

/* Reads TYPE=N; *rest is what follows N. */
static bool
read_number(struct str text, struct resource_number *number, struct str *rest)
{
	size_t equals = str_find(text, '='), colon;

	number->type = str_cut(text.p, equals);
	if (equals == text.n || !pool_is_type_name(number->type))
		return false;
	text = str_from(text, equals + 1);
	colon = str_find(text, ':');
	*rest = str_from(text, colon);
	return str_unsigned(str_cut(text.p, colon), POOL_SLOTS_MOST, &number->n);
}

bool
option_set_resource(struct option_parse *p, const struct option_use *use)
{
	struct resource_number number = {.slots = 1};
	struct str rest;

	if (!read_number(use->value, &number, &rest) || number.n > POOL_INSTANCES_MOST)
		return refuse_value(p, use);
	if (rest.n && !str_unsigned(str_from(rest, 1), POOL_SLOTS_MOST, &number.slots))
		return refuse_value(p, use);
	VEC_PUSH(p->a, &p->o->resources.numbers, number);
	return true;
}

bool
option_set_oversubscribe(struct option_parse *p, const struct option_use *use)
{
	struct resource_number factor = {.slots = 1};
	struct str rest;

	if (!read_number(use->value, &factor, &rest) || rest.n || factor.n == 0)
		return refuse_value(p, use);
	VEC_PUSH(p->a, &p->o->resources.factors, factor);
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
option_set_insufficient(struct option_parse *p, const struct option_use *use)
{
	p->o->resources.skip_insufficient = str_is(use->value, "skip");
	return p->o->resources.skip_insufficient || str_is(use->value, "fail") ||
	       refuse_value(p, use);
}

bool
option_set_placement(struct option_parse *p, const struct option_use *use)
{
	p->o->resources.placement = str_is(use->value, "pack") ? PACK_TIGHT : PACK_SPREAD;
	return p->o->resources.placement == PACK_TIGHT || str_is(use->value, "spread") ||
	       refuse_value(p, use);
}

bool
option_set_telling(struct option_parse *p, const struct option_use *use)
{
	static const char *const names[] = {[RESOURCE_STYLE_CTEST] = "ctest",
		[RESOURCE_STYLE_CCTR] = "cctr",
		[RESOURCE_STYLE_CANARY] = "canary"};

	for (int i = RESOURCE_STYLE_CTEST; i <= RESOURCE_STYLE_CANARY; i++)
		if (str_is(use->value, names[i])) {
			p->o->resources.style = (enum resource_style)i;
			return true;
		}
	return refuse_value(p, use);
}

bool
option_set_gpu_backend(struct option_parse *p, const struct option_use *use)
{
	static const char *const known[] = {"none", "auto", "nvidia", "amd", "intel"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(use->value, known[i])) {
			p->o->resources.gpu_backend = use->value;
			return true;
		}
	return refuse_value(p, use);
}

bool
option_set_no_spec(struct option_parse *p, const struct option_use *use)
{
	static const char *const names[] = {[NO_SPEC_UNLIMITED] = "unlimited",
		[NO_SPEC_SERIAL] = "serial",
		[NO_SPEC_AUTO] = "auto"};

	for (int i = NO_SPEC_UNLIMITED; i <= NO_SPEC_AUTO; i++)
		if (str_is(use->value, names[i])) {
			p->o->resources.no_spec = (enum no_spec)i;
			return true;
		}
	return refuse_value(p, use);
}

bool
option_set_private_tmp(struct option_parse *p, const struct option_use *use)
{
	p->o->run.private_tmp = true;
	p->o->run.keep_failed_tmp = use->has_value && str_is(use->value, "keep-failed");
	return !use->has_value || p->o->run.keep_failed_tmp || refuse_value(p, use);
}
