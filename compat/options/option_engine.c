/* Setters of the options that say where tests run. See engine_options.h. */
#include "compat/options/option_parse.h"
#include "runner/remote/node_list.h"

static bool
refuse_value(struct option_parse *p, const struct option_use *use, const char *why)
{
	return option_error(p, "'%.*s' given invalid value '%.*s': %s",
		STR_ARG(use->spelled), STR_ARG(use->value), why);
}

bool
option_set_launcher(struct option_parse *p, const struct option_use *use)
{
	struct str_list *words = &p->o->engine.launcher;

	if (!launcher_read(p->a, use->value, words))
		return refuse_value(p, use, "it is not a command");
	if (!str_list_has(*words, STR("{agent}")))
		return refuse_value(p, use, "the word {agent} is missing");
	return true;
}

bool
option_set_nodes(struct option_parse *p, const struct option_use *use)
{
	const char *why = NULL;

	return node_list_read(p->a, use->value, &p->o->engine.nodes, &why) ||
	       refuse_value(p, use, why);
}
