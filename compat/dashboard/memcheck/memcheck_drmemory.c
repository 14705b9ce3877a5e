/* The results.txt of Dr. Memory: a line "Error #1: KIND" begins an error. */
#include "compat/dashboard/memcheck/memcheck_log.h"

static void
count_error(struct memcheck_log *l, struct str line)
{
	static const struct {
		const char *word;
		enum memcheck_fault fault;
	} words[] = {
		{"UNADDRESSABLE ACCESS", FAULT_UMR},
		{"UNINITIALIZED READ", FAULT_UMR},
		{"LEAK", FAULT_MLK},
		{"INVALID HEAP ARGUMENT", FAULT_FMM},
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_has(line, str_of(words[i].word))) {
			memcheck_count_fault(l, words[i].fault);
			return;
		}
}

void
memcheck_read_drmemory(struct memcheck_log *l)
{
	static const struct str head = {"Error #", 7};
	struct str rest = l->text, line;

	while (str_take_line(&rest, &line)) {
		if (str_begins(line, head) && line.n > head.n && line.p[head.n] >= '0' &&
			line.p[head.n] <= '9')
			count_error(l, line);
		memcheck_show(l, line);
	}
}
