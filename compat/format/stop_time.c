/*
 * ctest puts today's date (in UTC) before the time and its own zone after it, and gives
 * the whole to a date parser. Until 4.0 that parser accepts a weekday beside the time,
 * whatever day it is, ignores punctuation, and means midnight if there is no time; the
 * later one knows "am" and "pm". A second date or zone is an error. A time that has
 * passed today means tomorrow.
 */
#include "compat/format/stop_time.h"

#include <ctype.h>
#include <strings.h>

#include "runner/base/local_time.h"

enum { DAY_S = 24 * 60 * 60 };

/* ---- numbers --------------------------------------------------------------------- */

/* At most limit. Removes the number's digits from the text; digits: how many there may
 * be. */
static bool
take_number(struct str *text, size_t digits, int limit, int *value)
{
	size_t n = 0;

	*value = 0;
	for (; n < text->n && n < digits && isdigit((unsigned char)text->p[n]); n++)
		if (*value <= limit)
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

bool
clock_take(struct str *text, size_t digits, int second_most, struct tm *clock)
{
	clock->tm_sec = 0;
	if (!take_number(text, digits, 23, &clock->tm_hour) || !take_colon(text) ||
		!take_number(text, digits, 59, &clock->tm_min))
		return false;
	return !take_colon(text) ||
	       take_number(text, digits, second_most, &clock->tm_sec);
}

/* ---- until 4.3 ------------------------------------------------------------------- */

static struct str
take_word(struct str *text)
{
	size_t n = 0;
	struct str word;

	while (n < text->n && isalpha((unsigned char)text->p[n]))
		n++;
	word = str_cut(text->p, n);
	*text = str_from(*text, n);
	return word;
}

static bool
is_weekday(struct str word)
{
	static const char *const names[] = {"Monday", "Tuesday", "Wednesday", "Thursday",
		"Friday", "Saturday", "Sunday"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if ((word.n == 3 || word.n == str_of(names[i]).n) &&
			strncasecmp(word.p, names[i], word.n) == 0)
			return true;
	return false;
}

static bool
read_words(struct str text, struct tm *clock)
{
	bool has_clock = false, has_weekday = false;

	clock->tm_hour = clock->tm_min = clock->tm_sec = 0;
	while (text.n) {
		if (isdigit((unsigned char)text.p[0])) {
			if (has_clock || !clock_take(&text, 2, 60, clock))
				return false;
			has_clock = true;
		} else if (isalpha((unsigned char)text.p[0])) {
			if (has_weekday || !is_weekday(take_word(&text)))
				return false;
			has_weekday = true;
		} else {
			text = str_from(text, 1);
		}
	}
	return true;
}

/* ---- since 4.1 ------------------------------------------------------------------- */

/* 'a', 'p', or 0 for neither. */
static char
take_half(struct str *text)
{
	static const char *const names[] = {"a.m.", "p.m.", "am", "pm"};

	*text = str_trim(*text);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text->n == str_of(names[i]).n &&
			strncasecmp(text->p, names[i], text->n) == 0) {
			*text = STR("");
			return i % 2 ? 'p' : 'a';
		}
	return 0;
}

static bool
read_time(struct str text, struct tm *clock)
{
	struct str all = str_trim(text);
	bool has_minutes;
	char half;

	text = all;
	has_minutes = clock_take(&text, all.n, 59, clock);
	if (!has_minutes) {
		text = all;
		clock->tm_min = clock->tm_sec = 0;
		if (!take_number(&text, all.n, 23, &clock->tm_hour))
			return false;
	}
	half = take_half(&text);
	if (text.n || (half && clock->tm_hour > 12) || (!half && !has_minutes))
		return false;
	if (half)
		clock->tm_hour = clock->tm_hour % 12 + (half == 'p' ? 12 : 0);
	return true;
}

/* ---- both ------------------------------------------------------------------------ */

bool
stop_time_parse(
	const struct dialect *dialect, struct str text, int64_t now_s, int64_t *stop_s)
{
	time_t now = (time_t)now_s;
	struct tm local, date;

	INVARIANT(stop_s);
	if (!local_time(now_s, &local) || !gmtime_r(&now, &date) ||
		!(dialect->has[DIALECT_STOP_TIME_AM_PM] ? read_time : read_words)(
			text, &date))
		return false;
	*stop_s = (int64_t)timegm(&date) - local.tm_gmtoff;
	if (*stop_s < now_s)
		*stop_s += DAY_S;
	return true;
}
