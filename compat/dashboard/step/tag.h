/*
 * Testing/TAG: the dashboard that results belong to. Three lines: the tag (a day and a
 * time in UTC), the group, the model.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_TAG_H
#define CCTR_COMPAT_DASHBOARD_STEP_TAG_H

#include "runner/base/base.h"

#include "compat/options/dashboard_options.h"

struct tag {
	struct str stamp; /* "20261121-0755", "" for none */
	struct str group; /* "" if the file lacks it */
	struct str model; /* STR_NONE if the file lacks it */
};

/* Reads the file; a missing one gives nothing. false: it cannot be read, see errno. */
bool tag_read(struct arena *a, struct str directory, struct tag *tag);
/* false: see errno. */
bool tag_write(struct arena *a, struct str directory, const struct tag *tag);

/* "%Y%m%d-%H%M" in UTC. */
struct str tag_stamp(struct arena *a, int64_t seconds);
/* The latest time, at most now, with the time of day "21:00:00 EDT"; UTC if no zone is
 * named. false: not a time of day. */
bool tag_nightly(struct str time_of_day, int64_t now, int64_t *seconds);

#endif
