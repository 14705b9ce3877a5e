/* See test_names.h. */
#include "compat/test_names.h"

#include "runner/files.h"

bool
test_names_read(struct arena *a, struct str path, struct str_list *names, struct diag *d)
{
	str_vec found = {0};
	struct str text;

	if (!file_read(a, str_z(a, path), &text))
		return diag_error(d, NO_PLACE,
			"Problem reading test list file: %.*s while generating list of "
			"tests to run.",
			STR_ARG(path));
	while (text.n) {
		size_t end = str_find(text, '\n');
		struct str line = str_cut(text.p, end);

		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (line.n)
			VEC_PUSH(a, &found, line);
		text = str_from(text, end < text.n ? end + 1 : end);
	}
	*names = str_vec_list(&found);
	return true;
}
