/* For a build without libcurl: every request fails with the reason. See http.h. */
#include "compat/dashboard/submit/http.h"

bool
http_is_there(void)
{
	return false;
}

struct http *
http_open(struct arena *a, const struct http_settings *s)
{
	(void)a;
	(void)s;
	return NULL;
}

void
http_send(struct http *h, const struct http_request *r, struct http_answer *answer)
{
	(void)h;
	(void)r;
	*answer = (struct http_answer){.error = STR("cctr was built without libcurl")};
}

void
http_close(struct http *h)
{
	(void)h;
}
