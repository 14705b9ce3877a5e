/*
 * Property texts to data: which field each name sets, how each kind reads odd texts, what
 * accumulates, what is said. The texts of the rows were tried on ctest 3.25.
 */
#include <math.h>
#include <string.h>

#include "compat/format/regex.h"
#include "compat/resources/properties.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *a;
	struct dialect dialect;
	struct match_set *set;
	struct property_rules rules;
	struct property_reader reader;
	struct properties p;
	struct diag d;
};

static void
begin(struct fixture *f, unsigned version)
{
	f->a = arena_open();
	f->dialect = dialect_of(version);
	f->set = match_set_open(f->a, regex_parse);
	f->rules = (struct property_rules){.dialect = &f->dialect};
	f->reader = properties_reader(f->set, &f->rules);
	f->p = properties_default;
	f->d = diag_in(f->a);
}

static void
end(struct fixture *f)
{
	match_set_close(f->set);
	arena_close(f->a);
}

static void
set(struct fixture *f, const char *name, const char *value)
{
	assert_true(f->reader.set(
		&f->reader, f->a, &f->p, str_of(name), str_of(value), &f->d));
}

static void
finish(struct fixture *f)
{
	f->reader.finish(&f->reader, f->a, &f->p);
}

/* "a|b": the elements. */
static const char *
joined(struct fixture *f, struct str_list l)
{
	struct buf out = {.arena = f->a};

	buf_z(&out, "");
	for (size_t i = 0; i < l.n; i++)
		buf_fmt(&out, "%s%.*s", i ? "|" : "", STR_ARG(l.v[i]));
	return out.p;
}

/* ---- lists ----------------------------------------------------------------------- */

#define AT(field) offsetof(struct properties, field)

static const struct {
	const char *name;
	size_t offset;
	const char *first, *second; /* set one after the other */
	const char *result;
} lists[] = {
	{"ATTACHED_FILES", AT(attached_files), "b;a", "b", "b|a|b"},
	{"ATTACHED_FILES_ON_FAIL", AT(attached_files_on_fail), "b;a", "b", "b|a|b"},
	{"DEPENDS", AT(depends), "x;;x", ";", "x|x"},
	{"ENVIRONMENT", AT(environment), "A=1;;B", "A=\\;", "A=1|B|A=;"},
	{"ENVIRONMENT_MODIFICATION", AT(environment_modification), "A=set:b", "",
		"A=set:b"},
	{"REQUIRED_FILES", AT(required_files), "[a;b];c", "]x;[", "[a;b]|c|]x;["},
	{"FIXTURES_CLEANUP", AT(fixtures_cleanup), "s;r", "q;s", "q|r|s"},
	{"FIXTURES_REQUIRED", AT(fixtures_required), "", "a;a;a", "a"},
	{"FIXTURES_SETUP", AT(fixtures_setup), "b", "B;a", "B|a|b"},
	{"LABELS", AT(labels), "b;a;;b", "[x;y];a\\;", "[x;y]|a|a;|b"},
	{"RESOURCE_LOCK", AT(resource_locks), "q;p;q", "pp", "p|pp|q"},
	{"MEASUREMENT", AT(measurements), "z=1;2", "", "z=1;2|"},
};

static void
lists_accumulate(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(lists); i++) {
		struct fixture f;

		begin(&f, 3025);
		set(&f, lists[i].name, lists[i].first);
		set(&f, lists[i].name, lists[i].second);
		finish(&f);
		assert_string_equal(
			joined(&f, *(struct str_list *)((char *)&f.p + lists[i].offset)),
			lists[i].result);
		assert_int_equal(f.d.entries.n, 0);
		end(&f);
	}
}

static void
long_lists_stay_small(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3025);
	for (int i = 0; i < 20 * 1000; i++) {
		set(&f, "DEPENDS", "a;b");
		set(&f, "PASS_REGULAR_EXPRESSION", "x");
	}
	assert_int_equal(f.p.depends.n, 40 * 1000);
	assert_int_equal(f.p.pass.n, 20 * 1000);
	assert_true(arena_bytes(f.a) < 10 << 20);
	end(&f);
}

/* ---- patterns -------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
} pattern_rows[] = {
	{"PASS_REGULAR_EXPRESSION", AT(pass)},
	{"FAIL_REGULAR_EXPRESSION", AT(fail)},
	{"SKIP_REGULAR_EXPRESSION", AT(skip)},
};

static void
patterns_are_shared_and_bad_ones_reported(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(pattern_rows); i++) {
		struct fixture f;
		const struct pattern_list *l;

		begin(&f, 3025);
		set(&f, pattern_rows[i].name, "a.;;(");
		set(&f, pattern_rows[i].name, "a.;(;b\\;c");
		l = (void *)((char *)&f.p + pattern_rows[i].offset);
		assert_int_equal(l->n, 5);
		assert_ptr_equal(l->v[0], l->v[2]);
		assert_true(match_has(l->v[0]->matcher, STR("xa\n")));
		assert_null(l->v[1]->matcher);
		assert_true(str_is(l->v[1]->text, "("));
		assert_true(str_is(l->v[4]->text, "b;c"));
		assert_int_equal(f.d.entries.n, 2);
		for (size_t k = 0; k < 2; k++) {
			assert_int_equal(f.d.entries.v[k].kind, DIAG_OUTPUT);
			assert_true(str_is(f.d.entries.v[k].text,
				"RegularExpression::compile(): Unmatched parentheses.\n"
				"RegularExpression::compile(): Error in compile.\n"));
		}
		end(&f);
	}
}

static const struct {
	const char *value;
	bool is_set;
	double seconds;
	size_t patterns;
	const char *said;
} after_match[] = {
	{"1.5;a", true, 1.5, 1, NULL},
	{"3;a\\;b", true, 3, 2, NULL},
	{"x;;a;", true, 0, 1, NULL},
	{"3;\\;", true, 3, 0, NULL},
	{"3;[a;b]", true, 3, 1, NULL},
	{"", false, 0, 0, "TIMEOUT_AFTER_MATCH expects two arguments, found 0"},
	{"3", false, 0, 0, "TIMEOUT_AFTER_MATCH expects two arguments, found 1"},
	{"3;a;b", false, 0, 0, "TIMEOUT_AFTER_MATCH expects two arguments, found 3"},
};

static void
timeout_after_match_takes_two(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(after_match); i++) {
		struct fixture f;

		begin(&f, 3025);
		set(&f, "TIMEOUT_AFTER_MATCH", after_match[i].value);
		assert_int_equal(f.p.timeout_after_match.is_set, after_match[i].is_set);
		assert_true(f.p.timeout_after_match.seconds == after_match[i].seconds);
		assert_int_equal(
			f.p.timeout_after_match.patterns.n, after_match[i].patterns);
		assert_int_equal(f.d.entries.n, after_match[i].said != NULL);
		if (after_match[i].said) {
			assert_int_equal(f.d.entries.v[0].kind, DIAG_WARNING);
			assert_true(str_is(f.d.entries.v[0].text, after_match[i].said));
		}
		end(&f);
	}
}

/* The time is the last one; the patterns of all calls count. */
static void
timeout_after_match_accumulates(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3025);
	set(&f, "TIMEOUT_AFTER_MATCH", "3;a");
	set(&f, "TIMEOUT_AFTER_MATCH", "5;b");
	set(&f, "TIMEOUT_AFTER_MATCH", "7");
	assert_true(f.p.timeout_after_match.seconds == 5);
	assert_int_equal(f.p.timeout_after_match.patterns.n, 2);
	end(&f);
}

/* ---- scalars --------------------------------------------------------------------- */

static const struct {
	const char *value;
	int processors, skip_code;
} integers[] = {
	{"1", 1, 1},
	{"3", 3, 3},
	{"0", 1, 0},
	{"-3", 1, -1},
	{"", 1, 0},
	{"abc", 1, 0},
	{"3.7", 3, 3},
	{" 5", 5, 5},
	{"+5", 5, 5},
	{"0x10", 1, 0},
	{"255", 255, 255},
	{"256", 256, -1},
	{"99999999999", 1215752191, -1},
	{"4294967298", 2, 2},
	{"99999999999999999999", 1, -1},
};

static void
integers_are_read_as_by_atoi(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(integers); i++) {
		struct fixture f;

		begin(&f, 3025);
		set(&f, "PROCESSORS", "17");
		set(&f, "PROCESSORS", integers[i].value);
		set(&f, "SKIP_RETURN_CODE", "17");
		set(&f, "SKIP_RETURN_CODE", integers[i].value);
		assert_int_equal(f.p.processors, integers[i].processors);
		assert_int_equal(f.p.skip_return_code, integers[i].skip_code);
		assert_int_equal(f.p.has_skip_return_code, integers[i].skip_code >= 0);
		end(&f);
	}
}

static const struct {
	const char *value;
	double timeout, cost;
} numbers[] = {
	{"1.5", 1.5, 1.5},
	{"0", 0, 0},
	{"-1", -1, -1},
	{"", 0, 0},
	{"x", 0, 0},
	{"5x", 5, 5},
	{" 5", 5, 5},
	{"0.1", 0.1, 0.100000001490116119384765625},
	{"16777217", 16777217, 16777216},
	{"1e3", 1000, 1000},
	{"0x10", 16, 16},
	{"1e300", 1e300, INFINITY},
	{"inf", INFINITY, INFINITY},
};

static void
numbers_are_read_as_by_atof(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(numbers); i++) {
		struct fixture f;

		begin(&f, 3025);
		assert_false(f.p.has_timeout);
		set(&f, "TIMEOUT", "17");
		set(&f, "TIMEOUT", numbers[i].value);
		set(&f, "COST", "17");
		set(&f, "COST", numbers[i].value);
		assert_true(f.p.has_timeout);
		assert_true(f.p.timeout_s == numbers[i].timeout);
		assert_true(f.p.cost == numbers[i].cost);
		end(&f);
	}
}

static const struct {
	const char *name;
	size_t offset;
} flags[] = {
	{"DISABLED", AT(disabled)},
	{"PROCESSOR_AFFINITY", AT(processor_affinity)},
	{"RUN_SERIAL", AT(run_serial)},
	{"WILL_FAIL", AT(will_fail)},
};

static void
flags_know_the_true_constants(void **state)
{
	static const char *const yes[] = {"1", "ON", "on", "yes", "Y", "y", "tRue"};
	static const char *const no[] = {
		"", "0", "2", "01", " 1", "OFF", "n", "T", "foo"};

	(void)state;
	for (size_t i = 0; i < ROWS(flags); i++) {
		struct fixture f;
		const bool *flag;

		begin(&f, 3025);
		flag = (const bool *)((char *)&f.p + flags[i].offset);
		for (size_t k = 0; k < ROWS(yes); k++) {
			set(&f, flags[i].name, "0");
			set(&f, flags[i].name, yes[k]);
			assert_true(*flag);
		}
		for (size_t k = 0; k < ROWS(no); k++) {
			set(&f, flags[i].name, "1");
			set(&f, flags[i].name, no[k]);
			assert_false(*flag);
		}
		end(&f);
	}
}

static void
bad_resource_groups_refuse(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3025);
	set(&f, "RESOURCE_GROUPS", "2,a:1");
	set(&f, "RESOURCE_GROUPS", "b:3");
	assert_int_equal(f.p.resource_groups.n, 3);
	assert_false(f.reader.set(
		&f.reader, f.a, &f.p, STR("RESOURCE_GROUPS"), STR("a"), &f.d));
	assert_int_equal(f.d.errors, 1);
	assert_int_equal(f.p.resource_groups.n, 3);
	end(&f);
}

/* ---- dialects -------------------------------------------------------------------- */

static void
unknown_names_are_kept_since_3_30(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3029);
	set(&f, "FOO", "x");
	set(&f, "labels", "x");
	finish(&f);
	assert_int_equal(f.p.custom_n, 0);
	assert_int_equal(f.p.labels.n, 0);
	end(&f);

	begin(&f, 3030);
	set(&f, "FOO", "a;b");
	set(&f, "BAR", "1");
	set(&f, "LABELS", "x");
	set(&f, "FOO", "c");
	set(&f, "FO", "d");
	finish(&f);
	assert_int_equal(f.p.custom_n, 3);
	assert_true(str_is(f.p.custom[0].name, "BAR"));
	assert_true(str_is(f.p.custom[1].name, "FO"));
	assert_true(str_is(f.p.custom[2].name, "FOO"));
	assert_true(str_is(f.p.custom[2].value, "c"));
	end(&f);
}

static void
newer_properties_wait_for_their_release(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3026);
	set(&f, "TIMEOUT_SIGNAL_NAME", "FOO");
	set(&f, "TIMEOUT_SIGNAL_GRACE_PERIOD", "-1");
	set(&f, "GENERATED_RESOURCE_SPEC_FILE", "/x");
	assert_int_equal(f.p.defect.n, 0);
	assert_int_equal(f.p.generated_resource_spec_file.n, 0);
	end(&f);

	begin(&f, 3028);
	set(&f, "TIMEOUT_SIGNAL_NAME", "SIGUSR1");
	set(&f, "TIMEOUT_SIGNAL_GRACE_PERIOD", "60");
	set(&f, "GENERATED_RESOURCE_SPEC_FILE", "/x");
	assert_int_equal(f.p.defect.n, 0);
	assert_true(str_is(f.p.timeout_signal_name, "SIGUSR1"));
	assert_true(f.p.has_timeout_grace && f.p.timeout_grace_s == 60);
	assert_true(str_is(f.p.generated_resource_spec_file, "/x"));
	end(&f);
}

static void
defects_add_up(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3027);
	set(&f, "TIMEOUT_SIGNAL_NAME", "SIGKILL");
	set(&f, "TIMEOUT_SIGNAL_GRACE_PERIOD", "0");
	set(&f, "TIMEOUT_SIGNAL_GRACE_PERIOD", "60.5");
	set(&f, "TIMEOUT_SIGNAL_GRACE_PERIOD", "nan");
	set(&f, "RESOURCE_GROUPS", "2,gpus:4294967297");
	assert_string_equal(f.p.defect.p,
		"TIMEOUT_SIGNAL_NAME \"SIGKILL\" not supported on this platform.\n"
		"TIMEOUT_SIGNAL_GRACE_PERIOD \"0\" is not greater than \"0\" seconds.\n"
		"TIMEOUT_SIGNAL_GRACE_PERIOD \"60.5\" is not less than the maximum of "
		"\"60\" seconds.\n"
		"TIMEOUT_SIGNAL_GRACE_PERIOD \"nan\" is not greater than \"0\" "
		"seconds.\n"
		"RESOURCE_GROUPS \"2,gpus:4294967297\" has a number that is too large.");
	assert_false(f.p.has_timeout_grace);
	assert_int_equal(f.p.timeout_signal_name.n, 0);
	end(&f);
}

/* ---- the table ------------------------------------------------------------------- */

static void
rows_are_unique(void **state)
{
	size_t n;
	const struct property_row *rows = property_rows(&n);

	(void)state;
	assert_true(n >= 30);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			assert_string_not_equal(rows[i].name, rows[k].name);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_accumulate),
		cmocka_unit_test(long_lists_stay_small),
		cmocka_unit_test(patterns_are_shared_and_bad_ones_reported),
		cmocka_unit_test(timeout_after_match_takes_two),
		cmocka_unit_test(timeout_after_match_accumulates),
		cmocka_unit_test(integers_are_read_as_by_atoi),
		cmocka_unit_test(numbers_are_read_as_by_atof),
		cmocka_unit_test(flags_know_the_true_constants),
		cmocka_unit_test(bad_resource_groups_refuse),
		cmocka_unit_test(unknown_names_are_kept_since_3_30),
		cmocka_unit_test(newer_properties_wait_for_their_release),
		cmocka_unit_test(defects_add_up),
		cmocka_unit_test(rows_are_unique),
	};

	return run_unit_tests("properties", tests, NULL, NULL);
}
