/* Which build tree, and what its configuration says: --test-dir, --overwrite. */
#ifndef CCTR_COMPAT_OPTIONS_TREE_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_TREE_OPTIONS_H

#include "runner/base/caller.h"

struct tree_options {
	struct str test_dir; /* --test-dir */
	struct str entered; /* full path of test_dir, once it has been entered */
	struct caller_names names; /* of directories, as the caller's PWD spells them */
	struct str source_dir;
	str_vec overwrites; /* "key=value" */
};

#endif
