/*
 * See companions.h. What a run alone knows is checked there: whether there are nodes
 * (compat/run/run_settings.c) and a pool (compat/run/run_tests.c).
 */
#include "compat/command_line/companions.h"

bool
companions_check(struct option_parse *p)
{
	const struct options *o = p->o;
	bool has_script = o->script.requests.n > 0;
	bool is_plain = !o->dashboard.is_on && !has_script;
	bool is_pressure = o->schedule.order == SCHEDULE_PRESSURE;
	const struct {
		const char *option;
		bool works;
		const char *why; /* it does nothing */
	} companions[] = {
		{"--build", is_plain, "in a dashboard or a script"},
		{"--script-host", has_script, "without '-S' or '-SP'"},
		{"--history-keep", o->run.keeps_history, "without '--history=on'"},
		{"--plan-json", o->schedule.simulate || o->schedule.explain.n,
			"without '--simulate' or '--explain'"},
		{"--reserve", is_pressure, "without '--schedule=pressure'"},
		{"--schedule", !is_pressure || !o->schedule.random,
			"with '--schedule-random'"},
	};

	for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
		if (options_have_own(o, companions[i].option) && !companions[i].works)
			return option_error(p, "'%s' does nothing %s",
				companions[i].option, companions[i].why);
	return true;
}
