/*
 * The source "testfile": a build tree with CTestTestfile.cmake files. Each directory is
 * evaluated natively; one that leaves the native subset is evaluated by cmake itself
 * (cmake_process.h), and only that one.
 *
 * CCTR_MANIFEST=cmake in the environment gives every directory to cmake, =native none:
 * what needs cmake is then an error. The tests compare the two.
 */
#ifndef CCTR_MANIFESTS_BRIDGE_TESTFILE_H
#define CCTR_MANIFESTS_BRIDGE_TESTFILE_H

#include "runner/model/source.h"

extern const struct source testfile_source;

/* CTestCustom.cmake or CTestCustom.ctest of the directory r->path, or r->file: the
 * CTEST_* variables that are set behind it. n is 0 when there is none; messages go to d,
 * changes of the environment are made. false when it could not be read to its end, which
 * d says; of r->file, the messages do. */
bool testfile_custom(struct arena *a, const struct source_request *r,
	struct variable **variables, size_t *n, struct diag *d);

#endif
