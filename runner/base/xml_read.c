/* Reads XML with Expat, which counts the bytes of a piece in an int. See xml_read.h. */
#include "runner/base/xml_read.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/entropy.h"
#include "runner/base/library.h"

#define FUNCTIONS(X)                                                                     \
	X(XML_ErrorString)                                                               \
	X(XML_GetCurrentByteIndex)                                                       \
	X(XML_GetCurrentLineNumber)                                                      \
	X(XML_GetErrorCode)                                                              \
	X(XML_Parse)                                                                     \
	X(XML_ParserCreate_MM)                                                           \
	X(XML_ParserFree)                                                                \
	X(XML_SetCharacterDataHandler)                                                   \
	X(XML_SetElementHandler)                                                         \
	X(XML_SetHashSalt)                                                               \
	X(XML_SetUnknownEncodingHandler)                                                 \
	X(XML_SetUserData)
CCTR_LIBRARY(CCTR_EXPAT_LIBRARY, "required", "files of XML", FUNCTIONS)

enum { PIECE_BYTES = 1 << 20 };

static void
on_begin(void *data, const char *name, const char **attributes)
{
	const struct xml_events *e = data;

	e->begin(e->context, str_of(name));
	for (; e->attribute && *attributes; attributes += 2)
		e->attribute(e->context, str_of(attributes[0]), str_of(attributes[1]));
}

static void
on_end(void *data, const char *name)
{
	const struct xml_events *e = data;

	if (e->end)
		e->end(e->context, str_of(name));
}

static void
on_text(void *data, const char *bytes, int n)
{
	const struct xml_events *e = data;

	if (e->text)
		e->text(e->context, str_cut(bytes, (size_t)n));
}

static int
on_encoding(void *data, const char *name, XML_Encoding *encoding)
{
	/* The characters from 0x80 on; those that are not defined stand for themselves.
	 */
	static const int differing[] = {0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026,
		0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
		0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC,
		0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178};
	const char *const *known = data;

	while (known && *known && strcmp(name, *known) != 0)
		known++;
	if (!known || !*known)
		return XML_STATUS_ERROR;
	for (int i = 0; i < 256; i++)
		encoding->map[i] = i;
	memcpy(encoding->map + 0x80, differing, sizeof differing);
	return XML_STATUS_OK;
}

struct xml_reader {
	struct arena *arena;
	struct library expat;
	XML_Parser parser;
	bool has_fault;
};

struct xml_reader *
xml_reader_open(const struct xml_events *events, const char *const *windows)
{
	static const XML_Memory_Handling_Suite memory = {
		memory_or_end, memory_resized_or_end, free};
	struct arena *a = arena_open();
	struct xml_reader *r = NEW(a, struct xml_reader);

	r->arena = a;
	if (!load_library(&r->expat))
		program_end(
			"cctr: there is no " CCTR_EXPAT_LIBRARY " to read XML with\n");
	r->parser = r->expat.XML_ParserCreate_MM(NULL, &memory, NULL);
	INVARIANT(r->parser);
	/* Expat's own source of it, arc4random of libc, aborts if the system has none. */
	r->expat.XML_SetHashSalt(r->parser, (unsigned long)entropy_number() | 1);
	r->expat.XML_SetUserData(r->parser, drop_const(events));
	r->expat.XML_SetElementHandler(r->parser, on_begin, on_end);
	r->expat.XML_SetCharacterDataHandler(r->parser, on_text);
	r->expat.XML_SetUnknownEncodingHandler(
		r->parser, on_encoding, drop_const(windows));
	return r;
}

static struct xml_fault
read_piece(struct xml_reader *r, struct str bytes, bool is_last)
{
	const struct library *l = &r->expat;
	struct xml_fault fault = {.line = 1};

	if (l->XML_Parse(r->parser, bytes.p, (int)bytes.n, is_last) == XML_STATUS_OK)
		return fault;
	r->has_fault = true;
	fault.text = l->XML_ErrorString(l->XML_GetErrorCode(r->parser));
	fault.at = (size_t)l->XML_GetCurrentByteIndex(r->parser);
	fault.line = l->XML_GetCurrentLineNumber(r->parser);
	fault.is_end = is_last;
	return fault;
}

struct xml_fault
xml_reader_feed(struct xml_reader *r, struct str bytes)
{
	struct xml_fault fault = {.line = 1};

	INVARIANT(r);
	for (size_t at = 0; at < bytes.n && !fault.text; at += PIECE_BYTES)
		fault = read_piece(r,
			str_cut(bytes.p + at,
				bytes.n - at < PIECE_BYTES ? bytes.n - at : PIECE_BYTES),
			false);
	return fault;
}

struct xml_fault
xml_reader_close(struct xml_reader *r)
{
	struct xml_fault fault = {.line = 1};

	if (!r->has_fault)
		fault = read_piece(r, STR(""), true);
	r->expat.XML_ParserFree(r->parser);
	arena_close(r->arena);
	return fault;
}

struct xml_fault
xml_read(struct str text, const struct xml_events *events)
{
	struct xml_reader *r = xml_reader_open(events, NULL);
	struct xml_fault fault = xml_reader_feed(r, text), end = xml_reader_close(r);

	INVARIANT(events);
	return fault.text ? fault : end;
}
