/* See defaults.h. */
#include "compat/settings/defaults.h"

#include "runner/base/nearest.h"
#include "runner/base/yaml_tree.h"

struct reading {
	struct arena *a;
	struct str file;
	struct str_list options; /* keys that are read elsewhere */
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
#define PROFILES "profiles" /* names to mappings, outside of profiles only */
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
		r, t, str_fmt_z(r->a, "there is no such key; %.*s", STR_ARG(hint)));
}

static bool
refuse_value(const struct reading *r, const struct tree *t, const char *why)
{
	return refuse_node(
		r, t, str_fmt_z(r->a, "invalid value '%.*s': %s", STR_ARG(t->text), why));
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

/* A value, or a list of them, without NUL: for an option that may be given several times.
 */
static bool
check_option(const struct reading *r, const struct tree *t)
{
	bool is_right = true;

	if (t->kind == TREE_SCALAR)
		return check_scalar(r, t);
	if (t->kind == TREE_MAP)
		return refuse_node(r, t, "must be a value or a list of values");
	for (const struct tree *m = t->first; m; m = m->next)
		is_right = check_scalar(r, m) && is_right;
	return is_right;
}

static bool
refuse_member(const struct reading *r, const struct tree *t)
{
	str_vec names = {0};

	for (size_t i = 0; i < KEYS_N; i++)
		VEC_PUSH(r->a, &names, str_of(keys[i].name));
	for (size_t i = 0; i < r->options.n; i++)
		if (!str_list_has(str_vec_list(&names), r->options.v[i]))
			VEC_PUSH(r->a, &names, r->options.v[i]);
	VEC_PUSH(r->a, &names, STR(BACKENDS));
	if (!t->parent->parent)
		VEC_PUSH(r->a, &names, STR(PROFILES));
	return refuse_key(r, t, str_vec_list(&names));
}

static bool
read_member(const struct reading *r, const struct tree *t)
{
	if (str_is(t->key, BACKENDS))
		return read_systems(r, t);
	for (size_t i = 0; i < KEYS_N; i++)
		if (str_is(t->key, keys[i].name))
			return read_value(r, &keys[i], t);
	if (str_list_has(r->options, t->key))
		return check_option(r, t);
	if (str_is(t->key, PROFILES) && !t->parent->parent)
		return check_mapping(r, t);
	return refuse_member(r, t);
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
defaults_document(struct arena *a, struct str text, struct str file,
	const struct tree **root, struct diag *d)
{
	const struct reading r = {.a = a, .file = file, .d = d};

	*root = NULL;
	if (is_empty(text))
		return true;
	*root = yaml_tree_read(a, text, file, d);
	return *root && check_mapping(&r, *root);
}

bool
defaults_section(struct arena *a, const struct tree *section, struct str file,
	struct str_list options, struct engine_options *engine, struct diag *d)
{
	const struct reading r = {a, file, options, engine, d};
	bool is_right = check_mapping(&r, section);

	*engine = (struct engine_options){.has_engine = false};
	for (const struct tree *m = section->first; m && section->kind == TREE_MAP;
		m = m->next)
		is_right = read_member(&r, m) && is_right;
	return is_right && check_place(&r, section);
}

bool
defaults_check(struct arena *a, const struct tree *root, struct str file,
	struct str_list options, struct diag *d)
{
	struct engine_options engine;
	bool is_right = defaults_section(a, root, file, options, &engine, d);
	const struct tree *profiles = tree_member(root, PROFILES);

	for (const struct tree *m =
			profiles && profiles->kind == TREE_MAP ? profiles->first : NULL;
		m; m = m->next)
		is_right = defaults_section(a, m, file, options, &engine, d) && is_right;
	return is_right;
}

const struct tree *
defaults_profile(const struct tree *root, struct str name)
{
	const struct tree *profiles = root ? tree_member(root, PROFILES) : NULL;

	for (const struct tree *m = profiles ? profiles->first : NULL; m; m = m->next)
		if (str_eq(m->key, name))
			return m;
	return NULL;
}

void
defaults_add_profiles(struct arena *a, const struct tree *root, str_vec *names)
{
	const struct tree *profiles = root ? tree_member(root, PROFILES) : NULL;

	for (const struct tree *m = profiles ? profiles->first : NULL; m; m = m->next)
		VEC_PUSH(a, names, m->key);
}

bool
defaults_is_engine_key(struct str key)
{
	for (size_t i = 0; i < KEYS_N; i++)
		if (str_is(key, keys[i].name))
			return true;
	return false;
}
