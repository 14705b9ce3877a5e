/*
 * canary's resource pools. See canary_pool.h.
 *
 * Names and ids are limited to those that tests can ask for and that
 * CTEST_RESOURCE_GROUP_* can contain, so that every pool can be written as a resource
 * specification too.
 */
#include "manifests/canary/canary_pool.h"

#include <errno.h>

#include "runner/base/yaml_tree.h"
#include "runner/base/files.h"
#include "runner/resources/pool_sources.h"

struct reader {
	struct arena *a;
	struct str file;
	struct pool *pool;
	struct diag *d;
};

/* ---- saying ---------------------------------------------------------------------- */

static bool
refuse_node(struct reader *r, const struct tree *t, const char *why)
{
	return diag_error(r->d, (struct place){.file = r->file, .line = t->line},
		"%.*s: %s", STR_ARG(tree_path(r->a, t)), why);
}

/* ---- properties ------------------------------------------------------------------ */

typedef VEC(struct resource_property) property_vec;

/* Writes a container as one line. */
static void
write_value(struct buf *b, const struct tree *t)
{
	if (t->kind == TREE_SCALAR) {
		buf_str(b, t->text);
		return;
	}
	buf_char(b, t->kind == TREE_MAP ? '{' : '[');
	for (const struct tree *m = t->first; m; m = m->next) {
		if (t->kind == TREE_MAP)
			buf_fmt(b, "%.*s: ", STR_ARG(m->key));
		write_value(b, m);
		buf_z(b, m->next ? ", " : "");
	}
	buf_char(b, t->kind == TREE_MAP ? '}' : ']');
}

static void
add_property(struct arena *a, property_vec *v, const struct tree *t)
{
	struct buf b = {.arena = a};

	write_value(&b, t);
	VEC_PUSH(
		a, v, (struct resource_property){t->key, b.n ? buf_as_str(&b) : STR("")});
}

/* ---- instances ------------------------------------------------------------------- */

static bool
read_count(struct reader *r, const struct tree *t, uint64_t most, uint64_t *n)
{
	if (t->kind == TREE_SCALAR && t->is_plain && str_unsigned(t->text, most, n))
		return true;
	return refuse_node(r, t,
		str_fmt_z(r->a, "must be a whole number from 0 to %llu",
			(unsigned long long)most));
}

static bool
read_id(struct reader *r, const struct tree *t, struct str *id)
{
	if (t->kind != TREE_SCALAR || !pool_is_id(t->text))
		return refuse_node(r, t, "an id is small letters, digits and '_'");
	*id = t->text;
	return true;
}

static bool
read_member(struct reader *r, const struct tree *m, struct resource_instance *i,
	property_vec *properties)
{
	if (str_is(m->key, "id"))
		return read_id(r, m, &i->id);
	if (str_is(m->key, "slots"))
		return read_count(r, m, POOL_SLOTS_MOST, &i->slots);
	if (!str_is(m->key, "properties")) {
		add_property(r->a, properties, m);
		return true;
	}
	if (m->kind != TREE_MAP)
		return refuse_node(r, m, "must be a mapping");
	for (const struct tree *p = m->first; p; p = p->next)
		add_property(r->a, properties, p);
	return true;
}

static bool
read_instance(struct reader *r, const struct tree *t, struct resource_instance *i)
{
	property_vec properties = {0};
	bool is_right = true;

	*i = (struct resource_instance){.slots = 1};
	if (t->kind != TREE_MAP)
		return refuse_node(r, t, "must be a mapping with an id");
	for (const struct tree *m = t->first; m; m = m->next)
		is_right = read_member(r, m, i, &properties) && is_right;
	i->properties = properties.v;
	i->properties_n = properties.n;
	if (is_right && !i->id.n)
		return refuse_node(r, t, "has no id");
	return is_right;
}

static bool
read_instances(struct reader *r, const struct tree *t, struct resource_type *type)
{
	struct map ids = map_in(r->a);
	bool is_right = true;

	type->v = NEW_ARRAY(r->a, struct resource_instance, t->n);
	for (const struct tree *m = t->first; m; m = m->next) {
		struct resource_instance i;

		if (!read_instance(r, m, &i)) {
			is_right = false;
			continue;
		}
		if (map_add(&ids, i.id))
			type->v[type->n++] = i;
		else
			is_right = refuse_node(r, m,
				str_fmt_z(r->a, "id '%.*s' occurs twice", STR_ARG(i.id)));
	}
	pool_order_instances(type);
	return is_right;
}

/* ---- types ----------------------------------------------------------------------- */

static bool
read_type(struct reader *r, const struct tree *t)
{
	struct resource_type *type;
	uint64_t n;

	if (!pool_is_type_name(t->key))
		return refuse_node(
			r, t, "a type is small letters, digits and '_', no digit first");
	type = &r->pool->types[r->pool->n++];
	type->name = t->key;
	if (t->kind == TREE_LIST)
		return read_instances(r, t, type);
	if (t->kind == TREE_MAP)
		return refuse_node(r, t, "must be a number or a list of instances");
	if (!read_count(r, t, POOL_INSTANCES_MOST, &n))
		return false;
	pool_number_instances(r->a, type, n, 1);
	return true;
}

static bool
read_types(struct reader *r, const struct tree *t)
{
	bool is_right = true;

	if (t->kind != TREE_MAP)
		return refuse_node(r, t, "must be a mapping of types");
	r->pool->types = NEW_ARRAY(r->a, struct resource_type, t->n);
	for (const struct tree *m = t->first; m; m = m->next)
		is_right = read_type(r, m) && is_right;
	pool_order_types(r->pool);
	return is_right;
}

/* ---- the forms ------------------------------------------------------------------- */

/* Refuses members other than the one that is read; members that only describe are
 * ignored. */
static bool
check_others(struct reader *r, const struct tree *t, const char *read)
{
	static const char *const describing[] = {
		"id", "additional_properties", "properties", "allow_multinode"};
	bool is_right = true;

	for (const struct tree *m = t->first; m; m = m->next) {
		bool is_known = str_is(m->key, read);

		for (size_t i = 0; i < sizeof describing / sizeof *describing; i++)
			is_known = is_known || str_is(m->key, describing[i]);
		if (!is_known)
			is_right = refuse_node(r, m, "is not known here");
	}
	return is_right;
}

static bool
read_node(struct reader *r, const struct tree *t)
{
	const struct tree *resources = tree_member(t, "resources");

	if (!resources)
		return refuse_node(r, t, "must be a mapping with resources");
	return check_others(r, t, "resources") && read_types(r, resources);
}

/* A single node needs no id. */
static bool
read_node_id(struct reader *r, const struct tree *t, struct map *seen, struct str *id)
{
	const struct tree *id_node = tree_member(t, "id");

	*id = STR("");
	if (!id_node)
		return t->parent->n == 1 || refuse_node(r, t, "has no id");
	if (id_node->kind != TREE_SCALAR || !id_node->text.n)
		return refuse_node(r, id_node, "must be the name of the node");
	*id = id_node->text;
	return map_add(seen, *id) ||
	       refuse_node(
		       r, t, str_fmt_z(r->a, "node '%.*s' occurs twice", STR_ARG(*id)));
}

static bool
read_nodes(struct reader *r, const struct tree *t)
{
	struct pool *whole = r->pool, *parts;
	struct map seen = map_in(r->a);
	struct str *ids;
	bool is_right = true;
	size_t n = 0;

	if (t->kind != TREE_LIST)
		return refuse_node(r, t, "must be a list of nodes");
	parts = NEW_ARRAY(r->a, struct pool, t->n);
	ids = NEW_ARRAY(r->a, struct str, t->n);
	for (const struct tree *m = t->first; m; m = m->next, n++) {
		r->pool = &parts[n];
		is_right = read_node(r, m) && is_right;
		is_right = read_node_id(r, m, &seen, &ids[n]) && is_right;
	}
	r->pool = whole;
	*whole = pool_join(r->a, ids, parts, n);
	return is_right;
}

static bool
read_pool(struct reader *r, const struct tree *t)
{
	const struct tree *nodes = tree_member(t, "nodes");

	if (t->kind != TREE_MAP)
		return refuse_node(r, t, "must be a mapping");
	if (tree_member(t, "local"))
		return refuse_node(
			r, t, "is a resource specification: --resource-spec-file");
	if (nodes)
		return check_others(r, t, "nodes") && read_nodes(r, nodes);
	if (tree_member(t, "resources"))
		return read_node(r, t);
	return read_types(r, t);
}

static bool
read_document(struct reader *r, const struct tree *root)
{
	const struct tree *inner = tree_member(root, "resource_pool");
	bool is_right = true;

	if (!inner)
		return read_pool(r, root);
	for (const struct tree *m = root->first; m; m = m->next)
		if (m != inner)
			is_right =
				refuse_node(r, m, "does not belong beside resource_pool");
	return read_pool(r, inner) && is_right;
}

static bool
parse_pool(struct arena *a, struct str text, struct str file, struct pool *pool,
	struct diag *d)
{
	struct reader r = {a, file, pool, d};
	const struct tree *root = yaml_tree_read(a, text, file, d);

	*pool = (struct pool){0};
	if (root && read_document(&r, root))
		return true;
	*pool = (struct pool){0};
	return false;
}

bool
canary_pool_load(struct arena *a, struct str path, struct pool *pool, struct diag *d)
{
	struct str text;

	INVARIANT(pool && d);
	*pool = (struct pool){0};
	if (!file_read_named(a, str_z(a, path), &text))
		return diag_system(d, path, "cannot be read", errno);
	return parse_pool(a, text, path, pool, d);
}
