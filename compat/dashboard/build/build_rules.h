/* Facts of ctest: the tables behind build_matchers.h. */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_RULES_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_RULES_H

enum build_rule_kind {
	BUILD_RULE_ERROR,
	BUILD_RULE_NO_ERROR, /* exceptions */
	BUILD_RULE_WARNING,
	BUILD_RULE_NO_WARNING,
	BUILD_RULE_KINDS
};
/* Of each kind; NULL behind the last. */
extern const char *const *const build_rule_texts[BUILD_RULE_KINDS];

/* Where a message says which file and which line it is about: the numbers of the groups.
 */
enum { BUILD_PLACES = 8 };
struct build_place {
	const char *expression;
	int file, line;
};
extern const struct build_place build_places[BUILD_PLACES];

#endif
