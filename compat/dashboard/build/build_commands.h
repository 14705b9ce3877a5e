/*
 * How a build tree is built: the command lines that CMake would use for a generator, with
 * the make program that the tree's cache names.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_COMMANDS_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_COMMANDS_H

#include "runner/base/base.h"

struct build_tool {
	struct str cmake; /* for generators that only it knows */
	struct str generator;
	struct str make_program; /* "": that of the cache */
	struct str directory; /* of the build tree */
	struct str configuration;
};

/* target "": the default one. */
struct str_list build_command(
	struct arena *a, const struct build_tool *t, struct str target);
struct str_list build_clean_command(struct arena *a, const struct build_tool *t);
/* The words with blanks between them, as CMake prints a command. */
struct str build_command_line(struct arena *a, struct str_list words);
/* The same, each word as the shell would want it. */
struct str build_command_quoted(struct arena *a, struct str_list words);
/* The generator lets the user choose the make program. */
bool build_takes_make_program(struct str generator);

#endif
