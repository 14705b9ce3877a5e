/* Temporary directories of tests. See private_tmp.h. */
#include "runner/process/private_tmp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/tree_removal.h"

/* Entries that are removed between two checks of the clock. */
enum { ENTRIES_AT_ONCE = 32 };

struct kept {
	struct str test;
	const char *path;
};
struct left {
	const char *path;
	int error;
};
struct private_tmp {
	struct arena *a;
	struct str parent;
	int directory; /* the parent's descriptor */
	bool keeps_failed;
	struct tree_removal *removal;
	bool is_removing; /* the tree of waiting[next] is being removed */
	VEC(const char *) waiting;
	size_t next;
	VEC(struct kept) kept;
	VEC(struct left) left; /* directories that could not be removed */
};

struct str
private_tmp_parent(struct arena *a, struct str directory)
{
	struct str said = str_of(getenv("TMPDIR"));

	return path_join(a, directory, said.n ? said : STR("/tmp"));
}

struct private_tmp *
private_tmp_open(struct arena *a, struct str parent, bool keeps_failed)
{
	struct private_tmp *t = NEW(a, struct private_tmp);

	INVARIANT(parent.n);
	t->a = a;
	t->parent = str_dup(a, parent);
	t->directory = -1;
	t->keeps_failed = keeps_failed;
	t->removal = tree_removal_open(a);
	return t;
}

const char *
private_tmp_make(struct private_tmp *t, struct arena *a)
{
	struct str path = str_fmt(a, "%.*s/cctr-XXXXXX", STR_ARG(t->parent));

	INVARIANT(t && a);
	if (t->directory < 0)
		t->directory = open(t->parent.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return t->directory < 0 ? NULL : mkdtemp(str_own(path));
}

/* ---- removing -------------------------------------------------------------------- */

static void
note_failure(struct private_tmp *t, const char *path, enum removal result)
{
	struct left left = {path, errno};

	if (result != REMOVAL_FAILED)
		return;
	left.path = str_dup(t->a, str_of(path)).p;
	VEC_PUSH(t->a, &t->left, left);
}

static enum removal
start_removal(struct private_tmp *t, const char *path)
{
	return tree_removal_start(t->removal, t->directory, path_name(str_of(path)).p);
}

void
private_tmp_ended(struct private_tmp *t, const char *path, struct str test, bool failed)
{
	enum removal result;

	INVARIANT(str_begins(str_of(path), t->parent));
	if (failed && t->keeps_failed) {
		struct kept kept = {test, str_dup(t->a, str_of(path)).p};

		VEC_PUSH(t->a, &t->kept, kept);
		return;
	}
	if (t->is_removing) {
		VEC_PUSH(t->a, &t->waiting, str_dup(t->a, str_of(path)).p);
		return;
	}
	result = start_removal(t, path);
	note_failure(t, path, result);
	t->is_removing = result == REMOVAL_GOES_ON;
	if (t->is_removing)
		VEC_PUSH(t->a, &t->waiting, str_dup(t->a, str_of(path)).p);
}

/* Removes one more piece; when a tree is done, starts the next one that waits. */
static void
remove_piece(struct private_tmp *t)
{
	enum removal result = tree_removal_work(t->removal, ENTRIES_AT_ONCE);

	while (result != REMOVAL_GOES_ON) {
		note_failure(t, t->waiting.v[t->next++], result);
		t->is_removing = t->next < t->waiting.n;
		if (!t->is_removing)
			return;
		result = start_removal(t, t->waiting.v[t->next]);
	}
}

bool
private_tmp_work(struct private_tmp *t, uint64_t time_ns)
{
	uint64_t began_ns;

	if (!t->is_removing)
		return false;
	began_ns = loop_now_ns();
	do
		remove_piece(t);
	while (t->is_removing && loop_now_ns() - began_ns < time_ns);
	if (!t->is_removing)
		t->waiting.n = t->next = 0;
	return t->is_removing;
}

void
private_tmp_close(struct private_tmp *t, struct diag *d)
{
	INVARIANT(t && d);
	private_tmp_work(t, UINT64_MAX);
	tree_removal_close(t->removal);
	file_close(&t->directory);
	for (size_t i = 0; i < t->kept.n; i++)
		diag_add(d, DIAG_NOTE, NO_PLACE,
			str_fmt(t->a, "cctr: kept the temporary directory of %.*s: %s\n",
				STR_ARG(t->kept.v[i].test), t->kept.v[i].path));
	for (size_t i = 0; i < t->left.n; i++)
		diag_warning(d, NO_PLACE,
			"cctr: temporary directory %s is not removed: %s",
			t->left.v[i].path, strerror(t->left.v[i].error));
}
