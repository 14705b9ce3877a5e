/*
 * How to build a build tree: the command lines that CMake would use for a generator, with
 * the make program in the tree's cache.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_COMMANDS_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_COMMANDS_H

#include "runner/base/base.h"

struct build_tool {
	struct str cmake; /* for generators that only cmake can build */
	struct str generator;
	struct str make_program; /* "": from the cache */
	struct str directory; /* of the build tree */
	struct str configuration;
};

/* target: "" is the default one. */
struct str_list build_command(
	struct arena *a, const struct build_tool *t, struct str target);
struct str_list build_clean_command(struct arena *a, const struct build_tool *t);
/* Joins the words with blanks, as CMake prints a command. */
struct str build_command_line(struct arena *a, struct str_list words);
/* Joins the words, each quoted for the shell. */
struct str build_command_quoted(struct arena *a, struct str_list words);
/* true: the generator lets the user choose the make program. */
bool build_takes_make_program(struct str generator);

#endif
