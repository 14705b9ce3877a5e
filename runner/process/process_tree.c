/*
 * Finding and signalling all that a test started. See process.h.
 *
 * A snapshot of /proc gives the parent, group and session of each process. A process is
 * attributed to the root among its ancestors, else to the root whose brand, group,
 * session or pipe it has. Signals go to single processes of a fresh snapshot, never to a
 * group number, which may have a new owner.
 */
#include "runner/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/sort.h"
#include "runner/process/brand.h"
#include "runner/process/guardian.h"

#define NOBODY UINT32_MAX
enum { MOST_ROUNDS = 50 };

struct member {
	int pid, parent, group, session;
	char state;
	uint32_t root; /* index into roots; roots_n: ours, but of no root; or NOBODY */
	bool known; /* root is final */
	bool is_excluded; /* it or an ancestor is excluded */
};
typedef VEC(struct member) member_vec;

/* ---- the snapshot ---------------------------------------------------------------- */

/* The command's name is in parentheses and may contain any character. */
static bool
read_member(struct proc_folder *f, int pid, struct member *m)
{
	char text[512];
	const char *at;

	if (!proc_folder_read(f, pid, "stat", text, sizeof text))
		return false;
	at = strrchr(text, ')');
	*m = (struct member){.pid = pid, .root = NOBODY};
	return at && sscanf(at + 1, " %c %d %d %d", &m->state, &m->parent, &m->group,
			     &m->session) == 4;
}

SORT_BY(sort_members, struct member, ASCENDING(pid))

static member_vec
take_snapshot(struct arena *a, struct proc_folder *f)
{
	member_vec all = {0};
	struct member m;
	int pid;

	proc_folder_rewind(f);
	while ((pid = proc_folder_next(f)))
		if (read_member(f, pid, &m))
			VEC_PUSH(a, &all, m);
	sort_members(all.v, all.n);
	return all;
}

static struct member *
find_member(const member_vec *all, int pid)
{
	struct member key = {.pid = pid};

	return all->n ? bsearch(&key, all->v, all->n, sizeof key, sort_members_order)
		      : NULL;
}

/* ---- the scope ------------------------------------------------------------------- */

static bool
has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void
exclude_children(struct process_scope *s, struct arena *a)
{
	member_vec all = take_snapshot(a, &s->folder);
	VEC(int) found = {0};

	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].parent == getpid() && all.v[i].state != 'Z' &&
			!guardian_is(all.v[i].pid))
			VEC_PUSH(a, &found, all.v[i].pid);
	s->excluded = found.v;
	s->excluded_n = found.n;
}

static void
adopt_orphans(bool adopt)
{
	prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)adopt, 0, 0, 0);
}

void
process_scope_open(struct process_scope *s, struct arena *a, bool adopts)
{
	INVARIANT(s && a);
	*s = (struct process_scope){.adopts = false};
	(void)proc_folder_open(&s->folder);
	if (has_children())
		exclude_children(s, a);
	s->adopts = adopts && !s->excluded_n;
	if (s->adopts)
		adopt_orphans(true);
}

void
process_scope_close(struct process_scope *s)
{
	if (s->adopts)
		adopt_orphans(false);
	proc_folder_close(&s->folder);
}

/* ---- whose is it ----------------------------------------------------------------- */

static bool
is_link_to(int folder, const char *name, const char *wanted)
{
	char got[64];
	ssize_t n = readlinkat(folder, name, got, sizeof got - 1);

	got[n > 0 ? n : 0] = '\0';
	return strcmp(got, wanted) == 0;
}

static bool
holds_pipe(struct proc_folder *f, int pid, uint64_t id)
{
	DIR *d = proc_folder_enter(f, pid, "fd");
	char wanted[64];
	struct dirent *e;
	bool found = false;

	if (!d)
		return false;
	snprintf(wanted, sizeof wanted, "pipe:[%llu]", (unsigned long long)id);
	while (!found && (e = readdir(d)))
		found = is_link_to(dirfd(d), e->d_name, wanted);
	closedir(d);
	proc_folder_left(f);
	return found;
}

static uint32_t
root_by_brand(const struct process_kill *k, uint64_t brand)
{
	for (size_t i = 0; i < k->roots_n; i++)
		if (k->roots[i].brand == brand)
			return (uint32_t)i;
	return NOBODY;
}

static uint32_t
root_by_group(const struct process_kill *k, const struct member *m, bool is_ours)
{
	for (size_t i = 0; i < k->roots_n; i++) {
		const struct process_root *r = &k->roots[i];

		if (r->has_group && (r->is_alive || is_ours || !k->scope->adopts) &&
			(m->group == r->pid || m->session == r->pid))
			return (uint32_t)i;
	}
	return NOBODY;
}

static uint32_t
root_by_pipe(const struct process_kill *k, const struct member *m)
{
	for (size_t i = 0; i < k->roots_n; i++)
		if (k->roots[i].wanted && k->roots[i].output_id &&
			holds_pipe(&k->scope->folder, m->pid, k->roots[i].output_id))
			return (uint32_t)i;
	return NOBODY;
}

/* The root of an orphan, or of a process whose parent is none of ours. A brand is exact:
 * a process with the brand of a test that has ended belongs to no root. The process id of
 * a root that was reaped may have a new owner; where cctr adopts orphans, the root's own
 * processes are our children. */
static uint32_t
root_by_traces(const struct process_kill *k, const struct member *m, bool is_ours)
{
	uint64_t brand = is_ours || !k->scope->adopts
				 ? brand_of_process(&k->scope->folder, m->pid)
				 : 0;
	uint32_t root;

	if (brand_is_same_run(brand, brand_of_run())) {
		root = root_by_brand(k, brand);
		is_ours = true;
	} else {
		root = root_by_group(k, m, is_ours);
		if (root == NOBODY && is_ours)
			root = root_by_pipe(k, m);
	}
	return root == NOBODY && is_ours ? (uint32_t)k->roots_n : root;
}

static uint32_t
root_by_number(const struct process_kill *k, int pid)
{
	for (size_t i = 0; i < k->roots_n; i++)
		if (k->roots[i].is_alive && k->roots[i].pid == pid)
			return (uint32_t)i;
	return NOBODY;
}

static bool
is_excluded(const struct process_kill *k, int pid)
{
	for (size_t i = 0; i < k->scope->excluded_n; i++)
		if (k->scope->excluded[i] == pid)
			return true;
	return false;
}

/* Finds the root of one process; that of its parent, if it matters, is known. */
static void
decide_root(const struct process_kill *k, struct member *m, const struct member *parent)
{
	uint32_t root = root_by_number(k, m->pid);
	bool is_child = m->parent == getpid();

	m->known = true;
	m->is_excluded = is_excluded(k, m->pid) || (parent && parent->is_excluded);
	if (m->pid == getpid() || guardian_is(m->pid) || m->is_excluded)
		return;
	if (root != NOBODY)
		m->root = root;
	else if (parent && parent->root != NOBODY)
		m->root = parent->root;
	else
		m->root = root_by_traces(k, m, is_child);
}

/* Walks up to a process whose root is known, then down again. */
static void
decide_with_ancestors(struct arena *a, const struct process_kill *k,
	const member_vec *all, struct member *m)
{
	VEC(struct member *) path = {0};
	struct member *at = m;

	while (at && !at->known && path.n <= all->n) {
		VEC_PUSH(a, &path, at);
		at = find_member(all, at->parent);
	}
	for (size_t i = path.n; i > 0; i--)
		decide_root(k, path.v[i - 1], find_member(all, path.v[i - 1]->parent));
}

static bool
is_target(const struct process_kill *k, const struct member *m)
{
	if (m->root == NOBODY)
		return false;
	if (m->root == k->roots_n)
		return k->everything;
	return k->everything || k->roots[m->root].wanted;
}

/* ---- one process ----------------------------------------------------------------- */

/* Children of ours have a parent, or had one that has ended. */
static size_t
owner_of_child(const struct process_kill *k, int pid)
{
	uint32_t root = root_by_number(k, pid);
	uint64_t brand = brand_of_process(&k->scope->folder, pid);

	if (root == NOBODY && brand && k->scope->adopts)
		root = root_by_brand(k, brand);
	return root == NOBODY ? NO_ROOT : root;
}

size_t
process_owner(
	struct process_scope *s, const struct process_root *roots, size_t n, int pid)
{
	enum { DEPTH_MOST = 10000 };
	const struct process_kill k = {.scope = s, .roots = roots, .roots_n = n};
	struct member m;

	for (int i = 0; i < DEPTH_MOST; i++) {
		if (!read_member(&s->folder, pid, &m) || is_excluded(&k, pid))
			return NO_ROOT;
		if (m.parent == getpid())
			return owner_of_child(&k, pid);
		pid = m.parent;
	}
	return NO_ROOT;
}

/* ---- signals --------------------------------------------------------------------- */

static member_vec
find_targets(struct arena *a, const struct process_kill *k)
{
	member_vec all = take_snapshot(a, &k->scope->folder), targets = {0};

	for (size_t i = 0; i < all.n; i++)
		decide_with_ancestors(a, k, &all, &all.v[i]);
	for (size_t i = 0; i < all.n; i++)
		if (is_target(k, &all.v[i]) && all.v[i].state != 'Z')
			VEC_PUSH(a, &targets, all.v[i]);
	return targets;
}

void
process_note_refused(struct process_refused *r, int pid)
{
	INVARIANT(r->arena);
	for (size_t i = 0; i < r->pids.n; i++)
		if (r->pids.v[i] == pid)
			return;
	VEC_PUSH(r->arena, &r->pids, pid);
}

int
process_next_refused(struct process_scope *s, const struct process_refused *r, size_t *at,
	char name[PROCESS_NAME_SIZE])
{
	while (*at < r->pids.n) {
		int pid = r->pids.v[(*at)++];

		if (kill(pid, 0) != 0 && errno == ESRCH)
			continue;
		if (!proc_folder_read(&s->folder, pid, "comm", name, PROCESS_NAME_SIZE))
			name[0] = '\0';
		name[strcspn(name, "\n")] = '\0';
		return pid;
	}
	return 0;
}

struct str
process_refused_text(struct arena *a, int pid, struct str name)
{
	return str_fmt(a, "process %d (%.*s) could not be ended and still runs", pid,
		STR_ARG(name));
}

static void
signal_each(const struct process_kill *k, const member_vec *targets, int signal)
{
	for (size_t i = 0; i < targets->n; i++)
		if (kill(targets->v[i].pid, signal) != 0 && errno == EPERM &&
			signal == SIGKILL && k->refused)
			process_note_refused(k->refused, targets->v[i].pid);
}

/* Without /proc, or without all of it: signals the processes that cctr has started, and
 * their groups. */
static void
signal_roots(const struct process_kill *k, int signal)
{
	for (size_t i = 0; i < k->roots_n; i++) {
		const struct process_root *r = &k->roots[i];

		if (!r->wanted && !k->everything)
			continue;
		if (r->has_group)
			kill(-r->pid, signal);
		if (r->is_alive && kill(r->pid, signal) != 0 && errno == EPERM &&
			signal == SIGKILL && k->refused)
			process_note_refused(k->refused, r->pid);
	}
}

/* A stopped process starts nothing: when a round finds no new process, all are
 * stopped. */
static member_vec
stop_all(struct arena *a, const struct process_kill *k)
{
	member_vec stopped = {0};

	for (int round = 0; round < MOST_ROUNDS; round++) {
		member_vec found = find_targets(a, k);
		size_t fresh = 0;

		for (size_t i = 0; i < found.n; i++) {
			if (find_member(&stopped, found.v[i].pid))
				continue;
			fresh++;
			kill(found.v[i].pid, SIGSTOP);
		}
		stopped = found;
		if (fresh == 0)
			break;
	}
	return stopped;
}

/* Whether /proc shows all processes: a folder that cannot be read does not even show
 * cctr. */
static bool
can_see_processes(const struct process_kill *k)
{
	struct member m;

	return k->scope->folder.all && read_member(&k->scope->folder, getpid(), &m);
}

struct process_list
process_members(struct arena *a, const struct process_kill *k)
{
	struct process_list l = {NULL, 0};
	member_vec found;

	INVARIANT(k->roots || !k->roots_n);
	if (!can_see_processes(k))
		return l;
	found = find_targets(a, k);
	l.v = NEW_ARRAY(a, int, found.n);
	for (size_t i = 0; i < found.n; i++)
		l.v[l.n++] = found.v[i].pid;
	return l;
}

void
process_signal_all(struct arena *scratch, const struct process_kill *k, int signal)
{
	struct arena_mark m = arena_mark(scratch);
	member_vec targets;

	INVARIANT(signal > 0 && (k->roots || !k->roots_n));
	if (!can_see_processes(k)) {
		signal_roots(k, signal);
		return;
	}
	targets = signal == SIGKILL ? stop_all(scratch, k) : find_targets(scratch, k);
	signal_each(k, &targets, signal);
	if (k->scope->folder.is_cut)
		signal_roots(k, signal);
	arena_rewind(scratch, m);
}
