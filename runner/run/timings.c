/* See timings.h. Of two runs that end at the same time, one may lose its times. */
#include "runner/run/timings.h"

#include <errno.h>
#include <string.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

#define HEAD "cctr-timings 1"

enum { RUNS_MOST = 8 }; /* so that a test that has changed is known after some runs */
#define LONGEST_US ((uint64_t)1000000000 * 1000000)

/* ---- reading --------------------------------------------------------------------- */

static struct timings
times_in(struct arena *a)
{
	return (struct timings){.arena = a, .known = map_in(a)};
}

static struct test_time *
time_of(struct timings *t, struct str name)
{
	uint32_t at = map_number(&t->known, name);

	if (at == t->v.n)
		VEC_PUSH(t->arena, &t->v, (struct test_time){.name = name});
	return &t->v.v[at];
}

static bool
take_number(struct str *line, uint64_t most, uint64_t *number)
{
	size_t n = str_find(*line, ' ');
	bool is_number = n < line->n && str_unsigned(str_cut(line->p, n), most, number);

	*line = str_from(*line, n < line->n ? n + 1 : n);
	return is_number;
}

static bool
take_line(struct timings *t, struct str line)
{
	struct test_time *time;
	uint64_t us, runs;

	if (!take_number(&line, LONGEST_US, &us) || !take_number(&line, RUNS_MOST, &runs))
		return false;
	time = time_of(t, line);
	time->mean_us = us;
	time->runs = (unsigned)runs;
	return true;
}

/* *line: the first line that is wrong, then nothing is known; 0: none is. */
static struct timings
parse_record(struct arena *a, struct str text, unsigned *line)
{
	struct timings t = times_in(a);
	struct str words;

	*line = 1;
	if (!str_take_line(&text, &words) || !str_is(words, HEAD))
		return t;
	while (str_take_line(&text, &words)) {
		++*line;
		if (!take_line(&t, words))
			return times_in(a);
	}
	*line = 0;
	return t;
}

static struct str
path_in(struct arena *a, struct str directory)
{
	return path_join(a, directory, STR("cctr-timings.txt"));
}

/* A missing or unreadable file is as an empty record. */
static struct str
read_record(struct arena *a, struct str path, struct diag *d)
{
	struct str text;

	if (file_read(a, path.p, &text))
		return text;
	if (!error_is_absence(errno))
		diag_warning(d, (struct place){.file = path},
			"the record of times cannot be read: %s", strerror(errno));
	return STR(HEAD);
}

static void
warn_of_line(struct diag *d, struct str path, unsigned line)
{
	if (line)
		diag_warning(d, (struct place){.file = path, .line = line},
			"this is no record of times, and is ignored");
}

struct timings
timings_load(struct arena *a, struct str directory, struct diag *d)
{
	struct str path = path_in(a, directory);
	unsigned line;
	struct timings t = parse_record(a, read_record(a, path, d), &line);

	INVARIANT(d);
	warn_of_line(d, path, line);
	return t;
}

void
timings_fill(
	const struct timings *t, const struct selection *s, struct recorded *recorded)
{
	INVARIANT(recorded);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t at = map_get(&t->known, s->suite->tests[s->v[i].test].name);

		if (at != MAP_NONE)
			recorded[i].seconds = (double)t->v.v[at].mean_us / 1e6;
	}
}

/* ---- writing --------------------------------------------------------------------- */

/* A failure, which may have come early, counts only as long as nothing better is known.
 */
static void
blend_result(struct test_time *t, const struct result *r)
{
	uint64_t us = r->outcome.duration_ns / 1000, runs = t->runs;

	if (us > LONGEST_US)
		us = LONGEST_US;
	t->is_of_run = true;
	if (r->verdict.kind != VERDICT_PASSED) {
		t->mean_us = runs ? t->mean_us : us;
		return;
	}
	if (runs == RUNS_MOST)
		runs--;
	t->mean_us = (runs * t->mean_us + us) / (runs + 1);
	t->runs = (unsigned)runs + 1;
}

static void
add_results(struct timings *t, const struct tally *tally)
{
	for (size_t i = 0; i < tally->results.n; i++) {
		const struct result *r = &tally->results.v[i];
		struct str name = r->test->name;

		if (r->outcome.ending != END_NOT_STARTED &&
			str_find(name, '\n') == name.n)
			blend_result(time_of(t, name), r);
	}
}

static size_t
add_times(struct buf *out, const struct timings *t, bool are_of_run, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < t->v.n && n < most; i++) {
		const struct test_time *time = &t->v.v[i];

		if (time->is_of_run != are_of_run)
			continue;
		buf_number(out, time->mean_us, 0);
		buf_char(out, ' ');
		buf_number(out, time->runs, 0);
		buf_char(out, ' ');
		buf_str(out, time->name);
		buf_char(out, '\n');
		n++;
	}
	return n;
}

/* The text of the new record, from that of the old one. *line: the first line of the old
 * record that is wrong, for which all of it is ignored; 0: none is. */
static struct str
update_record(struct arena *a, struct str text, const struct selection *s,
	const struct tally *tally, unsigned *line)
{
	struct timings t = parse_record(a, text, line);
	struct buf out = {.arena = a};
	size_t most = 2 * s->suite->n;

	add_results(&t, tally);
	buf_z(&out, HEAD "\n");
	most -= add_times(&out, &t, true, most);
	add_times(&out, &t, false, most);
	return buf_as_str(&out);
}

void
timings_save(struct arena *a, struct str directory, const struct selection *s,
	const struct tally *tally, struct diag *d)
{
	struct str path = path_in(a, directory), text;
	unsigned line;

	INVARIANT(tally && d);
	if (!tally->results.n)
		return;
	text = update_record(a, read_record(a, path, d), s, tally, &line);
	warn_of_line(d, path, line);
	if (!file_write(a, path.p, ".tmp", text))
		diag_warning(d, (struct place){.file = path},
			"the record of times cannot be written: %s", strerror(errno));
}
