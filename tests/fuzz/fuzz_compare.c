/*
 * What cctr compare reads is what tests and any ctest wrote. The first byte is the kind
 * of the text, and whether tests ran side by side; a zero byte parts what two runs wrote.
 * The whole is a journal of what was set aside, too.
 */
#include "compat/compare/aside_journal.h"
#include "compat/compare/mask.h"
#include "compat/compare/text_compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
compare(struct arena *a, const struct mask *m, unsigned how, struct str text)
{
	enum mask_kind kind = (enum mask_kind)(how % MASK_KINDS);
	struct str first = str_take(&text, '\0');
	bool is_unordered = how & 128;
	struct str_list one, two;
	struct text_comparison c;

	one = (is_unordered ? mask_unordered : mask_lines)(m, a, kind, first);
	two = (is_unordered ? mask_unordered : mask_lines)(m, a, kind, text);
	c = text_compare(a, one, one, NULL);
	INVARIANT(!c.different && !c.own && !c.diff.n);
	c = text_compare(a, one, two, &two);
	INVARIANT(!c.different);
	c = text_compare(a, one, two, &one);
	INVARIANT(!c.own && !c.different == !c.diff.n);
}

static void
read_journal(struct arena *a, struct str text)
{
	aside_items one = {0}, two = {0};
	bool again;

	if (!aside_journal_read(a, &one, text))
		return;
	again = aside_journal_read(a, &two, aside_journal_text(a, &one));
	INVARIANT(again && one.n == two.n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct match_set *patterns = match_set_open(a, regex_parse);
	const struct mask *m = mask_new(a, patterns);

	read_journal(a, str_cut((const char *)data, size));
	if (size)
		compare(a, m, data[0], str_cut((const char *)data + 1, size - 1));
	match_set_close(patterns);
	arena_close(a);
	return 0;
}
