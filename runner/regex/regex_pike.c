/* Pike's virtual machine. See regex_pike.h. */
#include "runner/regex/regex_pike.h"

/* The instructions that wait for the next byte, in the order of preference, each with the
 * positions saved on the way to it. */
struct threads {
	uint32_t *at;
	size_t *places;
	size_t n;
};
/* An instruction to follow before the next byte. */
struct pending {
	uint32_t at; /* UINT32_MAX: restore the former value of a position */
	uint32_t place;
	size_t value;
};
struct machine {
	const struct regex_program *p;
	struct str text;
	size_t places_n;
	struct threads now, next;
	size_t *seen; /* by instruction: the position + 1 at which it was last reached */
	struct pending *stack;
	size_t *places; /* of the thread that is being followed */
};

static struct threads
threads_new(struct arena *a, const struct machine *m)
{
	return (struct threads){.at = NEW_ARRAY(a, uint32_t, m->p->n),
		.places = NEW_ARRAY(a, size_t, m->p->n * m->places_n)};
}

static void
add_thread(struct machine *m, struct threads *t, uint32_t at)
{
	t->at[t->n] = at;
	memcpy(&t->places[t->n * m->places_n], m->places,
		m->places_n * sizeof *m->places);
	t->n++;
}

/* Follows the instruction at, with m->places, to all instructions that wait for the byte
 * at position. */
static void
follow_instruction(struct machine *m, struct threads *t, uint32_t at, size_t position)
{
	size_t n = 0;

	m->stack[n++] = (struct pending){.at = at};
	while (n) {
		struct pending top = m->stack[--n];
		const struct regex_instruction *i;

		if (top.at == UINT32_MAX) {
			m->places[top.place] = top.value;
			continue;
		}
		if (m->seen[top.at] == position + 1)
			continue;
		m->seen[top.at] = position + 1;
		i = &m->p->v[top.at];
		switch (i->op) {
		case OP_BYTE:
		case OP_SET:
		case OP_ANY:
		case OP_FOUND:
			add_thread(m, t, top.at);
			break;
		case OP_SPLIT:
			m->stack[n++] = (struct pending){.at = i->argument};
			m->stack[n++] = (struct pending){.at = i->to};
			break;
		case OP_BEGIN:
			if (position == 0)
				m->stack[n++] = (struct pending){.at = i->to};
			break;
		case OP_END:
			if (position == m->text.n)
				m->stack[n++] = (struct pending){.at = i->to};
			break;
		case OP_SAVE:
			m->stack[n++] = (struct pending){
				UINT32_MAX, i->argument, m->places[i->argument]};
			m->places[i->argument] = position;
			m->stack[n++] = (struct pending){.at = i->to};
			break;
		}
	}
}

/* Reads one byte, or the end of the text. true: a thread has matched, and less preferred
 * threads are dropped; its positions are in found. */
static bool
step_threads(struct machine *m, size_t position, size_t *found)
{
	bool is_end = position == m->text.n;
	unsigned char byte = is_end ? 0 : (unsigned char)m->text.p[position];

	m->next.n = 0;
	for (size_t i = 0; i < m->now.n; i++) {
		uint32_t at = m->now.at[i];
		const size_t *places = &m->now.places[i * m->places_n];

		if (m->p->v[at].op == OP_FOUND) {
			memcpy(found, places, m->places_n * sizeof *found);
			return true;
		}
		if (is_end || !regex_program_reads(m->p, at, byte))
			continue;
		memcpy(m->places, places, m->places_n * sizeof *places);
		follow_instruction(m, &m->next, m->p->v[at].to, position + 1);
	}
	return false;
}

static void
begin_thread(struct machine *m, size_t position)
{
	for (size_t i = 0; i < m->places_n; i++)
		m->places[i] = REGEX_NO_PLACE;
	follow_instruction(m, &m->now, m->p->begins[0], position);
}

bool
regex_pike_find(struct arena *scratch, const struct regex_program *p, struct str text,
	size_t from, size_t *places, size_t places_n)
{
	struct machine m = {.p = p, .text = text, .places_n = places_n};
	bool found = false;

	INVARIANT(from <= text.n && places_n % 2 == 0);
	m.now = threads_new(scratch, &m);
	m.next = threads_new(scratch, &m);
	m.seen = NEW_ARRAY(scratch, size_t, p->n);
	m.stack = NEW_ARRAY(scratch, struct pending, 2 * p->n + 1);
	m.places = NEW_ARRAY(scratch, size_t, places_n);
	for (size_t at = from; at <= text.n; at++) {
		struct threads now = m.now;

		if (!found)
			begin_thread(&m, at);
		else if (m.now.n == 0)
			break;
		found |= step_threads(&m, at, places);
		now = m.now;
		m.now = m.next;
		m.next = now;
	}
	return found;
}
