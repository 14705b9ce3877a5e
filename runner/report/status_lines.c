/* See status_lines.h. */
#include "runner/report/status_lines.h"

#include <inttypes.h>

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define NORMAL "\033[m"

/* A line, which ends where the terminal does. */
struct line {
	struct buf *out;
	const struct status_place *place;
	size_t left; /* columns */
	struct buf part;
};

/* "1:05", "2:00:07" */
static void
add_time(struct buf *out, double seconds)
{
	uint64_t s = seconds > 0 && seconds < 1e9 ? (uint64_t)seconds : 0;

	if (s >= 3600)
		buf_fmt(out, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
			s / 60 % 60, s % 60);
	else
		buf_fmt(out, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

/* colour: NULL for none. */
static void
add_part(struct line *l, const char *colour)
{
	bool has_colour = colour && l->place->has_colour && l->left;
	bool is_cut = columns_of(l->place->columns, buf_as_str(&l->part)) > l->left;

	if (has_colour)
		buf_z(l->out, colour);
	l->left -= columns_add(l->place->columns, l->out, buf_as_str(&l->part), l->left);
	if (has_colour)
		buf_z(l->out, NORMAL);
	if (is_cut)
		l->left = 0;
	l->part.n = 0;
}

static void
add_count(struct line *l, const char *separator, size_t n, const char *word,
	const char *colour)
{
	buf_z(&l->part, separator);
	add_part(l, NULL);
	buf_fmt(&l->part, "%zu %s", n, word);
	add_part(l, n ? colour : NULL);
}

static void
add_times(struct line *l, const struct status *s)
{
	buf_z(&l->part, " | ");
	add_time(&l->part, s->seconds);
	if (s->is_ending) {
		add_part(l, NULL);
		buf_z(&l->part, ", interrupted");
		add_part(l, YELLOW);
	} else if (s->left_s >= 0) {
		buf_z(&l->part, ", ");
		add_time(&l->part, s->left_s);
		buf_z(&l->part, " left");
	}
	add_part(l, NULL);
}

static void
add_totals(struct line *l, const struct status *s)
{
	buf_fmt(&l->part, "%zu/%zu tests", s->ended, s->tests);
	add_part(l, NULL);
	add_count(l, ": ", s->passed, "passed", GREEN);
	if (s->flaky)
		add_count(l, ", ", s->flaky, "flaky", YELLOW);
	add_count(l, ", ", s->failed, "failed", RED);
	add_count(l, ", ", s->running, "running", YELLOW);
	add_times(l, s);
	buf_fmt(&l->part, " | slots %zu", s->slots_used);
	if (s->slots)
		buf_fmt(&l->part, "/%zu", s->slots);
	if (s->gpus)
		buf_fmt(&l->part, " | GPUs %" PRIu64 "/%" PRIu64, s->gpus_used, s->gpus);
	add_part(l, NULL);
}

static void
add_test(struct line *l, const struct status_test *t)
{
	enum { TIME_COLUMNS = 8 };
	struct buf time = {.arena = l->part.arena};

	add_time(&time, t->seconds);
	buf_fill(&l->part, ' ', time.n < TIME_COLUMNS ? TIME_COLUMNS - time.n : 0);
	buf_str(&l->part, buf_as_str(&time));
	buf_fmt(&l->part, "  #%u: ", t->number);
	buf_str(&l->part, t->name);
	add_part(l, NULL);
}

static void
begin_line(struct line *l, bool is_first)
{
	if (!is_first)
		buf_char(l->out, '\n');
	l->left = l->place->width;
}

void
status_lines(struct buf *out, const struct status *s, const struct status_place *p)
{
	struct line l = {.out = out, .place = p, .part = {.arena = out->arena}};
	size_t room = p->rows ? p->rows - 1 : 0;
	size_t shown = s->running <= room ? s->running : room ? room - 1 : 0;

	if (!p->rows || !p->width)
		return;
	if (shown > s->n)
		shown = s->n;
	begin_line(&l, true);
	add_totals(&l, s);
	for (size_t i = 0; i < shown; i++) {
		begin_line(&l, false);
		add_test(&l, &s->v[i]);
	}
	if (shown == s->running || !room)
		return;
	begin_line(&l, false);
	buf_fmt(&l.part, "          and %zu more", s->running - shown);
	add_part(&l, NULL);
}
