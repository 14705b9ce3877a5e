/* A launched command, and the fragment of Build.xml about it. */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_FRAGMENT_H
#define CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_FRAGMENT_H

#include "runner/process/command.h"

/* The build rule's facts about its command; "" if not given. */
struct launched {
	struct str target_name, target_type, language, source, output;
	struct str build_directory; /* --build-dir: since 4.0 that of the whole tree */
	struct str current_directory; /* --current-build-dir (4.0) */
	struct str object_directory; /* --object-dir (4.2); relative to --build-dir */
	struct str command_type, role, configuration, target_labels; /* instrumentation */
	struct str filter_prefix; /* lines with this beginning are left out; "": none */
	struct str_list words; /* the command */
	struct str directory; /* where it ran */
	struct str out, err; /* its output */
	struct command_end end;
	struct str start_error; /* why it was not started */
	struct buf *unread; /* messages about existing files that cannot be read */
};

/* The variable that names the folder of the fragments. */
#define LAUNCH_VARIABLE "CTEST_LAUNCH_LOGS"

/* A file of the folder that exists as long as nothing is lost. A launcher that cannot
 * read its rules or write its fragment removes it, which needs no space on the disk. */
#define LAUNCH_WHOLE "cctr-launch.txt"

struct launch_rules;
/* Which lines are warnings. CustomWarning.txt and CustomWarningSuppress.txt of the
 * directory add rules, but, as in ctest, only for a command that succeeded and wrote
 * something. *complaint: messages about bad expressions. */
struct launch_rules *launch_rules_open(struct arena *a, const struct launched *l,
	struct str logs, struct buf *complaint);
void launch_rules_close(struct launch_rules *r);

bool launched_failed(const struct launched *l);
bool launched_warned(const struct launched *l, const struct launch_rules *r);
/* The path of the fragment: the same command in the same directory has the same file. */
struct str launched_path(struct arena *a, const struct launched *l, struct str logs);
/* The text of the fragment. logs: where CTestLaunchConfig.cmake may name the project's
 * directory. */
void launched_fragment(struct buf *out, const struct launched *l,
	const struct launch_rules *rules, struct str logs);

#endif
