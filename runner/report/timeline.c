/* See timeline.h. */
#include "runner/report/timeline.h"

#include "runner/base/sort.h"

/* The tracks of one machine and name, by lane. */
typedef VEC(uint32_t) lane_vec;
struct placing {
	struct arena *a;
	struct map names; /* of machine and name -> index of lanes */
	VEC(lane_vec) lanes;
	track_vec tracks;
};

/* Stays of one owner begin together, and stay in their order. */
SORT_BY(sort_stays, struct stay,
	ASCENDING(began_ns) ASCENDING(owner) DESCENDING(is_first))

static lane_vec *
find_lanes(struct placing *p, const struct stay *s)
{
	struct str key =
		str_fmt(p->a, "%.*s\n%.*s", STR_ARG(s->machine), STR_ARG(s->name));
	uint32_t at = map_number(&p->names, key);

	if (at == p->lanes.n)
		VEC_PUSH(p->a, &p->lanes, (lane_vec){0});
	return &p->lanes.v[at];
}

static uint32_t
add_track(struct placing *p, lane_vec *lanes, const struct stay *s)
{
	uint32_t track = (uint32_t)p->tracks.n;

	VEC_PUSH(p->a, &p->tracks,
		(struct track){s->machine, s->name, (uint32_t)lanes->n, 0});
	VEC_PUSH(p->a, lanes, track);
	return track;
}

static uint32_t
free_track(struct placing *p, const struct stay *s)
{
	lane_vec *lanes = find_lanes(p, s);

	for (size_t i = 0; i < lanes->n; i++)
		if (p->tracks.v[lanes->v[i]].ended_ns <= s->began_ns)
			return lanes->v[i];
	return add_track(p, lanes, s);
}

track_vec
timeline_place(struct arena *a, stay_vec *stays)
{
	struct placing p = {.a = a, .names = map_in(a)};

	sort_stays(stays->v, stays->n);
	for (size_t i = 0; i < stays->n; i++) {
		struct stay *s = &stays->v[i];

		INVARIANT(s->began_ns <= s->ended_ns);
		s->track = free_track(&p, s);
		p.tracks.v[s->track].ended_ns = s->ended_ns;
	}
	return p.tracks;
}
