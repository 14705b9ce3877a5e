/* Values of the options of the engine. See engine_options.h. */
#include "compat/options/engine_options.h"

#include "runner/base/nearest.h"
#include "runner/remote/node_list.h"

enum { NODE_TIMEOUT_MOST = 1000000 };

static bool
refuse_name(struct arena *a, struct str value, const char **why)
{
	str_vec names = {0};

	VEC_PUSH(a, &names, STR(ENGINE_LOCAL));
	for (size_t i = 0; i < BATCH_SYSTEMS_N; i++)
		VEC_PUSH(a, &names, str_of(batch_systems[i]->name));
	return fail_why(
		why, nearest_hint(a, value, str_vec_list(&names), "the engines are ").p);
}

bool
engine_is_name(struct arena *a, struct str name, const char **why)
{
	return str_is(name, ENGINE_LOCAL) || batch_system_named(name) ||
	       refuse_name(a, name, why);
}

bool
engine_read_name(
	struct arena *a, struct str value, struct engine_options *e, const char **why)
{
	struct str second = value;

	e->has_engine = true;
	e->has_local = str_begins(value, STR(ENGINE_LOCAL ","));
	if (e->has_local)
		str_take(&second, ',');
	e->system = batch_system_named(second);
	return e->system || str_is(value, ENGINE_LOCAL) || refuse_name(a, second, why);
}

bool
engine_read_launcher(
	struct arena *a, struct str value, struct engine_options *e, const char **why)
{
	if (!launcher_read(a, value, &e->launcher))
		return fail_why(why, "it is not a command");
	return str_list_has(e->launcher, STR("{agent}")) ||
	       fail_why(why, "the word {agent} is missing");
}

bool
engine_read_nodes(
	struct arena *a, struct str value, struct engine_options *e, const char **why)
{
	return node_list_read(a, value, &e->nodes, why);
}

bool
engine_read_timeout(
	struct arena *a, struct str value, struct engine_options *e, const char **why)
{
	(void)a;
	if (value.n && value.p[value.n - 1] == 's')
		value.n--;
	return (str_unsigned(value, NODE_TIMEOUT_MOST, &e->node_timeout_s) &&
		       e->node_timeout_s) ||
	       fail_why(why, "not a number of seconds from 1 to 1000000");
}

bool
engine_read_system_options(
	struct arena *a, struct str value, struct engine_options *e, const char **why)
{
	struct str_list words;

	if (!launcher_read(a, value, &words))
		return fail_why(why, "it has no word, or a quote is not closed");
	VEC_PUSH_ALL(a, &e->system_options, words);
	return true;
}

static void
fill_place(struct engine_options *e, const struct engine_options *weaker)
{
	bool is_same = e->has_engine == weaker->has_engine && e->system == weaker->system;

	if (!e->has_engine && !e->launcher.n && !e->nodes.n) {
		e->has_engine = weaker->has_engine;
		e->system = weaker->system;
		e->has_local = weaker->has_local;
		is_same = true;
	}
	if (is_same && !e->launcher.n)
		e->launcher = weaker->launcher;
	if (is_same && !e->nodes.n)
		e->nodes = weaker->nodes;
}

void
engine_options_fill(
	struct arena *a, struct engine_options *e, const struct engine_options *weaker)
{
	str_vec words = {0};

	fill_place(e, weaker);
	for (size_t i = 0; i < BATCH_SYSTEMS_N; i++)
		cluster_settings_fill(&e->settings[i], &weaker->settings[i]);
	if (!e->node_timeout_s)
		e->node_timeout_s = weaker->node_timeout_s;
	VEC_PUSH_ALL(a, &words, weaker->system_options);
	VEC_PUSH_ALL(a, &words, e->system_options);
	e->system_options = words;
}
