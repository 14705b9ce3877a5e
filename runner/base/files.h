/* Whole files, directories and paths. A failing function leaves errno. */
#ifndef CCTR_RUNNER_BASE_FILES_H
#define CCTR_RUNNER_BASE_FILES_H

#include <stdio.h>
#include <sys/types.h>

#include "runner/base/base.h"

/* Reads the whole file into the arena, with a NUL at its end. It refuses a FIFO, for
 * whose other end it would wait. false leaves errno. */
CCTR_MUST_CHECK bool file_read(struct arena *a, const char *path, struct str *text);
/* As file_read, of a file that the user names, which may be a FIFO. */
CCTR_MUST_CHECK bool file_read_named(struct arena *a, const char *path, struct str *text);
/* As file_read, of the file that openat() finds from the directory at. */
CCTR_MUST_CHECK bool file_read_at(
	struct arena *a, int at, const char *path, struct str *text);
/* As open(2) and openat(2), again where a signal interrupts them. */
int file_open(const char *path, int flags, mode_t mode);
int file_open_at(int at, const char *path, int flags, mode_t mode);
/* Opens for reading a file that the user does not name. -1 leaves errno: EINVAL for a
 * FIFO. */
int file_open_found(const char *path);
/* Closes the descriptor unless it is negative, makes it -1, and leaves errno as it is. */
void file_close(int *fd);
/* As read(2) and pread(2), again where a signal interrupts them: -1 and EAGAIN where
 * there is nothing to read yet. */
ssize_t file_get_now(int fd, void *p, size_t n);
ssize_t file_get_at(int fd, void *p, size_t n, off_t at);
/* Closes those of the descriptors that are open; last: UINT_MAX means all. */
void file_close_all(unsigned first, unsigned last);
/* Reads up to n bytes, and waits for some even where the descriptor is non-blocking; 0 at
 * the end. -1 leaves errno. */
ssize_t file_get(int fd, void *p, size_t n);
/* Writes all of the text, and waits for room even where the descriptor is non-blocking.
 * false leaves errno. */
bool file_put(int fd, struct str text);
/* Likewise; *written: how much of the text. */
CCTR_MUST_CHECK bool file_put_counted(int fd, struct str text, size_t *written);
/* Sends as much of the text, from *sent on, as the socket has room for now. false leaves
 * errno: no more can be sent. */
CCTR_MUST_CHECK bool file_send_now(int fd, struct str text, size_t *sent);
/* Copies the first n bytes of one open file to the position of the other. false leaves
 * errno. */
CCTR_MUST_CHECK bool file_copy(int to, int from, size_t n);
/* As fdopen, with its buffer: where no memory is left for one, the program ends. The C
 * library takes it with the first text, and may lose that text instead. */
FILE *file_stream(int fd, const char *mode);
/* Whether all that was written to the stream has reached the file. false leaves errno. */
CCTR_MUST_CHECK bool file_is_whole(FILE *f);
/* Where the stream is; 0 after an error, which is *error unless that has one. */
off_t file_position(FILE *f, int *error);
/* Copies the next n bytes of one stream to the other, in pieces. */
CCTR_MUST_CHECK bool file_copy_part(FILE *to, FILE *from, uint64_t n);
/* Opens a file without a name for reading and writing. It is gone when it is closed, and
 * no child inherits it. -1 leaves errno. */
int file_unnamed_in(const char *directory);
/* As file_unnamed_in, as a stream, in the folder for temporary files. NULL leaves
 * errno. */
FILE *file_unnamed(void);
/* Like mkdir -p. false leaves errno. */
CCTR_MUST_CHECK bool directory_make(struct arena *a, const char *path);
/* As directory_make, for a caller whose next step needs the directory and reports why it
 * fails. */
void directory_try_make(struct arena *a, const char *path);
/* Adds the names in a directory, in the directory's own order, without "." and "..".
 * false leaves errno: the directory could not be read, or not completely. */
CCTR_MUST_CHECK bool directory_read(struct arena *a, const char *path, str_vec *names);
bool path_exists(const char *path);
/* Whether the errno of a failed call proves that there is no such file. */
bool error_is_absence(int error);
/* Whether the errno of a failed file_read proves that there is no file to read: there is
 * nothing, or a directory. */
bool error_is_no_file(int error);
/* false: there certainly is no such file. true where it cannot be examined: opening the
 * file gives the reason. */
bool path_may_exist(const char *path);
bool path_is_readable(const char *path); /* a directory, too */
bool path_is_directory(const char *path);
/* A file, not a directory, that may be executed. */
bool path_is_program(const char *path);
/* 0, or the errno of changing the working directory to path. */
int path_why_not_entered(const char *path);
/* name if absolute, else directory/name; "." and ".." and double slashes are removed. */
struct str path_join(struct arena *a, struct str directory, struct str name);
struct str path_normal(struct arena *a, struct str path);
/* The file that the system finds by name from the directory; "": the working directory.
 * Unlike path_join it keeps ".." and the empty name, which is no file. */
const char *path_in(struct arena *a, struct str directory, struct str name);
struct str path_parent(struct str path); /* "/a/b" -> "/a", "b" -> "" */
struct str path_name(struct str path); /* "/a/b" -> "b" */
/* An absolute path without "." and "..". Links keep their names; ".." after a link leads
 * to the parent of its target. */
struct str path_on_disk(struct arena *a, struct str path);
/* The working directory as the user's shell calls it ($PWD when it is true), else without
 * links. "": it has no name any more. */
struct str path_here(struct arena *a);

#endif
