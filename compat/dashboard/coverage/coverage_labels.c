/* Labels of sources. See coverage.h. */
#include "compat/dashboard/coverage/coverage.h"
#include "compat/dashboard/step/site.h"
#include "runner/base/files.h"

typedef VEC(uint32_t) label_set; /* numbers, ascending, without duplicates */
struct coverage_labels {
	struct map numbers; /* of labels, in order of first appearance */
	struct map by_source; /* index into sets */
	struct map by_directory; /* of the target and all its sources */
	VEC(label_set) sets;
	label_set filter; /* empty: all labels */
};

static void
add_label(struct arena *a, label_set *set, uint32_t number)
{
	size_t at = set->n;

	while (at && set->v[at - 1] > number)
		at--;
	if (at && set->v[at - 1] == number)
		return;
	VEC_PUSH(a, set, number);
	memmove(set->v + at + 1, set->v + at, (set->n - 1 - at) * sizeof *set->v);
	set->v[at] = number;
}

static bool
have_common(const label_set *a, const label_set *b)
{
	size_t i = 0, k = 0;

	while (i < a->n && k < b->n && a->v[i] != b->v[k])
		if (a->v[i] < b->v[k])
			i++;
		else
			k++;
	return i < a->n && k < b->n;
}

static size_t
set_of(struct coverage *c, struct map *m, struct str key)
{
	uint32_t *index = map_at(m, key);

	if (*index == MAP_NONE) {
		*index = (uint32_t)c->labels->sets.n;
		VEC_PUSH(c->arena, &c->labels->sets, (label_set){0});
	}
	return *index;
}

/* A label belongs to the source above it. Labels before the first source belong to the
 * target, and so to all sources after them. */
static void
read_labels(struct coverage *c, struct str directory, struct str text)
{
	struct coverage_labels *l = c->labels;
	size_t all = set_of(c, &l->by_directory, directory), current = all;
	label_set target = {0};
	struct str line;

	while (str_take_crlf_line(&text, &line)) {
		if (!line.n || line.p[0] == '#')
			continue;
		if (line.p[0] == ' ') {
			uint32_t label = map_number(&l->numbers, str_from(line, 1));

			if (current == all)
				add_label(c->arena, &target, label);
			add_label(c->arena, &l->sets.v[all], label);
			add_label(c->arena, &l->sets.v[current], label);
			continue;
		}
		current = set_of(c, &l->by_source, coverage_full_path(c, line));
		for (size_t i = 0; i < target.n; i++)
			add_label(c->arena, &l->sets.v[current], target.v[i]);
	}
}

static void
load_labels(struct coverage *c, struct str directory)
{
	struct str path = str_fmt(c->arena, "%.*s/Labels.txt", STR_ARG(directory));
	struct str text;

	set_of(c, &c->labels->by_directory, directory);
	if (!coverage_file(c, c->arena, path, &text))
		return;
	coverage_say(c, CHANNEL_VERBOSE, " loading labels from [%s]\n", path.p);
	read_labels(c, directory, text);
}

void
coverage_labels_load(struct coverage *c, struct str_list filter)
{
	struct coverage_labels *l = NEW(c->arena, struct coverage_labels);
	struct str path = str_fmt(
		c->arena, "%.*s/CMakeFiles/TargetDirectories.txt", STR_ARG(c->top));
	struct str text, line;

	c->labels = l;
	*l = (struct coverage_labels){
		map_in(c->arena), map_in(c->arena), map_in(c->arena), {0}, {0}};
	for (size_t i = 0; i < filter.n; i++)
		add_label(c->arena, &l->filter, map_number(&l->numbers, filter.v[i]));
	coverage_say(c, CHANNEL_VERBOSE, " target directory list [%s]\n", path.p);
	text = coverage_read(c, path);
	while (str_take_crlf_line(&text, &line))
		if (line.n)
			load_labels(c, line);
}

static bool
passes_filter(const struct coverage *c, uint32_t set)
{
	const struct coverage_labels *l = c->labels;

	return l->filter.n == 0 ||
	       (set != MAP_NONE && have_common(&l->filter, &l->sets.v[set]));
}

struct str_list
coverage_target_directories(struct coverage *c)
{
	const struct map *m = &c->labels->by_directory;
	str_vec names = {0};
	struct str_list sorted;

	for (size_t i = 0; i < m->n; i++)
		if (passes_filter(c, m->entries[i].value))
			VEC_PUSH(c->arena, &names, m->entries[i].key);
	sorted = str_vec_list(&names);
	str_list_sort(sorted);
	return sorted;
}

bool
coverage_has_label(struct coverage *c, struct str path)
{
	return passes_filter(c, map_get(&c->labels->by_source, path));
}

void
coverage_add_labels(struct coverage *c, struct xml *x, struct str path)
{
	const struct coverage_labels *l = c->labels;
	uint32_t set = map_get(&l->by_source, coverage_full_path(c, path));
	const label_set *labels = set == MAP_NONE ? NULL : &l->sets.v[set];

	if (!labels || !labels->n)
		return;
	xml_open(x, "Labels");
	for (size_t i = 0; i < labels->n; i++)
		site_text(x, "Label", l->numbers.entries[labels->v[i]].key);
	xml_close(x);
}
