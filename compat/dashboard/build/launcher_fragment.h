/* What a launched command was, and the fragment of Build.xml that tells of it. */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_FRAGMENT_H
#define CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_FRAGMENT_H

#include "runner/process/command.h"

/* What the build rule says of its command; "" for what it does not. */
struct launched {
	struct str target_name, target_type, language, source, output;
	struct str build_directory; /* --build-dir: from 4.0 on the whole tree's */
	struct str current_directory; /* --current-build-dir (4.0) */
	struct str object_directory; /* --object-dir (4.2); relative to --build-dir */
	struct str filter_prefix; /* lines that begin with it are left out; "": none */
	struct str_list words; /* the command */
	struct str directory; /* where it ran */
	struct str out, err; /* what it wrote */
	struct command_end end;
	struct str start_error; /* why it was not started */
	struct buf *unread; /* lines about files that are there and cannot be read */
};

/* A file of the folder that is there as long as nothing is lost: a launcher that cannot
 * read its rules or write its fragment removes it, for which no room on the disk is
 * needed. */
#define LAUNCH_WHOLE "cctr-launch.txt"

struct launch_rules;
/* What a warning looks like. The directory's CustomWarning.txt and
 * CustomWarningSuppress.txt say more, but, as in ctest, only of a command that succeeded
 * and wrote something. *complaint gets what is to be said of bad expressions. */
struct launch_rules *launch_rules_open(struct arena *a, const struct launched *l,
	struct str logs, struct buf *complaint);
void launch_rules_close(struct launch_rules *r);

bool launched_failed(const struct launched *l);
bool launched_warned(const struct launched *l, const struct launch_rules *r);
/* Where it goes: the same command in the same directory has the same file. */
struct str launched_path(struct arena *a, const struct launched *l, struct str logs);
/* The text of the file. logs: where CTestLaunchConfig.cmake
 * may say which directory is the project's. */
void launched_fragment(struct buf *out, const struct launched *l,
	const struct launch_rules *rules, struct str logs);

#endif
