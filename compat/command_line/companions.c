/*
 * See companions.h. What a run alone knows is checked there: whether there are nodes
 * (compat/run/run_settings.c) and a pool (compat/run/run_tests.c).
 */
#include "compat/command_line/companions.h"

static bool
runs_scripts(const struct options *o)
{
	return o->script.requests.n > 0;
}

static bool
runs_plainly(const struct options *o)
{
	return !o->dashboard.is_on && !runs_scripts(o);
}

static bool
keeps_history(const struct options *o)
{
	return o->run.keeps_history;
}

static bool
makes_plan(const struct options *o)
{
	return o->schedule.simulate || o->schedule.explain.n;
}

static bool
orders_by_pressure(const struct options *o)
{
	return o->schedule.order == SCHEDULE_PRESSURE;
}

static bool
obeys_order(const struct options *o)
{
	return !orders_by_pressure(o) || !o->schedule.random;
}

static const struct companion {
	const char *option;
	bool (*works)(const struct options *o);
	const char *why; /* it does nothing */
} companions[] = {
	{"--build", runs_plainly, "in a dashboard or a script"},
	{"--script-host", runs_scripts, "without '-S' or '-SP'"},
	{"--history-keep", keeps_history, "without '--history=on'"},
	{"--plan-json", makes_plan, "without '--simulate' or '--explain'"},
	{"--reserve", orders_by_pressure, "without '--schedule=pressure'"},
	{"--schedule", obeys_order, "with '--schedule-random'"},
};

bool
companions_check(struct option_parse *p)
{
	for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
		if (options_have_own(p->o, companions[i].option) &&
			!companions[i].works(p->o))
			return option_error(p, "'%s' does nothing %s",
				companions[i].option, companions[i].why);
	return true;
}
