/*
 * The record of one shard as bytes: all that reports of the shards together need, exactly
 * as the run had it. cctr-files(5), "Records of shards".
 *
 * A line that says what it is; then frames: a length (4 bytes), a kind (1 byte), fields.
 * The first frame is the head. An attempt comes after the pieces of its output, and an
 * attached file after those of its contents. The last
 * frame is the end, and its last field a sum over all bytes before that, so that no
 * damage passes. A record without an end is one of a run that was killed.
 */
#ifndef CCTR_RUNNER_SHARDS_SHARD_RECORD_H
#define CCTR_RUNNER_SHARDS_SHARD_RECORD_H

#include "runner/run/report.h"

/* A record that names more shards is damaged: an invented number costs no memory. */
enum { SHARD_PIECE = 1 << 20, SHARD_RECORDS_MOST = 10000 };

/* Facts of the run; equal facts of two records mean the same set of runs. */
struct shard_head {
	uint32_t shard, shards; /* shard from 1 */
	uint64_t key; /* of struct shards */
	uint64_t tests; /* that all shards have, each counted once */
	uint64_t own; /* that this one has of them */
	uint64_t suite_n; /* that are declared */
	struct str commit; /* "": unknown */
	/* The rest may differ between shards. */
	struct str program, dialect; /* the versions of cctr, and of ctest */
	struct str host;
	struct str configuration; /* -C */
	struct str build_name, site; /* as configured */
	struct str directory, source, binary; /* of the run and of its project */
	uint64_t slots;
	int64_t started_us; /* wall clock, since the epoch */
	/* How reports of the run show output. */
	int64_t output_passed, output_failed;
	int output_truncation;
	bool tells_attempts;
};

/* An attempt of a test: what EVENT_END says, by value. */
struct shard_attempt {
	bool is_own; /* of this shard alone; else it sets up a fixture, or cleans up */
	unsigned number, run;
	struct str partition; /* STR_NONE: there are none */
	bool is_last;
	enum flakiness flaky;
	/* name, command, directory */
	struct test test;
	/* labels, measurements, attached_files, attached_files_on_fail, processors,
	 * skip_return_code */
	struct properties properties;
	struct str_list pass; /* PASS_REGULAR_EXPRESSION, as texts */
	bool has_launch, has_refusal;
	/* path and argv, which may be NULL; prefix, environment_changes */
	struct launch launch;
	struct refusal refusal; /* kind, log */
	struct outcome outcome; /* without search and output_file */
	struct verdict verdict;
};

/* A file that a test has attached. */
struct shard_attached {
	struct str path; /* as the test names it */
	struct str contents;
};

struct shard_end {
	int code; /* the exit code of the run */
	int signal; /* that interrupted it; 0: none */
	int64_t ended_us;
	uint64_t duration_ns;
	uint64_t attempts; /* that the record has */
	uint64_t sum; /* of all bytes before; when it is written: before this frame */
};

/* Each adds bytes. */
void shard_write_head(struct buf *b, const struct shard_head *h);
/* The next piece of the output of the attempt, or of the file, that follows; up to
 * SHARD_PIECE bytes. */
void shard_write_output(struct buf *b, struct str piece);
/* Without the output. */
void shard_write_attempt(struct buf *b, const struct shard_attempt *a);
/* Without the contents. */
void shard_write_file(struct buf *b, struct str path);
void shard_write_end(struct buf *b, const struct shard_end *e);

struct shard_record {
	struct shard_head head;
	VEC(struct shard_attempt) attempts;
	VEC(struct shard_attached) files;
	struct shard_end end;
	bool has_end; /* false: the run was killed, or goes on */
};
/* Reads a whole record; texts are in the arena, or in the bytes. NULL, or why it is
 * damaged. */
CCTR_MUST_CHECK const char *shard_read(
	struct arena *a, struct str bytes, struct shard_record *r);

#endif
