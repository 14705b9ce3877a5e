/*
 * Sends files to a dashboard, one PUT each, and says how that went: on the console and in
 * Testing/Temporary/LastSubmit_<tag>.log.
 *
 * A file that cannot be sent ends it: what stands behind it is not sent, and all of it
 * can be sent again.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_H

#include "compat/console/console.h"
#include "compat/dashboard/submit/http.h"
#include "compat/dashboard/submit/submit_url.h"

/* What both ways of sending have in common. */
struct submit {
	struct arena *arena;
	const struct dialect *dialect;
	struct console *console;
	bool quiet;
	bool is_debugged; /* -VV */
	bool shows_headers; /* --debug */
	bool is_test; /* INTERNAL_TEST_CHECKSUM: what is sent must be refused */
	struct str url;
	struct submit_names names;
	struct str folder; /* Testing/<tag> */
	struct http_settings http;
	struct str_list headers; /* what the caller adds */
	size_t retries;
	unsigned delay_s;
	struct buf log;
	bool has_errors, has_warnings; /* of any answer so far */
	struct str build; /* the last one that the dashboard named, "" */
	int interrupted; /* the signal that ended a wait */
};

/* The headers that the caller adds, under --debug. */
void submit_say_headers(struct submit *s);
/* Says a text that ctest hides where its command is told to be quiet. */
void submit_say(struct submit *s, struct str text);
/* false: a signal came. */
CCTR_MUST_CHECK bool submit_wait(struct submit *s);
/* What is set for every connection, and said under -V. */
void submit_say_settings(struct submit *s);

/* files: names below folder, or paths; "Done.xml" is made when it is its turn. */
CCTR_MUST_CHECK bool submit_files(struct submit *s, struct str_list files);
/* In two steps: the build is asked for, then the file is sent to it. */
CCTR_MUST_CHECK bool submit_upload(struct submit *s, struct str file, struct str type);

#endif
