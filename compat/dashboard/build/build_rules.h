/* Facts of ctest: the tables that build_matchers.h uses. */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_RULES_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_RULES_H

enum build_rule_kind {
	BUILD_RULE_ERROR,
	BUILD_RULE_NO_ERROR, /* exceptions */
	BUILD_RULE_WARNING,
	BUILD_RULE_NO_WARNING,
	BUILD_RULE_KINDS
};
/* The expressions of each kind; each list ends with NULL. */
extern const char *const *const build_rule_texts[BUILD_RULE_KINDS];

/* Where a message names its file and line: an expression, and the numbers of its
 * groups. */
enum { BUILD_PLACES = 8 };
struct build_place {
	const char *expression;
	int file, line;
};
extern const struct build_place build_places[BUILD_PLACES];

#endif
