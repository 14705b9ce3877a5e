/* JSON only: for a build without libyaml. See yaml_tree.h. */
#include "runner/base/yaml_tree.h"

#include <cjson/cJSON.h>

struct builder {
	struct arena *a;
	struct str file;
	struct diag *d;
};

static unsigned
line_at(struct str text, const char *end)
{
	unsigned line = 1;

	for (const char *p = text.p; end && p < end && p < text.p + text.n; p++)
		line += *p == '\n';
	return line;
}

static struct str
number_text(struct arena *a, double v)
{
	return v > -1e15 && v < 1e15 && v == (double)(long long)v
		       ? str_fmt(a, "%lld", (long long)v)
		       : str_fmt(a, "%.17g", v);
}

static struct tree *
make_scalar(struct arena *a, const cJSON *v)
{
	struct tree *t = NEW(a, struct tree);

	t->is_plain = !cJSON_IsString(v);
	if (cJSON_IsString(v))
		t->text = str_dup(a, str_of(v->valuestring));
	else if (cJSON_IsNumber(v))
		t->text = number_text(a, v->valuedouble);
	else
		t->text = cJSON_IsNull(v)   ? STR("null")
			  : cJSON_IsTrue(v) ? STR("true")
					    : STR("false");
	return t;
}

/* The recursion is bounded by the depth limit. */
static struct tree *
build_tree(struct builder *b, const cJSON *v, unsigned depth)
{
	struct map keys = map_in(b->a);
	struct place at = {.file = b->file};
	struct tree *t;
	const cJSON *m;

	if (!cJSON_IsObject(v) && !cJSON_IsArray(v))
		return make_scalar(b->a, v);
	if (depth > TREE_DEPTH_MOST)
		return diag_error(b->d, at, "nested too deeply"), NULL;
	t = NEW(b->a, struct tree);
	t->kind = cJSON_IsObject(v) ? TREE_MAP : TREE_LIST;
	cJSON_ArrayForEach(m, v)
	{
		struct tree *child = build_tree(b, m, depth + 1);

		if (!child)
			return NULL;
		if (t->kind == TREE_MAP) {
			child->key = str_dup(b->a, str_of(m->string));
			if (!map_add(&keys, child->key))
				return diag_error(b->d, at, "key '%.*s' occurs twice",
					       STR_ARG(child->key)),
				       NULL;
		}
		tree_add(t, child);
	}
	return t;
}

const struct tree *
yaml_tree_read(struct arena *a, struct str text, struct str file, struct diag *d)
{
	struct builder b = {a, file, d};
	const char *end = NULL;
	struct str z = str_dup(a, text);
	cJSON *root = cJSON_ParseWithLengthOpts(z.p, z.n + 1, &end, true);
	struct tree *t;

	if (!root) {
		diag_error(d, (struct place){.file = file, .line = line_at(z, end)},
			"not JSON, and this cctr was built without libyaml");
		return NULL;
	}
	t = build_tree(&b, root, 1);
	cJSON_Delete(root);
	return t;
}
