/* A pool as one line of text: "gpus 0=2{vendor=x} 1=4; mem 0=7", types and ids in order;
 * "0@1=2" is on the second node. */
#ifndef CCTR_TESTS_UNIT_POOL_SHOW_H
#define CCTR_TESTS_UNIT_POOL_SHOW_H

#include "runner/resources/pool.h"

static inline const char *
pool_line(struct arena *a, const struct pool *p)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < p->n; i++) {
		buf_fmt(&b, "%s%.*s", i ? "; " : "", STR_ARG(p->types[i].name));
		for (size_t k = 0; k < p->types[i].n; k++) {
			const struct resource_instance *r = &p->types[i].v[k];

			buf_fmt(&b, " %.*s", STR_ARG(r->id));
			if (r->node)
				buf_fmt(&b, "@%u", (unsigned)r->node);
			buf_fmt(&b, "=%llu", (unsigned long long)r->slots);
			for (size_t q = 0; q < r->properties_n; q++)
				buf_fmt(&b, "{%.*s=%.*s}", STR_ARG(r->properties[q].name),
					STR_ARG(r->properties[q].value));
		}
	}
	return b.p ? b.p : "";
}

#endif
