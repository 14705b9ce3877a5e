/* A pool from one line of text: "gpus 0=2 1=4; crypto card0=4", types and ids in order.
 * "ports* 1=1 2=1" is listed. */
#ifndef CCTR_TESTS_UNIT_POOL_TEXT_H
#define CCTR_TESTS_UNIT_POOL_TEXT_H

#include "runner/resources/pool.h"
#include "tests/unit/suite_text.h"

static inline struct pool
pool_of(struct arena *a, const char *text)
{
	struct str rest = str_of(text);
	VEC(struct resource_type) types = {0};

	while (rest.n) {
		struct str one = text_piece(&rest, ';');
		struct resource_type type = {.name = text_piece(&one, ' ')};
		VEC(struct resource_instance) v = {0};

		type.is_listed = str_ends(type.name, STR("*"));
		type.name.n -= type.is_listed;

		while (one.n) {
			struct str word = text_piece(&one, ' ');
			struct str id = text_piece(&word, '=');

			VEC_PUSH(a, &v,
				(struct resource_instance){
					.id = id, .slots = (uint64_t)str_double(word)});
		}
		type.v = v.v;
		type.n = v.n;
		VEC_PUSH(a, &types, type);
	}
	return (struct pool){.types = types.v, .n = types.n};
}

#endif
