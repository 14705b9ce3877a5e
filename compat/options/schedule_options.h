/* What starts when: -j, --schedule, --test-load, and what explains or simulates it. */
#ifndef CCTR_COMPAT_OPTIONS_SCHEDULE_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_SCHEDULE_OPTIONS_H

#include "runner/schedule/plan.h"

/* -j0: in effect no limit. */
enum { UNBOUNDED_JOBS = 65536 };

struct schedule_options {
	bool has_parallel;
	bool parallel_is_chosen; /* -j without a value: ctest chooses how many */
	size_t parallel; /* at least 1 */
	enum schedule order; /* --schedule */
	size_t reserve; /* --reserve; 0: not given */
	bool random, has_seed; /* --schedule-random, --schedule-random-seed */
	unsigned seed;
	unsigned long test_load; /* 0: none */
	bool affinity;
	bool simulate;
	struct str durations; /* of --simulate: a file, or "" */
	struct str timings; /* --timings: a file, or "" */
	str_vec explain; /* names of tests */
	struct str plan_json; /* --plan-json: a file, or "" */
};

#endif
