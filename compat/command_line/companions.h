/* Options of cctr's own that do nothing unless others are there. */
#ifndef CCTR_COMPAT_COMMAND_LINE_COMPANIONS_H
#define CCTR_COMPAT_COMMAND_LINE_COMPANIONS_H

#include "compat/options/option_parse.h"

/* Checks the options of the command line alone: what a file or the environment says is
 * for the calls in which it does something. All settings are in p->o. false after a
 * message. */
bool companions_check(struct option_parse *p);

#endif
