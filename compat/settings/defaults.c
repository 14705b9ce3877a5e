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
enum { KEYS_N = sizeof keys / sizeof *keys };

static bool
refuse_node(const struct reading *r, const struct tree *t, const char *why)
{
	return diag_error(r->d, (struct place){.file = r->file, .line = t->line},
		"%.*s: %s", STR_ARG(tree_path(r->a, t)), why);
}

static bool
refuse_key(const struct reading *r, const struct tree *t)
{
	struct buf why = {.arena = r->a};
	struct str names[KEYS_N], meant;

	for (size_t i = 0; i < KEYS_N; i++)
		names[i] = str_of(keys[i].name);
	meant = nearest_word(t->key, (struct str_list){names, KEYS_N});
	buf_z(&why, "there is no such key; ");
	if (meant.n)
		buf_fmt(&why, "did you mean %.*s?", STR_ARG(meant));
	for (size_t i = 0; i < KEYS_N && !meant.n; i++)
		buf_fmt(&why, "%s%.*s", i ? ", " : "the keys are ", STR_ARG(names[i]));
	return refuse_node(r, t, why.p);
}

static bool
read_value(const struct reading *r, const struct key *k, const struct tree *t)
{
	const char *why = NULL;

	if (t->kind != TREE_SCALAR)
		return refuse_node(r, t, "must be one value, no list and no mapping");
	return k->read(r->a, t->text, r->engine, &why) ||
	       refuse_node(r, t,
		       str_fmt(r->a, "invalid value '%.*s': %s", STR_ARG(t->text), why)
			       .p);
}

static bool
read_member(const struct reading *r, const struct tree *t)
{
	for (size_t i = 0; i < KEYS_N; i++)
		if (str_is(t->key, keys[i].name))
			return read_value(r, &keys[i], t);
	return refuse_key(r, t);
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
