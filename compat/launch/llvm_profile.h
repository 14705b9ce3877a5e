/*
 * Coverage of each test in programs that Clang compiled, since 4.4. Each process of a
 * test writes a file with its process id in the name. When the test has ended, LLVM's
 * tool merges these files, and the coverage step reads the result. ctest(1),
 * "CoverageTool".
 *
 * ctest waits for the tool, and meanwhile handles no other test and no limit. Here it is
 * the post-run command of the test's launch: the engine runs it beside other tests. The
 * test's result comes, and tests that depend on it start, when the tool has ended.
 *
 * A file belongs to the test with the longest name that fits it: tests "a" and "a_b" run
 * at the same time, and neither takes the files of the other. ctest uses the name as a
 * pattern, and takes all files that match it.
 *
 * The directory of the test is read twice for each attempt.
 */
#ifndef CCTR_COMPAT_LAUNCH_LLVM_PROFILE_H
#define CCTR_COMPAT_LAUNCH_LLVM_PROFILE_H

#include "runner/cmakelang/dialect.h"
#include "runner/run/preparer.h"

struct llvm_profile;
struct llvm_profile_options {
	const struct dialect *dialect;
	const struct suite *suite;
	struct str merger; /* the tool, "" for llvm-profdata of PATH */
};
struct llvm_profile *llvm_profile_open(
	struct arena *a, const struct llvm_profile_options *o);

/* Removes the files of earlier attempts, sets the launch's post-run command, and returns
 * the value of LLVM_PROFILE_FILE. Both live in the attempt's arena. */
const char *llvm_profile_begin(const struct llvm_profile *p, struct arena *attempt,
	const struct preparation *what, struct launch *l);
/* Call it if the post-run command could not be started. */
void llvm_profile_not_started(struct post_run *p);

#endif
