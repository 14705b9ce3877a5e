/*
 * What a memory checker says of one test: which defects, how many, and the text that a
 * dashboard shows of it. One reader per format of logs; each is a function of the text.
 *
 * The text is the test's output with the checker's log behind it, since checkers write to
 * either. All readers are linear in its size.
 */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_LOG_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_LOG_H

#include "runner/base/base.h"

/* The defects of checkers that have a fixed list of them, in ctest's order. */
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
/* "MLK", by which logs call it. */
const char *memcheck_fault_code(enum memcheck_fault fault);

/* The kinds of defects of a whole run, numbered as they stand in its tables. */
struct memcheck_kind {
	struct str name;
	uint64_t n; /* of all tests */
	uint32_t counted_by, at; /* of the log that counted it last: where */
};
struct memcheck_kinds {
	struct arena *arena;
	struct map numbers; /* by name */
	VEC(struct memcheck_kind) v;
	uint32_t logs;
};
/* With the fixed list: a fault is the number of its kind. Without it kinds are numbered
 * as they are found. */
struct memcheck_kinds memcheck_kinds_open(struct arena *a, bool are_fixed);

struct memcheck_count {
	uint32_t kind, n;
};
struct memcheck_log {
	struct arena *arena; /* of this test */
	struct memcheck_kinds *kinds;
	const char *shape; /* of a sanitizer's own reports; NULL: it has none */
	struct str text;
	long most; /* CTEST_CUSTOM_MAXIMUM_FAILED_TEST_OUTPUT_SIZE; 0: no limit */
	/* What is found: */
	struct buf shown;
	VEC(struct memcheck_count) counts; /* by number, after memcheck_log_read */
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

/* Stands between the output and the log of a bounds checker, on a line of its own. */
extern const char memcheck_bounds_mark[];

/* ---- for readers ----------------------------------------------------------------- */

void memcheck_count_fault(struct memcheck_log *l, enum memcheck_fault fault);
void memcheck_count_name(struct memcheck_log *l, struct str name);
/* "<b>mark</b> line" */
void memcheck_show_marked(struct memcheck_log *l, struct str mark, struct str line);
void memcheck_show(struct memcheck_log *l, struct str line);

#endif
