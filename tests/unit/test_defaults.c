/* defaults: every key, every mistake with its line, and which of two values wins. */
#include "compat/settings/defaults.h"

#include "runner/cluster/batch_systems.h"
#include "tests/unit/unit.h"

/* What a file says of the engine, outside of profiles. */
static bool
defaults_parse(struct arena *a, struct str text, struct str file,
	struct engine_options *engine, struct diag *d)
{
	static struct str known[] = {{"schedule", 8}, {"resource", 8}};
	struct str_list options = {known, ROWS(known)};
	const struct tree *root;

	*engine = (struct engine_options){.has_engine = false};
	return defaults_document(a, text, file, &root, d) &&
	       (!root || (defaults_check(a, root, file, options, d) &&
				 defaults_section(a, root, file, options, engine, d)));
}

/* The options as one line. */
static const char *
shown(struct arena *a, const struct engine_options *e)
{
	struct buf b = {.arena = a};

	buf_fmt(&b, "engine=%s",
		e->system ? e->system->name : (e->has_engine ? "local" : "-"));
	for (size_t i = 0; i < e->launcher.n; i++)
		buf_fmt(&b, " l:%.*s", STR_ARG(e->launcher.v[i]));
	for (size_t i = 0; i < e->nodes.n; i++)
		buf_fmt(&b, " n:%.*s", STR_ARG(e->nodes.v[i]));
	for (size_t i = 0; i < e->system_options.n; i++)
		buf_fmt(&b, " o:%.*s", STR_ARG(e->system_options.v[i]));
	for (size_t i = 0; i < BATCH_SYSTEMS_N; i++) {
		struct str_list words =
			cluster_settings_words(a, &e->settings[i], "/bin");

		for (size_t k = 1; k < words.n; k++)
			buf_fmt(&b, " %.*s", STR_ARG(words.v[k]));
	}
	if (e->settings[0].init_timeout)
		buf_fmt(&b, " i:%llu", (unsigned long long)e->settings[0].init_timeout);
	if (e->node_timeout_s)
		buf_fmt(&b, " t:%llu", (unsigned long long)e->node_timeout_s);
	return b.p;
}

static const struct {
	const char *text, *shown;
} right[] = {
	{"", "engine=-"},
	{"\n# engine: slurm\n", "engine=-"},
	{"{\"engine\": \"slurm\", \"node-timeout\": 7}", "engine=slurm t:7"},
	{"{\"engine\": \"local\"}", "engine=local"},
	{"{\"launcher\": \"ssh {node} '{agent}'\", \"nodes\": \"n[1-2]\"}",
		"engine=- l:ssh l:{node} l:{agent} n:n1 n:n2"},
	{"{\"engine\": \"gridengine\", \"backend-opt\": \"-q 'a b'\"}",
		"engine=gridengine o:-q o:a b"},
	{"{\"engine\": \"slurm\", \"launcher\": \"x {agent}\"}",
		"engine=slurm l:x l:{agent}"},
	{"{\"backends\": {\"slurm\": {\"config\": \"/a b/slurm.conf\", \"bin\": "
	 "\"/opt\", \"init_timeout\": 3, \"repo_key\": \"me:\", \"use_nice\": true, "
	 "\"time_origin\": \"2026-01-01 00:00\", \"nice_factor\": 0.5}}}",
		"engine=- SLURM_CONF=/a b/slurm.conf PATH=/opt:/bin i:3"},
	{"{\"backends\": {\"gridengine\": {\"root\": \"/sge\", \"cell\": \"c\", "
	 "\"cluster\": \"p\", \"default_prio\": -5, \"cpu_resource\": \"c\", "
	 "\"mem_resource\": \"m\", \"tmp_resource\": \"t\", \"gpu_resource\": \"g\", "
	 "\"parallel_environment\": \"smp\"}}}",
		"engine=- SGE_ROOT=/sge SGE_CELL=c SGE_CLUSTER_NAME=p"},
	{"{\"backends\": {}}", "engine=-"},
	{"{\"schedule\": \"any\", \"resource\": [\"a\", 1]}", "engine=-"},
	{"{\"engine\": \"local\", \"profiles\": {\"ci\": {\"engine\": \"slurm\"}}}",
		"engine=local"},
};

static void
what_is_right(void **state)
{
	for (size_t i = 0; i < ROWS(right); i++) {
		struct diag d = diag_in(*state);
		struct engine_options e;

		assert_true(defaults_parse(
			*state, str_of(right[i].text), STR("cctr.json"), &e, &d));
		assert_int_equal(d.entries.n, 0);
		assert_string_equal(shown(*state, &e), right[i].shown);
	}
}

static const struct {
	const char *text;
	unsigned line; /* with libyaml */
	const char *message;
} wrong[] = {
	{"[1]", 1, "the document: must be a mapping"},
	{"{\n\"engin\": \"slurm\"}", 2,
		"engin: there is no such key; did you mean engine?"},
	{"{\"Z\": 1}", 1,
		"Z: there is no such key; the keys are engine, launcher, nodes, "
		"node-timeout, backend-opt, schedule, resource, backends, profiles"},
	{"{\"shedule\": 1}", 1, "shedule: there is no such key; did you mean schedule?"},
	{"{\"schedule\": {}}", 1, "schedule: must be a value or a list of values"},
	{"{\"resource\": [{}]}", 1,
		"resource[0]: must be one value, no list and no mapping"},
	{"{\"profiles\": 1}", 1, "profiles: must be a mapping"},
	{"{\"profiles\": {\"ci\": 1}}", 1, "profiles.ci: must be a mapping"},
	{"{\"profiles\": {\"ci\": {\n\"engin\": 1}}}", 2,
		"profiles.ci.engin: there is no such key; did you mean engine?"},
	{"{\"profiles\": {\"ci\": {\"profile\": 1}}}", 1,
		"profiles.ci.profile: there is no such key; the keys are engine, "
		"launcher, nodes, node-timeout, backend-opt, schedule, resource, "
		"backends"},
	{"{\"profiles\": {\"ci\": {\"engine\": \"local\", \"nodes\": \"a\"}}}", 1,
		"profiles.ci.nodes: cannot be used with engine"},
	{"{\"engine\": \"slrum\"}", 1,
		"engine: invalid value 'slrum': did you mean slurm?"},
	{"{\"engine\": [\"slurm\"]}", 1,
		"engine: must be one value, no list and no mapping"},
	{"{\"engine\": \"slurm\",\n\n\"nodes\": \"n1\"}", 3,
		"nodes: cannot be used with engine"},
	{"{\"engine\": \"local\", \"launcher\": \"{agent}\"}", 1,
		"launcher: cannot be used with engine: local"},
	{"{\"launcher\": \"ssh\"}", 1,
		"launcher: invalid value 'ssh': the word {agent} is missing"},
	{"{\"node-timeout\": 0}", 1,
		"node-timeout: invalid value '0': not a number of seconds from 1 to "
		"1000000"},
	{"{\"backend-opt\": \"'a\"}", 1,
		"backend-opt: invalid value ''a': it has no word, or a quote is not "
		"closed"},
	{"{\"backends\": 1}", 1, "backends: must be a mapping"},
	{"{\"backends\": {\"slrm\": {}}}", 1,
		"backends.slrm: there is no such key; did you mean slurm?"},
	{"{\"backends\": {\"slurm\": 1}}", 1, "backends.slurm: must be a mapping"},
	{"{\"backends\": {\"slurm\": {\"root\": \"/\"}}}", 1,
		"backends.slurm.root: there is no such key; the keys are bin, config, "
		"repo_key, init_timeout, n_max_queued_jobs, idle_limit, use_nice, "
		"time_origin, nice_factor"},
	{"{\"backends\": {\"slurm\": {\"config\": {}}}}", 1,
		"backends.slurm.config: must be one value, no list and no mapping"},
	{"{\"backends\": {\"slurm\": {\"config\": \"x\"}}}", 1,
		"backends.slurm.config: invalid value 'x': not an absolute path"},
	{"{\"backends\": {\"slurm\": {\"repo_key\": \"a b\"}}}", 1,
		"backends.slurm.repo_key: invalid value 'a b': not a name without "
		"blanks, quotes and any of /,;=|&$*?[]"},
	{"{\"backends\": {\"slurm\": {\"use_nice\": 1}}}", 1,
		"backends.slurm.use_nice: invalid value '1': not true or false"},
	{"{\"backends\": {\"slurm\": {\"time_origin\": \"today\"}}}", 1,
		"backends.slurm.time_origin: invalid value 'today': not a time such as "
		"2023-01-01 00:00"},
	{"{\"backends\": {\"slurm\": {\"nice_factor\": 0}}}", 1,
		"backends.slurm.nice_factor: invalid value '0': not a number above 0"},
	{"{\"backends\": {\"slurm\": {\"init_timeout\": 0}}}", 1,
		"backends.slurm.init_timeout: invalid value '0': not a number of seconds "
		"from 1 to 86400"},
	{"{\"backends\": {\"gridengine\": {\"default_prio\": 1025}}}", 1,
		"backends.gridengine.default_prio: invalid value '1025': not a number "
		"from -1023 to 1024"},
};

static void
what_is_wrong(void **state)
{
	for (size_t i = 0; i < ROWS(wrong); i++) {
		struct diag d = diag_in(*state);
		struct engine_options e;

		assert_false(defaults_parse(
			*state, str_of(wrong[i].text), STR("cctr.json"), &e, &d));
		assert_int_equal(d.errors, 1);
		assert_string_equal(str_z(*state, d.entries.v[0].text), wrong[i].message);
		if (d.entries.v[0].at.line)
			assert_int_equal(d.entries.v[0].at.line, wrong[i].line);
	}
}

static void
all_mistakes_are_said(void **state)
{
	struct diag d = diag_in(*state);
	struct engine_options e;

	assert_false(defaults_parse(
		*state, STR("{\"a\": 1, \"engine\": 2}"), STR("cctr.json"), &e, &d));
	assert_int_equal(d.errors, 2);
}

/* What is stronger, what is weaker, and both. */
static const struct {
	const char *stronger, *weaker, *both;
} fills[] = {
	{"{}", "{\"engine\": \"slurm\", \"launcher\": \"x {agent}\"}",
		"engine=slurm l:x l:{agent}"},
	{"{\"engine\": \"local\"}", "{\"engine\": \"slurm\", \"launcher\": \"{agent}\"}",
		"engine=local"},
	{"{\"engine\": \"slurm\"}", "{\"engine\": \"slurm\", \"launcher\": \"{agent}\"}",
		"engine=slurm l:{agent}"},
	{"{\"launcher\": \"{agent}\"}", "{\"engine\": \"slurm\"}", "engine=- l:{agent}"},
	{"{\"nodes\": \"a\"}", "{\"nodes\": \"b\", \"launcher\": \"{agent}\"}",
		"engine=- l:{agent} n:a"},
	{"{\"engine\": \"slurm\"}", "{\"nodes\": \"b\", \"launcher\": \"{agent}\"}",
		"engine=slurm"},
	{"{\"backend-opt\": \"b\", \"node-timeout\": 1}",
		"{\"backend-opt\": \"a\", \"node-timeout\": 2}", "engine=- o:a o:b t:1"},
	{"{\"backends\": {\"slurm\": {\"bin\": \"/a\"}}}",
		"{\"backends\": {\"slurm\": {\"bin\": \"/b\", \"config\": \"/c\", "
		"\"init_timeout\": 4}}}",
		"engine=- SLURM_CONF=/c PATH=/a:/bin i:4"},
};

static void
the_stronger_wins(void **state)
{
	for (size_t i = 0; i < ROWS(fills); i++) {
		struct diag d = diag_in(*state);
		struct engine_options e, weaker;

		assert_true(defaults_parse(
			*state, str_of(fills[i].stronger), STR("a"), &e, &d));
		assert_true(defaults_parse(
			*state, str_of(fills[i].weaker), STR("b"), &weaker, &d));
		engine_options_fill(*state, &e, &weaker);
		assert_string_equal(shown(*state, &e), fills[i].both);
	}
}

static void
profiles_have_names(void **state)
{
	struct diag d = diag_in(*state);
	const struct tree *root;
	struct engine_options e;
	str_vec names = {0};

	assert_true(defaults_document(*state,
		STR("{\"profiles\": {\"a\": {\"node-timeout\": 3}, \"b\": {}}}"),
		STR("cctr.json"), &root, &d));
	defaults_add_profiles(*state, root, &names);
	assert_int_equal(names.n, 2);
	assert_null(defaults_profile(root, STR("c")));
	assert_null(defaults_profile(NULL, STR("a")));
	assert_true(defaults_section(*state, defaults_profile(root, STR("a")),
		STR("cctr.json"), (struct str_list){0}, &e, &d));
	assert_int_equal(e.node_timeout_s, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_right),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(all_mistakes_are_said),
		cmocka_unit_test(the_stronger_wins),
		cmocka_unit_test(profiles_have_names),
	};

	return run_unit_tests("defaults", tests, open_arena, close_arena);
}
