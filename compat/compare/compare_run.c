/* See compare_run.h. */
#include "compat/compare/compare_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"

#define GRACE_NS 30000000000u

struct capture {
	FILE *files[2];
};

static void
keep_output(void *context, bool is_error, struct str bytes)
{
	struct capture *c = context;

	/* That it is not whole is found when the file is closed. */
	fwrite(bytes.p, 1, bytes.n, c->files[is_error]);
}

static FILE *
open_file(struct arena *a, struct str folder, const char *name)
{
	int fd = open(path_join(a, folder, str_of(name)).p,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? NULL : file_stream(fd, "w");
}

static bool
close_file(FILE *f)
{
	bool is_whole = f && file_is_whole(f);

	return f && fclose(f) == 0 && is_whole;
}

static void
run_words(struct compare_run *r, struct capture *c, int input)
{
	uint64_t began = loop_now_ns();
	struct command command = {.words = r->words,
		.input = input,
		.timeout_ns = NO_TIMEOUT,
		.grace_ns = GRACE_NS,
		.blocked = r->ends,
		.streams = STREAMS_APART,
		.output = keep_output,
		.context = c};

	r->end = command_run(&command);
	r->seconds = (double)(loop_now_ns() - began) / 1e9;
}

/* false leaves errno. */
static bool
run_captured(struct arena *a, struct compare_run *r)
{
	struct capture c = {
		{open_file(a, r->folder, "out"), open_file(a, r->folder, "err")}};
	int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bool ok = c.files[0] && c.files[1] && input >= 0;

	if (ok)
		run_words(r, &c, input);
	ok = close_file(c.files[0]) && ok;
	ok = close_file(c.files[1]) && ok;
	file_close(&input);
	return ok;
}

/* ---- what it wrote --------------------------------------------------------------- */

/* Adds the path, or what is below it if it is a folder. */
static bool
list_path(struct arena *a, struct compare_run *r, struct str below, str_vec *folders)
{
	struct stat st;

	if (lstat(path_join(a, r->folder, below).p, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode))
		VEC_PUSH(a, folders, below);
	else
		VEC_PUSH(a, &r->files, below);
	return true;
}

/* false leaves errno. */
static bool
list_files(struct arena *a, struct compare_run *r)
{
	str_vec folders = {0};

	VEC_PUSH(a, &folders, STR(""));
	while (folders.n) {
		struct str below = folders.v[--folders.n];
		str_vec names = {0};

		if (!directory_read(a, path_join(a, r->folder, below).p, &names))
			return false;
		for (size_t i = 0; i < names.n; i++)
			if (!list_path(a, r,
				    below.n ? path_join(a, below, names.v[i])
					    : names.v[i],
				    &folders))
				return false;
	}
	str_list_sort(str_vec_list(&r->files));
	return true;
}

/* ---- the whole ------------------------------------------------------------------- */

static bool
check_end(const struct compare_run *r, struct diag *d)
{
	if (r->end.ending == COMMAND_INTERRUPTED)
		return false;
	return !command_has_error(&r->end) ||
	       diag_system(d, r->words.v[0],
		       r->end.ending == COMMAND_NOT_STARTED ? "cannot be started"
							    : "its output is lost",
		       r->end.error);
}

int
compare_run_code(const struct compare_run *r)
{
	return r->end.ending == COMMAND_SIGNALLED ? 128 + r->end.signal
						  : r->end.exit_code;
}

bool
compare_run(
	struct arena *a, struct compare_run *r, const struct aside *aside, struct diag *d)
{
	INVARIANT(r->words.n && r->folder.n && !r->files.n);
	if (!directory_make(a, r->folder.p))
		return diag_system(d, r->folder, "cannot be made", errno);
	if (!aside_copy(a, aside, d))
		return false;
	if (!run_captured(a, r))
		return diag_system(d, r->words.v[0], "its output cannot be kept", errno);
	if (!check_end(r, d) || !aside_collect(a, aside, r->folder, d))
		return false;
	return list_files(a, r) || diag_system(d, r->folder, "cannot be listed", errno);
}
