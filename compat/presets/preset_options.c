/*
 * Turns the fields of a test preset into options. They are set before the command line is
 * read, so that the command line wins.
 */
#include "compat/presets/preset_options.h"

struct mapping {
	struct option_parse *p;
	struct options *o;
	const struct preset *test;
	bool is_step; /* a step of a dashboard */
};

static const struct json_value *
find_field(const struct mapping *m, enum preset_test_field f)
{
	return m->test->fields[f];
}

static bool
is_on(const struct mapping *m, enum preset_test_field f)
{
	return json_is(find_field(m, f), JSON_TRUE);
}

static struct str
field_word(const struct mapping *m, enum preset_test_field f)
{
	const struct json_value *v = find_field(m, f);

	return json_is(v, JSON_STRING) ? v->text : STR("");
}

static struct str
field_text(const struct mapping *m, enum preset_test_field f)
{
	return find_field(m, f) ? m->test->texts[f] : STR("");
}

static void
set_text(const struct mapping *m, enum preset_test_field f, struct str *member)
{
	if (field_text(m, f).n)
		*member = field_text(m, f);
}

static void
set_flag(const struct mapping *m, enum preset_test_field f, bool *member)
{
	*member = *member || is_on(m, f);
}

/* ---- output ---------------------------------------------------------------------- */

static void
set_size(const struct mapping *m, enum preset_test_field f, long *member)
{
	if (find_field(m, f))
		*member = json_number_int(find_field(m, f));
}

/* Sets the options of results, which steps of dashboards also write. */
static void
map_results(const struct mapping *m)
{
	struct options *o = m->o;

	set_text(m, TEST_JUNIT_FILE, &o->report.junit);
	set_size(m, TEST_MAX_PASSED, &o->report.output.passed);
	set_size(m, TEST_MAX_FAILED, &o->report.output.failed);
	truncation_parse(field_word(m, TEST_TRUNCATION), &o->report.output.truncation);
}

static void
map_output(const struct mapping *m)
{
	struct options *o = m->o;
	struct str verbosity = field_word(m, TEST_VERBOSITY);

	set_flag(m, TEST_SHORT_PROGRESS, &o->console.progress);
	o->console.extra_verbose = str_is(verbosity, "extra");
	o->console.verbose = o->console.extra_verbose || str_is(verbosity, "verbose");
	if (is_on(m, TEST_DEBUG))
		option_set_debug(m->p, NULL);
	if (find_field(m, TEST_OUTPUT))
		o->report.output_on_failure = is_on(m, TEST_OUTPUT_ON_FAILURE);
	set_flag(m, TEST_QUIET, &o->console.quiet);
	set_text(m, TEST_LOG_FILE, &o->console.output_log);
	map_results(m);
	if (field_text(m, TEST_JUNIT_FILE).n)
		o->dashboard.keeps_output_plain = true;
	o->report.no_label_summary =
		json_is(find_field(m, TEST_LABEL_SUMMARY), JSON_FALSE);
	o->report.no_subproject_summary =
		json_is(find_field(m, TEST_SUBPROJECT_SUMMARY), JSON_FALSE);
	if (find_field(m, TEST_MAX_WIDTH))
		o->report.max_width = json_number_int(find_field(m, TEST_MAX_WIDTH));
}

/* ---- filter ---------------------------------------------------------------------- */

/* The index in the format of -I. A missing member is -1; for a step it is empty, so that
 * the named tests do not replace all others. */
static struct str
index_range(struct arena *a, const struct json_value *index, bool is_step)
{
	static const char *const names[] = {"start", "end", "stride"};
	struct buf out = {.arena = a};
	const struct json_value *v;

	for (size_t i = 0; i < 3; i++) {
		v = json_member(index, names[i]);
		if (v || !is_step)
			buf_fmt(&out, "%d", v ? json_number_int(v) : -1);
		buf_char(&out, ',');
	}
	v = json_first(json_member(index, "specificTests"));
	for (const char *comma = ""; v; v = v->next, comma = ",")
		buf_fmt(&out, "%s%d", comma, json_number_int(v));
	return buf_as_str(&out);
}

static void
map_include(const struct mapping *m)
{
	struct options *o = m->o;

	set_text(m, TEST_INCLUDE_NAME, &o->selection.include_name);
	o->selection.has_include_name = o->selection.include_name.n > 0;
	if (field_text(m, TEST_INCLUDE_LABEL).n)
		VEC_PUSH(m->p->a, &o->selection.include_labels,
			field_text(m, TEST_INCLUDE_LABEL));
	if (find_field(m, TEST_INCLUDE))
		o->selection.use_union = json_is(
			json_member(find_field(m, TEST_INCLUDE), "useUnion"), JSON_TRUE);
	if (json_is(find_field(m, TEST_INDEX), JSON_OBJECT))
		o->selection.range =
			index_range(m->p->a, find_field(m, TEST_INDEX), m->is_step);
	else
		set_text(m, TEST_INDEX, &o->selection.range);
}

static void
map_exclude(const struct mapping *m)
{
	struct options *o = m->o;
	const struct str_list *fixtures = &m->test->lists[TEST_EXCLUDE_FIXTURES];

	set_text(m, TEST_EXCLUDE_NAME, &o->selection.exclude_name);
	o->selection.has_exclude_name = o->selection.exclude_name.n > 0;
	if (field_text(m, TEST_EXCLUDE_LABEL).n)
		VEC_PUSH(m->p->a, &o->selection.exclude_labels,
			field_text(m, TEST_EXCLUDE_LABEL));
	if (fixtures->n == 3) {
		o->selection.exclude_fixture = fixtures->v[0];
		o->selection.exclude_fixture_setup = fixtures->v[1];
		o->selection.exclude_fixture_cleanup = fixtures->v[2];
	}
}

/* ---- execution ------------------------------------------------------------------- */

static void
map_jobs(const struct mapping *m)
{
	const struct json_value *jobs = find_field(m, TEST_JOBS);
	struct str level;

	if (!jobs)
		return;
	level = json_is(jobs, JSON_NUMBER) ? str_fmt(m->p->a, "%d", json_number_int(jobs))
					   : STR("");
	/* ctest takes it for an unsigned number. */
	if (level.n && level.p[0] == '-' &&
		m->p->dialect->has[DIALECT_NEGATIVE_JOBS_UNBOUNDED])
		level = STR("0");
	m->o->schedule.has_parallel =
		option_read_parallel(m->p->dialect, level, &m->o->schedule);
}

/* A count of 1 or less repeats nothing, but still counts as the only permitted
 * --repeat. */
static void
map_repeat(const struct mapping *m)
{
	static const char *const names[] = {[REPEAT_UNTIL_FAIL] = "until-fail",
		[REPEAT_UNTIL_PASS] = "until-pass",
		[REPEAT_AFTER_TIMEOUT] = "after-timeout"};
	const struct json_value *repeat = find_field(m, TEST_REPEAT);
	int mode = REPEAT_UNTIL_FAIL, count;

	if (!repeat)
		return;
	count = json_number_int(json_member(repeat, "count"));
	while (!str_is(json_member(repeat, "mode")->text, names[mode]))
		mode++;
	m->o->run.repeat =
		(struct repeat){(enum repeat_mode)mode, count > 1 ? (unsigned)count : 1};
}

static void
map_show_only(const struct mapping *m)
{
	struct str show = field_word(m, TEST_SHOW_ONLY);

	if (str_is(show, "human"))
		m->o->show_only = SHOW_HUMAN;
	if (str_is(show, "json-v1")) {
		m->o->show_only = SHOW_JSON_V1;
		m->o->console.quiet = true;
	}
}

static void
map_running(const struct mapping *m)
{
	struct options *o = m->o;

	set_flag(m, TEST_STOP_ON_FAILURE, &o->run.stop_on_failure);
	set_flag(m, TEST_FAILOVER, &o->run.resumes);
	map_jobs(m);
	set_text(m, TEST_RESOURCE_SPEC, &o->resources.spec_file);
	if (find_field(m, TEST_LOAD) && json_number_int(find_field(m, TEST_LOAD)) > 0)
		o->schedule.test_load =
			(unsigned long)json_number_int(find_field(m, TEST_LOAD));
	map_repeat(m);
	set_flag(m, TEST_SCHEDULE_RANDOM, &o->schedule.random);
}

static void
map_execution(const struct mapping *m)
{
	struct options *o = m->o;

	map_running(m);
	map_show_only(m);
	o->run.no_interactive_debug =
		json_is(find_field(m, TEST_INTERACTIVE), JSON_FALSE);
	if (find_field(m, TEST_TIMEOUT))
		o->run.timeout_s = find_field(m, TEST_TIMEOUT)->number;
	option_read_no_tests(field_word(m, TEST_NO_TESTS), &o->run.no_tests);
}

/* testPassthroughArguments come before those of the command line. */
static void
map_pass_through(const struct mapping *m)
{
	const struct json_value *array = find_field(m, TEST_PASS_THROUGH), *v;
	str_vec all = {0};

	for (v = json_first(array); v; v = v->next)
		VEC_PUSH(m->p->a, &all, str_dup(m->p->a, v->text));
	m->o->run.pass_through = str_vec_list(&all);
}

static void
map_configuration(const struct mapping *m, struct str build)
{
	const struct str_list *overwrite = &m->test->lists[TEST_OVERWRITE];

	if (find_field(m, TEST_CONFIGURATION))
		m->o->configuration =
			option_configuration(m->p->a, field_word(m, TEST_CONFIGURATION));
	if (build.n)
		VEC_PUSH(m->p->a, &m->o->tree.overwrites,
			str_fmt(m->p->a, "BuildDirectory=%.*s", STR_ARG(build)));
	for (size_t i = 0; i < overwrite->n; i++)
		option_set_overwrite(
			m->p, &(struct option_use){.value = overwrite->v[i]});
}

void
preset_set_options(struct option_parse *p, const struct preset *test, struct str build)
{
	struct mapping m = {p, p->o, test, false};

	map_configuration(&m, build);
	map_output(&m);
	map_include(&m);
	map_exclude(&m);
	map_execution(&m);
	map_pass_through(&m);
}

void
preset_set_step_options(struct option_parse *p, const struct preset *test)
{
	struct mapping m = {p, p->o, test, true};

	map_results(&m);
	map_include(&m);
	map_exclude(&m);
	map_running(&m);
	if (find_field(&m, TEST_PASS_THROUGH))
		map_pass_through(&m);
}
