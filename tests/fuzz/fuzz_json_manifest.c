/*
 * A manifest is a foreign file: any bytes give declarations, or errors, or both. What
 * cJSON says of a text as a whole is said of its parts.
 */
#include "manifests/json/json_manifest.h"

#include "tests/helpers/json_whole.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not where lines stand in front of the document, a NUL is refused first, or cJSON's
 * limit of nesting counts from the document. */
static bool
is_comparable(struct str text)
{
	enum { DEEP = 900 };
	size_t depth = 0;

	for (size_t i = 0; i < text.n; i++)
		depth += text.p[i] == '[' || text.p[i] == '{';
	return str_begins(text, STR("{")) && depth < DEEP &&
	       str_find(text, '\0') == text.n && !str_has(text, STR("\\u0000"));
}

static void
compare_with_whole(struct arena *a, struct str text)
{
	struct str parts = json_fault_of_parts(a, text);

	INVARIANT(str_ends(parts, json_fault_of_whole(a, text)));
	INVARIANT((parts.n == 0) == (json_fault_of_whole(a, text).n == 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct declarations out = {0};
	struct str text = str_cut((const char *)data, size);
	const struct source_request r = {.path = text_file(a, "fuzz", text)};
	bool right = json_source.load(a, &r, &out, &d);

	INVARIANT(right == (d.errors == 0));
	for (size_t i = 0; i < out.list.n; i++) {
		const struct declaration *from = &out.list.v[i];

		INVARIANT(from->place && from->words.n >= 2);
		INVARIANT(i > 0 || from->kind == DECLARE_TEST);
	}
	declarations_close(&out);
	text = str_dup(a, text);
	if (is_comparable(text))
		compare_with_whole(a, text);
	arena_close(a);
	return 0;
}
