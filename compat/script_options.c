/* See script_options.h. */
#include "compat/options_table.h"

bool
option_set_script(struct option_parse *p, const struct option_use *use)
{
	VEC_PUSH(p->a, &p->o->scripts, (struct script_request){use->value, false});
	return true;
}

bool
option_set_script_process(struct option_parse *p, const struct option_use *use)
{
	VEC_PUSH(p->a, &p->o->scripts, (struct script_request){use->value, true});
	return true;
}
