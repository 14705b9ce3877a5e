/* See tag.h. Zones are the names that ctest's date parser knows, and +0100. */
#include "compat/dashboard/step/tag.h"

#include <errno.h>

#include "compat/format/stop_time.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

enum { DAY_S = 24 * 60 * 60 };

bool
tag_read(struct arena *a, struct str directory, struct tag *tag)
{
	struct str text;

	*tag = (struct tag){STR(""), STR(""), STR_NONE};
	if (!file_read(a, str_z(a, path_join(a, directory, STR("Testing/TAG"))), &text))
		return error_is_no_file(errno);
	str_take_crlf_line(&text, &tag->stamp);
	str_take_crlf_line(&text, &tag->group);
	str_take_crlf_line(&text, &tag->model);
	return true;
}

bool
tag_write(struct arena *a, struct str directory, const struct tag *tag)
{
	struct str path = path_join(a, directory, STR("Testing/TAG"));

	INVARIANT(tag);
	return file_write(a, str_z(a, path), ".tmp",
		str_fmt(a, "%.*s\n%.*s\n%.*s\n", STR_ARG(tag->stamp), STR_ARG(tag->group),
			STR_ARG(tag->model)));
}

struct str
tag_stamp(struct arena *a, int64_t seconds)
{
	char text[32] = "";
	time_t at = (time_t)seconds;
	struct tm broken;

	if (gmtime_r(&at, &broken))
		strftime(text, sizeof text, "%Y%m%d-%H%M", &broken);
	return str_dup(a, str_of(text));
}

/* ---- the nightly time ------------------------------------------------------------ */

static const struct zone {
	const char *name;
	int hours; /* to be added for UTC */
} zones[] = {
	{"UTC", 0},
	{"GMT", 0},
	{"Z", 0},
	{"WET", 0},
	{"EST", 5},
	{"EDT", 4},
	{"CST", 6},
	{"CDT", 5},
	{"MST", 7},
	{"MDT", 6},
	{"PST", 8},
	{"PDT", 7},
	{"CET", -1},
	{"MET", -1},
	{"CEST", -2},
	{"BST", -1},
	{"EET", -2},
	{"JST", -9},
};

/* Seconds to be added for UTC. */
static bool
zone_of(struct str name, int *offset)
{
	uint64_t hhmm;

	*offset = 0;
	if (name.n == 0)
		return true;
	if (name.n == 5 && (name.p[0] == '+' || name.p[0] == '-')) {
		if (!str_unsigned(str_from(name, 1), 2359, &hhmm))
			return false;
		*offset = (int)(hhmm / 100 * 3600 + hhmm % 100 * 60);
		*offset = name.p[0] == '+' ? -*offset : *offset;
		return true;
	}
	for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
		if (str_eq_nocase(name, str_of(zones[i].name))) {
			*offset = zones[i].hours * 3600;
			return true;
		}
	return false;
}

bool
tag_nightly(struct str time_of_day, int64_t now, int64_t *seconds)
{
	struct str rest = str_trim(time_of_day);
	struct tm clock;
	int offset;
	int64_t at;

	INVARIANT(seconds);
	if (!clock_take(&rest, 2, 59, &clock) || !zone_of(str_trim(rest), &offset))
		return false;
	at = now - now % DAY_S + clock.tm_hour * 3600 + clock.tm_min * 60 + clock.tm_sec +
	     offset;
	while (at > now)
		at -= DAY_S;
	while (at + DAY_S <= now)
		at += DAY_S;
	*seconds = at;
	return true;
}
