/* Setters of -S, -SP and -SR. See options.h. */
#include "compat/options/option_parse.h"

static bool
add_script(struct option_parse *p, struct str script, bool in_new_process)
{
	VEC_PUSH(p->a, &p->o->script.requests,
		(struct script_request){script, in_new_process});
	return true;
}

/* The process of -SP has -SR, and after it the command line of its parent. */
bool
option_set_script(struct option_parse *p, const struct option_use *use)
{
	return p->o->script.is_alone || add_script(p, use->value, false);
}

bool
option_set_script_process(struct option_parse *p, const struct option_use *use)
{
	return p->o->script.is_alone || add_script(p, use->value, true);
}

bool
option_set_script_run(struct option_parse *p, const struct option_use *use)
{
	p->o->script.is_alone = true;
	return add_script(p, use->value, false);
}
