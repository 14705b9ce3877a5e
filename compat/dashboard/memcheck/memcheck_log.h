/*
 * What a memory checker reports about one test: kinds of defects, their numbers, and the
 * text for the dashboard. One reader per log format; each is a function of the text.
 *
 * The text is the test's output followed by the checker's log, since checkers write to
 * either. All readers are linear in its size.
 */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_LOG_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_LOG_H

#include "runner/base/base.h"

/* The defects of checkers with a fixed list, in ctest's order. */
enum memcheck_fault {
	FAULT_ABR,
	FAULT_ABW,
	FAULT_ABWL,
	FAULT_COR,
	FAULT_EXU,
	FAULT_FFM,
	FAULT_FIM,
	FAULT_FMM,
	FAULT_FMR,
	FAULT_FMW,
	FAULT_FUM,
	FAULT_IPR,
	FAULT_IPW,
	FAULT_MAF,
	FAULT_MLK,
	FAULT_MPK,
	FAULT_NPR,
	FAULT_ODS,
	FAULT_PAR,
	FAULT_PLK,
	FAULT_UMC,
	FAULT_UMR,
	FAULTS
};
/* "MLK": the name in logs. */
const char *memcheck_fault_code(enum memcheck_fault fault);

/* The kinds of defects of a whole run, numbered in the order of its tables. */
struct memcheck_kind {
	struct str name;
	uint64_t n; /* in all tests */
	uint32_t counted_by, at; /* the log that counted it last, and its index there */
};
struct memcheck_kinds {
	struct arena *arena;
	struct map numbers; /* by name */
	VEC(struct memcheck_kind) v;
	uint32_t logs;
};
/* With the fixed list a fault is the number of its kind; without it kinds are numbered as
 * they are found. */
struct memcheck_kinds memcheck_kinds_open(struct arena *a, bool are_fixed);

struct memcheck_count {
	uint32_t kind, n;
};
struct memcheck_log {
	struct arena *arena; /* of this test */
	struct memcheck_kinds *kinds;
	const char *shape; /* of a sanitizer's reports; NULL: not a sanitizer */
	struct str text;
	long most; /* CTEST_CUSTOM_MAXIMUM_FAILED_TEST_OUTPUT_SIZE; 0: no limit */
	/* The result: */
	struct buf shown;
	VEC(struct memcheck_count) counts; /* sorted by number after memcheck_log_read */
	size_t defects;
	str_vec complaints; /* errors: lines without their ends */
	uint32_t number;
};
typedef void memcheck_reader(struct memcheck_log *l);

void memcheck_log_read(memcheck_reader *reader, struct memcheck_log *l);

memcheck_reader memcheck_read_valgrind;
memcheck_reader memcheck_read_sanitizer;
memcheck_reader memcheck_read_drmemory;
memcheck_reader memcheck_read_cuda;
memcheck_reader memcheck_read_bounds;
memcheck_reader memcheck_read_purify;

/* A line between the output and the log of BoundsChecker. */
extern const char memcheck_bounds_mark[];

/* ---- for readers ----------------------------------------------------------------- */

void memcheck_count_fault(struct memcheck_log *l, enum memcheck_fault fault);
void memcheck_count_name(struct memcheck_log *l, struct str name);
/* "<b>mark</b> line" */
void memcheck_show_marked(struct memcheck_log *l, struct str mark, struct str line);
void memcheck_show(struct memcheck_log *l, struct str line);

#endif
