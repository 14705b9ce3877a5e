/* What a process is called and what it says of itself are foreign bytes: each of them
 * stays in its line of the report. */
#include "tests/unit/fake_proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str
take_part(struct arena *a, struct str *rest)
{
	return str_dup(a, str_take(rest, '\1'));
}

/* The files of the process, divided by bytes of value 1. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str rest = str_cut((const char *)data, size), report, line, link;

	fake_file(a, "stat", take_part(a, &rest));
	fake_file(a, "cmdline", take_part(a, &rest));
	fake_file(a, "task/7/stat", take_part(a, &rest));
	fake_file(a, "task/7/wchan", take_part(a, &rest));
	fake_file(a, "task/7/stack", take_part(a, &rest));
	link = take_part(a, &rest);
	fake_link(a, "fd/3", link.n && *link.p && link.n < 1000 ? link.p : "none");
	report = fake_report(a);
	INVARIANT(str_begins(report, STR("process 7")) && str_ends(report, STR("\n")));
	while (str_take_line(&report, &line))
		for (size_t i = 0; i < line.n; i++)
			INVARIANT((unsigned char)line.p[i] >= ' ');
	arena_close(a);
	return 0;
}
