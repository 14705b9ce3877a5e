/* See job_nice.h. */
#include "runner/cluster/job_nice.h"

#include <math.h>
#include <time.h>

#define NICE_MOST 2147483645.0
#define ORIGIN 1672531200 /* 2023-01-01 00:00 */

/* Takes so many digits, and the character after them unless it is NUL. */
static bool
take_digits(struct str *text, size_t n, char after, int *value)
{
	uint64_t number = 0;

	if (text->n < n + (after != '\0') ||
		!str_unsigned(str_cut(text->p, n), 9999, &number) ||
		(after && text->p[n] != after))
		return false;
	*value = (int)number;
	*text = str_from(*text, n + (after != '\0'));
	return true;
}

/* " +02:00"; nothing is UTC. */
static bool
read_zone(struct str text, int64_t *seconds)
{
	bool is_west;
	int hours, minutes;

	*seconds = 0;
	if (!text.n)
		return true;
	if (text.p[0] == ' ')
		text = str_from(text, 1);
	is_west = text.n && text.p[0] == '-';
	if (!text.n || (!is_west && text.p[0] != '+'))
		return false;
	text = str_from(text, 1);
	if (!take_digits(&text, 2, ':', &hours) ||
		!take_digits(&text, 2, '\0', &minutes) || text.n || hours > 14 ||
		minutes > 59)
		return false;
	*seconds = (hours * 60 + minutes) * (is_west ? -60 : 60);
	return true;
}

bool
job_nice_origin(struct str text, int64_t *seconds)
{
	struct tm date = {.tm_isdst = 0}, asked;
	int64_t zone;

	if (!take_digits(&text, 4, '-', &date.tm_year) ||
		!take_digits(&text, 2, '-', &date.tm_mon) ||
		!take_digits(&text, 2, ' ', &date.tm_mday) ||
		!take_digits(&text, 2, ':', &date.tm_hour) ||
		!take_digits(&text, 2, '\0', &date.tm_min) || !read_zone(text, &zone) ||
		date.tm_year < 1970)
		return false;
	date.tm_year -= 1900;
	date.tm_mon--;
	asked = date;
	*seconds = (int64_t)timegm(&date) - zone;
	return date.tm_min == asked.tm_min && date.tm_hour == asked.tm_hour &&
	       date.tm_mday == asked.tm_mday && date.tm_mon == asked.tm_mon;
}

bool
job_nice_factor(struct str text, double *factor)
{
	if (!str_is_of(text, "0123456789."))
		return false;
	*factor = str_double(text);
	return isfinite(*factor) && *factor > 0;
}

uint64_t
job_nice(struct str origin, struct str factor, double end_s, double pressure_s)
{
	int64_t origin_s = ORIGIN;
	double growth = 1, value;

	if (origin.n && !job_nice_origin(origin, &origin_s))
		BUG("the origin is not checked");
	if (factor.n && !job_nice_factor(factor, &growth))
		BUG("the factor is not checked");
	value = (end_s - pressure_s - (double)origin_s) * growth;
	if (!(value > 1))
		return 1;
	return value < NICE_MOST ? (uint64_t)value : (uint64_t)NICE_MOST;
}
