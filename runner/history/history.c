/* SQLite: the only file that includes it. See history.h. */
#include "runner/history/history.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "runner/base/files.h"
#include "runner/base/library.h"
#include "runner/history/robust.h"

#define FUNCTIONS(X)                                                                     \
	X(sqlite3_bind_int64)                                                            \
	X(sqlite3_bind_text)                                                             \
	X(sqlite3_busy_timeout)                                                          \
	X(sqlite3_close_v2)                                                              \
	X(sqlite3_column_bytes)                                                          \
	X(sqlite3_column_int64)                                                          \
	X(sqlite3_column_text)                                                           \
	X(sqlite3_errmsg)                                                                \
	X(sqlite3_errstr)                                                                \
	X(sqlite3_exec)                                                                  \
	X(sqlite3_finalize)                                                              \
	X(sqlite3_last_insert_rowid)                                                     \
	X(sqlite3_limit)                                                                 \
	X(sqlite3_open_v2)                                                               \
	X(sqlite3_prepare_v2)                                                            \
	X(sqlite3_reset)                                                                 \
	X(sqlite3_step)                                                                  \
	X(sqlite3_system_errno)

CCTR_LIBRARY(CCTR_SQLITE_LIBRARY, "recommended", "the history of tests", FUNCTIONS)

#define APPLICATION "1667462258" /* the letters cctr */
enum { VERSION = 2 };
enum { APPLICATION_ID = 1667462258 };
enum { LONGEST_TEXT = 1 << 20, RUNS_MOST = 10000 };
enum { TESTS_AT_ONCE = 64 }; /* so many attempts that all tests are found at once */

/* The version of a change of these texts is VERSION + 1, and make_or_check gets a step
 * that changes a database of the version before. A newer version is left as it is. */
#define ATTEMPT_1                                                                        \
	"CREATE TABLE attempt(id INTEGER PRIMARY KEY, test INTEGER NOT NULL,"            \
	" run INTEGER NOT NULL, number INTEGER NOT NULL, is_last INTEGER NOT NULL,"      \
	" verdict TEXT NOT NULL, why TEXT NOT NULL, host TEXT NOT NULL,"                 \
	" began_us INTEGER NOT NULL, wall_us INTEGER NOT NULL,"                          \
	" processor_us INTEGER NOT NULL, peak_bytes INTEGER NOT NULL,"                   \
	" slots INTEGER NOT NULL"
#define PARTITION_2 "partition TEXT"
static const char *const schema[] = {
	ATTEMPT_1 ", " PARTITION_2 ")",
	"CREATE TABLE run(id INTEGER PRIMARY KEY, began_us INTEGER NOT NULL,"
	" host TEXT NOT NULL, revision TEXT NOT NULL, slots INTEGER NOT NULL)",
	"CREATE TABLE test(id INTEGER PRIMARY KEY, configuration TEXT NOT NULL,"
	" name TEXT NOT NULL)",
	"CREATE UNIQUE INDEX test_of_name ON test(name, configuration)",
	"CREATE INDEX attempt_of_test ON attempt(test)",
};
enum { PARTS = sizeof schema / sizeof *schema };

enum statement {
	ADD_RUN,
	FIND_RUN,
	FIND_TEST,
	FIND_TESTS,
	ADD_TEST,
	ADD_ATTEMPT,
	FIND_ATTEMPT,
	WITHDRAW,
	FIND_OLD,
	DROP_OLD,
	DATA_VERSION,
	FIND_PASSED,
	FIND_FAILED,
	FIND_ATTEMPTS,
	FIND_RUNS,
	FIND_CONFIGURATIONS,
	COUNT_TESTS,
	DROP_TESTS,
	STATEMENTS
};
#define ATTEMPTS_WITH(partition)                                                         \
	"SELECT run, number, is_last, verdict, why, host, began_us, wall_us,"            \
	" processor_us, peak_bytes, slots, " partition                                   \
	" FROM attempt WHERE test=?1 ORDER BY id DESC LIMIT ?2"
static const char *const texts[STATEMENTS] = {
	[ADD_RUN] = "INSERT INTO run(began_us, host, revision, slots)"
		    " VALUES(?1, ?2, ?3, ?4)",
	[FIND_RUN] = "SELECT id FROM run WHERE began_us=?1 AND host=?2 AND revision=?3"
		     " AND slots=?4 AND id=?5",
	[FIND_TEST] = "SELECT id FROM test WHERE name=?1 AND configuration=?2",
	[FIND_TESTS] = "SELECT id, name, (SELECT count(*) FROM attempt WHERE"
		       " test=test.id) FROM test WHERE configuration=?1",
	[ADD_TEST] = "INSERT INTO test(name, configuration) VALUES(?1, ?2)",
	[ADD_ATTEMPT] = "INSERT INTO attempt(test, run, number, is_last, verdict, why,"
			" host, began_us, wall_us, processor_us, peak_bytes, slots,"
			" partition)"
			" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
	[FIND_ATTEMPT] = "SELECT id FROM attempt WHERE id=?1 AND run=?2",
	[WITHDRAW] = "UPDATE attempt SET is_last=0"
		     " WHERE test=?1 AND run=?2 AND number=?3",
	[FIND_OLD] = "SELECT id FROM attempt WHERE test=?1 ORDER BY id DESC"
		     " LIMIT 1 OFFSET ?2",
	[DROP_OLD] = "DELETE FROM attempt WHERE test=?1 AND id<=?2",
	[DATA_VERSION] = "PRAGMA data_version",
	[FIND_PASSED] = "SELECT wall_us FROM attempt WHERE test=?1"
			" AND verdict='passed' ORDER BY id DESC LIMIT ?2",
	[FIND_FAILED] = "SELECT wall_us FROM attempt WHERE test=?1"
			" AND verdict NOT IN ('passed', 'skipped', 'not run')"
			" AND wall_us>0 ORDER BY id DESC LIMIT ?2",
	[FIND_ATTEMPTS] = ATTEMPTS_WITH("partition"),
	[FIND_RUNS] = "SELECT id, began_us, host, revision, slots FROM run ORDER BY id",
	[FIND_CONFIGURATIONS] = "SELECT DISTINCT configuration FROM test ORDER BY 1",
	[COUNT_TESTS] = "SELECT count(*) FROM test WHERE configuration=?1",
	[DROP_TESTS] = "DELETE FROM test WHERE id IN (SELECT id FROM test"
		       " WHERE configuration=?1 ORDER BY (SELECT max(id) FROM attempt"
		       " WHERE test=test.id) DESC LIMIT -1 OFFSET ?2)",
};

/* ino and dev of the file that was opened; 0: there was none. */
struct identity {
	ino_t ino;
	dev_t dev;
};
/* A test of the database; attempts: how many it has, once they are counted. */
struct known_test {
	int64_t id;
	uint64_t attempts;
	bool is_counted;
};
struct history {
	struct arena *arena;
	struct history_options o;
	bool only_reads; /* makes no file, and gives none another name */
	bool is_empty; /* when it was opened */
	int64_t version; /* of its tables */
	struct library sqlite;
	struct sqlite3 *base; /* NULL: not open */
	struct sqlite3_stmt *statements[STATEMENTS];
	struct identity identity;
	int64_t run; /* its row, if that is in the file; 0: not written yet */
	int64_t last; /* attempt of this history_add, if it is in the file; 0: none */
	struct arena *memory; /* of known */
	struct map known; /* name -> index into tests, of this connection */
	VEC(struct known_test) tests;
	bool knows_all; /* other tests are not in the database */
	int64_t data_version; /* changes when another program has written */
	int binding; /* the first error of the values that were bound */
	enum history_end failure; /* of the last call that failed */
	bool is_damaged; /* the last failure was of the file's content */
	struct str why;
};

bool
history_is_available(void)
{
	struct library unused;

	return load_library(&unused);
}

const char *
history_lacks(void)
{
	return "there is no " CCTR_SQLITE_LIBRARY;
}

struct history *
history_open(struct arena *a, const struct history_options *o)
{
	struct history *h = NEW(a, struct history);

	INVARIANT(o && o->path.n && o->keep > 0);
	h->arena = a;
	h->o = *o;
	h->o.path = str_dup(a, o->path);
	h->memory = arena_open();
	return h;
}

struct str
history_why(const struct history *h)
{
	return h->why;
}

/* ---- failures -------------------------------------------------------------------- */

static bool
fail_with(struct history *h, enum history_end end, const char *why)
{
	h->failure = end;
	h->why = str_dup(h->arena, str_of(why));
	return false;
}

/* Takes down the error of a call. Always false. */
static bool
fail_call(struct history *h, int code)
{
	int kind = code & 0xff;
	int error = h->base ? h->sqlite.sqlite3_system_errno(h->base) : 0;
	bool is_of_system = error && (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN ||
					     kind == SQLITE_FULL);
	bool is_busy =
		kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_PROTOCOL;
	const char *why = h->base ? h->sqlite.sqlite3_errmsg(h->base)
				  : h->sqlite.sqlite3_errstr(code);

	if (kind == SQLITE_NOMEM)
		memory_end();
	h->is_damaged = kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB;
	if (is_of_system)
		why = str_fmt_z(h->arena, "%s: %s", why, strerror(error));
	return fail_with(h, is_busy ? HISTORY_BUSY : HISTORY_LOST, why);
}

static bool
fail_as_damaged(struct history *h, const char *why)
{
	h->is_damaged = true;
	return fail_with(h, HISTORY_LOST, why);
}

/* ---- statements ------------------------------------------------------------------ */

static bool
run_sql(struct history *h, const char *sql)
{
	int code = h->sqlite.sqlite3_exec(h->base, sql, NULL, NULL, NULL);

	return code == SQLITE_OK || fail_call(h, code);
}

/* An error of a value is that of the statement which then runs. */
static void
note_binding(struct history *h, int code)
{
	if (h->binding == SQLITE_OK)
		h->binding = code;
}

static void
bind_number(struct history *h, enum statement s, int at, uint64_t n)
{
	int64_t value = n > INT64_MAX ? INT64_MAX : (int64_t)n;

	note_binding(h, h->sqlite.sqlite3_bind_int64(h->statements[s], at, value));
}

/* The text is borrowed until the statement has run. */
static void
bind_text(struct history *h, enum statement s, int at, struct str text)
{
	int n = text.n < LONGEST_TEXT ? (int)text.n : LONGEST_TEXT;

	note_binding(h, h->sqlite.sqlite3_bind_text(h->statements[s], at,
				text.n ? text.p : "", n, SQLITE_STATIC));
}

/* number: of the first row; 0 where there is none. */
static bool
step_once(struct history *h, struct sqlite3_stmt *s, int64_t *number)
{
	int code = h->binding ? h->binding : h->sqlite.sqlite3_step(s);
	bool is_right = true;

	*number = 0;
	if (code == SQLITE_ROW)
		*number = h->sqlite.sqlite3_column_int64(s, 0);
	else if (code != SQLITE_DONE)
		is_right = fail_call(h, code);
	(void)h->sqlite.sqlite3_reset(s); /* says the same error again */
	h->binding = SQLITE_OK;
	return is_right;
}

static bool
run_statement(struct history *h, enum statement s)
{
	int64_t unused;

	return step_once(h, h->statements[s], &unused);
}

static bool
query_number(struct history *h, const char *sql, int64_t *number)
{
	struct sqlite3_stmt *s;
	int code = h->sqlite.sqlite3_prepare_v2(h->base, sql, -1, &s, NULL);
	bool is_right = code == SQLITE_OK ? step_once(h, s, number) : fail_call(h, code);

	h->sqlite.sqlite3_finalize(s);
	return is_right;
}

static int64_t
column_number(struct history *h, enum statement s, int at)
{
	return h->sqlite.sqlite3_column_int64(h->statements[s], at);
}

/* 0 for what is below it. */
static uint64_t
column_size(struct history *h, enum statement s, int at)
{
	int64_t n = column_number(h, s, at);

	return n < 0 ? 0 : (uint64_t)n;
}

/* Until the next row. */
static struct str
column_text(struct history *h, enum statement s, int at)
{
	const unsigned char *text = h->sqlite.sqlite3_column_text(h->statements[s], at);

	return text ? str_cut((const char *)text, (size_t)h->sqlite.sqlite3_column_bytes(
							  h->statements[s], at))
		    : STR_NONE;
}

/* *is_row: there is one more. false: a failure. */
static bool
next_row(struct history *h, enum statement s, bool *is_row)
{
	int code = h->binding ? h->binding : h->sqlite.sqlite3_step(h->statements[s]);
	bool is_right = code == SQLITE_ROW || code == SQLITE_DONE || fail_call(h, code);

	*is_row = code == SQLITE_ROW;
	if (!*is_row)
		(void)h->sqlite.sqlite3_reset(h->statements[s]); /* the same error */
	h->binding = SQLITE_OK;
	return is_right;
}

/* ---- opening --------------------------------------------------------------------- */

/* false: there is something that is no file. */
static bool
identify_file(const struct history *h, struct identity *i)
{
	struct stat info;

	*i = (struct identity){0, 0};
	if (stat(h->o.path.p, &info) != 0)
		return true; /* SQLite says why, if the file is needed */
	*i = (struct identity){info.st_ino, info.st_dev};
	return S_ISREG(info.st_mode);
}

static bool
is_same(struct identity a, struct identity b)
{
	return a.ino == b.ino && a.dev == b.dev;
}

static void
close_base(struct history *h)
{
	if (!h->base)
		return;
	for (size_t i = 0; i < STATEMENTS; i++) {
		h->sqlite.sqlite3_finalize(h->statements[i]);
		h->statements[i] = NULL;
	}
	(void)h->sqlite.sqlite3_close_v2(h->base); /* all is finalized: it closes */
	h->base = NULL;
}

static bool
make_schema(struct history *h)
{
	bool is_right = run_sql(h, "PRAGMA application_id=" APPLICATION);

	for (size_t i = 0; is_right && i < PARTS; i++)
		is_right = run_sql(h, schema[i]);
	h->version = VERSION;
	return is_right &&
	       run_sql(h, str_fmt_z(h->arena, "PRAGMA user_version=%d", VERSION));
}

/* Any other table, trigger or view is foreign, and might do anything. */
static bool
check_schema(struct history *h)
{
	int64_t parts = 0, known = 0;
	struct buf sql = {.arena = h->arena};

	buf_z(&sql, "SELECT count(*) FROM sqlite_master WHERE sql IN (");
	for (size_t i = 0; i < PARTS; i++)
		buf_fmt(&sql, "%s'%s'", i ? "," : "",
			h->version == 1 && i == 0 ? ATTEMPT_1 ")" : schema[i]);
	buf_char(&sql, ')');
	if (!query_number(h, "SELECT count(*) FROM sqlite_master", &parts) ||
		!query_number(h, sql.p, &known))
		return false;
	return (parts == PARTS && known == PARTS) ||
	       fail_as_damaged(h, "it is no history of cctr");
}

/* Of version 1. One that is only read stays as it is. */
static bool
upgrade_schema(struct history *h)
{
	if (h->only_reads || h->version == VERSION)
		return true;
	h->version = VERSION;
	return run_sql(h, "ALTER TABLE attempt ADD COLUMN " PARTITION_2) &&
	       run_sql(h, str_fmt_z(h->arena, "PRAGMA user_version=%d", VERSION));
}

/* Within a transaction. */
static bool
make_or_check(struct history *h)
{
	int64_t application = 0, parts = 0;

	if (!query_number(h, "PRAGMA application_id", &application) ||
		!query_number(h, "PRAGMA user_version", &h->version) ||
		!query_number(h, "SELECT count(*) FROM sqlite_master", &parts))
		return false;
	h->is_empty = !application && !h->version && !parts;
	if (h->is_empty)
		return h->only_reads || make_schema(h);
	if (application != APPLICATION_ID || h->version < 1)
		return fail_as_damaged(h, "it is no history of cctr");
	if (h->version > VERSION)
		return fail_with(h, HISTORY_LOST, "it is of a newer cctr");
	return check_schema(h) && upgrade_schema(h);
}

/* A file of version 1 is only read. */
static const char *
text_of(const struct history *h, enum statement s)
{
	if (h->version == 1 && s == ADD_ATTEMPT)
		return "";
	return h->version == 1 && s == FIND_ATTEMPTS ? ATTEMPTS_WITH("NULL") : texts[s];
}

static bool
prepare_all(struct history *h)
{
	int code = SQLITE_OK;

	for (size_t i = 0; code == SQLITE_OK && i < STATEMENTS; i++)
		code = h->sqlite.sqlite3_prepare_v2(h->base,
			text_of(h, (enum statement)i), -1, &h->statements[i], NULL);
	return code == SQLITE_OK || fail_call(h, code);
}

static void
forget_tests(struct history *h)
{
	arena_close(h->memory);
	h->memory = arena_open();
	h->known = map_in(h->memory);
	h->tests.n = h->tests.cap = 0;
	h->tests.v = NULL;
	h->knows_all = false;
}

/* false, with the reason of the first failure: nothing of it is written. */
static bool
end_transaction(struct history *h, bool is_right)
{
	is_right = is_right && run_sql(h, "COMMIT");
	if (!is_right)
		h->sqlite.sqlite3_exec(h->base, "ROLLBACK", NULL, NULL, NULL);
	return is_right;
}

/* What a power cut makes of the file is noticed, and a new one is begun: nothing waits
 * for the disk. */
static bool
set_up(struct history *h, unsigned patience_ms)
{
	bool is_right;

	h->sqlite.sqlite3_busy_timeout(h->base, (int)patience_ms);
	h->sqlite.sqlite3_limit(h->base, SQLITE_LIMIT_LENGTH, 8 * LONGEST_TEXT);
	is_right = run_sql(h, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
			      "PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY") &&
		   run_sql(h, h->only_reads ? "BEGIN" : "BEGIN IMMEDIATE") &&
		   make_or_check(h);
	return end_transaction(h, is_right) &&
	       ((h->is_empty && h->only_reads) || prepare_all(h));
}

static bool
open_base(struct history *h, unsigned patience_ms)
{
	int flags = SQLITE_OPEN_READWRITE | (h->only_reads ? 0 : SQLITE_OPEN_CREATE);
	int code;

	h->is_damaged = false;
	if (h->base) {
		h->sqlite.sqlite3_busy_timeout(h->base, (int)patience_ms);
		return true;
	}
	if (!load_library(&h->sqlite))
		return fail_with(h, HISTORY_LOST, history_lacks());
	if (!identify_file(h, &h->identity))
		return fail_with(h, HISTORY_LOST, "it is no file");
	forget_tests(h);
	code = h->sqlite.sqlite3_open_v2(h->o.path.p, &h->base, flags, NULL);
	return (code == SQLITE_OK || fail_call(h, code)) && set_up(h, patience_ms);
}

/* With its journal, which must not change the new file. Not if another program has done
 * it. */
static bool
set_aside(struct history *h, struct diag *d)
{
	struct str aside = str_fmt(h->arena, "%s.damaged", h->o.path.p);
	struct str journal = str_fmt(h->arena, "%s-journal", h->o.path.p);
	struct identity now;

	if (!identify_file(h, &now) || !is_same(now, h->identity))
		return true;
	if ((unlink(journal.p) != 0 && !error_is_absence(errno)) ||
		rename(h->o.path.p, aside.p) != 0)
		return fail_with(h, HISTORY_LOST,
			str_fmt_z(h->arena, "%.*s, and it cannot be renamed: %s",
				STR_ARG(h->why), strerror(errno)));
	diag_warning(d, (struct place){.file = h->o.path},
		"%.*s; it is now %.*s, and a new one is begun", STR_ARG(h->why),
		STR_ARG(path_name(aside)));
	return true;
}

/* ---- writing --------------------------------------------------------------------- */

static void
bind_run(struct history *h, enum statement s)
{
	bind_number(h, s, 1, (uint64_t)h->o.began_us);
	bind_text(h, s, 2, h->o.host);
	bind_text(h, s, 3, h->o.commit);
	bind_number(h, s, 4, h->o.slots);
}

/* Not again where its row is there: the file may be another one than before, or lack a
 * transaction that has failed. */
static bool
add_run(struct history *h)
{
	int64_t run;

	bind_run(h, FIND_RUN);
	bind_number(h, FIND_RUN, 5, (uint64_t)h->run);
	if (!step_once(h, h->statements[FIND_RUN], &run))
		return false;
	if (run)
		return true;
	bind_run(h, ADD_RUN);
	if (!run_statement(h, ADD_RUN))
		return false;
	h->run = h->sqlite.sqlite3_last_insert_rowid(h->base);
	return h->run <= RUNS_MOST ||
	       run_sql(h, str_fmt_z(h->arena, "DELETE FROM run WHERE id<=%lld",
				  (long long)h->run - RUNS_MOST));
}

static void
bind_name(struct history *h, enum statement s, struct str name)
{
	bind_text(h, s, 1, name);
	bind_text(h, s, 2, h->o.configuration);
}

static bool
find_or_add_test(struct history *h, struct str name, struct known_test *t)
{
	*t = (struct known_test){0};
	if (!h->knows_all) {
		bind_name(h, FIND_TEST, name);
		if (!step_once(h, h->statements[FIND_TEST], &t->id))
			return false;
	}
	if (t->id)
		return true;
	bind_name(h, ADD_TEST, name);
	if (!run_statement(h, ADD_TEST))
		return false;
	t->id = h->sqlite.sqlite3_last_insert_rowid(h->base);
	t->is_counted = true;
	return true;
}

static struct known_test *
keep_test(struct history *h, struct str name, const struct known_test *t)
{
	map_number(&h->known, str_dup(h->memory, name));
	VEC_PUSH(h->memory, &h->tests, *t);
	return &h->tests.v[h->tests.n - 1];
}

/* NULL: a failure. Valid until the next test is found. */
static struct known_test *
known_test(struct history *h, struct str name)
{
	struct known_test t;
	uint32_t at;

	name = str_cut(name.p, name.n < LONGEST_TEXT ? name.n : LONGEST_TEXT);
	at = map_get(&h->known, name);
	if (at != MAP_NONE)
		return &h->tests.v[at];
	return find_or_add_test(h, name, &t) ? keep_test(h, name, &t) : NULL;
}

/* All tests at once: less work than each for itself. */
static bool
find_tests(struct history *h)
{
	bool is_row, is_right;

	bind_text(h, FIND_TESTS, 1, h->o.configuration);
	while ((is_right = next_row(h, FIND_TESTS, &is_row)) && is_row) {
		struct str name = column_text(h, FIND_TESTS, 1);
		struct known_test t = {.id = column_number(h, FIND_TESTS, 0),
			.attempts = column_size(h, FIND_TESTS, 2),
			.is_counted = true};

		if (!map_has(&h->known, name))
			keep_test(h, name, &t);
	}
	h->knows_all = is_right;
	return is_right;
}

static bool
drop_oldest(struct history *h, struct known_test *t)
{
	int64_t last;

	if (t->is_counted && ++t->attempts <= h->o.keep)
		return true;
	bind_number(h, FIND_OLD, 1, (uint64_t)t->id);
	bind_number(h, FIND_OLD, 2, h->o.keep);
	if (!step_once(h, h->statements[FIND_OLD], &last))
		return false;
	t->attempts = h->o.keep;
	if (!last)
		return true;
	bind_number(h, DROP_OLD, 1, (uint64_t)t->id);
	bind_number(h, DROP_OLD, 2, (uint64_t)last);
	return run_statement(h, DROP_OLD);
}

static bool
withdraw_attempt(struct history *h, int64_t test, unsigned number)
{
	bind_number(h, WITHDRAW, 1, (uint64_t)test);
	bind_number(h, WITHDRAW, 2, (uint64_t)h->run);
	bind_number(h, WITHDRAW, 3, number);
	return run_statement(h, WITHDRAW);
}

static bool
add_attempt(struct history *h, const struct history_attempt *a)
{
	const uint64_t numbers[] = {(uint64_t)a->began_us, a->wall_us, a->processor_us,
		a->peak_bytes, a->slots};
	struct known_test *test = known_test(h, a->test);

	if (!test)
		return false;
	if (a->is_withdrawn)
		return withdraw_attempt(h, test->id, a->number);
	bind_number(h, ADD_ATTEMPT, 1, (uint64_t)test->id);
	bind_number(h, ADD_ATTEMPT, 2, (uint64_t)h->run);
	bind_number(h, ADD_ATTEMPT, 3, a->number);
	bind_number(h, ADD_ATTEMPT, 4, a->is_last);
	bind_text(h, ADD_ATTEMPT, 5, a->verdict);
	bind_text(h, ADD_ATTEMPT, 6, a->why);
	bind_text(h, ADD_ATTEMPT, 7, a->host);
	for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
		bind_number(h, ADD_ATTEMPT, 8 + i, numbers[i]);
	bind_text(h, ADD_ATTEMPT, 13, a->partition);
	if (!run_statement(h, ADD_ATTEMPT))
		return false;
	h->last = h->sqlite.sqlite3_last_insert_rowid(h->base);
	return drop_oldest(h, test);
}

static bool
add_attempts(struct history *h, const struct history_attempt *v, size_t n)
{
	bool is_right = n < TESTS_AT_ONCE || h->knows_all || find_tests(h);

	for (size_t i = 0; is_right && i < n; i++)
		is_right = add_attempt(h, &v[i]);
	return is_right;
}

/* A COMMIT that fails may have written all: its last attempt says whether it has. */
static bool
find_last(struct history *h, int64_t *last)
{
	bind_number(h, FIND_ATTEMPT, 1, (uint64_t)h->last);
	bind_number(h, FIND_ATTEMPT, 2, (uint64_t)h->run);
	return step_once(h, h->statements[FIND_ATTEMPT], last);
}

/* Another program may have dropped tests. */
static bool
check_known(struct history *h)
{
	int64_t version;

	if (!step_once(h, h->statements[DATA_VERSION], &version))
		return false;
	if (version != h->data_version)
		forget_tests(h);
	h->data_version = version;
	return true;
}

static bool
add_all(struct history *h, const struct history_attempt *v, size_t n)
{
	int64_t run = h->run, last;
	bool is_right;

	if (!run_sql(h, "BEGIN IMMEDIATE"))
		return false;
	is_right = check_known(h) && add_run(h) && find_last(h, &last) &&
		   (last || add_attempts(h, v, n));
	if (end_transaction(h, is_right))
		return true;
	forget_tests(h);
	if (h->failure == HISTORY_BUSY)
		h->run = run;
	return false;
}

/* false: after a failure that is not for want of patience, nothing is open. */
static bool
try_to_add(struct history *h, const struct history_attempt *v, size_t n,
	unsigned patience_ms)
{
	if (open_base(h, patience_ms) && add_all(h, v, n))
		return true;
	if (h->failure != HISTORY_BUSY || !h->statements[STATEMENTS - 1])
		close_base(h);
	return false;
}

enum history_end
history_add(struct history *h, const struct history_attempt *v, size_t n,
	unsigned patience_ms, struct diag *d)
{
	INVARIANT(h && d);
	h->last = 0;
	if (n == 0 || try_to_add(h, v, n, patience_ms))
		return HISTORY_WRITTEN;
	if (h->failure == HISTORY_BUSY || (h->is_damaged && !set_aside(h, d)))
		return h->failure;
	/* The file is new, or was removed: it is made. */
	return try_to_add(h, v, n, patience_ms) ? HISTORY_WRITTEN : h->failure;
}

static bool
drop_tests(struct history *h, size_t most)
{
	int64_t n = 0;

	bind_text(h, COUNT_TESTS, 1, h->o.configuration);
	if (!step_once(h, h->statements[COUNT_TESTS], &n))
		return false;
	if ((uint64_t)n <= most)
		return true;
	forget_tests(h);
	bind_text(h, DROP_TESTS, 1, h->o.configuration);
	bind_number(h, DROP_TESTS, 2, most);
	return run_sql(h, "BEGIN IMMEDIATE") &&
	       end_transaction(
		       h, run_statement(h, DROP_TESTS) &&
				  run_sql(h, "DELETE FROM attempt WHERE test NOT IN"
					     " (SELECT id FROM test)"));
}

enum history_end
history_drop_tests(struct history *h, size_t most)
{
	INVARIANT(h);
	return !h->base || drop_tests(h, most) ? HISTORY_WRITTEN : h->failure;
}

void
history_close(struct history *h)
{
	INVARIANT(h);
	close_base(h);
	arena_close(h->memory);
	h->memory = NULL;
}

/* ---- reading --------------------------------------------------------------------- */

/* The seconds of the latest attempts, at most ROBUST_MOST. */
static bool
read_times(struct history *h, enum statement s, int64_t test, double *v, size_t *n)
{
	bool is_row, is_right;

	bind_number(h, s, 1, (uint64_t)test);
	bind_number(h, s, 2, ROBUST_MOST);
	*n = 0;
	while ((is_right = next_row(h, s, &is_row)) && is_row) {
		int64_t us = column_number(h, s, 0);

		v[(*n)++] = us < 1 ? 1e-6 : (double)us / 1e6;
	}
	return is_right;
}

static bool
estimate_test(struct history *h, struct str name, double *seconds)
{
	double v[ROBUST_MOST];
	int64_t test;
	size_t n;

	bind_name(h, FIND_TEST, name);
	if (!step_once(h, h->statements[FIND_TEST], &test))
		return false;
	if (!test)
		return true;
	if (!read_times(h, FIND_PASSED, test, v, &n) ||
		(!n && !read_times(h, FIND_FAILED, test, v, &n)))
		return false;
	if (n)
		*seconds = robust_next(v, n);
	return true;
}

static bool
estimate_all(struct history *h, const struct str *tests, size_t n, double *seconds)
{
	bool is_right = run_sql(h, "BEGIN");

	for (size_t i = 0; is_right && i < n; i++)
		is_right = estimate_test(h, tests[i], &seconds[i]);
	return is_right && run_sql(h, "COMMIT");
}

/* Opens what is there, to read. false after a failure. */
static bool
open_to_read(struct history *h)
{
	enum { PATIENCE_MS = 1000 };

	h->only_reads = true;
	return open_base(h, PATIENCE_MS);
}

void
history_estimate(struct arena *a, struct str path, struct str configuration,
	const struct str *tests, size_t n, double *seconds, struct diag *d)
{
	struct history *h;

	INVARIANT(d && (seconds || !n));
	if (!path_may_exist(str_z(a, path)))
		return;
	h = history_open(a, &(struct history_options){.path = path,
				    .keep = HISTORY_KEEP,
				    .configuration = configuration});
	if (!open_to_read(h) || (!h->is_empty && !estimate_all(h, tests, n, seconds)))
		diag_warning(d, (struct place){.file = path},
			"the history cannot be read: %.*s", STR_ARG(h->why));
	history_close(h);
}

/* ---- reading all ----------------------------------------------------------------- */

struct reading {
	struct history *h;
	struct arena *a; /* of the content */
	struct map words; /* verdicts and hosts, of which there are few */
	VEC(struct history_record) records; /* of one test */
	struct history_content *content;
};

static struct str
column_copy(struct reading *r, enum statement s, int at)
{
	struct str text = column_text(r->h, s, at);

	return text.n ? str_dup(r->a, text) : STR_NONE;
}

/* As column_copy; equal texts share one copy. */
static struct str
column_word(struct reading *r, enum statement s, int at)
{
	struct str text = column_text(r->h, s, at);

	if (!text.n)
		return STR_NONE;
	if (map_get(&r->words, text) == MAP_NONE)
		map_number(&r->words, str_dup(r->a, text));
	return r->words.entries[map_get(&r->words, text)].key;
}

static bool
read_runs(struct reading *r)
{
	VEC(struct history_run) runs = {0};
	bool is_row, is_right;

	while ((is_right = next_row(r->h, FIND_RUNS, &is_row)) && is_row)
		VEC_PUSH(r->a, &runs,
			(struct history_run){
				.id = column_number(r->h, FIND_RUNS, 0),
				.began_us = column_number(r->h, FIND_RUNS, 1),
				.host = column_word(r, FIND_RUNS, 2),
				.commit = column_word(r, FIND_RUNS, 3),
				.slots = column_size(r->h, FIND_RUNS, 4),
			});
	r->content->runs = runs.v;
	r->content->runs_n = runs.n;
	return is_right;
}

static bool
read_configurations(struct reading *r)
{
	str_vec all = {0};
	bool is_row, is_right;

	while ((is_right = next_row(r->h, FIND_CONFIGURATIONS, &is_row)) && is_row)
		VEC_PUSH(r->a, &all, column_copy(r, FIND_CONFIGURATIONS, 0));
	r->content->configurations = str_vec_list(&all);
	return is_right;
}

static struct history_record
read_record(struct reading *r)
{
	enum statement s = FIND_ATTEMPTS;

	return (struct history_record){
		.run = column_number(r->h, s, 0),
		.attempt =
			{
				.number = (unsigned)column_size(r->h, s, 1),
				.is_last = column_number(r->h, s, 2) != 0,
				.verdict = column_word(r, s, 3),
				.why = column_copy(r, s, 4),
				.host = column_word(r, s, 5),
				.began_us = column_number(r->h, s, 6),
				.wall_us = column_size(r->h, s, 7),
				.processor_us = column_size(r->h, s, 8),
				.peak_bytes = column_size(r->h, s, 9),
				.slots = (unsigned)column_size(r->h, s, 10),
				.partition = column_word(r, s, 11),
			},
	};
}

static bool
read_test(struct reading *r, struct str name, size_t most, struct history_of_test *into)
{
	bool is_row, is_right;
	struct history_record *v;
	int64_t test;

	bind_name(r->h, FIND_TEST, name);
	if (!step_once(r->h, r->h->statements[FIND_TEST], &test))
		return false;
	if (!test)
		return true;
	bind_number(r->h, FIND_ATTEMPTS, 1, (uint64_t)test);
	bind_number(r->h, FIND_ATTEMPTS, 2, most);
	r->records.n = 0;
	while ((is_right = next_row(r->h, FIND_ATTEMPTS, &is_row)) && is_row)
		VEC_PUSH(r->a, &r->records, read_record(r));
	v = NEW_ARRAY(r->a, struct history_record, r->records.n);
	for (size_t i = 0; i < r->records.n; i++)
		v[i] = r->records.v[i];
	*into = (struct history_of_test){.v = v, .n = r->records.n};
	return is_right;
}

static bool
read_all(struct reading *r, const struct str *tests, size_t n, size_t most)
{
	bool is_right = run_sql(r->h, "BEGIN") && read_runs(r) && read_configurations(r);

	for (size_t i = 0; is_right && i < n; i++)
		is_right = read_test(r, tests[i], most, &r->content->tests[i]);
	return is_right && run_sql(r->h, "COMMIT");
}

enum history_found
history_read(struct arena *a, struct str path, struct str configuration,
	const struct str *tests, size_t n, size_t most, struct history_content *content,
	struct diag *d)
{
	const struct history_options o = {
		.path = path, .keep = HISTORY_KEEP, .configuration = configuration};
	struct reading r = {.a = a, .words = map_in(a), .content = content};
	bool is_right;

	INVARIANT(content && d && (tests || !n));
	*content = (struct history_content){
		.tests = NEW_ARRAY(a, struct history_of_test, n)};
	if (!path_may_exist(str_z(a, path)))
		return HISTORY_ABSENT;
	r.h = history_open(a, &o);
	is_right = open_to_read(r.h) && (r.h->is_empty || read_all(&r, tests, n, most));
	if (!is_right)
		diag_error(d, (struct place){.file = path},
			"the history cannot be read: %.*s", STR_ARG(r.h->why));
	history_close(r.h);
	return is_right ? HISTORY_FOUND : HISTORY_UNREADABLE;
}
