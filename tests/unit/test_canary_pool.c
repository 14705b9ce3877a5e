/* canary_pool: every form, and every error with its line and its path. */
#include "manifests/canary/canary_pool.h"
#include "runner/base/yaml_tree.h"
#include "tests/unit/pool_show.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

static const struct {
	const char *text, *pool;
} right[] = {
	{"{\"gpus\": 4}", "gpus 0=1 1=1 2=1 3=1"},
	{"{\"resource_pool\": {\"gpus\": 2, \"cpus\": 1, \"fpgas\": 0}}",
		"cpus 0=1; fpgas; gpus 0=1 1=1"},
	{"{\"resource_pool\": {\"additional_properties\": {}, \"resources\": {\"cpus\": "
	 "[{\"id\": \"0\", \"slots\": 1}], \"gpus\": [{\"id\": \"1\", \"slots\": 2}, "
	 "{\"id\": \"0\"}]}}}",
		"cpus 0=1; gpus 0=1 1=2"},
	{"{\"nodes\": [{\"id\": \"N.1\", \"resources\": {\"gpus\": [{\"id\": \"a\", "
	 "\"properties\": {\"vendor\": \"x\"}, \"more\": [1, {\"b\": null}]}]}}]}",
		"gpus a=1{vendor=x}{more=[1, {b: null}]}"},
	{"{\"nodes\": []}", ""},
	{"{\"nodes\": [{\"resources\": {\"gpus\": 1}}]}", "gpus 0=1"},
	{"{\"nodes\": [{\"id\": \"b\", \"resources\": {\"gpus\": 2, \"mem\": 0}}, "
	 "{\"id\": "
	 "\"a\", \"resources\": {\"gpus\": 1, \"cpus\": 1}}]}",
		"cpus 0@1=1; gpus 0=1 1=1 0@1=1; mem"},
	{"{\"gpus\": [{\"id\": \"0\", \"slots\": 0}]}", "gpus 0=0"},
	{"{}", ""},
};

static const struct {
	const char *text, *pool;
} right_in_yaml[] = {
	{"gpus: 4\n", "gpus 0=1 1=1 2=1 3=1"},
	{"resource_pool:\n  gpus: 1\n  # none of these\n  fpgas: 0\n", "fpgas; gpus 0=1"},
	{"resource_pool:\n  resources:\n    gpus:\n    - id: \"0\"\n      slots: 2\n"
	 "    - id: 1\n",
		"gpus 0=2 1=1"},
	{"resource_pool:\n  allow_multinode: false\n  nodes:\n  - id: local\n"
	 "    resources: {cpus: [{id: \"0\"}, {id: '1'}]}\n",
		"cpus 0=1 1=1"},
};

struct mistake {
	const char *text;
	unsigned line; /* with libyaml */
	const char *message; /* NULL: in the words of the library */
};
static const struct mistake wrong[] = {
	{"[1]", 1, "the document: must be a mapping"},
	{"{\"gpus\": -1}", 1, "gpus: must be a whole number from 0 to 1048576"},
	{"{\"gpus\": 1.5}", 1, "gpus: must be a whole number from 0 to 1048576"},
	{"{\"gpus\": \"4\"}", 1, "gpus: must be a whole number from 0 to 1048576"},
	{"{\"gpus\": null}", 1, "gpus: must be a whole number from 0 to 1048576"},
	{"{\"gpus\": {}}", 1, "gpus: must be a number or a list of instances"},
	{"{\"GPUs\": 1}", 1,
		"GPUs: a type is small letters, digits and '_', no digit first"},
	{"{\"gpus\":\n [{\"id\": \"0\"},\n {\"id\": \"0\"}]}", 3,
		"gpus[1]: id '0' occurs twice"},
	{"{\"gpus\":\n [{\"slots\": 1}]}", 2, "gpus[0]: has no id"},
	{"{\"gpus\": [7]}", 1, "gpus[0]: must be a mapping with an id"},
	{"{\"gpus\": [{\"id\": \"a b\"}]}", 1,
		"gpus[0].id: an id is small letters, digits and '_'"},
	{"{\"resource_pool\": {\"resources\": {\"gpus\": [{\"id\": \"0\",\n"
	 "\"slots\": 4294967296}]}}}",
		2,
		"resource_pool.resources.gpus[0].slots: must be a whole number from 0 to "
		"4294967295"},
	{"{\"gpus\": [{\"id\": \"0\", \"properties\": 1}]}", 1,
		"gpus[0].properties: must be a mapping"},
	{"{\"resources\": [1]}", 1, "resources: must be a mapping of types"},
	{"{\"resources\": {}, \"gpus\": 4}", 1, "gpus: is not known here"},
	{"{\"resource_pool\": {}, \"gpus\": 4}", 1,
		"gpus: does not belong beside resource_pool"},
	{"{\"nodes\": 2}", 1, "nodes: must be a list of nodes"},
	{"{\"nodes\": [{\"resources\": {}}, {\"id\": \"b\", \"resources\": {}}]}", 1,
		"nodes[0]: has no id"},
	{"{\"nodes\": [{\"id\": \"b\", \"resources\": {}},\n{\"id\": \"b\", "
	 "\"resources\": {}}]}",
		2, "nodes[1]: node 'b' occurs twice"},
	{"{\"nodes\": [{\"id\": [], \"resources\": {}}]}", 1,
		"nodes[0].id: must be the name of the node"},
	{"{\"nodes\": [{\"id\": \"a\"}]}", 1,
		"nodes[0]: must be a mapping with resources"},
	{"{\"local\": [{}]}", 1,
		"the document: is a resource specification: --resource-spec-file"},
	{"{\"a\": 1, \"a\": 2}", 1, NULL},
	{"{\"a\": [1}", 1, NULL},
	{"", 1, NULL},
};
static const struct mistake wrong_in_yaml[] = {
	{"gpus: 1\nfpgas: 0\ngpus: 2\n", 3, "key 'gpus' occurs twice"},
	{"a: &x 1\nb: *x\n", 2, "aliases are not supported"},
	{"a: 1\n---\nb: 1\n", 2, "more than one document"},
	{"# nothing\n", 2, "the file is empty"},
	{"? [a]\n: 1\n", 1, "a key must be a word"},
	{"resource_pool:\n  resources:\n    gpus:\n    - id: \"0\"\n      slots: two\n",
		5,
		"resource_pool.resources.gpus[0].slots: must be a whole number from 0 to "
		"4294967295"},
};

/* A build without libyaml reads JSON, and knows no lines. */
static bool
has_yaml(struct arena *a)
{
	struct diag d = diag_in(a);

	return yaml_tree_read(a, STR("a: 1"), STR("f"), &d) != NULL;
}

static void
check_right(struct arena *a, const char *text, const char *expected)
{
	struct diag d = diag_in(a);
	struct pool p;

	if (!canary_pool_load(a, text_file(a, "pool.yaml", str_of(text)), &p, &d))
		fail_msg("%s: %s", text, d.entries.v[0].text.p);
	assert_string_equal(pool_line(a, &p), expected);
}

static void
check_wrong(struct arena *a, const struct mistake *m, bool knows_lines)
{
	struct diag d = diag_in(a);
	struct pool p;

	if (canary_pool_load(a, text_file(a, "pool.yaml", str_of(m->text)), &p, &d))
		fail_msg("%s: no error", m->text);
	assert_int_equal(p.n, 0);
	assert_int_equal(d.errors, 1);
	assert_true(str_ends(d.entries.v[0].at.file, STR("/pool.yaml")));
	if (m->message)
		assert_string_equal(d.entries.v[0].text.p, m->message);
	if (knows_lines)
		assert_int_equal(d.entries.v[0].at.line, m->line);
}

static void
every_form_is_read(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(right); i++)
		check_right(a, right[i].text, right[i].pool);
	for (size_t i = 0; i < ROWS(right_in_yaml) && has_yaml(a); i++)
		check_right(a, right_in_yaml[i].text, right_in_yaml[i].pool);
	arena_close(a);
}

static void
mistakes_have_a_place(void **state)
{
	struct arena *a = arena_open();
	bool yaml = has_yaml(a);

	(void)state;
	for (size_t i = 0; i < ROWS(wrong); i++)
		check_wrong(a, &wrong[i], yaml);
	for (size_t i = 0; i < ROWS(wrong_in_yaml) && yaml; i++)
		check_wrong(a, &wrong_in_yaml[i], true);
	arena_close(a);
}

/* The next one can still be read: the user gets the list. */
static void
all_mistakes_are_reported(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct pool p;

	(void)state;
	assert_false(canary_pool_load(a,
		text_file(a, "pool.yaml",
			STR("{\"gpus\": [{\"id\": \"A\"}, 1, {\"id\": \"b\", \"slots\": "
			    "\"\"}], "
			    "\"X\": 1}")),
		&p, &d));
	assert_int_equal(d.errors, 4);
	arena_close(a);
}

static void
missing_files_are_reported(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct pool p;

	(void)state;
	assert_false(canary_pool_load(a, STR("/nonexistent/pool"), &p, &d));
	assert_string_equal(
		d.entries.v[0].text.p, "cannot be read: No such file or directory");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read),
		cmocka_unit_test(mistakes_have_a_place),
		cmocka_unit_test(all_mistakes_are_reported),
		cmocka_unit_test(missing_files_are_reported),
	};

	return run_unit_tests("canary_pool", tests, NULL, NULL);
}
