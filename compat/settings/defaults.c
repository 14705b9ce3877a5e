/* See defaults.h. */
#include "compat/settings/defaults.h"

#include "runner/base/nearest.h"
#include "runner/base/yaml_tree.h"

struct reading {
	struct arena *a;
	struct str file;
	struct engine_options *engine;
	struct diag *d;
};

/* ---- keys ------------------------------------------------------------------------ */

struct key {
	const char *name;
	engine_value_reader *read;
};
static const struct key keys[] = {
	{"engine", engine_read_name},
	{"launcher", engine_read_launcher},
	{"nodes", engine_read_nodes},
	{"node-timeout", engine_read_timeout},
	{"backend-opt", engine_read_system_options},
};
#define BACKENDS "backends" /* settings of each batch system */
enum { KEYS_N = sizeof keys / sizeof *keys };

static bool
refuse_node(const struct reading *r, const struct tree *t, const char *why)
{
	return diag_error(r->d, (struct place){.file = r->file, .line = t->line},
		"%.*s: %s", STR_ARG(tree_path(r->a, t)), why);
}

static bool
refuse_key(const struct reading *r, const struct tree *t, struct str_list known)
{
	struct str hint = nearest_hint(r->a, t->key, known, "the keys are ");

	return refuse_node(
		r, t, str_fmt(r->a, "there is no such key; %.*s", STR_ARG(hint)).p);
}

static bool
refuse_value(const struct reading *r, const struct tree *t, const char *why)
{
	return refuse_node(
		r, t, str_fmt(r->a, "invalid value '%.*s': %s", STR_ARG(t->text), why).p);
}

static bool
check_scalar(const struct reading *r, const struct tree *t)
{
	if (t->kind != TREE_SCALAR)
		return refuse_node(r, t, "must be one value, no list and no mapping");
	return str_find(t->text, '\0') == t->text.n ||
	       refuse_node(r, t, "must not contain a NUL");
}

static bool
check_mapping(const struct reading *r, const struct tree *t)
{
	return t->kind == TREE_MAP || refuse_node(r, t, "must be a mapping");
}

/* ---- batch systems --------------------------------------------------------------- */

/* The keys of the batch system at that index. */
static bool
read_system(const struct reading *r, size_t at, const struct tree *t)
{
	struct str_list known = cluster_settings_keys(r->a, batch_systems[at]->name);
	struct cluster_settings *s = &r->engine->settings[at];
	bool is_right = check_mapping(r, t);

	for (const struct tree *m = t->first; m && t->kind == TREE_MAP; m = m->next) {
		const char *why = NULL;

		if (!str_list_has(known, m->key))
			is_right = refuse_key(r, m, known);
		else if (!check_scalar(r, m))
			is_right = false;
		else if (!cluster_settings_set(r->a, s, m->key, m->text, &why))
			is_right = refuse_value(r, m, why);
	}
	return is_right;
}

static bool
read_systems(const struct reading *r, const struct tree *t)
{
	struct str names[BATCH_SYSTEMS_N];
	bool is_right = check_mapping(r, t);

	for (size_t i = 0; i < BATCH_SYSTEMS_N; i++)
		names[i] = str_of(batch_systems[i]->name);
	for (const struct tree *m = t->first; m && t->kind == TREE_MAP; m = m->next) {
		size_t i = 0;

		while (i < BATCH_SYSTEMS_N && !str_eq(m->key, names[i]))
			i++;
		if (i == BATCH_SYSTEMS_N)
			is_right = refuse_key(
				r, m, (struct str_list){names, BATCH_SYSTEMS_N});
		else
			is_right = read_system(r, i, m) && is_right;
	}
	return is_right;
}

/* ---- members of the document ----------------------------------------------------- */

static bool
read_value(const struct reading *r, const struct key *k, const struct tree *t)
{
	const char *why = NULL;

	return check_scalar(r, t) &&
	       (k->read(r->a, t->text, r->engine, &why) || refuse_value(r, t, why));
}

static bool
read_member(const struct reading *r, const struct tree *t)
{
	struct str names[KEYS_N + 1];

	if (str_is(t->key, BACKENDS))
		return read_systems(r, t);
	for (size_t i = 0; i < KEYS_N; i++) {
		if (str_is(t->key, keys[i].name))
			return read_value(r, &keys[i], t);
		names[i] = str_of(keys[i].name);
	}
	names[KEYS_N] = STR(BACKENDS);
	return refuse_key(r, t, (struct str_list){names, KEYS_N + 1});
}

/* ---- a document ------------------------------------------------------------------ */

/* Nothing but blanks and comments. */
static bool
is_empty(struct str text)
{
	while (text.n) {
		struct str line = str_trim(str_take(&text, '\n'));

		if (line.n && line.p[0] != '#')
			return false;
	}
	return true;
}

/* What cannot be meant together, as on the command line. */
static bool
check_place(const struct reading *r, const struct tree *root)
{
	const struct engine_options *e = r->engine;
	const struct tree *nodes = tree_member(root, "nodes");
	const struct tree *launcher = tree_member(root, "launcher");

	if (e->has_engine && nodes)
		return refuse_node(r, nodes, "cannot be used with engine");
	return !e->has_engine || e->system || !launcher ||
	       refuse_node(r, launcher, "cannot be used with engine: local");
}

bool
defaults_parse(struct arena *a, struct str text, struct str file,
	struct engine_options *engine, struct diag *d)
{
	struct reading r = {a, file, engine, d};
	const struct tree *root;
	bool is_right = true;

	*engine = (struct engine_options){.has_engine = false};
	if (is_empty(text))
		return true;
	root = yaml_tree_read(a, text, file, d);
	if (!root)
		return false;
	if (root->kind != TREE_MAP)
		return refuse_node(&r, root, "must be a mapping");
	for (const struct tree *m = root->first; m; m = m->next)
		is_right = read_member(&r, m) && is_right;
	return is_right && check_place(&r, root);
}
