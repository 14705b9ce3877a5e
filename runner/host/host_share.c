/*
 * See host_share.h.
 *
 * Who is alive is known by locks. A run that died is dropped from the book when none of
 * its processes is left: its guardian ends them, which takes a moment. A run that lives
 * and is not in the book has been lost with a damaged text; until it has written itself
 * again, no one takes anything.
 */
#include "runner/host/host_share.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/host/host_claims.h"
#include "runner/process/brand.h"

#define MS_NS 1000000u
#define GATE_NS (2 * MS_NS)
#define DYING_NS (20 * MS_NS)
#define BLIND_NS (50 * MS_NS) /* where no watch tells of changes */
#define SLOW_NS (1000u * MS_NS)

struct host_share {
	struct arena *a;
	struct host_file file;
	struct host_claims *claims;
	struct host_listener listener;
	struct loop_reader *reader;
	struct host_owner self; /* slot, pid, start and brand */
	struct arena *book_arena;
	struct arena_mark mark;
	struct host_book book; /* what `last` says */
	struct buf text, last; /* last: as read or written */
	bool alive[HOST_OWNERS_MOST];
	bool must_ring, is_lost;
	unsigned dying_n; /* looks in a row that saw processes of a dead run */
	uint64_t again_ns;
};

/* ---- this run -------------------------------------------------------------------- */

static uint64_t
seconds_since_boot(void)
{
	struct timespec t;

#ifdef CLOCK_BOOTTIME
	clock_gettime(CLOCK_BOOTTIME, &t);
#else
	clock_gettime(CLOCK_MONOTONIC, &t);
#endif
	return (uint64_t)t.tv_sec;
}

/* Of this process, in clock ticks; 0: not known. proc(5): the 20th field after the name
 * in brackets. */
static uint64_t
read_start(struct arena *a)
{
	struct str text, field = STR("");
	uint64_t start = 0;

	if (!file_read(a, "/proc/self/stat", &text))
		return 0;
	text = str_from(text, str_rfind(text, ')'));
	for (int i = 0; i <= 20; i++)
		field = str_take(&text, ' ');
	return str_unsigned(field, UINT64_MAX, &start) ? start : 0;
}

static struct host_owner *
find_self(struct host_share *h)
{
	struct host_owner *o = host_book_find(&h->book, h->self.slot);

	return o && o->pid == h->self.pid && o->start == h->self.start &&
			       o->brand == h->self.brand
		       ? o
		       : NULL;
}

/* Also where a damaged text has lost it. */
static struct host_owner *
be_in_book(struct host_share *h)
{
	struct host_owner *o = find_self(h);

	if (o)
		return o;
	o = host_book_find(&h->book, h->self.slot);
	if (o)
		host_book_drop(&h->book, o);
	h->must_ring = true;
	VEC_PUSH(h->book_arena, &h->book.owners, h->self);
	return &h->book.owners.v[h->book.owners.n - 1];
}

/* ---- reading and writing --------------------------------------------------------- */

static void
say_text(struct host_share *h, const char *text)
{
	if (h->listener.say)
		h->listener.say(h->listener.context,
			str_fmt(h->a, "%.*s: %s", STR_ARG(h->file.path), text));
}

static void
keep_last(struct host_share *h, struct str text)
{
	h->last.n = 0;
	buf_str(&h->last, text);
}

/* false leaves errno. */
static bool
read_book(struct host_share *h, bool *is_removed)
{
	struct str text;

	if (!host_file_read(&h->file, &h->text, is_removed))
		return false;
	/* What follows a text was left by a longer one. */
	text = buf_as_str(&h->text);
	if (h->last.n && str_begins(text, buf_as_str(&h->last)))
		return true;
	arena_rewind(h->book_arena, h->mark);
	text = str_dup(h->book_arena, text);
	if (!host_book_read(h->book_arena, text, &h->book)) {
		say_text(h, "is damaged, and is made again from the runs that live");
		h->must_ring = true;
	}
	keep_last(h, text);
	return true;
}

/* false leaves errno. */
static bool
write_book(struct host_share *h)
{
	h->text.n = 0;
	errno = EFBIG;
	if (!host_book_write(&h->text, &h->book))
		return false;
	if (str_eq(buf_as_str(&h->text), buf_as_str(&h->last)))
		return true;
	if (!host_file_write(&h->file, buf_as_str(&h->text)))
		return false;
	keep_last(h, buf_as_str(&h->text));
	return true;
}

/* ---- those who died -------------------------------------------------------------- */

static bool
has_processes(uint64_t brand)
{
	struct proc_folder f;
	bool has = false;
	int pid;

	if (!brand || !proc_folder_open(&f))
		return false;
	proc_folder_rewind(&f);
	while (!has && (pid = proc_folder_next(&f)))
		has = brand_is_same_run(brand_of_process(&f, pid), brand) &&
		      !proc_folder_is_zombie(&f, pid);
	proc_folder_close(&f);
	return has;
}

/* Waits for nothing any more, and has what its last processes use. */
static void
note_death(struct host_owner *o)
{
	o->ticket = o->overtaken = o->seen_s = o->wishes.n = 0;
	for (size_t i = 0; i < o->claims.n; i++)
		o->claims.v[i].waiting = 0;
}

static void
reap_dead(struct host_share *h)
{
	bool is_dying = false;

	for (size_t i = h->book.owners.n; i-- > 0;) {
		struct host_owner *o = &h->book.owners.v[i];

		if (o->slot == h->self.slot || h->alive[o->slot])
			continue;
		note_death(o);
		if (has_processes(o->brand)) {
			is_dying = true;
			continue;
		}
		host_book_drop(&h->book, o);
		h->must_ring = true;
	}
	h->dying_n = is_dying ? h->dying_n + 1 : 0;
	if (is_dying)
		h->again_ns =
			loop_later(loop_now_ns(), h->dying_n < 50 ? DYING_NS : SLOW_NS);
}

/* Whether a run lives that is not in the book. */
static bool
is_one_missing(struct host_share *h)
{
	for (unsigned i = 0; i < HOST_OWNERS_MOST; i++)
		if (h->alive[i] && i != h->self.slot && !host_book_find(&h->book, i))
			return true;
	return false;
}

/* ---- open and close -------------------------------------------------------------- */

/* Before any test runs, and at the end. */
static bool
enter_patiently(const struct host_file *f)
{
	enum { TIMES = 1000 };
	const struct timespec pause = {.tv_nsec = 5 * MS_NS};

	for (int i = 0; i < TIMES; i++) {
		enum host_gate gate = host_file_enter(f);

		if (gate != HOST_GATE_TAKEN)
			return gate == HOST_GATE_OURS;
		nanosleep(&pause, NULL);
	}
	errno = EBUSY;
	return false;
}

static bool
take_slot(struct host_share *h)
{
	uint64_t slot = 0;
	bool is_removed;

	h->last.n = 0;
	if (!read_book(h, &is_removed) ||
		!host_file_alive(&h->file, h->alive, HOST_OWNERS_MOST))
		return false;
	while (slot < HOST_OWNERS_MOST &&
		(h->alive[slot] || host_book_find(&h->book, slot)))
		slot++;
	errno = EMFILE;
	if (slot == HOST_OWNERS_MOST || !host_file_live(&h->file, (unsigned)slot))
		return false;
	h->self.slot = slot;
	(void)be_in_book(h);
	return write_book(h);
}

/* false leaves errno. */
static bool
join_host(struct host_share *h)
{
	bool is_in;
	int error;

	if (!enter_patiently(&h->file))
		return false;
	is_in = take_slot(h);
	error = errno;
	host_file_leave(&h->file);
	errno = error;
	return is_in;
}

static bool
say_failure(struct host_share *h, struct diag *d)
{
	return diag_error(d, (struct place){.file = h->file.path},
		"cctr: %s: what other runs hold is not known: %.*s", h->file.option,
		STR_ARG(loop_error_text(h->a, errno)));
}

struct host_share *
host_share_open(struct arena *a, const struct host_place *place, struct pool *p,
	const struct pool *whole, struct diag *d)
{
	struct host_share *h = NEW(a, struct host_share);

	*h = (struct host_share){.a = a,
		.book_arena = arena_open(),
		.text = {.arena = a},
		.last = {.arena = a},
		.self = {.pid = (uint64_t)getpid(),
			.start = read_start(a),
			.brand = brand_of_run()},
		.again_ns = LOOP_FOREVER};
	arena_alloc(h->book_arena, 1);
	h->mark = arena_mark(h->book_arena);
	h->claims = host_claims_new(a, p, whole);
	if (host_file_open(a, place, &h->file, d)) {
		if (join_host(h))
			return h;
		(void)say_failure(h, d);
		host_file_close(&h->file);
	}
	arena_close(h->book_arena);
	return NULL;
}

static void
on_news(void *context)
{
	struct host_share *h = context;

	host_file_listen(&h->file);
	h->listener.news(h->listener.context);
}

void
host_share_begin(
	struct host_share *h, struct loop *l, const struct host_listener *listener)
{
	INVARIANT(h && l && listener);
	h->listener = *listener;
	if (h->file.watch >= 0)
		h->reader = loop_watch(l, h->file.watch, on_news, h);
}

static void
leave_book(struct host_share *h)
{
	bool is_removed;

	if (read_book(h, &is_removed) && find_self(h)) {
		host_book_drop(&h->book, find_self(h));
		(void)write_book(h);
	}
	host_file_leave(&h->file);
}

/* Who cannot write itself out is found dead by the next. That the file is closed wakes
 * all who watch it. */
void
host_share_close(struct host_share *h)
{
	if (h->reader)
		loop_unwatch(h->reader);
	if (h->file.fd >= 0 && !h->is_lost && enter_patiently(&h->file))
		leave_book(h);
	host_file_close(&h->file);
	arena_close(h->book_arena);
}

/* ---- a look ---------------------------------------------------------------------- */

static void
lose_host(struct host_share *h, struct scheduler *s, struct diag *d)
{
	if (!h->is_lost)
		(void)say_failure(h, d);
	h->is_lost = true;
	h->again_ns = LOOP_FOREVER;
	host_claims_feed_all(h->claims, s);
}

/* false: it has no name any more, and runs that begin make another one. */
static bool
is_still_there(bool is_removed)
{
	if (is_removed)
		errno = ENOENT;
	return !is_removed;
}

enum host_look
host_share_enter(struct host_share *h, struct scheduler *s, struct diag *d)
{
	enum host_gate gate = h->is_lost ? HOST_GATE_FAILED : host_file_enter(&h->file);
	bool is_removed = false;
	struct host_owner *own;

	if (gate == HOST_GATE_TAKEN) {
		h->again_ns = loop_later(loop_now_ns(), GATE_NS);
		return HOST_LATER;
	}
	h->again_ns = LOOP_FOREVER;
	if (gate == HOST_GATE_FAILED || !read_book(h, &is_removed) ||
		!is_still_there(is_removed) ||
		!host_file_alive(&h->file, h->alive, HOST_OWNERS_MOST)) {
		lose_host(h, s, d);
		if (gate == HOST_GATE_OURS)
			host_file_leave(&h->file);
		return HOST_LOST;
	}
	reap_dead(h);
	own = be_in_book(h);
	if (is_one_missing(h))
		host_claims_feed_nothing(h->claims, s);
	else
		host_claims_feed(h->claims, &h->book, own, seconds_since_boot(), s);
	return HOST_LOOKS;
}

static void
look_again_later(
	struct host_share *h, const struct host_owner *own, const struct scheduler *s)
{
	uint64_t later_ns = loop_later(loop_now_ns(), h->reader ? SLOW_NS : BLIND_NS);
	const struct leases *l = scheduler_all_leases(s);

	if ((own->ticket || (l && leases_wait(l)) || is_one_missing(h)) &&
		later_ns < h->again_ns)
		h->again_ns = later_ns;
}

bool
host_share_leave(struct host_share *h, struct scheduler *s, const struct action *done,
	struct diag *d)
{
	struct host_owner *own = find_self(h);
	bool rings = h->must_ring, is_written;

	INVARIANT(own && !h->is_lost);
	rings = host_claims_note(h->claims, h->book_arena, &h->book, own,
			seconds_since_boot(), s, done) ||
		rings;
	h->must_ring = false;
	is_written = write_book(h);
	if (!is_written)
		lose_host(h, s, d);
	if (rings)
		host_file_ring(&h->file);
	look_again_later(h, own, s);
	host_file_leave(&h->file);
	return is_written;
}

uint64_t
host_share_again(const struct host_share *h)
{
	return h->again_ns;
}
