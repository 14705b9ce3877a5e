/* Options of cctr's own as the command line, the environment and cctr.yaml set them. */
#ifndef CCTR_COMPAT_COMMAND_LINE_OWN_SETTINGS_H
#define CCTR_COMPAT_COMMAND_LINE_OWN_SETTINGS_H

#include "compat/options/option_parse.h"
#include "compat/settings/default_files.h"

/* Keys of cctr.yaml: the options of cctr's own that are not for one call alone. */
struct str_list own_setting_keys(struct arena *a);
/* Sets what a parsed command line leaves unsaid, from the environment and from these
 * files. Fills profile and own_settings. false after diag_error. */
bool own_settings_take(struct option_parse *p, const struct default_files *files,
	bool is_called_ctest, struct diag *d);
/* "FILE:LINE", or "FILE" where the line is not known (0). */
struct str own_setting_place(struct arena *a, struct str file, unsigned line);

#endif
