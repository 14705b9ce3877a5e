/*
 * ctest puts the time behind today's date, which it takes from UTC, and reads both in
 * the local zone; a time that has passed today is tomorrow's.
 */
#include "compat/stop_time.h"

#include <time.h>

enum { DAY_S = 24 * 60 * 60 };

/* One or two digits up to the limit; the text loses them. */
static bool
take_number(struct str *text, int limit, int *value)
{
	size_t n = 0;

	*value = 0;
	for (; n < text->n && n < 2 && text->p[n] >= '0' && text->p[n] <= '9'; n++)
		*value = *value * 10 + (text->p[n] - '0');
	*text = str_from(*text, n);
	return n > 0 && *value <= limit;
}

static bool
take_colon(struct str *text)
{
	if (!text->n || text->p[0] != ':')
		return false;
	*text = str_from(*text, 1);
	return true;
}

static bool
read_clock(struct str text, struct tm *clock)
{
	text = str_trim(text);
	if (!take_number(&text, 23, &clock->tm_hour) || !take_colon(&text) ||
		!take_number(&text, 59, &clock->tm_min))
		return false;
	clock->tm_sec = 0;
	if (take_colon(&text) && !take_number(&text, 60, &clock->tm_sec))
		return false;
	return text.n == 0;
}

bool
stop_time_parse(struct str text, int64_t now_s, int64_t *stop_s)
{
	time_t now = (time_t)now_s;
	struct tm local, date;

	localtime_r(&now, &local);
	gmtime_r(&now, &date);
	if (!read_clock(text, &date))
		return false;
	*stop_s = (int64_t)timegm(&date) - local.tm_gmtoff;
	if (*stop_s < now_s)
		*stop_s += DAY_S;
	return true;
}
