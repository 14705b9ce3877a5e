/*
 * No room on the disk while tests run, and room again before the end: what was kept until
 * then is not whole, and is not passed off as whole. Files of at most ROOM bytes stand
 * for the disk.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "compat/dashboard/memcheck/report_memcheck.h"
#include "compat/dashboard/step/report_testxml.h"
#include "compat/launch/whole_nodes.h"
#include "compat/report/report_junit.h"
#include "compat/report/report_log.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/unit.h"

enum { OLD = 3025, NEW = 4004, ROOM = 16384 };
#define TAG "20200101-0000"

struct disk {
	struct fixture *f;
	char directory[40];
	struct arena *said; /* texts that outlive what is rewound */
	struct buf out, err;
	struct configuration configuration;
	struct custom custom;
	struct step_input in;
	struct step_result result;
};

static void
allow_files_of(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static struct disk *
disk_open(unsigned version)
{
	struct fixture *f = fixture_open(version);
	struct disk *k = NEW(f->a, struct disk);

	k->f = f;
	k->said = k->out.arena = k->err.arena = arena_open();
	strcpy(k->directory, "/tmp/cctr-disk-XXXXXX");
	assert_non_null(mkdtemp(k->directory));
	fixture_add(f, "t");
	f->o.report.output.failed = 0;
	f->o.dashboard.keeps_output_plain = true;
	k->configuration = (struct configuration){.arena = f->a, .keys = map_in(f->a)};
	k->in = (struct step_input){.arena = f->a,
		.dialect = &f->dialect,
		.options = &f->o,
		.console = console_open(f->a, &f->o.console, &f->dialect,
			&(struct console_capture){&k->out, &k->err, false, false}),
		.directory = str_of(k->directory),
		.binary = str_of(k->directory),
		.stamp.tag = STR(TAG),
		.configuration = &k->configuration,
		.custom = &k->custom,
		.call.part = PART_BUILD};
	return k;
}

static void
disk_close(struct disk *k)
{
	console_close(k->in.console);
	assert_true(tree_remove(k->f->a, k->directory));
	arena_close(k->said);
	fixture_close(k->f);
}

/* So many times the text, by a test that fails. */
static void
play(struct disk *k, struct report *r, const char *text, size_t times)
{
	struct buf output = {.arena = k->f->a};

	for (size_t i = 0; i < times; i++)
		buf_z(&output, text);
	fixture_begin(r);
	allow_files_of(ROOM);
	fixture_play(k->f, r,
		&(struct play){.verdict = {.kind = VERDICT_FAILED}, .output = output.p});
	allow_files_of(RLIM_INFINITY);
	fixture_finish(k->f, r, 1);
	errno = ENOENT;
}

static bool
is_there(const struct disk *k, const char *name)
{
	return path_exists(str_fmt(k->f->a, "%s/%s", k->directory, name).p) ||
	       path_exists(str_fmt(k->f->a, "%s/%s.tmp", k->directory, name).p);
}

/* The one thing that is said of a file. */
static const char *
said_of(const struct disk *k)
{
	assert_int_equal(k->f->diag.entries.n, 1);
	return str_z(k->f->a, k->f->diag.entries.v[0].text);
}

static void
test_log(void **state)
{
	struct disk *k = disk_open(OLD);
	struct str path = str_fmt(k->f->a, "%s/LastTest.log", k->directory);
	struct report *r = report_log_open(k->f->a,
		&(struct log_options){
			path, &k->f->o.report, &k->f->o.schedule, &k->f->dialect},
		&k->f->selection, &k->f->diag);

	(void)state;
	assert_non_null(r);
	play(k, r, "0123456789\n", ROOM);
	assert_false(r->type->close(r, &k->f->diag));
	assert_string_equal(said_of(k), "cannot be written: File too large");
	assert_false(is_there(k, "LastTest.log"));
	disk_close(k);
}

static void
test_junit(void **state)
{
	static const unsigned versions[] = {OLD, NEW};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct disk *k = disk_open(versions[i]);
		struct junit_options o = {
			.path = str_fmt(k->f->a, "%s/j.xml", k->directory),
			.output = &k->f->o.report.output,
			.dialect = &k->f->dialect,
			.selection = &k->f->selection};
		struct report *r = report_junit_open(k->f->a, &o);

		play(k, r, "0123456789\n", ROOM);
		assert_false(r->type->close(r, &k->f->diag));
		assert_string_equal(said_of(k), "cannot be written: File too large");
		assert_false(is_there(k, "j.xml"));
		disk_close(k);
	}
}

static void
test_testxml(void **state)
{
	struct disk *k = disk_open(OLD);
	struct testxml_options o = {.file = "Test", .is_of_memcheck = true};
	struct report *r = report_testxml_open(&k->in, &k->result, &o);

	(void)state;
	play(k, r, "0123456789\n", ROOM);
	assert_false(r->type->close(r, &k->f->diag));
	assert_string_equal(
		k->err.p, str_fmt(k->f->a,
				  "cctr: cannot write %s/Testing/" TAG "/Test.xml: %s\n"
				  "Cannot create testing XML file\n",
				  k->directory, strerror(EIO))
				  .p);
	assert_false(is_there(k, "Testing/" TAG "/Test.xml"));
	disk_close(k);
}

/* What is shown of a defect takes four times as much room as it takes in Test.xml. */
static void
test_memcheck(void **state)
{
	static const struct memcheck_tool tool = {.style = "Purify",
		.has_faults = true,
		.log = "@/#",
		.reader = memcheck_read_purify};
	struct disk *k = disk_open(OLD);
	struct memcheck m = {.tool = &tool, .directory = str_of(k->directory)};
	struct report_memcheck *checked =
		report_memcheck_open(&k->in, &k->result, &m, NULL);
	struct report *r = report_memcheck_report(checked);

	(void)state;
	play(k, r, "[W] ABR: \n", ROOM / 20);
	assert_true(r->type->close(r, &k->f->diag));
	assert_true(is_there(k, "Testing/" TAG "/DynamicAnalysis-Test.xml"));
	assert_false(report_memcheck_finish(checked));
	assert_false(is_there(k, "Testing/" TAG "/DynamicAnalysis.xml"));
	disk_close(k);
}

static void
test_build_log(void **state)
{
	static const char log[] = "Testing/Temporary/LastBuild_" TAG ".log";
	struct disk *k = disk_open(OLD);
	struct str keys[] = {STR("MakeCommand=seq 20000"),
		str_fmt(k->f->a, "BuildDirectory=%s", k->directory)};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		configuration_set(&k->configuration, keys[i]);
	allow_files_of(ROOM);
	step_build(&k->in, &k->result);
	allow_files_of(RLIM_INFINITY);
	assert_string_equal(
		k->err.p, str_fmt(k->f->a, "cctr: cannot write %s/%s: File too large\n",
				  k->directory, log)
				  .p);
	assert_false(is_there(k, log));
	disk_close(k);
}

/* The names of the nodes of a test. */
static void
test_node_file(void **state)
{
	struct disk *k = disk_open(OLD);
	struct arena *a = k->f->a;
	struct cluster_job job = {.nodes_n = 0};
	struct whole_nodes *w = whole_nodes_open(a, str_of(k->directory), &job);
	struct buf name = {.arena = a};
	struct str_list variables;
	str_vec left = {0};
	struct str why;

	(void)state;
	buf_fill(&name, 'n', 2 * (size_t)ROOM);
	allow_files_of(ROOM);
	assert_false(whole_nodes_tell(w, a, 1,
		(struct str_list){(struct str[]){buf_as_str(&name)}, 1}, &variables,
		&why));
	allow_files_of(RLIM_INFINITY);
	assert_true(str_ends(why, STR(": file too large")));
	assert_true(directory_read(a, k->directory, &left));
	assert_int_equal(left.n, 0);
	disk_close(k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_junit),
		cmocka_unit_test(test_testxml),
		cmocka_unit_test(test_memcheck),
		cmocka_unit_test(test_build_log),
		cmocka_unit_test(test_node_file),
	};

	signal(SIGXFSZ, SIG_IGN);
	return run_unit_tests("full_disk", tests, NULL, NULL);
}
