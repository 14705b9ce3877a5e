/*
 * --show-only=json-v1. See show_only.h.
 *
 * Tests are in the order of their numbers. Files and commands of backtraces are numbered
 * when they are first seen, innermost frame first. Frames become nodes outermost first,
 * and tests do not share nodes, as in ctest.
 */
#include "compat/report/show_only.h"

#include <stdlib.h>

#include "compat/format/json_styled.h"
#include "compat/launch/wrapper.h"
#include "compat/report/measurements.h"
#include "compat/resources/properties.h"
#include "runner/base/sort.h"
#include "runner/cmakelang/cmake_text.h"

struct frame {
	uint32_t file, command; /* command: MAP_NONE for none */
	int line; /* 0: not shown */
	bool has_parent; /* its parent is the previous node */
};
struct names {
	struct map index;
	str_vec v;
};
struct graph {
	struct arena *a;
	struct names files, commands;
	VEC(struct frame) nodes;
};
struct shown {
	const struct selected *selected;
	const struct test *test;
	const struct executable *executable; /* NULL: no command was declared */
	uint32_t node; /* MAP_NONE: no backtrace */
};
struct listing {
	struct arena *a;
	const struct json_listing *what;
	struct graph graph;
	VEC(struct shown) tests;
	struct json json;
};

/* ---- backtraces ------------------------------------------------------------------ */

static uint32_t
name_index(struct arena *a, struct names *names, struct str name)
{
	uint32_t number = map_number(&names->index, name);

	if (number == names->v.n)
		VEC_PUSH(a, &names->v, name);
	return number;
}

/* Returns the node of the innermost frame. */
static uint32_t
add_backtrace(struct graph *g, struct str_list triples)
{
	size_t frames = triples.n / 3;
	struct frame *nodes = NEW_ARRAY(g->a, struct frame, frames);

	for (size_t i = 0; i < frames; i++) {
		const struct str *t = triples.v + 3 * i;

		nodes[i].file = name_index(g->a, &g->files, t[0]);
		nodes[i].line = (int)strtol(str_z(g->a, t[1]), NULL, 10);
		nodes[i].command =
			t[2].n ? name_index(g->a, &g->commands, t[2]) : MAP_NONE;
		nodes[i].has_parent = i + 1 < frames;
	}
	for (size_t i = frames; i-- > 0;)
		VEC_PUSH(g->a, &g->nodes, nodes[i]);
	return frames ? (uint32_t)g->nodes.n - 1 : MAP_NONE;
}

static void
put_names(struct json *j, const char *key, const struct names *names)
{
	json_key(j, key);
	json_open(j, '[');
	for (size_t i = 0; i < names->v.n; i++)
		json_string(j, names->v.v[i]);
	json_close(j, ']');
}

static void
put_node(struct json *j, const struct frame *n, size_t index)
{
	json_open(j, '{');
	if (n->command != MAP_NONE) {
		json_key(j, "command");
		json_int(j, n->command);
	}
	json_key(j, "file");
	json_int(j, n->file);
	if (n->line) {
		json_key(j, "line");
		json_int(j, n->line);
	}
	if (n->has_parent) {
		json_key(j, "parent");
		json_int(j, (long long)index - 1);
	}
	json_close(j, '}');
}

static void
put_graph(struct json *j, const struct graph *g)
{
	json_open(j, '{');
	put_names(j, "commands", &g->commands);
	put_names(j, "files", &g->files);
	json_key(j, "nodes");
	json_open(j, '[');
	for (size_t i = 0; i < g->nodes.n; i++)
		put_node(j, &g->nodes.v[i], i);
	json_close(j, ']');
	json_close(j, '}');
}

/* ---- values of properties -------------------------------------------------------- */

static void
put_list(struct json *j, struct str_list l)
{
	json_open(j, '[');
	for (size_t i = 0; i < l.n; i++)
		json_string(j, l.v[i]);
	json_close(j, ']');
}

static void
put_patterns(struct json *j, const struct pattern_list *l)
{
	json_open(j, '[');
	for (size_t i = 0; i < l->n; i++)
		json_string(j, l->v[i]->text);
	json_close(j, ']');
}

static void
put_after_match(struct json *j, const struct timeout_after_match *t)
{
	json_open(j, '{');
	json_key(j, "regex");
	put_patterns(j, &t->patterns);
	json_key(j, "timeout");
	json_double(j, t->seconds);
	json_close(j, '}');
}

static void
put_need(struct json *j, const struct requirement *r)
{
	json_open(j, '{');
	json_key(j, ".type");
	json_string(j, r->type);
	json_key(j, "slots");
	json_int(j, (long long)r->slots);
	json_close(j, '}');
}

static void
put_groups(struct json *j, const struct resource_groups *groups)
{
	json_open(j, '[');
	for (size_t g = 0; g < groups->n; g++) {
		json_open(j, '{');
		json_key(j, "requirements");
		json_open(j, '[');
		for (size_t i = 0; i < groups->v[g].n; i++)
			put_need(j, &groups->v[g].v[i]);
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void
put_measurements(struct arena *a, struct json *j, struct str_list property)
{
	struct measurement *v;
	size_t n = measurements_declared(a, property, &v);

	json_open(j, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(j, '{');
		json_key(j, "measurement");
		json_string(j, v[i].name);
		json_key(j, "value");
		json_string(j, v[i].value);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* ---- properties ------------------------------------------------------------------ */

/* The value of a row for one test: the test's own field, except for DEPENDS, to which
 * fixtures add, and WORKING_DIRECTORY. */
static const void *
field_of(const struct listing *l, const struct property_row *row, const struct shown *s)
{
	if (row->kind == PROPERTY_DIRECTORY)
		return &s->test->directory;
	if (row->offset == offsetof(struct properties, depends))
		return &s->selected->depends_names;
	if (row->kind == PROPERTY_TIMEOUT && s->test->properties->timeout_s == 0 &&
		l->what->timeout_s != 0)
		return &l->what->timeout_s;
	return (const char *)s->test->properties + row->offset;
}

static void
put_value(struct listing *l, enum property_kind kind, const void *field)
{
	struct json *j = &l->json;

	switch (kind) {
	case PROPERTY_LIST:
	case PROPERTY_SET:
		put_list(j, *(const struct str_list *)field);
		break;
	case PROPERTY_MEASUREMENT:
		put_measurements(l->a, j, *(const struct str_list *)field);
		break;
	case PROPERTY_PATTERNS:
		put_patterns(j, field);
		break;
	case PROPERTY_FLAG:
		json_bool(j, *(const bool *)field);
		break;
	case PROPERTY_TEXT:
	case PROPERTY_SIGNAL:
	case PROPERTY_DIRECTORY:
		json_string(j, *(const struct str *)field);
		break;
	case PROPERTY_COST:
	case PROPERTY_TIMEOUT:
	case PROPERTY_GRACE:
		json_double(j, *(const double *)field);
		break;
	case PROPERTY_PROCESSORS:
	case PROPERTY_SKIP_CODE:
		json_int(j, *(const int *)field);
		break;
	case PROPERTY_AFTER_MATCH:
		put_after_match(j, field);
		break;
	case PROPERTY_GROUPS:
		put_groups(j, field);
		break;
	case PROPERTY_BACKTRACE:
	case PROPERTY_NODES:
	case PROPERTY_PMIX:
	case PROPERTY_SECONDS:
	case PROPERTY_KINDS:
		BUG("a property that is not shown");
	}
}

static bool
has_shown(const struct listing *l, const struct shown *s, const struct property_row *rows,
	size_t n)
{
	const struct properties *p = s->test->properties;

	if (s->test->directory.n || p->custom_n)
		return true;
	for (size_t i = 0; p != &properties_default && i < n; i++)
		if (property_holds(l->what->dialect, rows[i].shown_since) &&
			property_is_set(rows[i].kind, p, field_of(l, &rows[i], s)))
			return true;
	return false;
}

static void
put_properties(struct listing *l, const struct shown *s)
{
	const struct properties *p = s->test->properties;
	struct json *j = &l->json;
	size_t n;
	const struct property_row *rows = property_rows(&n);

	if (!has_shown(l, s, rows, n))
		return;
	json_key(j, "properties");
	json_open(j, '[');
	for (size_t i = 0; i < n; i++) {
		const void *field = field_of(l, &rows[i], s);

		if (!property_holds(l->what->dialect, rows[i].shown_since) ||
			!property_is_set(rows[i].kind, p, field))
			continue;
		json_open(j, '{');
		json_key(j, "name");
		json_string(j, str_of(rows[i].name));
		json_key(j, "value");
		put_value(l, rows[i].kind, field);
		json_close(j, '}');
	}
	for (size_t i = 0; i < p->custom_n; i++) {
		json_open(j, '{');
		json_key(j, "name");
		json_string(j, p->custom[i].name);
		json_key(j, "value");
		json_string(j, p->custom[i].value);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* ---- tests ----------------------------------------------------------------------- */

static void
put_command(struct listing *l, const struct shown *s)
{
	struct json *j = &l->json;
	struct str_list declared = s->test->command, more = l->what->pass_through;
	const struct wrapper *w = l->what->wrapper;
	struct str_list before = {0};

	if (w)
		before = w->type->words(w, l->a, s->selected->number);
	json_key(j, "command");
	json_open(j, '[');
	for (size_t i = 0; i < before.n; i++)
		json_string(j, before.v[i]);
	json_string(j, s->executable->path);
	for (size_t i = 1; i < declared.n; i++)
		json_string(j, declared.v[i]);
	for (size_t i = 0; i < more.n; i++)
		json_string(j, more.v[i]);
	json_close(j, ']');
}

/* An empty word means that there is no command. */
static struct str
first_word(const struct listing *l, const struct shown *s)
{
	return l->what->wrapper ? l->what->wrapper->shown : s->executable->path;
}

static void
put_test(struct listing *l, const struct shown *s)
{
	struct json *j = &l->json;

	json_open(j, '{');
	if (s->node != MAP_NONE) {
		json_key(j, "backtrace");
		json_int(j, s->node);
	}
	if (s->executable && first_word(l, s).n)
		put_command(l, s);
	if (l->what->configuration.n) {
		json_key(j, "config");
		json_string(j, l->what->configuration);
	}
	json_key(j, "name");
	json_string(j, s->test->name);
	put_properties(l, s);
	json_close(j, '}');
}

SORT_POINTERS_BY(sort_tests, const struct selected, ASCENDING(number))

/* A test that is not available in the configuration is left out. */
static void
add_test(struct listing *l, const struct selected *selected)
{
	struct shown s = {.selected = selected, .node = MAP_NONE};

	s.test = &l->what->selection->suite->tests[selected->test];
	if (s.test->command.n)
		s.executable = executable_find(
			l->what->finder, s.test->command.v[0], s.test->directory);
	if (s.executable && s.executable->not_available)
		return;
	s.node =
		add_backtrace(&l->graph, cmake_list_split(l->a, s.test->backtrace, true));
	VEC_PUSH(l->a, &l->tests, s);
}

static void
add_tests(struct listing *l)
{
	const struct selection *s = l->what->selection;
	const struct selected **v = NEW_ARRAY(l->a, const struct selected *, s->n);

	for (size_t i = 0; i < s->n; i++)
		v[i] = &s->v[i];
	sort_tests(v, s->n);
	for (size_t i = 0; i < s->n; i++)
		add_test(l, v[i]);
}

static void
put_document(struct listing *l)
{
	struct json *j = &l->json;

	json_open(j, '{');
	json_key(j, "backtraceGraph");
	put_graph(j, &l->graph);
	json_key(j, "kind");
	json_string(j, STR("ctestInfo"));
	json_key(j, "tests");
	json_open(j, '[');
	for (size_t i = 0; i < l->tests.n; i++)
		put_test(l, &l->tests.v[i]);
	json_close(j, ']');
	json_version(j, 1, 0);
	json_close(j, '}');
}

void
show_only_json(struct buf *out, const struct json_listing *what)
{
	struct arena *a = arena_open();
	struct listing l = {
		.a = a,
		.what = what,
		.graph = {.a = a, .files.index = map_in(a), .commands.index = map_in(a)},
		.json.out = out,
	};

	INVARIANT(out && what);
	add_tests(&l);
	put_document(&l);
	arena_close(a);
}
