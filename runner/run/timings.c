/* See timings.h. Of two runs that end at the same time, one may lose its times. */
#include "runner/run/timings.h"

#include <errno.h>
#include <string.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"

#define HEAD "cctr-timings 1"
#define LONGEST_US ((uint64_t)1000000000 * 1000000)

enum { RUNS_MOST = 8 }; /* so that a test that has changed is known after some runs */
enum { SHARE_KEPT = 10, US_KEPT = 5000 };
enum { THREE_DIGITS = 1000 };

static struct timings
timings_in(struct arena *a)
{
	return (struct timings){.arena = a, .known = map_in(a)};
}

static struct str
key_of(struct arena *a, struct str name, struct str configuration)
{
	struct buf key = {.arena = a};

	buf_reserve(&key, configuration.n + name.n + 2);
	buf_str(&key, configuration);
	buf_char(&key, '\n');
	buf_str(&key, name);
	return buf_as_str(&key);
}

static struct test_time *
time_of(struct timings *t, struct str name, struct str configuration)
{
	uint32_t at = map_number(&t->known, key_of(t->arena, name, configuration));

	if (at == t->v.n)
		VEC_PUSH(t->arena, &t->v,
			(struct test_time){.name = name, .configuration = configuration});
	return &t->v.v[at];
}

/* ---- reading --------------------------------------------------------------------- */

/* Digits after a decimal point, as microseconds. */
static bool
read_fraction(struct str digits, uint64_t *us)
{
	uint64_t unit = 100000;

	*us = 0;
	for (size_t i = 0; i < digits.n; i++, unit /= 10) {
		unsigned digit = (unsigned char)digits.p[i] - '0';

		if (digit > 9)
			return false;
		*us += digit * unit;
	}
	return digits.n > 0;
}

static bool
read_seconds(struct str word, uint64_t *us)
{
	size_t point = str_find(word, '.');
	uint64_t whole, fraction = 0;

	if (!str_unsigned(str_cut(word.p, point), LONGEST_US / 1000000 - 1, &whole) ||
		(point < word.n && !read_fraction(str_from(word, point + 1), &fraction)))
		return false;
	*us = whole * 1000000 + fraction;
	return true;
}

/* What only failed counts as long as nothing better is known. */
static void
combine(struct test_time *t, uint64_t us, unsigned runs)
{
	if (t->runs && runs) {
		t->us = (t->us * t->runs + us * runs) / (t->runs + runs);
		t->runs = t->runs + runs < RUNS_MOST ? t->runs + runs : RUNS_MOST;
	} else if (!t->runs) {
		t->us = us;
		t->runs = runs;
	}
}

/* "seconds runs configuration test" */
static bool
take_line(struct timings *t, struct str line)
{
	struct str seconds = str_take(&line, ' '), count = str_take(&line, ' ');
	struct str configuration = str_take(&line, ' ');
	uint64_t us, runs;

	if (!read_seconds(seconds, &us) || !str_unsigned(count, RUNS_MOST, &runs) ||
		!configuration.n || !line.n)
		return false;
	if (str_is(configuration, "-"))
		configuration = STR_NONE;
	combine(time_of(t, line, configuration), us, (unsigned)runs);
	return true;
}

/* The number of the first line that is wrong; 0: none is. */
static unsigned
parse_lines(struct timings *t, struct str text)
{
	struct str line;

	for (unsigned n = 1; str_take_line(&text, &line); n++) {
		bool is_head = str_is(line, HEAD);

		if (n == 1 ? !is_head : !is_head && !take_line(t, line))
			return n;
	}
	return 0;
}

static bool
say(const struct timings_file *file, unsigned line, const char *what, const char *why,
	struct diag *d)
{
	struct place at = {.file = file->path, .line = line};

	if (file->is_named)
		return diag_error(d, at, "%s: %s", what, why);
	diag_warning(d, at, "%s, and is ignored: %s", what, why);
	return true;
}

struct str
timings_path(struct arena *a, struct str temporary)
{
	return path_join(a, temporary, STR("cctr-timings.txt"));
}

/* 0, or the errno why there is no text. A file that the user names may be a pipe. */
static int
read_text(struct arena *a, const struct timings_file *file, struct str *text)
{
	bool (*read)(struct arena *, const char *, struct str *) =
		file->is_named ? file_read_named : file_read;

	*text = STR("");
	if (read(a, str_z(a, file->path), text))
		return 0;
	return error_is_absence(errno) && !file->must_exist ? 0 : errno;
}

static bool
take_text(struct arena *a, const struct timings_file *file, struct str text,
	struct timings *t, struct diag *d)
{
	unsigned line;

	*t = timings_in(a);
	line = parse_lines(t, text);
	if (!line)
		return true;
	*t = timings_in(a);
	return say(file, line, "this is no file of times",
		line == 1 ? "its first line is not \"" HEAD "\""
			  : "a line is not \"seconds runs configuration test\"",
		d);
}

bool
timings_load(struct arena *a, const struct timings_file *file, struct timings *t,
	struct diag *d)
{
	struct str text;
	int error;

	INVARIANT(file && t && d);
	error = read_text(a, file, &text);
	if (!error)
		return take_text(a, file, text, t, d);
	*t = timings_in(a);
	return say(file, 0, "the file of times cannot be read", strerror(error), d);
}

/* Test -> index into v of its first line. */
static struct map
index_tests(struct arena *a, const struct timings *t)
{
	struct map tests = map_in(a);

	for (size_t i = 0; i < t->v.n; i++) {
		uint32_t *first = map_at(&tests, t->v.v[i].name);

		if (*first == MAP_NONE)
			*first = (uint32_t)i;
	}
	return tests;
}

void
timings_fill(const struct timings *t, struct str configuration, const struct selection *s,
	struct recorded *recorded)
{
	struct arena *scratch = arena_open();
	struct map tests = index_tests(scratch, t);

	INVARIANT(recorded || !s->n);
	for (size_t i = 0; i < s->n; i++) {
		struct str name = selected_test(s, i)->name;
		struct arena_mark mark = arena_mark(scratch);
		uint32_t at = map_get(&t->known, key_of(scratch, name, configuration));

		if (at == MAP_NONE)
			at = map_get(&tests, name);
		if (at != MAP_NONE)
			recorded[i].seconds = (double)t->v.v[at].us / 1e6;
		arena_rewind(scratch, mark);
	}
	arena_close(scratch);
}

/* ---- writing --------------------------------------------------------------------- */

/* To three digits: more of a measured time would only be different in each version. */
static uint64_t
rounded(uint64_t us)
{
	uint64_t unit = 1;

	while (us / unit >= THREE_DIGITS)
		unit *= 10;
	us = (us + unit / 2) / unit * unit;
	return us ? us : 1;
}

static bool
is_about(uint64_t us, uint64_t other)
{
	uint64_t least = us < other ? us : other, apart = us + other - 2 * least;

	return apart <= US_KEPT || apart <= least / SHARE_KEPT;
}

/* A failure may have come early. */
static void
blend_result(struct test_time *t, const struct result *r)
{
	uint64_t us = r->outcome.duration_ns / 1000;
	bool has_passed = r->verdict.kind == VERDICT_PASSED;

	if (us >= LONGEST_US)
		us = LONGEST_US - 1;
	if (!has_passed && (t->runs || (t->us && is_about(us, t->us))))
		return;
	if (has_passed && t->runs && is_about(us, t->us))
		return;
	if (t->runs == RUNS_MOST)
		t->runs--;
	combine(t, us, has_passed);
	t->us = rounded(t->us);
}

/* Whether a line can hold the words. */
static bool
can_be_written(struct str name, struct str configuration)
{
	return name.n && str_find(name, '\n') == name.n &&
	       str_find(configuration, ' ') == configuration.n &&
	       str_find(configuration, '\n') == configuration.n &&
	       !str_is(configuration, "-");
}

static void
add_results(struct timings *t, struct str configuration, const struct tally *tally)
{
	for (size_t i = 0; i < tally->results.n; i++) {
		const struct result *r = &tally->results.v[i];

		if (r->outcome.ending != END_NOT_STARTED &&
			can_be_written(r->test->name, configuration))
			blend_result(time_of(t, r->test->name, configuration), r);
	}
}

static void
drop_tests(struct timings *t, struct str configuration, const struct suite *suite)
{
	struct map names = map_in(t->arena);
	size_t old = 0, kept = 0;

	if (t->v.n <= suite->n)
		return;
	for (size_t i = 0; i < suite->n; i++)
		map_add(&names, suite->tests[i].name);
	for (size_t i = 0; i < t->v.n; i++)
		old += str_eq(t->v.v[i].configuration, configuration) &&
		       !map_has(&names, t->v.v[i].name);
	for (size_t i = 0; i < t->v.n; i++)
		if (old <= suite->n || !str_eq(t->v.v[i].configuration, configuration) ||
			map_has(&names, t->v.v[i].name))
			t->v.v[kept++] = t->v.v[i];
	t->v.n = kept;
}

SORT_BY(sort_times, struct test_time, TEXTUAL(name) TEXTUAL(configuration))

static void
add_seconds(struct buf *out, uint64_t us)
{
	uint64_t fraction = us % 1000000;

	buf_number(out, us / 1000000, 0);
	if (!fraction)
		return;
	buf_char(out, '.');
	for (uint64_t unit = 100000; fraction; fraction %= unit, unit /= 10)
		buf_char(out, (char)('0' + fraction / unit));
}

static struct str
text_of(const struct timings *t)
{
	struct buf out = {.arena = t->arena};

	sort_times(t->v.v, t->v.n);
	buf_z(&out, HEAD "\n");
	for (size_t i = 0; i < t->v.n; i++) {
		const struct test_time *time = &t->v.v[i];

		add_seconds(&out, time->us);
		buf_char(&out, ' ');
		buf_number(&out, time->runs, 0);
		buf_char(&out, ' ');
		buf_str(&out, time->configuration.n ? time->configuration : STR("-"));
		buf_char(&out, ' ');
		buf_str(&out, time->name);
		buf_char(&out, '\n');
	}
	return buf_as_str(&out);
}

static bool
fail_file(const struct timings_file *file, const char *what, int error, struct diag *d)
{
	return diag_error(d, (struct place){.file = file->path},
		"the file of times cannot be %s: %s", what, strerror(error));
}

bool
timings_save(struct arena *a, const struct timings_file *file, struct str configuration,
	const struct suite *suite, const struct tally *tally, struct diag *d)
{
	struct timings t;
	struct str text, old;
	int error;

	INVARIANT(tally && d);
	if (!tally->results.n)
		return true;
	error = read_text(a, file, &old);
	if (error)
		return fail_file(file, "read", error, d);
	if (!take_text(a, file, old, &t, d))
		return false;
	add_results(&t, configuration, tally);
	if (suite)
		drop_tests(&t, configuration, suite);
	text = text_of(&t);
	return str_eq(old, text) || file_write(a, str_z(a, file->path), ".tmp", text) ||
	       fail_file(file, "written", errno, d);
}
