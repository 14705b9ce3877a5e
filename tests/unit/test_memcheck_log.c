/* The readers of what memory checkers write. */
#include <stdio.h>

#include "compat/dashboard/memcheck/memcheck_log.h"
#include "tests/unit/unit.h"

struct row {
	const char *text;
	const char *found; /* "kind n, kind n" in the order of the kinds */
	const char *shown; /* NULL: as the text */
	long most;
};

static void
check_row(
	memcheck_reader *reader, const char *shape, bool has_faults, const struct row *r)
{
	struct arena *a = arena_open();
	struct memcheck_kinds kinds = memcheck_kinds_open(a, has_faults);
	struct memcheck_log l = {.arena = a,
		.kinds = &kinds,
		.shape = shape,
		.text = str_of(r->text),
		.most = r->most};
	struct buf found = {.arena = a};

	buf_z(&found, "");
	memcheck_log_read(reader, &l);
	for (size_t i = 0; i < l.counts.n; i++)
		buf_fmt(&found, "%s%.*s %u", i ? ", " : "",
			STR_ARG(kinds.v.v[l.counts.v[i].kind].name), l.counts.v[i].n);
	assert_string_equal(found.p, r->found);
	buf_z(&l.shown, "");
	assert_string_equal(l.shown.p, r->shown ? r->shown : r->text);
	arena_close(a);
}

static void
valgrind(void **state)
{
	static const char cut[] =
		"....\nTest Output for this test has been truncated see testing machine "
		"logs for full output,\nor put CTEST_FULL_OUTPUT in the output of this "
		"test "
		"program.\n";
	static const struct row rows[] = {
		{"", "", NULL, 0},
		{"==1== x\n", "", NULL, 0},
		{"a\n==1== Invalid read of size 4\nb", "Uninitialized Memory Read 1",
			"<b>UMR</b> ==1== Invalid read of size 4\na\nb\n", 0},
		{"==1== 1,0 bytes in 2 blocks are definitely lost in loss record 3 of "
		 "4\n==2== 1 (2 direct, 3 indirect) bytes in 2 blocks are definitely "
		 "lost "
		 "in loss record 3 of 4\n",
			"Memory Leak 2",
			"<b>MLK</b> ==1== 1,0 bytes in 2 blocks are definitely lost in "
			"loss "
			"record 3 of 4\n<b>MLK</b> ==2== 1 (2 direct, 3 indirect) bytes "
			"in "
			"2 blocks are definitely lost in loss record 3 of 4\n",
			0},
		/* The first shape that fits. */
		{"==1== Invalid write of size 1 Invalid free() / delete / delete[]\n",
			"FIM 1",
			"<b>FIM</b> ==1== Invalid write of size 1 Invalid free() / "
			"delete / "
			"delete[]\n",
			0},
		{"==1==Invalid read of size 4\n=1== Invalid read of size 4\n"
		 "==x== Invalid read of size 4\n==== Invalid read of size 4\n",
			"", NULL, 0},
		/* More than the limit, without the ends of lines. */
		{"==1== x\nabc\nabc\nabc\n", "", "==1== x\nabc\nabc\nabc\n", 16},
		{"==1== x\nabc\nabc\nabc\n", "", NULL, 0},
		{"CTEST_FULL_OUTPUT\nabc\n", "", NULL, 3},
	};
	struct row limited = {"==1== x\nabc\ndef\nghi\n", "", NULL, 12};
	char shown[512];

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check_row(memcheck_read_valgrind, NULL, true, &rows[i]);
	snprintf(shown, sizeof shown, "==1== x\nabc\ndef\n%s", cut);
	limited.shown = shown;
	check_row(memcheck_read_valgrind, NULL, true, &limited);
}

static void
sanitizer(void **state)
{
	static const struct row rows[] = {
		{"==1==ERROR: AddressSanitizer: heap-use-after-free on address 1\n",
			"heap-use-after-free 1",
			"<b>heap-use-after-free</b> ==1==ERROR: AddressSanitizer: "
			"heap-use-after-free on address 1\n",
			0},
		{"Indirect leak of 76 Direct leak of\nDirect leak of 1\n",
			"Indirect leak 1, Direct leak 1",
			"<b>Indirect leak</b> Indirect leak of 76 Direct leak of\n"
			"<b>Direct leak</b> Direct leak of 1\n",
			0},
		{"ERROR: AddressSanitizer:  on x\nSUMMARY: AddressSanitizer: x on\n", "",
			NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check_row(memcheck_read_sanitizer, "ERROR: AddressSanitizer: {*} on*",
			false, &rows[i]);
	check_row(memcheck_read_sanitizer, NULL, false,
		&(struct row){"ERROR: AddressSanitizer: a on b\n", "", NULL, 0});
}

static void
drmemory(void **state)
{
	static const struct row rows[] = {
		{"Error #1: HANDLE LEAK\n", "Memory Leak 1", NULL, 0},
		{"Error #12: LEAK UNADDRESSABLE ACCESS\n", "Uninitialized Memory Read 1",
			NULL, 0},
		{"Error #1: INVALID HEAP ARGUMENT\nError #2: LEAK INVALID HEAP "
		 "ARGUMENT\n",
			"Mismatched deallocation 1, Memory Leak 1", NULL, 0},
		{"Error #: LEAK\n Error #1: LEAK\nError #x: LEAK\nError #", "",
			"Error #: LEAK\n Error #1: LEAK\nError #x: LEAK\nError #\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check_row(memcheck_read_drmemory, NULL, true, &rows[i]);
}

static void
cuda(void **state)
{
	static const struct row rows[] = {
		{"a\n========= Leaked 1 bytes at 2\n", "Memory leak 1",
			"<b>Memory leak</b> ========= Leaked 1 bytes at 2\na\n", 0},
		{"========= Program hit error 719 on CUDA API call to x\n", "719 1",
			"<b>719</b> ========= Program hit error 719 on CUDA API call to "
			"x\n",
			0},
		{"========= Invalid a of size b of size 4\n", "Invalid a of size b 1",
			"<b>Invalid a of size b</b> ========= Invalid a of size b of "
			"size "
			"4\n",
			0},
		{"========= Error: Target application terminated before first "
		 "instrumented API\n========= ERROR SUMMARY: 1\n======= Unused memory\n",
			"", NULL, 0},
		{"========= Some\n", "Some 1", "<b>Some</b> ========= Some\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check_row(memcheck_read_cuda, NULL, false, &rows[i]);
}

static void
purify(void **state)
{
	static const struct row rows[] = {
		{"[W] UMR: x\n", "Uninitialized Memory Read 1", "<b>UMR</b> [W] UMR: x\n",
			0},
		{"[E] ABWL: x\n", "ABWL 1", "<b>ABWL</b> [E] ABWL: x\n", 0},
		{"[I] XYZ: x\n", "", "*** Unknown Purify memory fault: XYZ\n[I] XYZ: x\n",
			0},
		{"[X] UMR: x\n[W] UM: x\n[W] UMR:x\n[W] umr: x\n[W]\n[", "",
			"[X] UMR: x\n[W] UM: x\n[W] UMR:x\n[W] umr: x\n[W]\n[\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check_row(memcheck_read_purify, NULL, true, &rows[i]);
}

#define MARK "******######*****Begin BOUNDS CHECKER XML******######******\n"

static void
bounds(void **state)
{
	static const struct row rows[] = {
		{"<Error/>\n", "", "", 0},
		{"said\n" MARK "<Error a=\"1\" ErrorCategory=\"Read Overrun\"/>\n",
			"Threading Problem 1",
			"Error:\n   a - 1\n   ErrorCategory - Read Overrun\n\n", 0},
		{MARK "<R><Error/><MemoryLeak/></R>\n", "ABW 1, Memory Leak 1",
			"R:\n\nError:\n\nMemoryLeak:\n\n", 0},
		{MARK "<R>\n<X TargetArgs=&>\n</R>\n", "", "R:\n\n", 0},
		{MARK "<R><Error ErrorCategory=\"Read Overrun\"/>\n</X>\n",
			"Threading Problem 1",
			"R:\n\nError:\n   ErrorCategory - Read Overrun\n\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check_row(memcheck_read_bounds, NULL, true, &rows[i]);
}

/* Errors are reported for their line and for all lines after it. */
static void
complaints(void **state)
{
	static const char *const wanted[] = {
		"Error parsing XML in stream at line 1: mismatched tag",
		"Error in ParseChunk: </X>",
		"Error parsing XML in stream at line 1: mismatched tag",
		"Error in ParseChunk: more"};
	struct arena *a = arena_open();
	struct memcheck_kinds kinds = memcheck_kinds_open(a, true);
	struct memcheck_log l = {
		.arena = a, .kinds = &kinds, .text = STR(MARK "<R>\n</X>\nmore\n")};

	(void)state;
	memcheck_log_read(memcheck_read_bounds, &l);
	assert_int_equal(l.complaints.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(str_is(l.complaints.v[i], wanted[i]));
	arena_close(a);
}

/* Kinds are numbered over all logs, and counted for each. */
static void
several_logs(void **state)
{
	static const char *const texts[] = {
		"Indirect leak of \n", "Direct leak of \nIndirect leak of \n"};
	struct arena *a = arena_open();
	struct memcheck_kinds kinds = memcheck_kinds_open(a, false);
	struct memcheck_log l = {0};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		l = (struct memcheck_log){
			.arena = a, .kinds = &kinds, .text = str_of(texts[i])};
		memcheck_log_read(memcheck_read_sanitizer, &l);
	}
	assert_int_equal(kinds.v.n, 2);
	assert_int_equal(kinds.v.v[0].n, 2);
	assert_int_equal(kinds.v.v[1].n, 1);
	assert_int_equal(l.counts.n, 2);
	assert_int_equal(l.counts.v[0].kind, 0);
	assert_int_equal(l.counts.v[0].n, 1);
	assert_int_equal(l.defects, 2);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valgrind),
		cmocka_unit_test(sanitizer),
		cmocka_unit_test(drmemory),
		cmocka_unit_test(cuda),
		cmocka_unit_test(purify),
		cmocka_unit_test(bounds),
		cmocka_unit_test(complaints),
		cmocka_unit_test(several_logs),
	};

	return run_unit_tests("memcheck_log", tests, NULL, NULL);
}
