/* Logs of Purify: "[W] UMR: ..." gives a defect's code. */
#include "compat/dashboard/memcheck/memcheck_log.h"

/* At least three capitals between "[W] " and ": ". false: the line has no code. */
static bool
find_code(struct str line, struct str *code)
{
	size_t n = 4;

	if (line.n < 4 || line.p[0] != '[' || !strchr("WEI", line.p[1]) || !line.p[1] ||
		line.p[2] != ']' || line.p[3] != ' ')
		return false;
	while (n < line.n && line.p[n] >= 'A' && line.p[n] <= 'Z')
		n++;
	*code = str_cut(line.p + 4, n - 4);
	return code->n >= 3 && str_begins(str_from(line, n), STR(": "));
}

static enum memcheck_fault
fault_of(struct str code)
{
	int i = 0;

	while (i < FAULTS && !str_is(code, memcheck_fault_code((enum memcheck_fault)i)))
		i++;
	return (enum memcheck_fault)i;
}

static void
read_code(struct memcheck_log *l, struct str code, struct str line)
{
	enum memcheck_fault fault = fault_of(code);
	struct str unknown;

	if (fault < FAULTS) {
		memcheck_count_fault(l, fault);
		memcheck_show_marked(l, code, line);
		return;
	}
	unknown = str_fmt(l->arena, "Unknown Purify memory fault: %.*s", STR_ARG(code));
	VEC_PUSH(l->arena, &l->complaints, unknown);
	buf_z(&l->shown, "*** ");
	memcheck_show(l, unknown);
	memcheck_show(l, line);
}

void
memcheck_read_purify(struct memcheck_log *l)
{
	struct str rest = l->text, line, code;

	while (str_take_line(&rest, &line))
		if (find_code(line, &code))
			read_code(l, code, line);
		else
			memcheck_show(l, line);
}
