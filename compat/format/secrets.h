/*
 * Replaces passwords and tokens by "***" in texts that cctr prints or keeps.
 *
 * A secret is: the password of a URL (or all before its "@" if it has no user name), the
 * value of NAME=value and the word after --name if the name ends like a secret's
 * (PASSWORD, TOKEN, API_KEY and so on), and the value of every HTTP header.
 */
#ifndef CCTR_COMPAT_FORMAT_SECRETS_H
#define CCTR_COMPAT_FORMAT_SECRETS_H

#include "runner/base/base.h"

/* These return the text itself if it has no secret. */

/* For a command line or a line of output: values end at a blank or a quote. */
struct str secrets_masked(struct arena *a, struct str text);
/* For one word, one value or one URL: values go on to its end. A proxy needs no
 * scheme. */
struct str secrets_masked_word(struct arena *a, struct str word);
/* For the value of a setting or an environment variable. A value with quotes is read as a
 * command line. */
struct str secrets_masked_value(struct arena *a, struct str name, struct str value);
/* Masks each word, and also the word after an option such as "--password". */
struct str_list secrets_masked_words(struct arena *a, struct str_list words);

#endif
