/*
 * See report_shard.h. The file has its name from the first byte on, so that a run that is
 * killed leaves a record without an end instead of none.
 */
#include "runner/shards/report_shard.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"

struct report_shard {
	struct report report;
	const struct shard_writer_options *o;
	struct arena *arena; /* of the run */
	struct arena *scratch; /* for one frame */
	str_vec attached; /* files of tests that have ended */
	int file; /* -1: it could not be made */
	int error; /* the first one; 0: everything is in the file */
	uint64_t sum, attempts, duration_ns;
};

struct str
shard_record_name(struct arena *a, uint32_t shard, uint32_t shards)
{
	INVARIANT(shard >= 1 && shard <= shards);
	return str_fmt(a, "cctr-shard-%u-of-%u", shard, shards);
}

bool
shard_record_remove(struct str path, struct diag *d)
{
	return unlink(path.p) == 0 || error_is_absence(errno) ||
	       diag_system(d, path, "cannot be removed", errno);
}

/* ---- writing --------------------------------------------------------------------- */

static void
put_bytes(struct report_shard *r, const struct buf *b)
{
	if (r->error)
		return;
	if (!file_put(r->file, buf_as_str(b)))
		r->error = errno ? errno : EIO;
	r->sum = str_sum(r->sum, buf_as_str(b));
}

static void
open_file(struct report_shard *r)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW };

	r->file = file_open(r->o->path.p, FLAGS, 0666);
	if (r->file < 0)
		r->error = errno;
}

static void
put_pieces(struct report_shard *r, const struct long_text *text)
{
	struct long_reader reader = {.text = text};
	struct str piece;

	while (long_text_next(&reader, &piece)) {
		struct arena_mark mark = arena_mark(r->scratch);
		struct buf b = {.arena = r->scratch};

		shard_write_output(&b, piece);
		put_bytes(r, &b);
		arena_rewind(r->scratch, mark);
	}
}

static struct str_list
texts_of(struct arena *a, struct pattern_list patterns)
{
	struct str_list l = {NEW_ARRAY(a, struct str, patterns.n), patterns.n};

	for (size_t i = 0; i < l.n; i++)
		l.v[i] = patterns.v[i]->text;
	return l;
}

/* As Test.xml, which has them when all tests have ended. */
static void
note_attached(struct report_shard *r, const struct event *e)
{
	const struct properties *p = e->attempt->test->properties;
	struct str_list lists[] = {p->attached_files, p->attached_files_on_fail};
	size_t n = e->verdict->kind == VERDICT_PASSED ? 1 : 2;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lists[i].n; k++)
			VEC_PUSH(r->arena, &r->attached,
				str_of(str_z(r->arena, lists[i].v[k])));
}

static void
put_attempt(struct report_shard *r, const struct event *e)
{
	const struct attempt *a = e->attempt;
	struct long_text output = outcome_text(e->outcome);
	struct buf b = {.arena = r->scratch};
	struct shard_attempt s = {
		.is_own = r->o->is_own[a->selected->test],
		.number = a->number,
		.run = a->run,
		.partition = a->partition,
		.is_last = e->is_last,
		.flaky = e->flaky,
		.test = *a->test,
		.properties = *a->test->properties,
		.pass = texts_of(r->scratch, a->test->properties->pass),
		.has_launch = e->launch != NULL,
		.has_refusal = e->refusal != NULL,
		.outcome = *e->outcome,
		.verdict = *e->verdict,
	};

	if (e->launch)
		s.launch = *e->launch;
	if (e->refusal)
		s.refusal = *e->refusal;
	put_pieces(r, &output);
	shard_write_attempt(&b, &s);
	put_bytes(r, &b);
	r->attempts++;
	if (e->is_last)
		note_attached(r, e);
}

/* One that cannot be read is not in the record, and so not where shards are merged, which
 * says so. */
static void
put_file(struct report_shard *r, struct str path)
{
	struct arena_mark mark = arena_mark(r->scratch);
	struct buf b = {.arena = r->scratch};
	struct long_text contents = {STR_NONE, false};
	const char *z = path_in(r->scratch, r->o->start, path);
	struct stat s;

	if (stat(z, &s) == 0 && S_ISREG(s.st_mode) &&
		file_read(r->scratch, z, &contents.s)) {
		put_pieces(r, &contents);
		shard_write_file(&b, path);
		put_bytes(r, &b);
	}
	arena_rewind(r->scratch, mark);
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_shard *r = (struct report_shard *)report;
	struct arena_mark mark = arena_mark(r->scratch);

	if (e->kind == EVENT_END)
		put_attempt(r, e);
	else if (e->kind == EVENT_FINISH)
		r->duration_ns = e->tally->duration_ns;
	arena_rewind(r->scratch, mark);
}

/* ---- the end --------------------------------------------------------------------- */

/* A test may have removed the file, or its folder. */
static bool
is_in_place(const struct report_shard *r)
{
	struct stat ours, there;

	if (fstat(r->file, &ours) != 0 || stat(r->o->path.p, &there) != 0)
		return false;
	errno = ENOENT;
	return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_shard *r = (struct report_shard *)report;

	(void)d;
	for (size_t i = 0; i < r->attached.n; i++)
		put_file(r, r->attached.v[i]);
	return true;
}

static bool
keep_open(struct report *report, struct diag *d)
{
	(void)report;
	(void)d;
	return true;
}

bool
report_shard_end(struct report *report, int code, int signal, struct diag *d)
{
	struct report_shard *r = (struct report_shard *)report;
	struct buf b = {.arena = r->scratch};

	shard_write_end(&b, &(struct shard_end){.code = code,
				    .signal = signal,
				    .ended_us = loop_wall_us(),
				    .duration_ns = r->duration_ns,
				    .attempts = r->attempts,
				    .sum = r->sum});
	put_bytes(r, &b);
	if (!r->error && !is_in_place(r))
		r->error = errno;
	if (r->file >= 0 && close(r->file) != 0 && !r->error)
		r->error = errno;
	arena_close(r->scratch);
	return !r->error || diag_system(d, r->o->path, "cannot be written", r->error);
}

struct report *
report_shard_open(struct arena *a, const struct shard_writer_options *o)
{
	static const struct report_type type = {
		.name = "shard",
		.event = handle_event,
		.close = close_report,
		.stop = keep_open,
	};
	struct report_shard *r = NEW(a, struct report_shard);
	struct shard_writer_options *copy = NEW(a, struct shard_writer_options);
	struct buf b;

	*copy = *o;
	copy->head.started_us = loop_wall_us();
	*r = (struct report_shard){.report = {.type = &type},
		.o = copy,
		.arena = a,
		.scratch = arena_open(),
		.file = -1,
		.sum = STR_SUM_EMPTY};
	open_file(r);
	b = (struct buf){.arena = r->scratch};
	shard_write_head(&b, &copy->head);
	put_bytes(r, &b);
	return &r->report;
}
