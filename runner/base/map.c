/*
 * Names to numbers. See base.h.
 *
 * The entries are in the order of insertion. A hash table with open addressing holds
 * their indices only. So a map of many names is small, the index of an entry is its
 * number, and growing the table does not move entries.
 */
#include "runner/base/base.h"

enum { FIRST_CAP = 16 };
#define MIX UINT64_C(0x9E3779B97F4A7C15) /* odd, without a pattern in its bits */

/* Up to 8 bytes as a number. */
static uint64_t
word_at(const char *p, size_t n)
{
	uint64_t w = 0;

	memcpy(&w, p, n < sizeof w ? n : sizeof w);
	return w;
}

/* Eight bytes per step. Names often differ only in their last bytes; therefore every step
 * mixes the upper half into the lower one. */
static uint32_t
hash_of(struct str s)
{
	uint64_t h = s.n * MIX;
	size_t i = 0;

	for (; i + sizeof h <= s.n; i += sizeof h) {
		h = (h ^ word_at(s.p + i, sizeof h)) * MIX;
		h ^= h >> 32;
	}
	if (i < s.n)
		h = (h ^ word_at(s.p + i, s.n - i)) * MIX;
	h ^= h >> 29;
	h *= MIX;
	return (uint32_t)(h >> 32);
}

struct map
map_in(struct arena *a)
{
	return (struct map){.arena = a};
}

/* The slot that holds the key's index, or the free slot (0) where it belongs. */
static uint32_t *
slot_of(const struct map *m, struct str key, uint32_t hash)
{
	size_t i = hash & (m->cap - 1);

	for (; m->slots[i]; i = (i + 1) & (m->cap - 1)) {
		const struct map_entry *e = &m->entries[m->slots[i] - 1];

		if (e->hash == hash && str_eq(e->key, key))
			break;
	}
	return &m->slots[i];
}

/* The table is full at three quarters. */
static size_t
most_of(size_t cap)
{
	return cap / 4 * 3;
}

static void
map_resize(struct map *m, size_t cap)
{
	struct map_entry *old = m->entries;

	INVARIANT(m->n < MAP_NONE);
	m->cap = cap;
	m->slots = NEW_ARRAY(m->arena, uint32_t, cap);
	m->entries = NEW_ARRAY(m->arena, struct map_entry, most_of(cap));
	if (m->n)
		memcpy(m->entries, old, m->n * sizeof *old);
	for (size_t i = 0; i < m->n; i++) {
		size_t at = m->entries[i].hash & (cap - 1);

		while (m->slots[at])
			at = (at + 1) & (cap - 1);
		m->slots[at] = (uint32_t)i + 1;
	}
}

void
map_reserve(struct map *m, size_t n)
{
	size_t cap = m->cap ? m->cap : FIRST_CAP;

	INVARIANT(n < MAP_NONE);
	while (n > most_of(cap))
		cap *= 2;
	if (cap > m->cap)
		map_resize(m, cap);
}

uint32_t
map_get(const struct map *m, struct str key)
{
	uint32_t at = m->n ? *slot_of(m, key, hash_of(key)) : 0;

	return at ? m->entries[at - 1].value : MAP_NONE;
}

uint32_t *
map_at(struct map *m, struct str key)
{
	uint32_t hash = hash_of(key), *slot;

	INVARIANT(m->arena);
	map_reserve(m, m->n + 1);
	slot = slot_of(m, key, hash);
	if (!*slot) {
		m->entries[m->n] =
			(struct map_entry){key.p ? key : STR(""), hash, MAP_NONE};
		*slot = (uint32_t)++m->n;
	}
	return &m->entries[*slot - 1].value;
}

void
map_set(struct map *m, struct str key, uint32_t value)
{
	*map_at(m, key) = value;
}

uint32_t
map_number(struct map *m, struct str key)
{
	uint32_t *value = map_at(m, key);

	INVARIANT(m->arena);
	if (*value == MAP_NONE)
		*value = (uint32_t)m->n - 1;
	return *value;
}

bool
map_add(struct map *m, struct str key)
{
	size_t n = m->n;

	return map_number(m, key) == n;
}

bool
map_has(const struct map *m, struct str key)
{
	return map_get(m, key) != MAP_NONE;
}

struct map
map_of(struct arena *a, struct str_list keys)
{
	struct map m = map_in(a);

	for (size_t i = 0; i < keys.n; i++)
		map_add(&m, keys.v[i]);
	return m;
}
