/* See name_lists.h. */
#include "compat/run/name_lists.h"

#include "runner/base/files.h"

bool
name_list_read(struct arena *a, struct str directory, struct str path,
	struct str_list *names, struct diag *d)
{
	str_vec found = {0};
	struct str text, line;

	INVARIANT(names && d);
	if (!file_read_named(a, path_in(a, directory, path), &text))
		return diag_error(d, NO_PLACE,
			"Problem reading test list file: %.*s while generating list of "
			"tests to run.",
			STR_ARG(path));
	while (str_take_crlf_line(&text, &line)) {
		if (line.n)
			VEC_PUSH(a, &found, line);
	}
	*names = str_vec_list(&found);
	return true;
}
