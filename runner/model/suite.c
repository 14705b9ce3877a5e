/*
 * Declarations to suite, in one pass. See suite.h.
 *
 * Maps find tests by name, and for labels by directory. Their values are the heads of
 * chains, so that a call touches only the tests that it means. Directories are entered
 * when the first directory is labelled. A directory's chain may hold tests that have
 * moved to another one since; they are ignored.
 *
 * A test has properties of its own from its first property on; until then it shares the
 * default. Texts, and the words of a test's command, are borrowed from the declarations
 * and live as long as the suite; everything else of the declarations is freed here.
 */
#include "runner/model/suite.h"

#include "runner/cmakelang/cmake_text.h"
#include "runner/regex/match.h"

/* One test in a chain; index + 1 of the next one, 0 at the end. */
struct link {
	test_id test;
	uint32_t next;
};

struct builder {
	struct arena *a, *scratch;
	const struct property_reader *reader;
	struct diag *d;
	const struct declaration *from; /* that is being applied */
	struct test *tests;
	struct properties **own; /* NULL: the shared default */
	size_t n;
	bool has_own;
	bool is_ended; /* nothing further counts */
	struct map dropped_names;
	struct map names; /* the newest test of a name, as index + 1 */
	uint32_t *older; /* by test: the previous test of the same name, or 0 */
	struct map directories; /* heads of chains */
	size_t in_directories; /* how many tests have been entered there */
	VEC(struct link) links;
	VEC(struct environment_change) environment;
};

/* 0 when no test has the key. */
static uint32_t
chain_of(const struct map *m, struct str key)
{
	uint32_t head = map_get(m, key);

	return head == MAP_NONE ? 0 : head;
}

static void
enter_directory(struct builder *b, test_id test)
{
	uint32_t *head = map_at(&b->directories, b->tests[test].directory);
	uint32_t next = *head == MAP_NONE ? 0 : *head;

	VEC_PUSH(b->scratch, &b->links, (struct link){test, next});
	*head = (uint32_t)b->links.n;
}

static void
refuse_declaration(struct builder *b, const struct declaration *from, const char *text)
{
	diag_add(b->d, DIAG_CMAKE_FATAL, declaration_place(from), str_of(text));
	b->is_ended = b->reader->refusal_ends;
}

static bool
is_dropped(const struct builder *b, struct str name)
{
	const struct pattern *p = b->reader->dropped;

	if (p && p->matcher && match_has(p->matcher, name))
		return true;
	if (b->dropped_names.n && map_has(&b->dropped_names, name)) {
		diag_add(b->d, DIAG_DETAIL, NO_PLACE,
			str_fmt(b->a, "%s%.*s\n", b->reader->dropped_text,
				STR_ARG(name)));
		return true;
	}
	return false;
}

static void
add_test(struct builder *b, const struct declaration *from)
{
	struct test *t = &b->tests[b->n];
	uint32_t *newest;

	if (from->words.n < 2) {
		refuse_declaration(b, from, b->reader->words->bad_test);
		return;
	}
	t->name = from->words.v[0];
	t->command = (struct str_list){from->words.v + 1, from->words.n - 1};
	t->directory = from->directory;
	t->declared_in = from->directory;
	t->properties = &properties_default;
	if (is_dropped(b, t->name)) {
		b->n++;
		return;
	}
	newest = map_at(&b->names, t->name);
	b->older[b->n] = *newest == MAP_NONE ? 0 : *newest;
	*newest = (uint32_t)++b->n;
}

static struct properties *
own_properties(struct builder *b, test_id id)
{
	if (!b->own[id]) {
		b->has_own = true;
		b->own[id] = NEW(b->a, struct properties);
		*b->own[id] = properties_default;
		b->tests[id].properties = b->own[id];
	}
	return b->own[id];
}

/* Passes on the reader's messages about a text that it accepts; for a text that is
 * refused, ctest prints only the refusal. */
static void
pass_on(struct builder *b, const struct diag *said, bool accepted)
{
	for (size_t i = 0; i < said->entries.n; i++) {
		const struct diag_entry *e = &said->entries.v[i];

		if (!diag_is_error(e->kind))
			diag_add(b->d, e->kind, e->at, e->text);
		else if (accepted)
			diag_error(b->d, declaration_place(b->from), "%.*s",
				STR_ARG(e->text));
	}
}

/* A text that does not consist of triples changes nothing. */
static bool
is_backtrace(struct builder *b, struct str text)
{
	struct arena_mark m = arena_mark(b->scratch);
	size_t n = cmake_list_split(b->scratch, text, true).n;

	arena_rewind(b->scratch, m);
	return n && n % 3 == 0;
}

static bool
set_property(struct builder *b, test_id id, const struct str *name_and_value)
{
	struct diag said = diag_in(b->a);
	struct test *t = &b->tests[id];
	bool accepted;

	if (str_is(name_and_value[0], b->reader->words->backtrace)) {
		if (is_backtrace(b, name_and_value[1]))
			t->backtrace = name_and_value[1];
		return true;
	}
	if (str_is(name_and_value[0], b->reader->words->directory)) {
		t->directory = name_and_value[1];
		if (id < b->in_directories)
			enter_directory(b, id);
		return true;
	}
	accepted = b->reader->set(b->reader, b->a, own_properties(b, id),
		name_and_value[0], name_and_value[1], &said);
	pass_on(b, &said, accepted);
	return accepted;
}

/* Sets it for every test of the name, also in other directories; a name without a test is
 * no error. */
static bool
set_by_name(struct builder *b, struct str name, const struct str *name_and_value)
{
	for (uint32_t i = chain_of(&b->names, name); i; i = b->older[i - 1])
		if (!set_property(b, i - 1, name_and_value))
			return false;
	return true;
}

/* Property by property, and each for the names in their order. */
static bool
apply_properties(struct builder *b, const struct declaration *from)
{
	struct str_list w = from->words;
	size_t names = 0;

	while (names < w.n && !str_is(w.v[names], b->reader->words->properties))
		names++;
	if (names == w.n)
		return false;
	for (size_t i = names + 1; i + 1 < w.n; i += 2)
		for (size_t k = 0; k < names; k++)
			if (!set_by_name(b, w.v[k], w.v + i))
				return false;
	return true;
}

static bool
apply_own_properties(struct builder *b, const struct declaration *from)
{
	INVARIANT(b->n > 0);
	for (size_t i = 0; i + 1 < from->words.n; i += 2)
		if (!set_property(b, (test_id)(b->n - 1), from->words.v + i))
			return false;
	return true;
}

static void
label_directory(struct builder *b, const struct declaration *from)
{
	uint32_t head;

	for (; b->in_directories < b->n; b->in_directories++)
		enter_directory(b, (test_id)b->in_directories);
	head = chain_of(&b->directories, from->directory);
	for (size_t k = 0; k < from->words.n; k++) {
		struct str label[] = {str_of(b->reader->words->labels), from->words.v[k]};

		for (uint32_t i = head; i; i = b->links.v[i - 1].next) {
			test_id id = b->links.v[i - 1].test;

			if (str_eq(b->tests[id].directory, from->directory))
				(void)set_property(b, id, label);
		}
	}
}

static void
change_environment(struct builder *b, const struct declaration *from)
{
	struct str_list w = from->words;
	struct environment_change change = {.unset = w.n < 2};

	INVARIANT(w.n > 0);
	change.name = w.v[0];
	change.value = change.unset ? STR("") : w.v[1];
	VEC_PUSH(b->a, &b->environment, change);
}

static void
apply_declaration(struct builder *b, const struct declaration *from)
{
	b->from = from;
	switch (from->kind) {
	case DECLARE_TEST:
		add_test(b, from);
		return;
	case DECLARE_PROPERTIES:
		if (!apply_properties(b, from))
			refuse_declaration(b, from, b->reader->words->bad_properties);
		return;
	case DECLARE_OWN_PROPERTIES:
		if (!apply_own_properties(b, from))
			refuse_declaration(b, from, b->reader->words->bad_properties);
		return;
	case DECLARE_DIRECTORY_LABELS:
		label_directory(b, from);
		return;
	case DECLARE_ENVIRONMENT:
		change_environment(b, from);
		return;
	case DECLARE_MESSAGE:
		INVARIANT(from->words.n > 0);
		diag_add(b->d, from->message, declaration_place(from), from->words.v[0]);
		return;
	}
	BUG("unknown declaration");
}

static size_t
count_tests(const struct declarations *from)
{
	size_t n = 0;

	for (size_t i = 0; i < from->list.n; i++)
		n += from->list.v[i].kind == DECLARE_TEST;
	return n;
}

static void
finish_suite(struct builder *b)
{
	for (size_t i = 0; b->has_own && i < b->n; i++)
		if (b->own[i])
			b->reader->finish(b->reader, b->a, b->own[i]);
}

/* From here on the values of the map of names are their numbers. */
static const uint32_t *
number_names(struct builder *b)
{
	uint32_t *numbers = NEW_ARRAY(b->a, uint32_t, b->n);

	for (uint32_t i = 0; i < b->names.n; i++) {
		for (uint32_t t = b->names.entries[i].value; t; t = b->older[t - 1])
			numbers[t - 1] = i;
		b->names.entries[i].value = i;
	}
	return numbers;
}

struct suite *
suite_build(struct arena *a, struct declarations *from,
	const struct property_reader *reader, struct diag *d)
{
	struct suite *s = NEW(a, struct suite);
	struct arena *scratch = arena_open();
	size_t n = count_tests(from);
	struct builder b = {.a = a,
		.scratch = scratch,
		.reader = reader,
		.d = d,
		.tests = NEW_ARRAY(a, struct test, n),
		.own = NEW_ARRAY(scratch, struct properties *, n),
		.older = NEW_ARRAY(scratch, uint32_t, n),
		.dropped_names = map_of(scratch, reader->dropped_names),
		.names = map_in(a),
		.directories = map_in(scratch)};

	INVARIANT(reader->words && reader->set && reader->finish);
	map_reserve(&b.names, n);
	for (size_t i = 0; i < from->list.n && !b.is_ended; i++)
		apply_declaration(&b, &from->list.v[i]);
	from->is_stopped = from->is_stopped || b.is_ended;
	declarations_close(from);
	finish_suite(&b);
	*s = (struct suite){.tests = b.tests,
		.n = b.n,
		.names = b.names,
		.name_numbers = number_names(&b),
		.resource_spec_file = from->resource_spec_file,
		.environment = b.environment.v,
		.environment_n = b.environment.n,
		.patterns = reader->patterns};
	arena_close(scratch);
	return s;
}
