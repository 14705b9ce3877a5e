/*
 * A database of all attempts of a build tree's tests: Testing/cctr-history.sqlite,
 * cctr-files(5). In SQLite, which is loaded when it is first used.
 *
 * A run writes attempts in transactions: what is written stays if cctr is killed. Two
 * runs may write at the same time. A file that is damaged, or not of cctr, gets another
 * name, and a new one is begun.
 */
#ifndef CCTR_RUNNER_HISTORY_HISTORY_H
#define CCTR_RUNNER_HISTORY_HISTORY_H

#include "runner/base/diag.h"

enum { HISTORY_KEEP = 50, HISTORY_KEEP_MOST = 100000 };

struct history;

struct history_options {
	struct str path;
	size_t keep; /* attempts of each test; the oldest of more are dropped */
	struct str configuration; /* of the tests, as -C names it */
	int64_t began_us; /* the run: wall clock, microseconds since the epoch */
	struct str host, commit; /* "": unknown */
	size_t slots; /* processor slots of the run */
};
struct history_attempt {
	struct str test;
	struct str verdict; /* verdict_word */
	struct str why, host; /* "": nothing to say, the host of the run */
	struct str partition; /* "": the run had none */
	int64_t began_us;
	uint64_t wall_us, processor_us, peak_bytes;
	unsigned number; /* 1 for the first attempt of the test in this run */
	unsigned slots;
	bool is_last;
	/* It is there already, and is not the last one after all: test and number say
	 * which. */
	bool is_withdrawn;
};

/* A run, as it was written. */
struct history_run {
	int64_t id;
	int64_t began_us;
	struct str host, commit; /* "": unknown */
	uint64_t slots;
};
struct history_record {
	int64_t run; /* an id, also of a run that is no longer in the history */
	struct history_attempt attempt; /* test is STR_NONE */
};
struct history_of_test {
	struct history_record *v; /* the latest first */
	size_t n;
};
struct history_content {
	struct history_run *runs; /* by id, the earliest first */
	size_t runs_n;
	struct history_of_test *tests;
	struct str_list configurations; /* of all tests of the file, sorted */
};

enum history_end {
	HISTORY_WRITTEN,
	HISTORY_BUSY, /* another program writes: it may work later */
	HISTORY_LOST /* it cannot be written: history_why */
};

/* The path of the history, from that of the folder Testing/Temporary. */
struct str history_path(struct arena *a, struct str temporary);
/* Whether there is SQLite. */
bool history_is_available(void);
/* Why there is none. */
const char *history_lacks(void);
/* No file is opened before the first attempts are added. Borrows the options' texts. */
struct history *history_open(struct arena *a, const struct history_options *o);
/* Adds the attempts in one transaction, or none of them. Waits for other programs for up
 * to patience_ms. d: a warning where a damaged file got another name. */
CCTR_MUST_CHECK enum history_end history_add(struct history *h,
	const struct history_attempt *v, size_t n, unsigned patience_ms, struct diag *d);
/* Drops the tests of the configuration that have not run for longest, where there are
 * more than most. */
CCTR_MUST_CHECK enum history_end history_drop_tests(struct history *h, size_t most);
/* How long each of the n tests takes, in seconds, from the latest attempts that have
 * passed, else from those that have failed; the seconds of a test without any stay as
 * they are. Nothing is made where there is no file. d: a warning where it cannot be
 * read. */
void history_estimate(struct arena *a, struct str path, struct str configuration,
	const struct str *tests, size_t n, double *seconds, struct diag *d);
enum history_found {
	HISTORY_FOUND,
	HISTORY_ABSENT, /* there is no file */
	HISTORY_UNREADABLE, /* after a diag_error */
};
/* The latest attempts of each of the n tests, at most so many, in the order of the tests.
 * Makes no file. */
CCTR_MUST_CHECK enum history_found history_read(struct arena *a, struct str path,
	struct str configuration, const struct str *tests, size_t n, size_t most,
	struct history_content *content, struct diag *d);
/* Why nothing was written, since the last call that was not HISTORY_WRITTEN. */
struct str history_why(const struct history *h);
void history_close(struct history *h);

#endif
