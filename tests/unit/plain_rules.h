/* What a line of a build's output is, by trying every expression as it is written. */
#ifndef CCTR_TESTS_UNIT_PLAIN_RULES_H
#define CCTR_TESTS_UNIT_PLAIN_RULES_H

#include "compat/dashboard/build/build_matchers.h"
#include "compat/dashboard/build/build_rules.h"
#include "compat/format/regex.h"
#include "runner/regex/match.h"

/* The line without its colour codes. */
static inline struct str
plain_rules_line(struct arena *a, struct match_set *set, struct str line)
{
	const struct pattern *colour = match_set_get(set, STR("\033\\[[0-9;]*m"), NULL);
	struct buf plain = {.arena = a};
	struct match m;

	while (match_find(colour->matcher, line, 0, &m)) {
		size_t n = (size_t)(m.groups[0].p - line.p);

		buf_add(&plain, line.p, n);
		line = str_from(line, n + m.groups[0].n);
	}
	buf_str(&plain, line);
	return buf_as_str(&plain);
}

static inline bool
plain_rules_match(
	struct match_set *set, struct str own, enum build_rule_kind kind, struct str line)
{
	if (own.n && match_has(match_set_get(set, own, NULL)->matcher, line))
		return true;
	for (size_t i = 0; build_rule_texts[kind][i]; i++)
		if (match_has(match_set_get(set, str_of(build_rule_texts[kind][i]), NULL)
				      ->matcher,
			    line))
			return true;
	return false;
}

/* own: an expression for errors, besides ctest's; "": none. */
static inline enum build_line
plain_rules_judge(struct arena *a, struct match_set *set, struct str own, struct str line)
{
	line = plain_rules_line(a, set, line);
	if (plain_rules_match(set, own, BUILD_RULE_ERROR, line) &&
		!plain_rules_match(set, STR(""), BUILD_RULE_NO_ERROR, line))
		return BUILD_ERROR;
	if (plain_rules_match(set, STR(""), BUILD_RULE_WARNING, line) &&
		!plain_rules_match(set, STR(""), BUILD_RULE_NO_WARNING, line))
		return BUILD_WARNING;
	return BUILD_PLAIN;
}

#endif
