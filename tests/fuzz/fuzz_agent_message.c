/*
 * Messages between cctr and its agents, both ways: what is read is written as the same
 * bytes, and what is incomplete takes nothing.
 */
#include "runner/remote/message.h"
#include "runner/remote/node_gpus.h"
#include "runner/remote/node_processors.h"
#include "runner/remote/variables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_same(struct arena *a, const struct message *m, struct str read)
{
	struct buf b = {.arena = a};

	message_write(&b, m);
	INVARIANT(str_eq(buf_as_str(&b), read));
}

/* What another protocol says is not read to its end. */
static bool
is_other_protocol(const struct message *m)
{
	return (m->kind == MESSAGE_GREETING &&
		       m->greeting.protocol != MESSAGE_PROTOCOL) ||
	       (m->kind == MESSAGE_HELLO && m->hello.protocol != MESSAGE_PROTOCOL);
}

/* Any environment comes back, and any items make an environment or are refused. */
static void
check_environment(struct arena *a, const struct launch *l)
{
	const char *const *items = variables_shorten(a, l->argv, l->environment);
	const char *const *back = variables_restore(a, l->argv, items);

	INVARIANT(back);
	for (size_t i = 0; l->environment[i] || back[i]; i++)
		INVARIANT(back[i] && strcmp(back[i], l->environment[i]) == 0);
	(void)variables_restore(a, l->argv, l->environment);
}

static struct str_list
first_ids(struct arena *a)
{
	struct str_list ids = {NEW_ARRAY(a, struct str, 2), 2};

	ids.v[0] = STR("0");
	ids.v[1] = STR("1");
	return ids;
}

/* Any numbers are the topology of a node, all of whose processors a test can have, or are
 * refused. */
static void
check_places(struct arena *a, const struct hello *h)
{
	struct affinity *f =
		node_processors_of(node_processors_new(a, true), h->host, h->places);
	struct processors all;

	if (!f)
		return;
	all = node_processors_take(f, a, PROCESSORS_MOST,
		node_gpus_near(a, h->gpus, first_ids(a), affinity_all(f)));
	INVARIANT(all.n == affinity_all(f) && affinity_free(f) == 0);
	affinity_return(f, all);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str bytes = str_cut((const char *)data, size), before = bytes;
	enum message_reading reading;
	struct message m;
	const char *why = NULL;

	while ((reading = message_read(a, &bytes, &m, &why)) == MESSAGE_WHOLE) {
		INVARIANT(bytes.n < before.n);
		if (!is_other_protocol(&m))
			check_same(a, &m, str_cut(before.p, before.n - bytes.n));
		if (m.kind == MESSAGE_LAUNCH)
			check_environment(a, &m.launch);
		if (m.kind == MESSAGE_HELLO && !is_other_protocol(&m))
			check_places(a, &m.hello);
		before = bytes;
	}
	INVARIANT(bytes.n == before.n && (reading != MESSAGE_BAD || why));
	arena_close(a);
	return 0;
}
