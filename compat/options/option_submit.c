/* Setters of the options of a submission; see option_parse.h. */

#include "compat/options/option_parse.h"

bool
option_set_submit_index(struct option_parse *p, const struct option_use *use)
{
	int index = str_int(use->value);

	p->o->submit.index = index > 0 ? index : 0;
	return true;
}

bool
option_set_http_1_0(struct option_parse *p, const struct option_use *use)
{
	(void)use;
	p->o->submit.is_http_1_0 = true;
	return true;
}

bool
option_add_http_header(struct option_parse *p, const struct option_use *use)
{
	VEC_PUSH(p->a, &p->o->submit.headers, use->value);
	return true;
}
