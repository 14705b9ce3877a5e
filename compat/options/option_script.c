/* Setters of -S, -SP and -SR. See options.h. */
#include "compat/options/option_parse.h"

bool
option_set_script(struct option_parse *p, const struct option_use *use)
{
	VEC_PUSH(
		p->a, &p->o->script.requests, (struct script_request){use->value, false});
	return true;
}

bool
option_set_script_process(struct option_parse *p, const struct option_use *use)
{
	VEC_PUSH(p->a, &p->o->script.requests, (struct script_request){use->value, true});
	return true;
}
