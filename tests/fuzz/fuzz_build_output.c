/*
 * Expression, NUL, output of a build: a line is what it is by trying every expression as
 * it is written, and the same problems are found in whatever pieces the output comes.
 */
#include "compat/dashboard/build/build_output.h"
#include "tests/unit/plain_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_MOST = 200, OUTPUT_MOST = 4000 };

/* Compiled once for all inputs. */
static struct match_set *
plain_set(void)
{
	static struct match_set *set;

	if (!set)
		set = match_set_open(arena_open(), regex_parse);
	return set;
}

static void
check_lines(struct arena *a, struct build_matchers *m, struct str own, struct str text)
{
	struct match_set *set = own.n ? match_set_open(a, regex_parse) : plain_set();

	while (text.n) {
		size_t end = str_find(text, '\n');
		struct str line = str_cut(text.p, end < LINE_MOST ? end : LINE_MOST);

		INVARIANT(build_matchers_judge(m, line, true, true) ==
			  plain_rules_judge(a, set, own, line));
		text = str_from(text, end < text.n ? end + 1 : end);
	}
	if (own.n)
		match_set_close(set);
}

static void
check_pieces(struct arena *a, struct build_matchers *m, const struct custom *custom,
	struct str text)
{
	struct build_output whole, pieces;

	build_output_open(&whole, a, m, custom);
	build_output_open(&pieces, a, m, custom);
	build_output_add(&whole, false, text);
	for (size_t at = 0, n = 1; at < text.n; at += n, n = n * 2 % 61 + 1) {
		struct str rest = str_from(text, at);

		build_output_add(
			&pieces, false, str_cut(rest.p, n < rest.n ? n : rest.n));
	}
	INVARIANT(whole.problems.n == pieces.problems.n);
	for (size_t i = 0; i < whole.problems.n; i++) {
		const struct build_problem *p = whole.problems.v[i];
		const struct build_problem *q = pieces.problems.v[i];

		INVARIANT(p->is_error == q->is_error && p->log_line == q->log_line &&
			  str_eq(p->text, q->text) && str_eq(p->before, q->before) &&
			  str_eq(buf_as_str(&p->after), buf_as_str(&q->after)));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str all = str_cut((const char *)data, size);
	size_t end = str_find(all, '\0');
	struct str own = str_cut(all.p, end);
	struct str text = str_from(all, end < all.n ? end + 1 : end);
	struct custom custom = custom_of(a, NULL, 0);
	struct buf complaint = {.arena = a};
	struct build_matchers *m;

	if (text.n > OUTPUT_MOST)
		text.n = OUTPUT_MOST;
	/* One that takes too long is "no", but may take less in its other form. */
	if (str_has(own, STR(")+")) || str_has(own, STR(")*")))
		own.n = 0;
	if (own.n)
		custom.error_match = (struct str_list){&own, 1};
	m = build_matchers_open(a, &custom, &complaint);
	check_lines(a, m, own, text);
	check_pieces(a, m, &custom, text);
	build_matchers_close(m);
	arena_close(a);
	return 0;
}
