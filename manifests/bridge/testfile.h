/*
 * The source "testfile": a build tree with CTestTestfile.cmake files. Each directory is
 * evaluated natively; a directory that leaves the native subset is evaluated by cmake
 * itself (cmake_process.h), and only that one.
 *
 * With CCTR_MANIFEST=cmake in the environment cmake evaluates every directory; with
 * =native it evaluates none, and a directory that needs cmake is an error. The tests
 * compare the two.
 */
#ifndef CCTR_MANIFESTS_BRIDGE_TESTFILE_H
#define CCTR_MANIFESTS_BRIDGE_TESTFILE_H

#include "runner/model/source.h"

extern const struct source testfile_source;

/* Reads CTestCustom.cmake or CTestCustom.ctest of the directory r->path, or r->file.
 * *found: the CTEST_* variables that are set after it, and the changes of the
 * environment; empty when there is no file. Messages go to d. false when the file could
 * not be read to its end; d has the reason, for r->file its messages. */
bool testfile_custom(struct arena *a, const struct source_request *r,
	struct settings_file *found, struct diag *d);

#endif
