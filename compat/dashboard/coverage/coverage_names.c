/* Walks the trees once for all names. See coverage.h. */
#include "compat/dashboard/coverage/coverage.h"

#include "runner/base/files.h"

struct coverage_names {
	struct map by_name; /* index into directories */
	VEC(str_vec) directories;
};

struct coverage_names *
coverage_names_build(struct coverage *c, const struct str *patterns, size_t n)
{
	struct coverage_names *names = NEW(c->arena, struct coverage_names);
	str_vec files = {0};

	names->by_name = map_in(c->arena);
	for (size_t i = 0; i < n; i++)
		coverage_glob(c, patterns[i], true, &files);
	for (size_t i = 0; i < files.n; i++) {
		uint32_t *known = map_at(&names->by_name, path_name(files.v[i]));

		if (*known == MAP_NONE) {
			*known = (uint32_t)names->directories.n;
			VEC_PUSH(c->arena, &names->directories, (str_vec){0});
		}
		VEC_PUSH(
			c->arena, &names->directories.v[*known], path_parent(files.v[i]));
	}
	return names;
}

struct str_list
coverage_names_find(const struct coverage_names *n, struct str name)
{
	uint32_t known = map_get(&n->by_name, name);

	if (known == MAP_NONE)
		return (struct str_list){NULL, 0};
	return str_vec_list(&n->directories.v[known]);
}
