/* See build_targets.h and cmake-file-api(7). */
#include "compat/run/build_targets.h"

#include <cjson/cJSON.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/json_members.h"

#define REPLY ".cmake/api/v1/reply"
#define QUERY ".cmake/api/v1/query/client-cctr"
#define CODEMODEL "codemodel-v2"

struct reading {
	struct arena *a;
	struct str folder; /* of the reply */
	struct str build;
	struct build_targets *targets;
};

/* NULL: there is no such file, or it is no JSON. The caller deletes it. */
static cJSON *
read_json(const struct reading *r, const char *name)
{
	struct arena *scratch = arena_open();
	struct str text;
	cJSON *json = NULL;

	if (*name && !strchr(name, '/') &&
		file_read(scratch, path_join(scratch, r->folder, str_of(name)).p, &text))
		json = cJSON_ParseWithLength(text.p, text.n);
	arena_close(scratch);
	return json;
}

/* The last index is the one that counts; STR_NONE: there is none. */
static struct str
find_index(const struct reading *r)
{
	struct str last = STR_NONE;
	str_vec names = {0};

	if (!directory_read(r->a, r->folder.p, &names))
		return STR_NONE;
	for (size_t i = 0; i < names.n; i++)
		if (str_begins(names.v[i], STR("index-")) &&
			str_ends(names.v[i], STR(".json")) &&
			(!last.n || str_order(last, names.v[i]) < 0))
			last = names.v[i];
	return last;
}

/* "": the index names no model. */
static const char *
name_model(const cJSON *index)
{
	const cJSON *object;

	cJSON_ArrayForEach(object, json_value_of(index, "objects"))
	{
		const cJSON *version = json_value_of(object, "version");

		if (json_is_text(object, "kind", "codemodel") &&
			json_number_of(version, "major") == 2)
			return json_text_of(object, "jsonFile");
	}
	return "";
}

static bool
read_target(struct reading *r, const cJSON *of_model)
{
	cJSON *target = read_json(r, json_text_of(of_model, "jsonFile"));
	struct str name = str_dup(r->a, str_of(json_text_of(of_model, "name")));
	const cJSON *artifact;

	cJSON_ArrayForEach(artifact, json_value_of(target, "artifacts"))
	{
		struct str path = str_of(json_text_of(artifact, "path"));

		map_set(&r->targets->by_path,
			path_normal(r->a, path_join(r->a, r->build, path)),
			(uint32_t)r->targets->names.n);
	}
	VEC_PUSH(r->a, &r->targets->names, name);
	cJSON_Delete(target);
	return target != NULL && name.n;
}

/* NULL: the model has no such configuration. */
static const cJSON *
find_configuration(struct str name, const cJSON *model)
{
	const cJSON *all = json_value_of(model, "configurations");
	const cJSON *one;

	if (cJSON_GetArraySize(all) == 1)
		return cJSON_GetArrayItem(all, 0);
	cJSON_ArrayForEach(
		one, all) if (str_is(name, json_text_of(one, "name"))) return one;
	return NULL;
}

static bool
read_model(struct reading *r, struct str configuration, const cJSON *model)
{
	const cJSON *paths = json_value_of(model, "paths");
	const cJSON *found = find_configuration(configuration, model), *target;
	bool all = found != NULL;

	r->build = str_dup(r->a, str_of(json_text_of(paths, "build")));
	cJSON_ArrayForEach(target, json_value_of(found, "targets")) all =
		all && read_target(r, target);
	return all && r->build.n;
}

bool
build_targets_read(struct arena *a, struct str tree, struct str configuration,
	struct build_targets *t)
{
	struct reading r = {
		.a = a, .folder = path_join(a, tree, STR(REPLY)), .targets = t};
	struct str name = find_index(&r);
	cJSON *index = name.n ? read_json(&r, str_z(a, name)) : NULL;
	cJSON *model = index ? read_json(&r, name_model(index)) : NULL;
	bool is_read;

	INVARIANT(t && tree.n);
	*t = (struct build_targets){.by_path = map_in(a)};
	is_read = model && read_model(&r, configuration, model);
	cJSON_Delete(model);
	cJSON_Delete(index);
	return is_read;
}

void
build_targets_ask(struct arena *a, struct str tree)
{
	struct str folder = path_join(a, tree, STR(QUERY));
	struct str path = path_join(a, folder, STR(CODEMODEL));

	/* Without it everything is built, as now. */
	if (!path_exists(path.p) && directory_make(a, folder.p))
		(void)!file_write(a, path.p, ".tmp", STR(""));
}
