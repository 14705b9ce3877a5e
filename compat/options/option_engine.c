/* Setters of the options that say where tests run. See engine_options.h. */
#include "compat/options/option_parse.h"
#include "runner/base/nearest.h"
#include "runner/cluster/batch_systems.h"
#include "runner/remote/node_list.h"

#define LOCAL "local"

enum { NODE_TIMEOUT_MOST = 1000000 };

static bool
refuse_value(struct option_parse *p, const struct option_use *use, const char *why)
{
	return option_error(p, "'%.*s' given invalid value '%.*s': %s",
		STR_ARG(use->spelled), STR_ARG(use->value), why);
}

static bool
refuse_engine(struct option_parse *p, struct str spelled, struct str value)
{
	struct buf known = {.arena = p->a};
	str_vec names = {0};
	struct str meant;

	VEC_PUSH(p->a, &names, STR(LOCAL));
	for (size_t i = 0; batch_systems[i]; i++)
		VEC_PUSH(p->a, &names, str_of(batch_systems[i]->name));
	for (size_t i = 0; i < names.n; i++)
		buf_fmt(&known, "%s%.*s", i ? ", " : "", STR_ARG(names.v[i]));
	meant = nearest_word(value, str_vec_list(&names));
	return option_error(p, "'%.*s' given invalid value '%.*s': %s%.*s%s%s",
		STR_ARG(spelled), STR_ARG(value), meant.n ? "did you mean " : "",
		STR_ARG(meant), meant.n ? "?" : "the engines are ",
		meant.n ? "" : known.p);
}

bool
option_read_engine(struct option_parse *p, struct str spelled, struct str value)
{
	struct engine_options *e = &p->o->engine;

	e->has_engine = true;
	e->system = batch_system_named(value);
	return e->system || str_is(value, LOCAL) || refuse_engine(p, spelled, value);
}

bool
option_set_engine(struct option_parse *p, const struct option_use *use)
{
	return option_read_engine(p, use->spelled, use->value);
}

bool
option_set_backend_opt(struct option_parse *p, const struct option_use *use)
{
	struct str_list words;

	if (!launcher_read(p->a, use->value, &words))
		return refuse_value(p, use, "it has no word, or a quote is not closed");
	for (size_t i = 0; i < words.n; i++)
		VEC_PUSH(p->a, &p->o->engine.system_options, words.v[i]);
	return true;
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

bool
option_set_node_timeout(struct option_parse *p, const struct option_use *use)
{
	uint64_t *seconds = &p->o->engine.node_timeout_s;
	struct str value = use->value;

	if (value.n && value.p[value.n - 1] == 's')
		value.n--;
	return (str_unsigned(value, NODE_TIMEOUT_MOST, seconds) && *seconds) ||
	       refuse_value(p, use, "not a number of seconds from 1 to 1000000");
}
