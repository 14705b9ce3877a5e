/* YAML as libyaml reads it: the only file that includes it. See yaml_tree.h. */
#include "runner/base/yaml_tree.h"

#include <yaml.h>

#include "runner/base/library.h"

#define FUNCTIONS(X)                                                                     \
	X(yaml_parser_initialize)                                                        \
	X(yaml_parser_set_input_string)                                                  \
	X(yaml_parser_parse)                                                             \
	X(yaml_parser_delete)                                                            \
	X(yaml_event_delete)

CCTR_LIBRARY(CCTR_YAML_LIBRARY, "recommended", "files in YAML", FUNCTIONS)

struct builder {
	struct arena *a;
	struct library yaml;
	struct str file;
	struct diag *d;
	struct tree *root, *open; /* the innermost container */
	unsigned depth;
	struct map keys; /* "container address/key", to find duplicate keys */
	bool has_key, is_ended;
	struct str key;
};

static bool
refuse_event(const struct builder *b, yaml_mark_t at, const char *why)
{
	return diag_error(b->d,
		(struct place){.file = b->file, .line = (unsigned)at.line + 1}, "%s",
		why);
}

/* ---- building -------------------------------------------------------------------- */

static bool
note_key(struct builder *b, yaml_mark_t at, struct str key)
{
	if (!map_add(&b->keys, str_fmt(b->a, "%p/%.*s", (void *)b->open, STR_ARG(key))))
		return refuse_event(
			b, at, str_fmt_z(b->a, "key '%.*s' occurs twice", STR_ARG(key)));
	b->key = key;
	b->has_key = true;
	return true;
}

static bool
is_at_key(const struct builder *b)
{
	return b->open && b->open->kind == TREE_MAP && !b->has_key;
}

static bool
add_node(struct builder *b, yaml_mark_t at, struct tree node)
{
	struct tree *t;

	if (is_at_key(b) && node.kind == TREE_SCALAR)
		return note_key(b, at, node.text);
	if (is_at_key(b))
		return refuse_event(b, at, "a key must be a word");
	t = NEW(b->a, struct tree);
	*t = node;
	t->line = (unsigned)at.line + 1;
	t->key = b->has_key ? b->key : STR("");
	b->has_key = false;
	if (b->open)
		tree_add(b->open, t);
	else
		b->root = t;
	if (t->kind == TREE_SCALAR)
		return true;
	b->open = t;
	return ++b->depth <= TREE_DEPTH_MOST || refuse_event(b, at, "nested too deeply");
}

static bool
close_container(struct builder *b)
{
	b->open = b->open->parent;
	b->depth--;
	return true;
}

static bool
add_scalar(struct builder *b, const yaml_event_t *e)
{
	const char *p = (const char *)e->data.scalar.value;

	return add_node(b, e->start_mark,
		(struct tree){.kind = TREE_SCALAR,
			.is_plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
			.text = str_dup(b->a, str_cut(p, e->data.scalar.length))});
}

static bool
take_event(struct builder *b, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return add_scalar(b, e);
	case YAML_SEQUENCE_START_EVENT:
		return add_node(b, e->start_mark, (struct tree){.kind = TREE_LIST});
	case YAML_MAPPING_START_EVENT:
		return add_node(b, e->start_mark, (struct tree){.kind = TREE_MAP});
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_container(b);
	case YAML_ALIAS_EVENT:
		return refuse_event(b, e->start_mark, "aliases are not supported");
	case YAML_DOCUMENT_START_EVENT:
		return !b->root ||
		       refuse_event(b, e->start_mark, "more than one document");
	case YAML_STREAM_END_EVENT:
		b->is_ended = true;
		return b->root || refuse_event(b, e->start_mark, "the file is empty");
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
	return true;
}

/* ---- reading --------------------------------------------------------------------- */

static bool
next_event(struct builder *b, yaml_parser_t *parser)
{
	yaml_event_t e;
	bool is_taken;

	if (!b->yaml.yaml_parser_parse(parser, &e))
		return refuse_event(b, parser->problem_mark,
			parser->problem ? parser->problem : "not YAML");
	is_taken = take_event(b, &e);
	b->yaml.yaml_event_delete(&e);
	return is_taken;
}

const struct tree *
yaml_tree_read(struct arena *a, struct str text, struct str file, struct diag *d)
{
	struct builder b = {.a = a, .file = file, .d = d, .keys = map_in(a)};
	yaml_parser_t parser;
	bool is_right = true;

	if (!load_library(&b.yaml)) {
		diag_error(d, (struct place){.file = file},
			"cannot be read, since there is no " CCTR_YAML_LIBRARY);
		return NULL;
	}
	if (!b.yaml.yaml_parser_initialize(&parser))
		BUG("libyaml does not start");
	b.yaml.yaml_parser_set_input_string(
		&parser, (const unsigned char *)text.p, text.n);
	while (is_right && !b.is_ended)
		is_right = next_event(&b, &parser);
	b.yaml.yaml_parser_delete(&parser);
	return is_right ? b.root : NULL;
}
