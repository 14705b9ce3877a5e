/* Whole files, directories and paths. What fails leaves errno. */
#ifndef CCTR_RUNNER_BASE_FILES_H
#define CCTR_RUNNER_BASE_FILES_H

#include <stdio.h>
#include <sys/types.h>

#include "runner/base/base.h"

struct draft;

/* The whole file, with a NUL behind it, in the arena. false leaves errno. */
CCTR_MUST_CHECK bool file_read(struct arena *a, const char *path, struct str *text);
/* Temporary file beside it, then rename: a reader sees the old file or the new one.
 * false leaves errno. suffix is the temporary's ending, such as ".tmp". */
CCTR_MUST_CHECK bool file_write(
	struct arena *a, const char *path, const char *suffix, struct str text);
/* The same, and it is on the disk: after a power cut there is the old file or the new
 * one. */
CCTR_MUST_CHECK bool file_write_durably(
	struct arena *a, const char *path, const char *suffix, struct str text);
/* All that a draft is to have: it is closed, and gets its name if it is whole. false
 * leaves errno. */
CCTR_MUST_CHECK bool file_write_draft(struct draft *d, struct str text);
/* Up to n bytes, waiting for some where the descriptor itself does not wait; 0 at the
 * end. -1 leaves errno. */
ssize_t file_get(int fd, void *p, size_t n);
/* All of it, waiting for room where the descriptor itself does not wait. false leaves
 * errno. */
bool file_put(int fd, struct str text);
/* The first n bytes of one open file to the position of the other. false leaves errno. */
CCTR_MUST_CHECK bool file_copy(int to, int from, size_t n);
/* All that was written to the stream has found its place. false leaves errno. */
CCTR_MUST_CHECK bool file_is_whole(FILE *f);
/* The next n bytes of one stream to the other, in pieces. */
CCTR_MUST_CHECK bool file_copy_part(FILE *to, FILE *from, uint64_t n);
/* For reading and writing, without a name: it is gone when it is closed, and no program
 * that is started meanwhile has it. -1 leaves errno. */
int file_unnamed_in(const char *directory);
/* The same as a stream, where temporary files are. NULL leaves errno. */
FILE *file_unnamed(void);
/* Like mkdir -p. false leaves errno. */
CCTR_MUST_CHECK bool directory_make(struct arena *a, const char *path);
/* Adds the names in a directory, in the directory's own order, without "." and "..".
 * false leaves errno: the directory could not be read, or not to its end. */
CCTR_MUST_CHECK bool directory_read(struct arena *a, const char *path, str_vec *names);
bool path_exists(const char *path);
/* The errno of a failed call says for certain that there is no such file. */
bool error_is_absence(int error);
/* false: there is certainly no such file. A file that cannot be looked at may be there;
 * opening it tells why it cannot be read. */
bool path_may_exist(const char *path);
bool path_is_readable(const char *path); /* a directory, too */
bool path_is_directory(const char *path);
/* A file, not a directory, that may be executed. */
bool path_is_program(const char *path);
/* 0, or the errno of changing to the directory. */
int path_why_not_entered(const char *path);
/* name if absolute, else directory/name; "." and ".." and double slashes removed. */
struct str path_join(struct arena *a, struct str directory, struct str name);
struct str path_normal(struct arena *a, struct str path);
struct str path_parent(struct str path); /* "/a/b" -> "/a", "b" -> "" */
struct str path_name(struct str path); /* "/a/b" -> "b" */
/* Of an absolute path: without "." and "..", but by the names of links; what is above a
 * link is where it leads. */
struct str path_on_disk(struct arena *a, struct str path);
/* The working directory as the user's shell calls it ($PWD when it is true). */
struct str path_here(struct arena *a);
/* The working directory without links. "": it has no name any more. */
struct str path_here_real(struct arena *a);

#endif
