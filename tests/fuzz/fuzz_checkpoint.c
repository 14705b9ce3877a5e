/*
 * CTestCheckpoint.txt and the file of names are foreign text: what counts as finished has
 * a whole line with its number and its name, and times are such.
 */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat/records/checkpoint.h"
#include "compat/run/name_lists.h"
#include "runner/base/files.h"
#include "tests/unit/report_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"a", "b c", "3 - a"};
enum { NAMES = sizeof names / sizeof *names };

static bool
has_line(struct arena *a, struct str text, size_t node)
{
	struct str head = str_fmt(a, "%zu ", node + 1);
	struct str tail = str_fmt(a, " %s", names[node]), line;

	while (str_take_line(&text, &line)) {
		while (str_begins(line, STR("0")))
			line = str_from(line, 1);
		if (str_begins(line, head) && str_ends(line, tail))
			return true;
	}
	return false;
}

static void
check_checkpoint(struct fixture *f, struct str path, struct str text)
{
	struct checkpoint c;
	size_t finished = 0;
	bool ok = checkpoint_read(f->a, path, &f->selection, &c, &f->diag);

	INVARIANT(ok && c.was_there);
	for (size_t i = 0; i < NAMES; i++) {
		finished += c.finished[i];
		INVARIANT(!c.finished[i] || has_line(f->a, text, i));
		INVARIANT(
			!c.finished[i] || (isfinite(c.seconds[i]) && c.seconds[i] >= -1));
	}
	INVARIANT(finished == c.finished_n);
}

static void
check_names(struct fixture *f, struct str path, struct str text)
{
	struct str_list l;
	bool ok = name_list_read(f->a, STR(""), path, &l, &f->diag);

	INVARIANT(ok);
	for (size_t i = 0; i < l.n; i++)
		INVARIANT(l.v[i].n && str_has(text, l.v[i]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fixture *f = fixture_open(3025);
	struct str text = str_cut((const char *)data, size), path;
	int fd = memfd_create("checkpoint", MFD_CLOEXEC);
	bool ok = fd >= 0 && file_put(fd, text);

	INVARIANT(ok);
	path = str_fmt(f->a, "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < NAMES; i++)
		fixture_add(f, names[i]);
	check_checkpoint(f, path, text);
	check_names(f, path, text);
	close(fd);
	fixture_close(f);
	return 0;
}
