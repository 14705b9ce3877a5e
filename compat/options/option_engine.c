/* Setters of the options that say where tests run. See engine_options.h. */
#include "compat/options/option_parse.h"

static bool
read_value(struct option_parse *p, struct str spelled, struct str value,
	engine_value_reader *read)
{
	const char *why = NULL;

	return read(p->a, value, &p->o->engine, &why) ||
	       option_error(p, "'%.*s' given invalid value '%.*s': %s", STR_ARG(spelled),
		       STR_ARG(value), why);
}

bool
option_read_engine(struct option_parse *p, struct str spelled, struct str value)
{
	return read_value(p, spelled, value, engine_read_name);
}

bool
option_set_engine(struct option_parse *p, const struct option_use *use)
{
	return option_read_engine(p, use->spelled, use->value);
}

bool
option_set_backend_opt(struct option_parse *p, const struct option_use *use)
{
	return read_value(p, use->spelled, use->value, engine_read_system_options);
}

bool
option_set_launcher(struct option_parse *p, const struct option_use *use)
{
	return read_value(p, use->spelled, use->value, engine_read_launcher);
}

bool
option_set_nodes(struct option_parse *p, const struct option_use *use)
{
	return read_value(p, use->spelled, use->value, engine_read_nodes);
}

bool
option_set_node_timeout(struct option_parse *p, const struct option_use *use)
{
	return read_value(p, use->spelled, use->value, engine_read_timeout);
}
