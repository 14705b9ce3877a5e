/*
 * A json-v1 manifest as declarations. See json_manifest.h.
 *
 * Every object is walked once, member by member, against a table of its possible members.
 * All errors are reported, each with its path in the document, and then nothing is run.
 * Values are converted back to the text for set_tests_properties (json_properties.c), so
 * that one reader gives properties their meaning.
 */
#include "manifests/json/json_manifest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "manifests/json/json_document.h"
#include "manifests/json/json_reader.h"
#include "runner/base/files.h"

enum { LONGEST_BACKTRACE = 1000 };

/* ---- the document's root --------------------------------------------------------- */

enum { TOP_KIND, TOP_VERSION, TOP_GRAPH, TOP_TESTS, TOP_MEMBERS };
static const struct json_member top_members[TOP_MEMBERS] = {
	[TOP_KIND] = {"kind", cJSON_String, true},
	[TOP_VERSION] = {"version", cJSON_Object, true},
	[TOP_GRAPH] = {"backtraceGraph", cJSON_Object, false},
	[TOP_TESTS] = {"tests", cJSON_Array, true},
};

/* Another kind or version may give any meaning to the rest of the document. */
static bool
right_kind(struct json_reader *r, const struct json_spot *top, const cJSON *kind,
	const cJSON *version)
{
	static const struct json_member members[] = {
		{"major", cJSON_Number, true}, {"minor", cJSON_Number, true}};
	struct json_spot at_kind = {top, "kind", 0}, at_version = {top, "version", 0};
	const cJSON *found[2];
	bool right = true;

	if (strcmp(kind->valuestring, "ctestInfo") != 0)
		right = json_wrong(r, &at_kind, "must be \"ctestInfo\", not \"%s\"",
			kind->valuestring);
	if (!json_members(r, &at_version, version, members, 2, found))
		return false;
	if (found[0]->valuedouble != 1)
		right = json_wrong(r, &at_version, "must be 1.x, not %.17g.%.17g",
			found[0]->valuedouble, found[1]->valuedouble);
	return right;
}

/* ---- backtraces ------------------------------------------------------------------ */

enum { NODE_FILE, NODE_LINE, NODE_COMMAND, NODE_PARENT, NODE_MEMBERS };

static bool
read_names(struct json_reader *r, const struct json_spot *at, const cJSON *array,
	struct str_list *names)
{
	str_vec v = {0};
	bool right = json_strings(r, at, array, &v);

	*names = str_vec_list(&v);
	return right;
}

static bool
read_node(struct json_reader *r, const struct json_spot *at, const cJSON *item)
{
	static const struct json_member members[NODE_MEMBERS] = {
		[NODE_FILE] = {"file", cJSON_Number, true},
		[NODE_LINE] = {"line", cJSON_Number, false},
		[NODE_COMMAND] = {"command", cJSON_Number, false},
		[NODE_PARENT] = {"parent", cJSON_Number, false},
	};
	struct json_spot spots[NODE_MEMBERS];
	const cJSON *found[NODE_MEMBERS];
	const struct json_graph *g = &r->graph;
	struct json_node *node = &g->nodes[at->index];
	size_t file = 0, line = 0, command = 0;
	bool right = json_members(r, at, item, members, NODE_MEMBERS, found);

	for (int i = 0; i < NODE_MEMBERS; i++)
		spots[i] = (struct json_spot){at, members[i].name, 0};
	if (!json_index(r, &spots[NODE_FILE], found[NODE_FILE], g->files.n, &file) ||
		!json_index(r, &spots[NODE_LINE], found[NODE_LINE], UINT32_MAX, &line) ||
		!json_index(r, &spots[NODE_COMMAND], found[NODE_COMMAND], g->commands.n,
			&command) ||
		!json_index(r, &spots[NODE_PARENT], found[NODE_PARENT], g->nodes_n,
			&node->parent) ||
		!right)
		return false;
	node->has_parent = found[NODE_PARENT] != NULL;
	node->frame = str_fmt(r->brief, "%s;%zu;%s",
		json_escape(r->brief, g->files.v[file]).p, line,
		found[NODE_COMMAND] ? json_escape(r->brief, g->commands.v[command]).p
				    : "");
	return true;
}

/* Gives every node its depth. A chain that is a cycle, or is longer than any that CMake
 * can make, is refused. */
static bool
measure_chains(struct json_reader *r, const struct json_spot *nodes)
{
	struct json_graph *g = &r->graph;
	size_t path[LONGEST_BACKTRACE];

	for (size_t i = 0; i < g->nodes_n; i++) {
		struct json_spot at = {nodes, NULL, i};
		size_t n = 0, node = i, depth;

		while (!g->nodes[node].depth && g->nodes[node].has_parent) {
			if (n == LONGEST_BACKTRACE)
				return json_wrong(
					r, &at, "starts a backtrace without end");
			path[n++] = node;
			node = g->nodes[node].parent;
		}
		if (!g->nodes[node].depth)
			g->nodes[node].depth = 1;
		depth = g->nodes[node].depth;
		if (depth + n > LONGEST_BACKTRACE)
			return json_wrong(r, &at, "starts a backtrace without end");
		while (n > 0)
			g->nodes[path[--n]].depth = ++depth;
	}
	return true;
}

static bool
read_graph(struct json_reader *r, const struct json_spot *at, const cJSON *graph,
	const struct json_document *doc)
{
	static const struct json_member members[] = {{"commands", cJSON_Array, true},
		{"files", cJSON_Array, true}, {"nodes", cJSON_Array, true}};
	struct json_spot commands = {at, "commands", 0}, files = {at, "files", 0};
	struct json_spot nodes = {at, "nodes", 0};
	struct json_graph *g = &r->graph;
	const cJSON *found[3];
	bool right;

	if (!json_members(r, at, graph, members, 3, found))
		return false;
	right = read_names(r, &commands, found[0], &g->commands);
	right = read_names(r, &files, found[1], &g->files) && right;
	g->nodes_n = doc->nodes.n;
	g->nodes = NEW_ARRAY(r->brief, struct json_node, g->nodes_n);
	return right && json_document_each(doc, doc->nodes, r, &nodes, read_node) &&
	       measure_chains(r, &nodes);
}

/* Innermost frame first. Made once for all tests that share it. */
static struct str
backtrace_text(struct json_reader *r, size_t node)
{
	struct json_node *first = &r->graph.nodes[node], *n = first;
	struct buf b = {.arena = r->a};

	if (first->text.p)
		return first->text;
	for (buf_str(&b, n->frame); n->has_parent; buf_str(&b, n->frame)) {
		n = &r->graph.nodes[n->parent];
		buf_char(&b, ';');
	}
	first->text = buf_as_str(&b);
	return first->text;
}

/* ---- tests ----------------------------------------------------------------------- */

enum {
	TEST_NAME,
	TEST_COMMAND,
	TEST_BACKTRACE,
	TEST_CONFIG,
	TEST_PROPERTIES,
	TEST_MEMBERS
};
static const struct json_member test_members[TEST_MEMBERS] = {
	[TEST_NAME] = {"name", cJSON_String, true},
	[TEST_COMMAND] = {"command", cJSON_Array, false},
	[TEST_BACKTRACE] = {"backtrace", cJSON_Number, false},
	[TEST_CONFIG] = {"config", cJSON_String, false},
	[TEST_PROPERTIES] = {"properties", cJSON_Array, false},
};

/* ctest omits the command when it did not find the executable. The test stays, and when
 * it is run its executable is not found either. Test discovery registers, for a target
 * that is not built, a test whose command is its own name. */
static struct str
missing_command(struct json_reader *r, struct str name)
{
	return str_has(name, STR("_NOT_BUILT"))
		       ? name
		       : str_fmt(r->a, "%.*s_NOT_FOUND", STR_ARG(name));
}

static bool
read_command(struct json_reader *r, const struct json_spot *test, const cJSON *command,
	struct str name, struct str_list *words)
{
	struct json_spot at = {test, "command", 0};
	str_vec *v = &r->words;

	v->n = 0;
	VEC_PUSH(r->brief, v, name);
	if (!command)
		VEC_PUSH(r->brief, v, missing_command(r, name));
	else if (!json_strings(r, &at, command, v))
		return false;
	else if (v->n == 1)
		return json_wrong(r, &at, "must not be empty");
	*words = json_words(r->a, v);
	return true;
}

static bool
read_backtrace(struct json_reader *r, const struct json_spot *test, const cJSON *number,
	str_vec *words)
{
	struct json_spot at = {test, "backtrace", 0};
	size_t node = 0;

	if (!number)
		return true;
	if (!json_index(r, &at, number, r->graph.nodes_n, &node))
		return false;
	VEC_PUSH(r->brief, words, STR("_BACKTRACE_TRIPLES"));
	VEC_PUSH(r->brief, words, backtrace_text(r, node));
	return true;
}

static void
pass_declaration(struct json_reader *r, enum declaration_kind kind, struct str_list words,
	struct str directory)
{
	struct declaration d = {
		.kind = kind, .words = words, .directory = directory, .place = r->place};

	VEC_PUSH(r->brief, &r->out->list, d);
}

/* Room for two per test, so that the list need not grow. */
static void
reserve_declarations(struct json_reader *r, size_t tests)
{
	declaration_vec *list = &r->out->list;

	INVARIANT(list->n == 0);
	list->cap = 2 * tests;
	list->v = NEW_ARRAY(r->brief, struct declaration, list->cap);
}

static bool
read_test(struct json_reader *r, const struct json_spot *at, const cJSON *item)
{
	const cJSON *found[TEST_MEMBERS];
	struct str directory = r->directory;
	struct str_list command = {0};
	str_vec *words = &r->words;
	bool right = json_members(r, at, item, test_members, TEST_MEMBERS, found);

	if (found[TEST_NAME])
		right = read_command(r, at, found[TEST_COMMAND],
				str_dup(r->a, str_of(found[TEST_NAME]->valuestring)),
				&command) &&
			right;
	words->n = 0;
	right = json_properties(r, at, found[TEST_PROPERTIES], words, &directory) &&
		right;
	right = read_backtrace(r, at, found[TEST_BACKTRACE], words) && right;
	if (!right)
		return false;
	pass_declaration(r, DECLARE_TEST, command, directory);
	if (words->n)
		pass_declaration(r, DECLARE_OWN_PROPERTIES, json_words(r->brief, words),
			directory);
	return true;
}

/* ---- the whole ------------------------------------------------------------------- */

static bool
read_document(struct json_reader *r, const struct json_document *doc)
{
	struct json_spot top = {0}, graph = {&top, "backtraceGraph", 0};
	struct json_spot tests = {&top, "tests", 0};
	const cJSON *found[TOP_MEMBERS];
	bool right = json_members(r, &top, doc->root, top_members, TOP_MEMBERS, found);

	if (!found[TOP_KIND] || !found[TOP_VERSION] ||
		!right_kind(r, &top, found[TOP_KIND], found[TOP_VERSION]))
		return false;
	/* Without a graph no index into it can be checked. */
	if (found[TOP_GRAPH] && !read_graph(r, &graph, found[TOP_GRAPH], doc))
		return false;
	if (!found[TOP_TESTS])
		return false;
	reserve_declarations(r, doc->tests.n);
	return json_document_each(doc, doc->tests, r, &tests, read_test) && right;
}

static bool
parse_manifest(struct arena *a, const struct source_request *request, struct str text,
	struct str name, struct declarations *out, struct diag *d)
{
	struct place *place = NEW(a, struct place);
	struct json_reader r = {.a = a,
		.brief = out->arena ? out->arena : a,
		.name = name,
		.place = place,
		.directory = request->directory.n ? request->directory : path_here(a),
		.out = out,
		.d = d};
	struct json_document doc;
	bool right;

	place->file = name;
	out->has_file = true;
	right = json_document_open(&doc, &r, text) && read_document(&r, &doc);
	json_document_close(&doc);
	return right;
}

static bool
read_standard_input(struct arena *a, struct str *text)
{
	struct buf b = {.arena = a};
	char piece[65536];
	ssize_t got;

	while ((got = file_get(STDIN_FILENO, piece, sizeof piece)) > 0)
		buf_add(&b, piece, (size_t)got);
	*text = buf_as_str(&b);
	return got == 0;
}

static bool
json_load(struct arena *a, const struct source_request *r, struct declarations *out,
	struct diag *d)
{
	bool from_stdin = str_is(r->path, "-"), right;
	struct str text, name = from_stdin ? STR("<standard input>") : r->path;
	struct arena *of_text = arena_open();

	INVARIANT(out && d);
	if (from_stdin ? !read_standard_input(of_text, &text)
		       : !file_read_named(of_text, str_z(a, r->path), &text)) {
		right = diag_error(d, NO_PLACE, "cannot read manifest %.*s: %s",
			STR_ARG(name), strerror(errno));
	} else {
		out->arena = arena_open();
		right = parse_manifest(a, r, text, name, out, d);
	}
	arena_close(of_text);
	return right;
}

const struct source json_source = {.name = "json", .load = json_load};
