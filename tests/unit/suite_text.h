/*
 * A suite from one line of text, for tables: tests are separated by ';', the first word
 * of each is its name, the others are properties.
 *
 *   "a; b after=a cost=2 seconds=3; c needs=F,G lock=L slots=2 serial; d
 * groups=gpus:2,gpus:1/cpu:4"
 *
 * after, setup, cleanup, needs, label, lock take lists; groups are separated by '/'; also
 * disabled.
 */
#ifndef CCTR_TESTS_UNIT_SUITE_TEXT_H
#define CCTR_TESTS_UNIT_SUITE_TEXT_H

#include "runner/model/model.h"

/* The next piece of *rest up to the separator, trimmed. */
static inline struct str
text_piece(struct str *rest, char separator)
{
	size_t n = str_find(*rest, separator);
	struct str piece = str_cut(rest->p, n);

	*rest = str_from(*rest, n < rest->n ? n + 1 : n);
	return str_trim(piece);
}

static inline struct str_list
text_list(struct arena *a, struct str s)
{
	str_vec v = {0};

	while (s.n)
		VEC_PUSH(a, &v, text_piece(&s, ','));
	return str_vec_list(&v);
}

static inline struct resource_group
text_group(struct arena *a, struct str s)
{
	VEC(struct requirement) v = {0};

	while (s.n) {
		struct str one = text_piece(&s, ','), type = text_piece(&one, ':');

		VEC_PUSH(a, &v,
			(struct requirement){
				.type = type, .slots = (uint64_t)str_double(one)});
	}
	return (struct resource_group){v.v, v.n};
}

static inline struct resource_groups
text_groups(struct arena *a, struct str s)
{
	VEC(struct resource_group) v = {0};

	while (s.n)
		VEC_PUSH(a, &v, text_group(a, text_piece(&s, '/')));
	return (struct resource_groups){.v = v.v, .n = v.n};
}

static inline void
text_property(struct arena *a, struct properties *p, struct str word)
{
	struct str name = text_piece(&word, '=');
	const struct {
		const char *name;
		struct str_list *list;
	} lists[] = {{"after", &p->depends}, {"setup", &p->fixtures_setup},
		{"cleanup", &p->fixtures_cleanup}, {"needs", &p->fixtures_required},
		{"label", &p->labels}, {"lock", &p->resource_locks}};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (str_is(name, lists[i].name)) {
			*lists[i].list = text_list(a, word);
			return;
		}
	if (str_is(name, "cost"))
		p->cost = str_double(word);
	else if (str_is(name, "seconds"))
		p->expected_s = str_double(word);
	else if (str_is(name, "slots"))
		p->processors = str_int(word);
	else if (str_is(name, "groups"))
		p->resource_groups = text_groups(a, word);
	else if (str_is(name, "nodes"))
		p->nodes = str_int(word);
	else if (str_is(name, "serial"))
		p->run_serial = true;
	else if (str_is(name, "disabled"))
		p->disabled = true;
	else
		BUG("a property that suite_text does not know");
}

static inline struct suite *
suite_of(struct arena *a, const char *text)
{
	struct suite *s = NEW(a, struct suite);
	struct str rest = str_of(text);
	VEC(struct test) tests = {0};

	while (rest.n) {
		struct str one = text_piece(&rest, ';');
		struct properties *p = NEW(a, struct properties);
		struct str name = text_piece(&one, ' ');

		*p = properties_default;
		p->processors = 1;
		while (one.n)
			text_property(a, p, text_piece(&one, ' '));
		VEC_PUSH(a, &tests, (struct test){.name = name, .properties = p});
	}
	s->tests = tests.v;
	s->n = tests.n;
	return s;
}

#endif
