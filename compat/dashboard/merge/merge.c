/* The words of `cctr merge`, and the files that they name. See merge.h. */
#include "compat/dashboard/merge/merge.h"

#include <errno.h>

#include "compat/dashboard/merge/merge_reports.h"
#include "runner/base/files.h"
#include "runner/base/streams.h"

enum { CODE_OK = 0, CODE_FAILED = 1, CODE_USAGE = 2 };

static const char usage[] =
	"Usage: cctr merge [<options>] <shard>...\n"
	"\n"
	"  <shard>                 a file cctr-shard-<i>-of-<n>, or a folder or build "
	"tree "
	"with such files\n"
	"\n"
	"  --output-junit <file>   writes the results of all shards as JUnit's XML\n"
	"  --into <dir>            writes Test.xml and the history below <dir>/Testing\n"
	"  --timings <file>        adds how long the tests took\n";

struct client {
	struct arena *arena;
	struct str junit, into, timings;
	VEC(struct shard_file) files;
	struct diag diag;
};

/* ---- the words ------------------------------------------------------------------- */

static bool
add_from(struct client *c, struct str folder)
{
	str_vec names = {0};

	if (!directory_read(c->arena, folder.p, &names))
		return error_is_absence(errno) ||
		       diag_system(&c->diag, folder, "cannot be read", errno);
	str_list_sort(str_vec_list(&names));
	for (size_t i = 0; i < names.n; i++)
		if (str_begins(names.v[i], STR("cctr-shard-")))
			VEC_PUSH(c->arena, &c->files,
				(struct shard_file){
					.path = path_join(c->arena, folder, names.v[i])});
	return true;
}

/* A file, or a folder with records, also one of a build tree. */
static bool
add_shard(struct client *c, struct str word)
{
	size_t before = c->files.n;

	if (!path_is_directory(word.p)) {
		VEC_PUSH(c->arena, &c->files,
			(struct shard_file){.path = word, .is_named = true});
		return true;
	}
	if (!add_from(c, word) || !add_from(c, path_join(c->arena, word, STR("Testing"))))
		return false;
	return c->files.n > before || diag_error(&c->diag, (struct place){.file = word},
					      "has no record of a shard");
}

/* Takes "--name value" and "--name=value". true: it is that option; *is_right: and it has
 * a value. */
static bool
take_option(struct str_list words, size_t *at, const char *name, struct str *value,
	bool *is_right)
{
	struct str word = words.v[*at], head = str_of(name);

	if (!str_begins(word, head) || (word.n > head.n && word.p[head.n] != '='))
		return false;
	if (word.n > head.n)
		*value = str_from(word, head.n + 1);
	else if (*at + 1 < words.n)
		*value = words.v[++*at];
	*is_right = value->n > 0;
	return true;
}

static int
refuse_word(struct client *c, const char *why, struct str word)
{
	streams_put(STREAM_ERROR,
		str_fmt(c->arena, "cctr merge: %.*s%s: see cctr merge --help\n",
			STR_ARG(word), why));
	return CODE_USAGE;
}

/* CODE_OK: the words are understood. */
static int
read_words(struct client *c, struct str_list words)
{
	str_vec shards = {0};
	bool is_right = true;

	for (size_t i = 0; i < words.n; i++) {
		struct str word = words.v[i];

		if (take_option(words, &i, "--output-junit", &c->junit, &is_right) ||
			take_option(words, &i, "--into", &c->into, &is_right) ||
			take_option(words, &i, "--timings", &c->timings, &is_right)) {
			if (!is_right)
				return refuse_word(c, " lacks its value", word);
		} else if (str_begins(word, STR("-")))
			return refuse_word(c, " is not known", word);
		else
			VEC_PUSH(c->arena, &shards, word);
	}
	if (!shards.n)
		return refuse_word(c, "no shard is named", STR(""));
	for (size_t i = 0; i < shards.n; i++)
		if (!add_shard(c, shards.v[i]))
			return CODE_FAILED;
	return CODE_OK;
}

/* ---- the shards ------------------------------------------------------------------ */

/* NULL after a message. */
static struct merged_run *
read_shards(struct client *c)
{
	for (size_t i = 0; i < c->files.n; i++)
		if (!shard_file_read(c->arena, &c->files.v[i], &c->diag))
			return NULL;
	if (!shard_set_check(c->arena, c->files.v, c->files.n, &c->diag))
		return NULL;
	return merged_run_of(c->arena, c->files.v, c->files.n);
}

/* The release of ctest whose formats the shards were asked for. */
static bool
choose_dialect(struct client *c, const struct merged_run *m, struct dialect *dialect)
{
	return dialect_choose(dialect, c->arena, m->files[0].record.head.dialect, NULL,
		STR_NONE, &c->diag);
}

static int
merge_shards(struct client *c)
{
	struct merged_run *m = read_shards(c);
	struct console_options options = {.is_called_ctest = false};
	struct merge_request q = {.junit = c->junit, .timings = c->timings};
	struct dialect dialect;
	bool is_written, is_shown;
	int code;

	if (!m || !choose_dialect(c, m, &dialect))
		return CODE_FAILED;
	if (c->into.n)
		q.into = path_join(c->arena, path_here(c->arena), c->into);
	q.dialect = &dialect;
	options.has_colour = console_wants_colour(&dialect);
	q.console = console_open(c->arena, &options, &dialect, NULL);
	is_written = merge_reports_write(m, &q, &c->diag);
	is_shown = console_close(q.console);
	code = shard_set_code(m->files, m->n);
	return code || (is_written && is_shown) ? code : CODE_FAILED;
}

int
merge_client(struct arena *a, struct str_list words)
{
	struct client c = {.arena = a, .diag = diag_in(a)};
	int code;

	if (words.n == 1 && (str_is(words.v[0], "--help") || str_is(words.v[0], "-h"))) {
		streams_put(STREAM_OUTPUT, STR(usage));
		return CODE_OK;
	}
	code = read_words(&c, words);
	if (code == CODE_OK)
		code = merge_shards(&c);
	streams_put_diag("cctr merge", &c.diag);
	return code;
}
