/* See process_report.h. Names and words are foreign bytes: they become one line each. */
#include "runner/process/process_report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/sort.h"

#define INDENT "  "

/* Control characters, such as newlines, become blanks. */
static void
add_line_text(struct buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_char(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
}

/* ---- numbers in a folder of /proc ------------------------------------------------- */

SORT_BY(sort_numbers, int, ITSELF)

/* The first `most` names that are numbers, ascending; returns how many there are in all,
 * or -1 where the folder cannot be read: errno says why. */
static int
read_numbers(struct proc_folder *f, int pid, const char *name, int *v, int most)
{
	DIR *d = proc_folder_enter(f, pid, name);
	const struct dirent *e;
	int n = 0;

	if (!d)
		return -1;
	while ((e = readdir(d))) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		if (n < most)
			v[n] = atoi(e->d_name);
		n++;
	}
	closedir(d);
	proc_folder_left(f);
	sort_numbers(v, (size_t)(n < most ? n : most));
	return n;
}

static void
add_more(struct buf *out, int n, int most, const char *what)
{
	if (n > most)
		buf_fmt(out, INDENT "and %d more %s\n", n - most, what);
}

static void
add_unreadable(struct buf *out, const char *what)
{
	buf_fmt(out, INDENT "%s: cannot be read: %s\n", what, strerror(errno));
}

/* ---- threads ---------------------------------------------------------------------- */

static void
add_kernel_stack(struct proc_folder *f, int pid, int thread, struct buf *out)
{
	char path[64], text[4096];
	struct str rest, line;

	snprintf(path, sizeof path, "task/%d/stack", thread);
	if (!proc_folder_read(f, pid, path, text, sizeof text))
		return;
	rest = str_of(text);
	while (str_take_line(&rest, &line)) {
		buf_z(out, INDENT INDENT);
		add_line_text(out, line.p, line.n);
		buf_char(out, '\n');
	}
}

/* "thread 12 (name): S, waits in futex_wait_queue" */
static void
add_thread(struct proc_folder *f, int pid, int thread, struct buf *out)
{
	char path[64], text[512], wait[128];
	const char *open, *close;

	snprintf(path, sizeof path, "task/%d/stat", thread);
	if (!proc_folder_read(f, pid, path, text, sizeof text))
		return;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	buf_fmt(out, INDENT "thread %d ", thread);
	if (open && close && close > open)
		add_line_text(out, open, (size_t)(close - open) + 1);
	if (close && close[1] == ' ' && close[2] > ' ')
		buf_fmt(out, ": %c", close[2]);
	snprintf(path, sizeof path, "task/%d/wchan", thread);
	if (proc_folder_read(f, pid, path, wait, sizeof wait) && strcmp(wait, "0") != 0) {
		buf_z(out, ", waits in ");
		add_line_text(out, wait, strlen(wait));
	}
	buf_char(out, '\n');
	add_kernel_stack(f, pid, thread, out);
}

static void
add_threads(struct proc_folder *f, int pid, struct buf *out)
{
	int threads[REPORT_THREADS_MOST];
	int n = read_numbers(f, pid, "task", threads, REPORT_THREADS_MOST);

	if (n < 0)
		add_unreadable(out, "threads");
	for (int i = 0; i < n && i < REPORT_THREADS_MOST; i++)
		add_thread(f, pid, threads[i], out);
	add_more(out, n, REPORT_THREADS_MOST, "threads");
}

/* ---- files ------------------------------------------------------------------------ */

static void
add_files(struct proc_folder *f, int pid, struct buf *out)
{
	int files[REPORT_FILES_MOST];
	int n = read_numbers(f, pid, "fd", files, REPORT_FILES_MOST);
	DIR *d = n < 0 ? NULL : proc_folder_enter(f, pid, "fd");

	if (!d) {
		add_unreadable(out, "open files");
		return;
	}
	for (int i = 0; i < n && i < REPORT_FILES_MOST; i++) {
		char name[16], target[4096];
		ssize_t got;

		snprintf(name, sizeof name, "%d", files[i]);
		got = readlinkat(dirfd(d), name, target, sizeof target);
		if (got < 0)
			continue;
		buf_fmt(out, INDENT "file %d: ", files[i]);
		add_line_text(out, target, (size_t)got);
		buf_char(out, '\n');
	}
	closedir(d);
	proc_folder_left(f);
	add_more(out, n, REPORT_FILES_MOST, "files");
}

/* ---- processes -------------------------------------------------------------------- */

/* Its words, which NULs separate. A zombie has none. */
static void
add_command(struct proc_folder *f, int pid, struct buf *out)
{
	DIR *d = proc_folder_enter(f, pid, "");
	int file = d ? openat(dirfd(d), "cmdline", O_RDONLY | O_CLOEXEC) : -1;
	char text[2048];
	ssize_t n = -1;

	if (file >= 0) {
		n = read(file, text, sizeof text);
		close(file);
	}
	if (d) {
		closedir(d);
		proc_folder_left(f);
	}
	if (n > 0)
		add_line_text(out, text, (size_t)n - (text[n - 1] == '\0'));
}

static int
parent_of(struct proc_folder *f, int pid)
{
	char text[512];
	const char *at;
	char state;
	int parent;

	if (!proc_folder_read(f, pid, "stat", text, sizeof text))
		return 0;
	at = strrchr(text, ')');
	return at && sscanf(at + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

void
process_report(struct proc_folder *f, const int *pids, size_t n, struct buf *out)
{
	size_t before = out->n, i = 0;

	INVARIANT(f && (pids || !n));
	for (; i < n && i < REPORT_PROCESSES_MOST; i++) {
		int parent = parent_of(f, pids[i]);

		if (!parent) {
			buf_fmt(out, "process %d is gone\n", pids[i]);
			continue;
		}
		if (out->n - before > REPORT_BYTES_MOST)
			break;
		buf_fmt(out, "process %d, child of %d: ", pids[i], parent);
		add_command(f, pids[i], out);
		buf_char(out, '\n');
		add_threads(f, pids[i], out);
		add_files(f, pids[i], out);
	}
	if (i < n)
		buf_fmt(out, "and %zu more processes\n", n - i);
}
