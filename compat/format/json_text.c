/*
 * Numbers become text as they were read: integers of up to 64 bits digit by digit, all
 * others as floating point, as cJSON stores every number. See json_text.h.
 */
#include "compat/format/json_text.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "compat/format/json_styled.h"

/* true: text begins with an integer that fits in 64 bits. "-" alone is 0. */
static bool
is_whole(struct str text, struct str *sign, uint64_t *value)
{
	const uint64_t lowest = (uint64_t)INT64_MAX + 1;
	size_t n;

	*sign = str_cut(text.p, str_begins(text, STR("-")));
	text = str_from(text, sign->n);
	for (n = 0, *value = 0; n < text.n && text.p[n] >= '0' && text.p[n] <= '9'; n++) {
		unsigned digit = (unsigned)(text.p[n] - '0');

		if (*value > (UINT64_MAX - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	if (*value == 0)
		sign->n = 0;
	return !(n < text.n && strchr("+.eE", text.p[n])) &&
	       !(sign->n && *value > lowest);
}

static struct str
number_text(struct arena *a, const cJSON *number, struct str text)
{
	struct buf b = {.arena = a};
	struct json out = {.out = &b};
	struct str sign;
	uint64_t whole;

	if (is_whole(text, &sign, &whole)) {
		buf_str(&b, sign);
		buf_number(&b, whole, 0);
	} else {
		json_double(&out, number->valuedouble);
	}
	return buf_as_str(&b);
}

bool
json_text(struct arena *a, const cJSON *value, struct str text, struct str *shown)
{
	*shown = STR("");
	if (cJSON_IsString(value))
		*shown = str_of(value->valuestring);
	else if (cJSON_IsBool(value))
		*shown = cJSON_IsTrue(value) ? STR("true") : STR("false");
	else if (cJSON_IsNumber(value))
		*shown = number_text(a, value, text);
	return cJSON_IsString(value) || cJSON_IsBool(value) || cJSON_IsNumber(value) ||
	       cJSON_IsNull(value);
}
