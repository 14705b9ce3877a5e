/*
 * What tests write is foreign text: cut and searched, it is the same in memory and in a
 * file, and what result files say of it is XML. The first byte chooses how it is cut, the
 * second where.
 */
#include "compat/format/truncate.h"
#include "compat/report/measurements.h"
#include "runner/base/spool.h"
#include "runner/base/xml_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
no_file(void *context, const struct measurement *m)
{
	(void)context;
	(void)m;
}

static void
no_fault(void *context, size_t line, const char *text)
{
	(void)context;
	(void)line;
	(void)text;
}

static void
no_event(void *context, struct str text)
{
	(void)context;
	(void)text;
}

/* Without measurements, and cut. */
static struct long_text
shortened(struct spool rooms[2], const struct long_text *text, long limit,
	enum truncation mode)
{
	struct long_text plain = truncate_measurements(&rooms[0], text);

	return truncate_output(&rooms[1], &plain, limit, mode);
}

static void
check_xml(struct arena *a, const struct long_text *output, const struct long_text *rest)
{
	struct buf out = {.arena = a};
	struct measurement_listener listener = {NULL, no_file, no_fault};
	struct xml_events events = {.begin = no_event, .text = no_event, .end = no_event};
	struct xml x;

	xml_begin(&x, &out, 0);
	xml_open(&x, "Results");
	measurements_add(&x, output, &listener);
	xml_open(&x, "Value");
	xml_long_text(&x, rest);
	xml_close(&x);
	xml_close(&x);
	INVARIANT(!xml_read(buf_as_str(&out), &events).text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum truncation modes[] = {
		TRUNCATE_TAIL, TRUNCATE_MIDDLE, TRUNCATE_HEAD};
	struct arena *a = arena_open();
	struct spool rooms[5];
	struct long_text memory, file, short_memory, short_file;
	enum truncation mode;

	if (size < 2) {
		arena_close(a);
		return 0;
	}
	for (int i = 0; i < 5; i++)
		rooms[i] = spool_in(a, "/tmp");
	mode = modes[data[0] % 3];
	memory = long_text_of(str_cut((const char *)data + 2, size - 2));
	spool_keep(&rooms[4], memory.s.p, memory.s.n);
	spool_flush(&rooms[4], 0);
	file = spool_text(&rooms[4]);
	short_memory = shortened(&rooms[0], &memory, data[1], mode);
	short_file = shortened(&rooms[2], &file, data[1], mode);
	INVARIANT(long_text_equal(&short_memory, &short_file));
	check_xml(a, &memory, &short_memory);
	for (int i = 0; i < 5; i++)
		spool_close(&rooms[i]);
	arena_close(a);
	return 0;
}
