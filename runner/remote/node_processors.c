/* See node_processors.h. */
#include "runner/remote/node_processors.h"

/* The machine itself is one part. */
enum { NUMBERS_OF_PLACE = 1 + LAYOUT_MACHINE };

struct node_processors {
	struct arena *arena;
	bool is_compact;
	struct map known; /* hosts and their places to numbers of v */
	VEC(struct affinity *) v;
};

struct field_numbers
node_processors_list(struct arena *a, const struct layout *l)
{
	struct field_numbers out = {.v = NEW_ARRAY(a, unsigned, l->n *NUMBERS_OF_PLACE)};

	for (size_t i = 0; i < l->n; i++) {
		out.v[out.n++] = l->v[i].number;
		for (int level = 0; level < LAYOUT_MACHINE; level++)
			out.v[out.n++] = l->v[i].part[level];
	}
	return out;
}

struct node_processors *
node_processors_new(struct arena *a, bool is_compact)
{
	struct node_processors *n = NEW(a, struct node_processors);

	n->arena = a;
	n->is_compact = is_compact;
	n->known = map_in(a);
	return n;
}

/* Parts may have any numbers: layout_nest gives them others. */
static bool
read_places(struct arena *a, struct field_numbers from, struct layout *l)
{
	struct arena *scratch;

	if (from.n % NUMBERS_OF_PLACE || from.n / NUMBERS_OF_PLACE > PROCESSORS_MOST)
		return false;
	l->n = from.n / NUMBERS_OF_PLACE;
	l->v = NEW_ARRAY(a, struct layout_place, l->n);
	for (size_t i = 0; i < l->n; i++) {
		const unsigned *numbers = &from.v[i * NUMBERS_OF_PLACE];

		l->v[i].number = numbers[0];
		if (numbers[0] >= PROCESSORS_MOST ||
			(i && numbers[0] <= l->v[i - 1].number))
			return false;
		for (int level = 0; level < LAYOUT_MACHINE; level++)
			l->v[i].part[level] = numbers[1 + level];
	}
	scratch = arena_open();
	layout_nest(scratch, l);
	arena_close(scratch);
	return true;
}

static struct str
key_of(struct arena *a, const char *host, struct field_numbers places)
{
	struct buf b = {.arena = a};

	buf_z(&b, host);
	buf_char(&b, '\0');
	buf_add(&b, places.v, places.n * sizeof *places.v);
	return buf_as_str(&b);
}

struct affinity *
node_processors_of(
	struct node_processors *n, const char *host, struct field_numbers places)
{
	struct str key = key_of(n->arena, host, places);
	uint32_t at = map_get(&n->known, key);
	struct layout *l;

	if (at != MAP_NONE)
		return n->v.v[at];
	l = NEW(n->arena, struct layout);
	if (!read_places(n->arena, places, l))
		return NULL;
	map_set(&n->known, key, (uint32_t)n->v.n);
	VEC_PUSH(n->arena, &n->v,
		affinity_new(n->arena, &(struct affinity_options){.layout = l,
					       .is_compact = n->is_compact}));
	return n->v.v[n->v.n - 1];
}

struct processors
node_processors_take(struct affinity *f, struct arena *a, size_t wanted, const bool *near)
{
	size_t n = wanted < affinity_all(f) ? wanted : affinity_all(f);

	return n && n <= affinity_free(f) ? affinity_take_near(f, a, n, near)
					  : (struct processors){NULL, 0};
}
