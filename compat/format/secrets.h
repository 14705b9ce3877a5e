/*
 * Passwords and tokens in texts that cctr prints or keeps: "***" takes their place.
 *
 * What counts as one: the password of a URL (or all before its "@", where there is no
 * user's name), the value of NAME=value and the word after --name where the name ends
 * like that of a secret (PASSWORD, TOKEN, API_KEY and so on), the value of every header
 * of HTTP.
 */
#ifndef CCTR_COMPAT_FORMAT_SECRETS_H
#define CCTR_COMPAT_FORMAT_SECRETS_H

#include "runner/base/base.h"

/* These return the text itself where it has no secret. */

/* A command line or a line of output: values end at a blank or a quote. */
struct str secrets_masked(struct arena *a, struct str text);
/* One word, one value, one URL: values go on to its end. A proxy has no scheme. */
struct str secrets_masked_word(struct arena *a, struct str word);
/* The value of a setting or of a variable of the environment; one with quotes is read as
 * a command line. */
struct str secrets_masked_value(struct arena *a, struct str name, struct str value);
/* The words, each masked, and with them the one after a word such as "--password". */
struct str_list secrets_masked_words(struct arena *a, struct str_list words);

#endif
