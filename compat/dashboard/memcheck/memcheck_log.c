/* What all readers share: kinds, counts, lines. See memcheck_log.h. */
#include "compat/dashboard/memcheck/memcheck_log.h"

#include "runner/base/sort.h"

static const struct {
	const char *code, *name;
} faults[FAULTS] = {
	[FAULT_ABR] = {"ABR", "Threading Problem"},
	[FAULT_ABW] = {"ABW", "ABW"},
	[FAULT_ABWL] = {"ABWL", "ABWL"},
	[FAULT_COR] = {"COR", "COR"},
	[FAULT_EXU] = {"EXU", "EXU"},
	[FAULT_FFM] = {"FFM", "FFM"},
	[FAULT_FIM] = {"FIM", "FIM"},
	[FAULT_FMM] = {"FMM", "Mismatched deallocation"},
	[FAULT_FMR] = {"FMR", "FMR"},
	[FAULT_FMW] = {"FMW", "FMW"},
	[FAULT_FUM] = {"FUM", "FUM"},
	[FAULT_IPR] = {"IPR", "IPR"},
	[FAULT_IPW] = {"IPW", "IPW"},
	[FAULT_MAF] = {"MAF", "MAF"},
	[FAULT_MLK] = {"MLK", "Memory Leak"},
	[FAULT_MPK] = {"MPK", "Potential Memory Leak"},
	[FAULT_NPR] = {"NPR", "NPR"},
	[FAULT_ODS] = {"ODS", "ODS"},
	[FAULT_PAR] = {"PAR", "Invalid syscall param"},
	[FAULT_PLK] = {"PLK", "PLK"},
	[FAULT_UMC] = {"UMC", "Uninitialized Memory Conditional"},
	[FAULT_UMR] = {"UMR", "Uninitialized Memory Read"},
};

const char *
memcheck_fault_code(enum memcheck_fault fault)
{
	INVARIANT(fault < FAULTS);
	return faults[fault].code;
}

/* ---- kinds ----------------------------------------------------------------------- */

static uint32_t
kind_of(struct memcheck_kinds *k, struct str name)
{
	uint32_t number = map_get(&k->numbers, name);

	if (number != MAP_NONE)
		return number;
	number = (uint32_t)k->v.n;
	name = str_dup(k->arena, name);
	map_set(&k->numbers, name, number);
	VEC_PUSH(k->arena, &k->v, (struct memcheck_kind){.name = name});
	return number;
}

struct memcheck_kinds
memcheck_kinds_open(struct arena *a, bool are_fixed)
{
	struct memcheck_kinds k = {.arena = a, .numbers = map_in(a)};

	for (int i = 0; are_fixed && i < FAULTS; i++)
		kind_of(&k, str_of(faults[i].name));
	return k;
}

static void
count_defect(struct memcheck_log *l, uint32_t number)
{
	struct memcheck_kind *kind = &l->kinds->v.v[number];

	if (kind->counted_by != l->number) {
		kind->counted_by = l->number;
		kind->at = (uint32_t)l->counts.n;
		VEC_PUSH(l->arena, &l->counts, (struct memcheck_count){number, 0});
	}
	kind->n++;
	l->counts.v[kind->at].n++;
	l->defects++;
}

void
memcheck_count_fault(struct memcheck_log *l, enum memcheck_fault fault)
{
	count_defect(l, (uint32_t)fault);
}

void
memcheck_count_name(struct memcheck_log *l, struct str name)
{
	count_defect(l, kind_of(l->kinds, name));
}

/* ---- lines ----------------------------------------------------------------------- */

void
memcheck_show_marked(struct memcheck_log *l, struct str mark, struct str line)
{
	buf_z(&l->shown, "<b>");
	buf_str(&l->shown, mark);
	buf_z(&l->shown, "</b> ");
	memcheck_show(l, line);
}

void
memcheck_show(struct memcheck_log *l, struct str line)
{
	buf_str(&l->shown, line);
	buf_char(&l->shown, '\n');
}

/* ---- a log ----------------------------------------------------------------------- */

SORT_BY(sort_counts, struct memcheck_count, ASCENDING(kind))

void
memcheck_log_read(memcheck_reader *reader, struct memcheck_log *l)
{
	INVARIANT(reader && l);
	l->number = ++l->kinds->logs;
	l->shown = (struct buf){.arena = l->arena};
	reader(l);
	sort_counts(l->counts.v, l->counts.n);
}
