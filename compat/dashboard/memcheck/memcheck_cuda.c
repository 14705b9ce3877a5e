/*
 * Logs of cuda-memcheck and compute-sanitizer. Their own lines begin with "========" and
 * are shown first. A line that fits no other shape is a defect if it begins like a
 * sentence.
 */
#include "compat/dashboard/memcheck/memcheck_log.h"
#include "compat/dashboard/memcheck/memcheck_shape.h"

/* The first shape that fits a line counts. */
static const struct {
	const char *shape;
	const char *name; /* NULL: the text that the shape takes; "": not a defect */
} shapes[] = {
	{"== Leaked # bytes at", "Memory leak"},
	{"== Error: No attachable process found.*timed-out", ""},
	{"== Default timeout can be adjusted with --launch-timeout", ""},
	{"== Error: Target application terminated before first instrumented API", ""},
	{"== Tracking kernels launched by child processes requires", ""},
	{"== Malloc/Free error encountered: {*}", NULL},
	{"== Program hit error {@}* on CUDA API call to", NULL},
	{"== Program hit {@}* on CUDA API call to", NULL},
	{"== {Invalid *} of size #", NULL},
	{"== {Fatal UVM CPU fault}", NULL},
	{"== {Fatal UVM GPU fault}", NULL},
	{"== * {Potential * hazard detected}", NULL},
	{"== * {Race reported}", NULL},
	{"== {Barrier error}", NULL},
	{"== {Uninitialized * memory read}", NULL},
	{"== {Unused memory}", NULL},
	{"== {Host API memory access error}", NULL},
	{"== {^~*}", NULL},
};

static bool
is_own_line(struct str line)
{
	return str_begins(line, STR("========"));
}

static void
read_own_line(struct memcheck_log *l, struct str line)
{
	struct str name;

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		if (!memcheck_shape_find(shapes[i].shape, line, &name))
			continue;
		if (shapes[i].name)
			name = str_of(shapes[i].name);
		if (shapes[i].name && !name.n)
			break;
		memcheck_count_name(l, name);
		memcheck_show_marked(l, name, line);
		return;
	}
	memcheck_show(l, line);
}

void
memcheck_read_cuda(struct memcheck_log *l)
{
	struct str rest = l->text, line;

	while (str_take_line(&rest, &line))
		if (is_own_line(line))
			read_own_line(l, line);
	rest = l->text;
	while (str_take_line(&rest, &line))
		if (!is_own_line(line))
			memcheck_show(l, line);
}
