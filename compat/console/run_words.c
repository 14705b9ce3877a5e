/* See run_words.h. */
#include "compat/console/run_words.h"

static const struct run_words of_tests = {
	.project = "Test",
	.log = "LastTest",
	.result = "Test",
	.listed = "Test",
	.before = "pre-test",
	.after = "post-test",
	.ignored = "Ignore test: ",
};
static const struct run_words of_memcheck = {
	.project = "Memory check",
	.log = "LastDynamicAnalysis",
	.result = "MemCheck",
	.listed = "Memory Check",
	.before = "pre-memcheck",
	.after = "post-memcheck",
	.ignored = "Ignore memcheck: ",
};

const struct run_words *
run_words(bool is_memcheck)
{
	return is_memcheck ? &of_memcheck : &of_tests;
}
