/*
 * What each test covers of what Clang has compiled, since 4.4: a process of the test
 * writes a file with its number, LLVM's tool makes one file of those when the test has
 * ended, and the coverage step reads it. ctest(1), "CoverageTool".
 *
 * ctest waits for the tool, and with it all other tests and their limits; here it is the
 * sequel of the test's launch, which the engine runs beside them. The test's result, and
 * whoever waits for the test, come when the tool has ended.
 *
 * A file belongs to the test with the longest name that it may be of: tests "a" and "a_b"
 * run at the same time, and neither takes what the other has written. ctest takes a name
 * for a pattern, and all that this stands for.
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

/* Removes what is there of earlier attempts, gives the launch its sequel, and returns
 * what LLVM_PROFILE_FILE is for it. Both live in the attempt's arena. */
const char *llvm_profile_begin(const struct llvm_profile *p, struct arena *attempt,
	const struct preparation *what, struct launch *l);
/* The launch of this sequel was in vain. */
void llvm_profile_not_started(struct sequel *s);

#endif
