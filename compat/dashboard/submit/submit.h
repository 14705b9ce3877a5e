/*
 * Sends files to a dashboard, one PUT each, and reports the result on the console and in
 * Testing/Temporary/LastSubmit_<tag>.log.
 *
 * A file that cannot be sent ends the submission: the files after it are not sent, and
 * all of them can be sent again.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_H

#include "compat/console/console.h"
#include "compat/dashboard/submit/http.h"
#include "compat/dashboard/submit/submit_url.h"
#include "compat/format/md5.h"

/* What both ways of sending share. */
struct submit {
	struct arena *arena;
	const struct dialect *dialect;
	struct console *console;
	bool quiet;
	bool is_debugged; /* -VV */
	bool shows_headers; /* --debug */
	bool is_test; /* INTERNAL_TEST_CHECKSUM: the server must refuse the file */
	struct str url;
	struct submit_names names;
	struct str start; /* where relative names are: path_in */
	struct str folder; /* Testing/<tag> of this step */
	struct str done; /* the file Done.xml, which may be elsewhere */
	struct http_settings http;
	struct str_list headers; /* added by the caller */
	size_t retries;
	unsigned delay_s;
	struct str bad_delay, bad_retries; /* no numbers; an upload reports them */
	struct buf log;
	bool has_errors, has_warnings; /* in any answer so far */
	struct str build; /* the last one in an answer, or "" */
	int interrupted; /* the signal that ended a wait */
};

/* Prints the caller's headers, under --debug. */
void submit_say_headers(struct submit *s);
/* Reports a time without an answer that is no number, for each connection. */
void submit_say_timeout(struct submit *s);
/* Prints a text that ctest hides for a command with QUIET. */
void submit_say(struct submit *s, struct str text);
/* Prints the answer of the server between two texts. Until ctest 3.31 a NUL in the answer
 * ends all of it. */
void submit_say_answer(struct submit *s, enum channel channel, const char *before,
	struct str answer, const char *after);
/* Waits between two attempts. false: a signal came, or, after a message, there is no
 * wait. */
CCTR_MUST_CHECK bool submit_wait(struct submit *s);

/* A file to send, which has a size and can be sent again. false: it is not there, or it
 * is something else. */
struct submit_file {
	int fd;
	uint64_t size;
	char md5[MD5_TEXT];
};
CCTR_MUST_CHECK bool submit_file_open(
	const struct submit *s, struct submit_file *f, struct str path);

/* files: names below folder, or paths. "Done.xml" is made just before it is sent. */
CCTR_MUST_CHECK bool submit_files(struct submit *s, struct str_list files);
/* Works in two steps: asks for the build, then sends the file to it. */
CCTR_MUST_CHECK bool submit_upload(struct submit *s, struct str file, struct str type);

#endif
