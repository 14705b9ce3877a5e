/*
 * Pattern, NUL, subject: any bytes translate or are refused with CMake's words; what is
 * translated is a pattern of PCRE2, unless it is too large for it, and matches in bounds.
 */
#include "compat/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SUBJECT_MOST = 64 };

static void
check_match(struct str subject, const struct match *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct str g = m->groups[i];

		INVARIANT(
			!g.p || (g.p >= subject.p && g.p + g.n <= subject.p + subject.n));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);
	struct str all = str_cut((const char *)data, size), why;
	size_t end = str_find(all, '\0');
	struct str text = str_cut(all.p, end);
	struct str subject = str_from(all, end < all.n ? end + 1 : end);
	const struct pattern *p = match_set_get(set, text, &why);
	struct match m;

	if (subject.n > SUBJECT_MOST)
		subject.n = SUBJECT_MOST;
	INVARIANT((p->matcher == NULL) == (why.n > 0));
	if (!p->matcher)
		INVARIANT(str_begins(why, STR("RegularExpression::compile()")) ||
			  str_has(why, STR("too large")));
	for (int i = 0; i < 10; i++)
		if (match_find(p->matcher, subject, 0, &m))
			check_match(subject, &m);
	match_set_close(set);
	arena_close(a);
	return 0;
}
