/*
 * Converts properties of a json-v1 manifest to the texts of set_tests_properties.
 *
 * Lists accumulate when a property is set again, so each element is set separately: a
 * bracket in one element cannot join it with the next. A string is always accepted and
 * used as the text itself. Names that are not in the table are passed on if their value
 * has a text.
 */
#include "manifests/json/json_reader.h"

#include <strings.h>

#include <cjson/cJSON.h>

typedef bool write_value(struct json_reader *r, const struct json_spot *at,
	struct str name, const cJSON *value, str_vec *words);

static void
add_property(struct json_reader *r, str_vec *words, struct str name, struct str value)
{
	VEC_PUSH(r->brief, words, name);
	VEC_PUSH(r->brief, words, value);
}

/* ---- one function per form ------------------------------------------------------- */

static bool
write_boolean(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	if (!cJSON_IsBool(value))
		return json_wrong_type(r, at, cJSON_True, value);
	add_property(r, words, name, cJSON_IsTrue(value) ? STR("TRUE") : STR("FALSE"));
	return true;
}

static bool
write_number(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	if (!cJSON_IsNumber(value))
		return json_wrong_type(r, at, cJSON_Number, value);
	add_property(r, words, name, str_fmt(r->a, "%.17g", value->valuedouble));
	return true;
}

static bool
write_text(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	(void)name;
	(void)words;
	return json_wrong_type(r, at, cJSON_String, value);
}

static bool
write_list(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	str_vec elements = {0};

	if (!cJSON_IsArray(value))
		return json_wrong_type(r, at, cJSON_Array, value);
	if (!json_strings(r, at, value, &elements))
		return false;
	for (size_t i = 0; i < elements.n; i++)
		add_property(r, words, name, json_escape(r->a, elements.v[i]));
	return true;
}

/* false after a message: the element cannot be spelled. */
typedef bool element_speller(struct json_reader *r, const struct json_spot *at,
	const cJSON *element, struct str *text);

static bool
write_elements(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words, element_speller *spell)
{
	struct json_spot here = {at, NULL, 0};
	struct str text;
	const cJSON *item;
	bool right = true;

	if (!cJSON_IsArray(value))
		return json_wrong_type(r, at, cJSON_Array, value);
	cJSON_ArrayForEach(item, value)
	{
		if (spell(r, &here, item, &text))
			add_property(r, words, name, text);
		else
			right = false;
		here.index++;
	}
	return right;
}

/* {"measurement": "a", "value": "b"}: the texts are no lists. */
static bool
spell_measurement(struct json_reader *r, const struct json_spot *at, const cJSON *item,
	struct str *text)
{
	static const struct json_member members[] = {
		{"measurement", cJSON_String, true}, {"value", cJSON_String, true}};
	const cJSON *found[2];

	if (!json_members(r, at, item, members, 2, found))
		return false;
	*text = str_fmt(r->a, "%s=%s", found[0]->valuestring, found[1]->valuestring);
	return true;
}

static bool
write_measurements(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	return write_elements(r, at, name, value, words, spell_measurement);
}

/* {"regex": ["a", "b"], "timeout": 2.5}: a list in a list, so that elements are escaped
 * twice. */
static bool
write_after_match(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	static const struct json_member members[] = {
		{"regex", cJSON_Array, true}, {"timeout", cJSON_Number, true}};
	struct json_spot regex = {at, "regex", 0};
	const cJSON *found[2];
	str_vec v = {0};

	if (!json_members(r, at, value, members, 2, found) ||
		!json_strings(r, &regex, found[0], &v))
		return false;
	for (size_t i = 0; i < v.n; i++)
		add_property(r, words, name,
			str_fmt(r->a, "%.17g;%s", found[1]->valuedouble,
				json_escape(r->a, json_escape(r->a, v.v[i])).p));
	return true;
}

static bool
spell_requirement(struct json_reader *r, const struct json_spot *at, const cJSON *item,
	struct buf *b)
{
	static const struct json_member members[] = {
		{".type", cJSON_String, true}, {"slots", cJSON_Number, true}};
	struct json_spot slots = {at, "slots", 0};
	const cJSON *found[2];
	size_t n = 0;

	if (!json_members(r, at, item, members, 2, found) ||
		!json_index(r, &slots, found[1], UINT32_MAX, &n))
		return false;
	buf_fmt(b, "%s%s:%zu", b->n ? "," : "", found[0]->valuestring, n);
	return true;
}

/* {"requirements": [{".type": "gpus", "slots": 2}]}; a group without requirements is
 * "1". */
static bool
spell_group(struct json_reader *r, const struct json_spot *at, const cJSON *group,
	struct str *text)
{
	static const struct json_member members[] = {{"requirements", cJSON_Array, true}};
	struct json_spot list = {at, "requirements", 0}, here = {&list, NULL, 0};
	struct buf b = {.arena = r->a};
	const cJSON *found[1], *item;
	bool right = json_members(r, at, group, members, 1, found);

	if (!right)
		return false;
	cJSON_ArrayForEach(item, found[0])
	{
		right = spell_requirement(r, &here, item, &b) && right;
		here.index++;
	}
	*text = b.n ? buf_as_str(&b) : STR("1");
	return right;
}

static bool
write_groups(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	return write_elements(r, at, name, value, words, spell_group);
}

/* A property of a ctest that is newer than this table. */
static bool
write_unknown(struct json_reader *r, const struct json_spot *at, struct str name,
	const cJSON *value, str_vec *words)
{
	if (cJSON_IsBool(value))
		return write_boolean(r, at, name, value, words);
	if (cJSON_IsNumber(value))
		return write_number(r, at, name, value, words);
	return json_wrong_type(r, at, cJSON_String, value);
}

/* ---- the table ------------------------------------------------------------------- */

static const struct {
	const char *name;
	write_value *write;
} forms[] = {
	{"ATTACHED_FILES", write_list},
	{"ATTACHED_FILES_ON_FAIL", write_list},
	{"COST", write_number},
	{"DEPENDS", write_list},
	{"DISABLED", write_boolean},
	{"ENVIRONMENT", write_list},
	{"ENVIRONMENT_MODIFICATION", write_list},
	{"FAIL_REGULAR_EXPRESSION", write_list},
	{"FIXTURES_CLEANUP", write_list},
	{"FIXTURES_REQUIRED", write_list},
	{"FIXTURES_SETUP", write_list},
	{"GENERATED_RESOURCE_SPEC_FILE", write_text},
	{"LABELS", write_list},
	{"MEASUREMENT", write_measurements},
	{"PASS_REGULAR_EXPRESSION", write_list},
	{"PROCESSORS", write_number},
	{"PROCESSOR_AFFINITY", write_boolean},
	{"REQUIRED_FILES", write_list},
	{"RESOURCE_GROUPS", write_groups},
	{"RESOURCE_LOCK", write_list},
	{"RUN_SERIAL", write_boolean},
	{"SKIP_REGULAR_EXPRESSION", write_list},
	{"SKIP_RETURN_CODE", write_number},
	{"TIMEOUT", write_number},
	{"TIMEOUT_AFTER_MATCH", write_after_match},
	{"TIMEOUT_SIGNAL_GRACE_PERIOD", write_number},
	{"TIMEOUT_SIGNAL_NAME", write_text},
	{"WILL_FAIL", write_boolean},
	{"WORKING_DIRECTORY", write_text},
};

/* A name in the table is not copied for each test. NULL after reporting a name that
 * differs from one of the table only in letter case: that property would be lost. */
static write_value *
form_of(struct json_reader *r, const struct json_spot *at, const char *z,
	struct str *name)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strcasecmp(z, forms[i].name) == 0) {
			*name = str_of(forms[i].name);
			if (str_is(*name, z))
				return forms[i].write;
			json_wrong(r, at, "must be \"%s\", not \"%s\"", forms[i].name, z);
			return NULL;
		}
	*name = str_dup(r->a, str_of(z));
	return write_unknown;
}

static bool
read_property(struct json_reader *r, const struct json_spot *at, const cJSON *item,
	str_vec *words, struct str *directory)
{
	static const struct json_member members[] = {
		{"name", cJSON_String, true}, {"value", 0, true}};
	struct json_spot here = {at, "value", 0}, at_name = {at, "name", 0};
	const cJSON *found[2];
	struct str name, text;
	write_value *write;

	if (!json_members(r, at, item, members, 2, found))
		return false;
	write = form_of(r, &at_name, found[0]->valuestring, &name);
	if (!write)
		return false;
	if (!cJSON_IsString(found[1]))
		return write(r, &here, name, found[1], words);
	text = str_dup(r->a, str_of(found[1]->valuestring));
	if (str_is(name, "WORKING_DIRECTORY"))
		*directory = text;
	else
		add_property(r, words, name, text);
	return true;
}

bool
json_properties(struct json_reader *r, const struct json_spot *test,
	const cJSON *properties, str_vec *words, struct str *directory)
{
	struct json_spot list = {test, "properties", 0}, here = {&list, NULL, 0};
	const cJSON *item;
	bool right = true;

	INVARIANT(words && directory);
	cJSON_ArrayForEach(item, properties)
	{
		right = read_property(r, &here, item, words, directory) && right;
		here.index++;
	}
	return right;
}
