/*
 * Logs of BoundsChecker: XML after the test's own output; the text shows its elements
 * with their attributes. ctest feeds its parser line by line, and prints for each line
 * whether it was valid, with the line number within that line. Lines with the program's
 * arguments are left out, since they need not be XML.
 */
#include "compat/dashboard/memcheck/memcheck_log.h"
#include "runner/base/xml_read.h"

const char memcheck_bounds_mark[] =
	"******######*****Begin BOUNDS CHECKER XML******######******";

struct parsing {
	struct memcheck_log *log;
	bool is_open; /* an element whose attributes may follow */
	bool is_error; /* it is an <Error> without a category so far */
};

static enum memcheck_fault
fault_of(struct str category)
{
	static const struct {
		const char *name;
		enum memcheck_fault fault;
	} known[] = {
		{"Write Overrun", FAULT_ABW},
		{"Read Overrun", FAULT_ABR},
		{"Memory Overrun", FAULT_ABW},
		{"Allocation Conflict", FAULT_FMM},
		{"Bad Pointer Use", FAULT_FMW},
		{"Dangling Pointer", FAULT_FMR},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(category, known[i].name))
			return known[i].fault;
	return FAULTS;
}

static void
close_element(struct parsing *p)
{
	if (p->is_error) {
		VEC_PUSH(p->log->arena, &p->log->complaints,
			STR("No Category found in Bounds checker XML"));
		memcheck_count_fault(p->log, FAULT_ABW);
	}
	if (p->is_open)
		memcheck_show(p->log, STR(""));
	p->is_open = p->is_error = false;
}

static void
begin_element(void *context, struct str name)
{
	struct parsing *p = context;

	close_element(p);
	p->is_open = true;
	p->is_error = str_is(name, "Error");
	if (str_is(name, "MemoryLeak") || str_is(name, "ResourceLeak"))
		memcheck_count_fault(p->log, FAULT_MLK);
	buf_str(&p->log->shown, name);
	memcheck_show(p->log, STR(":"));
}

static void
take_attribute(void *context, struct str name, struct str value)
{
	struct parsing *p = context;
	enum memcheck_fault fault = fault_of(value);

	buf_fmt(&p->log->shown, "   %.*s - ", STR_ARG(name));
	memcheck_show(p->log, value);
	if (!p->is_error || !str_is(name, "ErrorCategory"))
		return;
	if (fault < FAULTS)
		memcheck_count_fault(p->log, fault);
	p->is_error = false;
}

static void
end_element(void *context, struct str name)
{
	(void)name;
	close_element(context);
}

static void
add_complaint(struct memcheck_log *l, const char *error)
{
	VEC_PUSH(l->arena, &l->complaints,
		str_fmt(l->arena, "Error parsing XML in stream at line 1: %s", error));
}

/* From the fault on every line is wrong. */
static void
complain_of_lines(struct memcheck_log *l, struct str xml, const struct xml_fault *fault)
{
	struct str line, rest = xml;

	while (str_take_line(&rest, &line)) {
		if ((size_t)(line.p + line.n - xml.p) < fault->at)
			continue;
		add_complaint(l, fault->text);
		VEC_PUSH(l->arena, &l->complaints,
			str_fmt(l->arena, "Error in ParseChunk: %.*s", STR_ARG(line)));
	}
}

/* The text after the mark, without the lines that are left out. */
static struct str
xml_of(struct memcheck_log *l)
{
	struct str mark = str_of(memcheck_bounds_mark), rest = l->text, line;
	struct buf xml = {.arena = l->arena};
	bool is_behind = false;

	while (str_take_line(&rest, &line))
		if (is_behind && !str_has(line, STR("TargetArgs="))) {
			buf_str(&xml, line);
			buf_char(&xml, '\n');
		} else {
			is_behind = is_behind || str_eq(line, mark);
		}
	return buf_as_str(&xml);
}

void
memcheck_read_bounds(struct memcheck_log *l)
{
	struct parsing p = {.log = l};
	struct xml_events events = {.context = &p,
		.begin = begin_element,
		.attribute = take_attribute,
		.end = end_element};
	struct str xml = xml_of(l);
	struct xml_fault fault = xml_read(xml, &events);

	close_element(&p);
	if (fault.is_end)
		add_complaint(l, fault.text);
	else if (fault.text)
		complain_of_lines(l, xml, &fault);
}
