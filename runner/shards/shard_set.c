/* See shard_set.h. */
#include "runner/shards/shard_set.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "runner/base/files.h"
#include "runner/base/sort.h"

enum { CODE_TESTS_FAILED = 8, NAMED_MOST = 20 };

static struct place
place_of(const struct shard_file *f)
{
	return (struct place){.file = f->path};
}

bool
shard_file_read(struct arena *a, struct shard_file *f, struct diag *d)
{
	struct str bytes;
	const char *why;

	if (!(f->is_named ? file_read_named : file_read)(a, f->path.p, &bytes))
		return diag_error(d, place_of(f), "cannot be read: %s", strerror(errno));
	why = shard_read(a, bytes, &f->record);
	if (why)
		return diag_error(d, place_of(f), "is damaged: %s", why);
	return f->record.has_end ||
	       diag_error(d, place_of(f),
		       "has no end: shard %u of %u was killed, or still runs",
		       f->record.head.shard, f->record.head.shards);
}

/* ---- one run --------------------------------------------------------------------- */

SORT_BY(sort_files, struct shard_file, ASCENDING(record.head.shard) TEXTUAL(path))

/* What differs, with its values; NULL: nothing does. */
static const char *
find_difference(struct arena *a, const struct shard_head *x, const struct shard_head *y)
{
	if (x->shards != y->shards)
		return str_fmt_z(
			a, "it is one of %u shards, not of %u", y->shards, x->shards);
	if (x->tests != y->tests)
		return str_fmt_z(a, "all its shards have %" PRIu64 " tests, not %" PRIu64,
			y->tests, x->tests);
	if (x->key != y->key || x->suite_n != y->suite_n)
		return str_fmt_z(
			a, "its key is %016" PRIx64 ", not %016" PRIx64, y->key, x->key);
	if (x->commit.n && y->commit.n && !str_eq(x->commit, y->commit))
		return str_fmt_z(a, "its commit is %.*s, not %.*s", STR_ARG(y->commit),
			STR_ARG(x->commit));
	if (!str_eq(x->configuration, y->configuration))
		return str_fmt_z(a, "its configuration is \"%.*s\", not \"%.*s\"",
			STR_ARG(y->configuration), STR_ARG(x->configuration));
	return NULL;
}

/* All are compared with the first that is given. */
static bool
check_heads(struct arena *a, const struct shard_file *v, size_t n, struct diag *d)
{
	for (size_t i = 1; i < n; i++) {
		const char *what =
			find_difference(a, &v[0].record.head, &v[i].record.head);

		if (what)
			return diag_error(d, place_of(&v[i]),
				"belongs to another run than %.*s: %s",
				STR_ARG(v[0].path), what);
	}
	return true;
}

static bool
say_missing(struct arena *a, const bool *is_there, uint32_t n, struct diag *d)
{
	struct buf names = {.arena = a};
	uint32_t missing = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (is_there[i])
			continue;
		if (missing < NAMED_MOST)
			buf_fmt(&names, "%s%u", missing ? ", " : "", i + 1);
		missing++;
	}
	if (missing > NAMED_MOST)
		buf_fmt(&names, " and %u others", missing - NAMED_MOST);
	return !missing || diag_error(d, NO_PLACE, "shard%s %.*s of %u %s missing",
				   missing > 1 ? "s" : "", str_precision(names.n),
				   names.p, n, missing > 1 ? "are" : "is");
}

/* v is sorted. */
static bool
check_numbers(struct arena *a, const struct shard_file *v, size_t n, struct diag *d)
{
	uint32_t shards = v[0].record.head.shards;
	bool *is_there = NEW_ARRAY(a, bool, shards);

	for (size_t i = 0; i < n; i++) {
		if (i && v[i].record.head.shard == v[i - 1].record.head.shard)
			return diag_error(d, place_of(&v[i]),
				"has shard %u of %u, as %.*s has", v[i].record.head.shard,
				shards, STR_ARG(v[i - 1].path));
		is_there[v[i].record.head.shard - 1] = true;
	}
	return say_missing(a, is_there, shards, d);
}

/* ---- its tests ------------------------------------------------------------------- */

struct of_test {
	unsigned number;
	const struct shard_attempt *attempt;
	const struct shard_file *file;
};

SORT_BY(sort_tests, struct of_test, ASCENDING(number) ASCENDING(file))

/* Whether two results of one number can be from one run: setups and cleanups of fixtures
 * run in several shards. */
static bool
check_pair(const struct of_test *x, const struct of_test *y, struct diag *d)
{
	if (!str_eq(x->attempt->test.name, y->attempt->test.name))
		return diag_error(d, place_of(y->file),
			"belongs to another run than %.*s: test %u is %.*s, not %.*s",
			STR_ARG(x->file->path), y->number, STR_ARG(y->attempt->test.name),
			STR_ARG(x->attempt->test.name));
	if (x->file == y->file || (x->attempt->is_own && y->attempt->is_own))
		return diag_error(d, place_of(y->file),
			"has a second result of test %u, %.*s; the first is in %.*s",
			y->number, STR_ARG(y->attempt->test.name),
			STR_ARG(x->file->path));
	return true;
}

/* After --stop-on-failure some tests have no result. */
static bool
check_sums(const struct shard_file *f, uint64_t results, struct diag *d)
{
	const struct shard_head *h = &f->record.head;

	if (results == h->own)
		return true;
	if (results < h->own && f->record.end.code) {
		diag_warning(d, place_of(f),
			"shard %u of %u has results of only %" PRIu64 " of its %" PRIu64
			" tests",
			h->shard, h->shards, results, h->own);
		return true;
	}
	return diag_error(d, place_of(f),
		"shard %u of %u has results of %" PRIu64 " tests, not of %" PRIu64,
		h->shard, h->shards, results, h->own);
}

static bool
check_tests(struct arena *a, const struct shard_file *v, size_t n, struct diag *d)
{
	VEC(struct of_test) all = {0};
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct shard_record *r = &v[i].record;
		uint64_t own = 0;

		for (size_t k = 0; k < r->attempts.n; k++) {
			const struct shard_attempt *x = &r->attempts.v[k];

			if (!x->is_last)
				continue;
			own += x->is_own;
			VEC_PUSH(a, &all, (struct of_test){x->number, x, &v[i]});
		}
		if (!check_sums(&v[i], own, d))
			return false;
		sum += r->head.own;
	}
	sort_tests(all.v, all.n);
	for (size_t i = 1; i < all.n; i++)
		if (all.v[i].number == all.v[i - 1].number &&
			!check_pair(&all.v[i - 1], &all.v[i], d))
			return false;
	return sum == v[0].record.head.tests ||
	       diag_error(d, NO_PLACE,
		       "all shards together have %" PRIu64 " tests, not %" PRIu64, sum,
		       v[0].record.head.tests);
}

bool
shard_set_check(struct arena *a, struct shard_file *v, size_t n, struct diag *d)
{
	INVARIANT(n > 0);
	if (!check_heads(a, v, n, d))
		return false;
	for (size_t i = 0; i < n; i++)
		if (v[i].record.end.signal)
			return diag_error(d, place_of(&v[i]),
				"shard %u of %u was interrupted by signal %d",
				v[i].record.head.shard, v[i].record.head.shards,
				v[i].record.end.signal);
	sort_files(v, n);
	return check_numbers(a, v, n, d) && check_tests(a, v, n, d);
}

int
shard_set_code(const struct shard_file *v, size_t n)
{
	int worst = 0;

	for (size_t i = 0; i < n; i++) {
		int code = v[i].record.end.code;

		if (worst != CODE_TESTS_FAILED &&
			(code == CODE_TESTS_FAILED || code > worst))
			worst = code;
	}
	return worst;
}
