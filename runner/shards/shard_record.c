/* Records of shards as bytes. See shard_record.h. */
#include "runner/shards/shard_record.h"

#include "runner/base/fields.h"

#define TITLE "cctr: record of a shard, version 1\n"

enum { FRAME_HEAD_BYTES = 5, FRAME_MOST = 1 << 28, SUM_BYTES = 8 };
enum frame_kind {
	FRAME_HEAD = 1,
	FRAME_OUTPUT,
	FRAME_ATTEMPT,
	FRAME_END,
	FRAME_FILE,
	FRAME_PARTITION /* of the next attempt, if the run has partitions */
};

/* ---- the fields ------------------------------------------------------------------ */

#define HEAD(type, member) FIELD_OF(struct shard_head, type, member)
#define ATTEMPT(type, member) FIELD_OF(struct attempt_fields, type, member)
#define END(type, member) FIELD_OF(struct shard_end, type, member)

/* What the table needs besides: a path may be NULL, and is a text then. */
struct attempt_fields {
	struct shard_attempt a;
	bool has_path;
	const char *path;
	bool has_words;
	const char *const *words;
	struct str node, host;
	bool has_node, has_host;
};

static const struct field head_fields[] = {HEAD(INT, shard), HEAD(INT, shards),
	HEAD(NUMBER, key), HEAD(NUMBER, tests), HEAD(NUMBER, own), HEAD(NUMBER, suite_n),
	HEAD(BYTES, commit), HEAD(BYTES, program), HEAD(BYTES, dialect),
	HEAD(BYTES, host), HEAD(BYTES, configuration), HEAD(BYTES, build_name),
	HEAD(BYTES, site), HEAD(BYTES, directory), HEAD(BYTES, source),
	HEAD(BYTES, binary), HEAD(NUMBER, slots), HEAD(NUMBER, started_us),
	HEAD(NUMBER, output_passed), HEAD(NUMBER, output_failed),
	HEAD(INT, output_truncation), HEAD(BOOL, tells_attempts), {FIELD_END, 0}};

static const struct field attempt_fields[] = {ATTEMPT(BOOL, a.is_own),
	ATTEMPT(INT, a.number), ATTEMPT(INT, a.run), ATTEMPT(BOOL, a.is_last),
	ATTEMPT(INT, a.flaky), ATTEMPT(BYTES, a.test.name),
	ATTEMPT(TEXTS, a.test.command), ATTEMPT(BYTES, a.test.directory),
	ATTEMPT(TEXTS, a.properties.labels), ATTEMPT(TEXTS, a.properties.measurements),
	ATTEMPT(TEXTS, a.properties.attached_files),
	ATTEMPT(TEXTS, a.properties.attached_files_on_fail),
	ATTEMPT(INT, a.properties.processors),
	ATTEMPT(INT, a.properties.skip_return_code), ATTEMPT(TEXTS, a.pass),
	ATTEMPT(BOOL, a.has_launch), ATTEMPT(BOOL, has_path), ATTEMPT(TEXT, path),
	ATTEMPT(BOOL, has_words), ATTEMPT(WORDS, words), ATTEMPT(BYTES, a.launch.prefix),
	ATTEMPT(BYTES, a.launch.environment_changes), ATTEMPT(BOOL, a.has_refusal),
	ATTEMPT(INT, a.refusal.kind), ATTEMPT(BYTES, a.refusal.log),
	ATTEMPT(INT, a.outcome.ending), ATTEMPT(INT, a.outcome.refusal),
	ATTEMPT(INT, a.outcome.exit_code), ATTEMPT(INT, a.outcome.signal),
	ATTEMPT(NUMBER, a.outcome.started_us), ATTEMPT(NUMBER, a.outcome.duration_ns),
	ATTEMPT(NUMBER, a.outcome.user_ns), ATTEMPT(NUMBER, a.outcome.system_ns),
	ATTEMPT(NUMBER, a.outcome.peak_rss_bytes),
	ATTEMPT(BOOL, a.outcome.signal_sufficed), ATTEMPT(INT, a.outcome.timeout_signal),
	ATTEMPT(INT, a.outcome.lost_output), ATTEMPT(BOOL, a.outcome.lacks_setup),
	ATTEMPT(BOOL, a.outcome.is_cut), ATTEMPT(BOOL, a.outcome.made_nothing),
	ATTEMPT(BOOL, a.outcome.is_canceled), ATTEMPT(BYTES, a.outcome.hang),
	ATTEMPT(BOOL, has_node), ATTEMPT(BYTES, node), ATTEMPT(BOOL, has_host),
	ATTEMPT(BYTES, host), ATTEMPT(BYTES, a.outcome.lost),
	ATTEMPT(BYTES, a.outcome.details), ATTEMPT(TEXTS, a.outcome.labels),
	ATTEMPT(INT, a.verdict.kind), ATTEMPT(INT, a.verdict.reason),
	ATTEMPT(BYTES, a.verdict.pattern), ATTEMPT(INT, a.verdict.lost_output),
	ATTEMPT(BOOL, a.verdict.made_nothing), ATTEMPT(BOOL, a.verdict.is_canceled),
	{FIELD_END, 0}};

static const struct field end_fields[] = {END(INT, code), END(INT, signal),
	END(NUMBER, ended_us), END(NUMBER, duration_ns), END(NUMBER, attempts),
	END(NUMBER, sum), {FIELD_END, 0}};

/* ---- writing --------------------------------------------------------------------- */

/* Returns where the frame begins. */
static size_t
open_frame(struct buf *b, enum frame_kind kind)
{
	size_t at = b->n;

	field_put_number(b, 0, 4);
	field_put_number(b, kind, 1);
	return at;
}

static void
close_frame(struct buf *b, size_t at)
{
	size_t length = b->n - at - FRAME_HEAD_BYTES;

	INVARIANT(length <= FRAME_MOST);
	field_set_number(b, at, length, 4);
}

void
shard_write_head(struct buf *b, const struct shard_head *h)
{
	size_t at;

	buf_z(b, TITLE);
	at = open_frame(b, FRAME_HEAD);
	fields_write(b, head_fields, h);
	close_frame(b, at);
}

void
shard_write_output(struct buf *b, struct str piece)
{
	size_t at = open_frame(b, FRAME_OUTPUT);

	INVARIANT(piece.n <= SHARD_PIECE);
	buf_str(b, piece);
	close_frame(b, at);
}

void
shard_write_attempt(struct buf *b, const struct shard_attempt *a)
{
	static const char *const no_words[] = {NULL};
	const struct launch *l = &a->launch;
	const struct outcome *o = &a->outcome;
	struct attempt_fields f = {
		.a = *a,
		.has_path = l->path != NULL,
		.path = l->path ? l->path : "",
		.has_words = l->argv != NULL,
		.words = l->argv ? l->argv : no_words,
		.has_node = o->node != NULL,
		.node = str_of(o->node ? o->node : ""),
		.has_host = o->host != NULL,
		.host = str_of(o->host ? o->host : ""),
	};
	size_t at;

	if (a->partition.p) {
		at = open_frame(b, FRAME_PARTITION);
		buf_str(b, a->partition);
		close_frame(b, at);
	}
	at = open_frame(b, FRAME_ATTEMPT);
	fields_write(b, attempt_fields, &f);
	close_frame(b, at);
}

void
shard_write_file(struct buf *b, struct str path)
{
	size_t at = open_frame(b, FRAME_FILE);

	buf_str(b, path);
	close_frame(b, at);
}

void
shard_write_end(struct buf *b, const struct shard_end *e)
{
	size_t at = open_frame(b, FRAME_END);

	fields_write(b, end_fields, e);
	close_frame(b, at);
	b->n -= SUM_BYTES;
	field_put_number(b, str_sum(e->sum, str_cut(b->p + at, b->n - at)), SUM_BYTES);
}

/* ---- reading --------------------------------------------------------------------- */

struct reading {
	struct arena *arena;
	struct shard_record *record;
	struct str rest;
	size_t frames;
	/* The output of the next attempt. One piece stays where it is. */
	struct str piece;
	struct buf output;
	size_t pieces;
	struct str partition; /* of the next attempt; STR_NONE: none */
	struct map last; /* numbers of tests -> the last attempt */
};

/* Values that the types of the fields cannot exclude. */
static const char *
check_head(const struct shard_head *h)
{
	if (h->shards < 1 || h->shards > SHARD_RECORDS_MOST || h->shard < 1 ||
		h->shard > h->shards)
		return "it has an impossible number";
	if (h->own > h->tests || h->tests > h->suite_n || h->suite_n > UINT32_MAX)
		return "its numbers of tests cannot be";
	if (h->output_truncation < 0 || h->output_truncation > 2)
		return "it has an unknown kind of truncation";
	return NULL;
}

static const char *
check_attempt(const struct shard_attempt *a)
{
	if ((unsigned)a->flaky > FLAKY_FAILS || (unsigned)a->verdict.kind >= VERDICTS ||
		(unsigned)a->verdict.reason >= REASONS ||
		(unsigned)a->outcome.ending >= ENDINGS ||
		(unsigned)a->outcome.refusal >= REFUSALS ||
		(unsigned)a->refusal.kind >= REFUSALS)
		return "an attempt has an unknown value";
	if (!a->number || !a->run || !a->test.command.n || a->properties.processors < 1)
		return "an attempt lacks a value";
	if (a->has_launch && a->launch.prefix.n && !a->launch.argv)
		return "an attempt lacks its command";
	if (a->launch.argv && !a->launch.argv[0])
		return "an attempt has an empty command";
	return NULL;
}

static const char *
read_head(struct reading *r, struct field_reader *f)
{
	if (!fields_read(f, head_fields, &r->record->head))
		return f->why;
	return check_head(&r->record->head);
}

static const char *
read_output(struct reading *r, struct field_reader *f)
{
	if (!f->rest.n)
		return "a piece of output is empty";
	if (r->pieces == 1)
		buf_str(&r->output, r->piece);
	if (r->pieces)
		buf_str(&r->output, f->rest);
	r->piece = f->rest;
	r->pieces++;
	return NULL;
}

static struct str
take_pieces(struct reading *r)
{
	struct str text = r->pieces > 1 ? buf_as_str(&r->output)
			  : r->pieces   ? r->piece
					: STR("");

	r->pieces = 0;
	r->output = (struct buf){.arena = r->arena};
	return text;
}

static const char *
read_file(struct reading *r, struct field_reader *f)
{
	if (!f->rest.n || str_find(f->rest, '\0') < f->rest.n)
		return "a file has no name";
	VEC_PUSH(r->arena, &r->record->files,
		(struct shard_attached){f->rest, take_pieces(r)});
	return NULL;
}

/* Somebody may have asked for another attempt after the last one. */
static void
note_last(struct reading *r, const struct shard_attempt *a)
{
	uint32_t *last;

	if (!a->is_last)
		return;
	last = map_at(&r->last, str_fmt(r->arena, "%u", a->number));
	if (*last != MAP_NONE)
		r->record->attempts.v[*last].is_last = false;
	*last = (uint32_t)r->record->attempts.n;
}

static const char *
read_partition(struct reading *r, struct field_reader *f)
{
	if (!f->rest.n || str_find(f->rest, '\0') < f->rest.n)
		return "a partition has no name";
	if (r->partition.p)
		return "an attempt has two partitions";
	r->partition = f->rest;
	return NULL;
}

static const char *
read_attempt(struct reading *r, struct field_reader *f)
{
	struct attempt_fields fields = {.a.properties = properties_default};
	struct shard_attempt *a = &fields.a;
	const char *why;

	if (!fields_read(f, attempt_fields, &fields))
		return f->why;
	a->launch.path = fields.has_path ? fields.path : NULL;
	a->launch.argv = fields.has_words ? fields.words : NULL;
	a->outcome.node = fields.has_node ? str_z(r->arena, fields.node) : NULL;
	a->outcome.host = fields.has_host ? str_z(r->arena, fields.host) : NULL;
	why = check_attempt(a);
	if (why)
		return why;
	a->outcome.output = take_pieces(r);
	a->partition = r->partition;
	r->partition = STR_NONE;
	note_last(r, a);
	VEC_PUSH(r->arena, &r->record->attempts, fields.a);
	return NULL;
}

static const char *
read_end(struct reading *r, struct field_reader *f, uint64_t sum)
{
	struct shard_end *e = &r->record->end;

	if (!fields_read(f, end_fields, e))
		return f->why;
	if (e->sum != sum)
		return "its bytes are not those that were written";
	if (e->attempts != r->record->attempts.n || r->pieces || r->partition.p ||
		r->rest.n)
		return "its end is not where it was written";
	if (e->code < 0 || e->signal < 0)
		return "its end has an impossible value";
	r->record->has_end = true;
	return NULL;
}

/* Takes the bytes of the next frame. false: they are not all there. */
static bool
take_frame(struct reading *r, unsigned *kind, struct str *fields)
{
	uint64_t length;

	if (r->rest.n < FRAME_HEAD_BYTES)
		return false;
	length = field_number_at(r->rest.p, 4);
	*kind = (unsigned char)r->rest.p[4];
	if (length > r->rest.n - FRAME_HEAD_BYTES)
		return false;
	*fields = str_cut(r->rest.p + FRAME_HEAD_BYTES, (size_t)length);
	r->rest = str_from(r->rest, FRAME_HEAD_BYTES + (size_t)length);
	r->frames++;
	return true;
}

static const char *
read_frame(struct reading *r, unsigned kind, struct str fields, uint64_t sum)
{
	struct field_reader f = {.arena = r->arena, .rest = fields};

	if ((r->frames == 1) != (kind == FRAME_HEAD))
		return "it does not begin with its head";
	switch (kind) {
	case FRAME_HEAD:
		return read_head(r, &f);
	case FRAME_OUTPUT:
		return read_output(r, &f);
	case FRAME_ATTEMPT:
		return read_attempt(r, &f);
	case FRAME_FILE:
		return read_file(r, &f);
	case FRAME_PARTITION:
		return read_partition(r, &f);
	case FRAME_END:
		return read_end(r, &f, sum);
	default:
		return "it has a part of an unknown kind";
	}
}

/* What follows the last whole frame was being written when the run was killed. */
const char *
shard_read(struct arena *a, struct str bytes, struct shard_record *record)
{
	struct reading r = {.arena = a,
		.record = record,
		.output = {.arena = a},
		.rest = bytes,
		.last = map_in(a)};
	uint64_t sum = STR_SUM_EMPTY;
	struct str before = bytes, fields;
	const char *why = NULL;
	unsigned kind;

	*record = (struct shard_record){.has_end = false};
	if (!str_begins(bytes, STR(TITLE)))
		return "it is no record of a shard, or one of another version";
	r.rest = str_from(bytes, STR(TITLE).n);
	while (!why && !record->has_end && take_frame(&r, &kind, &fields)) {
		size_t n = (size_t)(fields.p - before.p) - FRAME_HEAD_BYTES;

		if (kind == FRAME_END && fields.n >= SUM_BYTES)
			n += FRAME_HEAD_BYTES + fields.n - SUM_BYTES;
		sum = str_sum(sum, str_cut(before.p, n));
		before = str_from(before, n);
		why = read_frame(&r, kind, fields, sum);
	}
	if (!why && !r.frames)
		why = "it lacks its head";
	return why;
}
