/*
 * Tracks for a picture of the run. A stay is the time for which a test held one processor
 * slot, or some of one instance of a resource. Every stay has a track, and the stays of
 * one track do not overlap.
 */
#ifndef CCTR_RUNNER_REPORT_TIMELINE_H
#define CCTR_RUNNER_REPORT_TIMELINE_H

#include "runner/base/base.h"

struct stay {
	uint64_t began_ns, ended_ns;
	struct str machine, name; /* what is held, and where */
	uint64_t amount; /* how much of it */
	size_t owner; /* a number of the caller's: who holds it */
	bool is_first; /* of the stays of its owner */
	uint32_t track; /* filled in: an index */
};
typedef VEC(struct stay) stay_vec;

/* The first track of a name has lane 0. There are more where several tests held some of
 * it at a time. */
struct track {
	struct str machine, name;
	uint32_t lane;
	uint64_t ended_ns; /* of its last stay */
};
typedef VEC(struct track) track_vec;

/* Sorts the stays by their begin. Each gets the first track that is free by then. */
track_vec timeline_place(struct arena *a, stay_vec *stays);

#endif
