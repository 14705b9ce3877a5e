/* findings: what differs between files of runs, and what cannot be compared. */
#include "compat/compare/findings.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#include <sys/stat.h>

enum { CTEST, CCTR, AGAIN, RUNS };

struct stage {
	struct arena *arena;
	struct diag diag;
	struct match_set *patterns;
	struct aside aside;
	struct compare_run runs[RUNS];
	struct findings_request request;
};

static struct str
place_of(struct stage *p, int run, const char *file)
{
	struct str path = path_join(p->arena, p->runs[run].folder, str_of(file));

	assert_true(directory_make(p->arena, str_z(p->arena, path_parent(path))));
	return path;
}

/* Files of a run are added in their order. */
static void
put(struct stage *p, int run, const char *file, const char *text)
{
	struct str path = place_of(p, run, file);

	assert_true(file_write(p->arena, path.p, ".tmp", str_of(text)));
	VEC_PUSH(p->arena, &p->runs[run].files, str_of(file));
}

static struct stage *
begin(void)
{
	static const char *const names[RUNS] = {"ctest", "cctr", "ctest again"};
	struct arena *a = arena_open();
	struct stage *p = NEW(a, struct stage);

	*p = (struct stage){.arena = a,
		.diag = diag_in(a),
		.patterns = match_set_open(a, regex_parse),
		.aside = {.folder = path_join(a, text_folder(), STR("aside"))}};
	VEC_PUSH(a, &p->aside.items, (struct aside_item){STR("/tree/Testing"), true});
	VEC_PUSH(a, &p->aside.items, (struct aside_item){STR("/tree/log"), false});
	for (int run = 0; run < RUNS; run++)
		p->runs[run] = (struct compare_run){.name = names[run],
			.folder = path_join(a, p->aside.folder, str_of(names[run]))};
	p->request = (struct findings_request){.mask = mask_new(a, p->patterns),
		.ctest = &p->runs[CTEST],
		.cctr = &p->runs[CCTR],
		.aside = &p->aside,
		.tree = STR("/tree")};
	return p;
}

static void
end(struct stage *p)
{
	match_set_close(p->patterns);
	assert_true(tree_remove(p->arena, p->aside.folder.p));
	arena_close(p->arena);
}

static struct findings
find_all(struct stage *p)
{
	struct findings found;

	assert_true(findings_of(p->arena, &p->request, &found, &p->diag));
	assert_int_equal(found.differs, !str_has(found.text, STR("Nothing differs.")));
	return found;
}

static struct str
find(struct stage *p)
{
	return find_all(p).text;
}

/* Reading a pipe would wait for a writer. */
static void
pipes_are_not_read(void **state)
{
	struct stage *p = begin();
	struct str text;

	(void)state;
	for (int run = 0; run < RUNS; run++) {
		assert_int_equal(mkfifo(place_of(p, run, "0/pipe").p, 0600), 0);
		VEC_PUSH(p->arena, &p->runs[run].files, STR("0/pipe"));
	}
	put(p, CTEST, "0/some", "text\n");
	assert_int_equal(mkfifo(place_of(p, CCTR, "0/some").p, 0600), 0);
	VEC_PUSH(p->arena, &p->runs[CCTR].files, STR("0/some"));
	text = find(p);
	assert_true(str_has(text, STR("Equal:\n  exit code\n  Testing/pipe\n")));
	assert_true(str_has(text, STR("-text\n+a pipe\n")));
	end(p);
}

static void
the_last_newline_counts(void **state)
{
	struct stage *p = begin();
	struct str text;

	(void)state;
	put(p, CTEST, "0/same", "no newline");
	put(p, CCTR, "0/same", "no newline");
	put(p, CTEST, "out", "text\n");
	put(p, CCTR, "out", "text");
	text = find(p);
	assert_true(str_has(text, STR("Equal:\n  exit code\n  Testing/same\n")));
	assert_true(str_has(text, STR("Different:\n  standard output\n")));
	assert_true(str_has(text, STR(" text\n+\\ No newline at the end\n")));
	end(p);
}

/* Times in it are no differences. */
static void
an_output_log_may_be_below_testing(void **state)
{
	struct stage *p = begin();

	(void)state;
	p->request.output_log = STR("/tree/Testing/log");
	put(p, CTEST, "0/log", "1/1 Test #1: a ...   Passed    0.03 sec\n");
	put(p, CCTR, "0/log", "1/1 Test #1: a ...   Passed    0.04 sec\n");
	assert_false(find_all(p).differs);
	end(p);
}

/* ctest and cctr ran in one minute, and ctest again in the next one. */
static void
a_second_run_may_have_another_tag(void **state)
{
	struct stage *p = begin();

	(void)state;
	put(p, CTEST, "0/20261127-1030/Test.xml", "by 1\n");
	put(p, CCTR, "0/20261127-1030/Test.xml", "by 2\n");
	put(p, AGAIN, "0/20261127-1031/Test.xml", "by 3\n");
	p->request.again = &p->runs[AGAIN];
	assert_false(find_all(p).differs);
	end(p);
}

/* Each run has a copy. */
static void
an_earlier_dashboard_keeps_its_tag(void **state)
{
	struct stage *p = begin();
	struct str path =
		path_join(p->arena, p->aside.folder, STR("original/0/20251127-1030"));

	(void)state;
	assert_true(directory_make(p->arena, path.p));
	put(p, CTEST, "0/20251127-1030", "old\n");
	put(p, CTEST, "0/20261127-1030", "new\n");
	put(p, CCTR, "0/20251127-1030", "old\n");
	put(p, CCTR, "0/20261127-1031", "new\n");
	assert_true(str_has(find(p), STR("  Testing/20251127-1030\n  Testing/TAG\n")));
	end(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes_are_not_read),
		cmocka_unit_test(the_last_newline_counts),
		cmocka_unit_test(an_output_log_may_be_below_testing),
		cmocka_unit_test(a_second_run_may_have_another_tag),
		cmocka_unit_test(an_earlier_dashboard_keeps_its_tag),
	};

	return run_unit_tests("findings", tests, NULL, NULL);
}
