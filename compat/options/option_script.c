/* See script_options.h. */
#include "compat/options/option_parse.h"

bool
option_set_script(struct option_parse *p, const struct option_use *use)
{
	VEC_PUSH(
		p->a, &p->o->script.requests, (struct script_request){use->value, false});
	return true;
}

bool
option_set_script_host(struct option_parse *p, const struct option_use *use)
{
	static const char *const names[] = {
		[EVALUATED_BY_CMAKE] = "cmake", [EVALUATED_BY_CTEST] = "ctest"};

	for (int i = EVALUATED_BY_CMAKE; i <= EVALUATED_BY_CTEST; i++)
		if (str_is(use->value, names[i])) {
			p->o->script.evaluator = (enum script_evaluator)i;
			return true;
		}
	return option_error(p, "'%.*s' given invalid value '%.*s'", STR_ARG(use->spelled),
		STR_ARG(use->value));
}

bool
option_set_script_process(struct option_parse *p, const struct option_use *use)
{
	VEC_PUSH(p->a, &p->o->script.requests, (struct script_request){use->value, true});
	return true;
}
