/* Setter of --build-and-test. See options.h. */
#include "compat/options/option_parse.h"
#include "runner/cmakelang/cmake_text.h"

/* Since 4.0 ctest has both in one list of CMake. */
static bool
are_two(const struct option_parse *p, struct str_list words)
{
	struct str list;

	if (words.n != 2 || !p->dialect->has[DIALECT_OPTION_EQUALS_VALUE])
		return words.n == 2;
	list = str_join(p->a, words, STR(";"));
	return cmake_list_split(p->a, list, false).n == 2;
}

/* Without words after it, it was always ignored; that changed with the option table.
 * Until 3.31 a longer word takes them, too, and asks for nothing. */
bool
option_set_build_and_test(struct option_parse *p, const struct option_use *use)
{
	static const char text[] = "--build-and-test must have source and binary dir";
	bool is_new = p->dialect->has[DIALECT_OPTION_EQUALS_VALUE];

	if (are_two(p, use->rest)) {
		p->o->build.is_asked =
			p->o->build.is_asked || str_is(use->spelled, "--build-and-test");
		p->o->build.source = use->rest.v[0];
		p->o->build.binary = use->rest.v[1];
		return true;
	}
	if (is_new)
		return option_error(p, "%s", text);
	if (use->rest.n == 0)
		return true;
	option_complain(p, false, str_fmt(p->a, "%s\n", text));
	option_complain(
		p, false, STR("Problem parsing command line arguments within a handler"));
	return false;
}
