/*
 * Logs of the compilers' sanitizers: the first line of a report gives its name, and any
 * sanitizer may report leaks.
 */
#include "compat/dashboard/memcheck/memcheck_log.h"
#include "compat/dashboard/memcheck/memcheck_shape.h"

/* If a line has both, the first one counts. */
static bool
find_leak(struct str line, struct str *name)
{
	struct str direct, indirect;
	bool is_direct = memcheck_shape_find("{Direct leak} of *", line, &direct);
	bool is_indirect = memcheck_shape_find("{Indirect leak} of *", line, &indirect);

	if (is_direct && (!is_indirect || direct.p < indirect.p))
		*name = direct;
	else if (is_indirect)
		*name = indirect;
	return is_direct || is_indirect;
}

void
memcheck_read_sanitizer(struct memcheck_log *l)
{
	struct str rest = l->text, line, name;

	while (str_take_line(&rest, &line)) {
		bool found = find_leak(line, &name) ||
			     (l->shape && memcheck_shape_find(l->shape, line, &name));

		if (found && name.n) {
			memcheck_count_name(l, name);
			memcheck_show_marked(l, name, line);
		} else {
			memcheck_show(l, line);
		}
	}
}
