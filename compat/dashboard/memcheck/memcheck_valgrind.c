/*
 * Logs of valgrind. Its own lines, which begin with a process id between "==", are shown
 * first; the test's own output comes after them, up to the limit.
 */
#include "compat/dashboard/memcheck/memcheck_log.h"
#include "compat/dashboard/memcheck/memcheck_shape.h"

/* Split in two: a name in a text, not a call. */
#define FREE                                                                             \
	"free"                                                                           \
	"()"

/* The first shape that fits a line counts. */
static const struct {
	const char *shape;
	enum memcheck_fault fault;
} shapes[] = {
	{"== *Invalid " FREE " / delete / delete[]", FAULT_FIM},
	{"== *Mismatched " FREE " / delete / delete []", FAULT_FMM},
	{"== *# bytes in # blocks are definitely lost in loss record # of #", FAULT_MLK},
	{"== *# (# direct, # indirect) bytes in # blocks are definitely lost in loss "
	 "record # of #",
		FAULT_MLK},
	{"== *Syscall param * contains unaddressable byte(s)", FAULT_PAR},
	{"== *Syscall param * points to unaddressable byte(s)", FAULT_PAR},
	{"== *# bytes in # blocks are possibly lost in loss record # of #", FAULT_MPK},
	{"== *# bytes in # blocks are still reachable in loss record # of #", FAULT_MPK},
	{"== *Conditional jump or move depends on uninitialised value(s)", FAULT_UMC},
	{"== *Use of uninitialised value of size #", FAULT_UMR},
	{"== *Invalid read of size #", FAULT_UMR},
	{"== *Jump to the invalid address ", FAULT_UMR},
	{"== *Syscall param * contains uninitialised or unaddressable byte(s)",
		FAULT_UMR},
	{"== *Syscall param * uninitialised", FAULT_UMR},
	{"== *Invalid write of size #", FAULT_IPW},
	{"== *pthread_mutex_unlock: mutex is locked by a different thread", FAULT_ABR},
};

static const char cut_off[] =
	"....\n"
	"Test Output for this test has been truncated see testing machine logs for full "
	"output,\nor put CTEST_FULL_OUTPUT in the output of this test program.";

static bool
is_own_line(struct str line)
{
	size_t i = 2;

	if (!str_begins(line, STR("==")))
		return false;
	while (i < line.n && line.p[i] >= '0' && line.p[i] <= '9')
		i++;
	return i > 2 && str_begins(str_from(line, i), STR("=="));
}

static void
read_own_line(struct memcheck_log *l, struct str line)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (memcheck_shape_find(shapes[i].shape, line, NULL)) {
			enum memcheck_fault fault = shapes[i].fault;

			memcheck_count_fault(l, fault);
			memcheck_show_marked(l, str_of(memcheck_fault_code(fault)), line);
			return;
		}
	memcheck_show(l, line);
}

/* Shows all lines but valgrind's own, until the limit is exceeded. */
static void
show_others(struct memcheck_log *l, size_t shown, size_t most)
{
	struct str rest = l->text, line;

	while (str_take_line(&rest, &line)) {
		if (is_own_line(line))
			continue;
		memcheck_show(l, line);
		shown += line.n;
		if (shown > most) {
			memcheck_show(l, str_of(cut_off));
			return;
		}
	}
}

void
memcheck_read_valgrind(struct memcheck_log *l)
{
	struct str rest = l->text, line;
	bool is_whole = l->most <= 0 || str_has(l->text, STR("CTEST_FULL_OUTPUT"));
	size_t shown = 0;

	while (str_take_line(&rest, &line))
		if (is_own_line(line)) {
			read_own_line(l, line);
			shown += line.n;
		}
	show_others(l, shown, is_whole ? SIZE_MAX : (size_t)l->most);
}
