/* The keys of the configuration that variables of scripts set, and that a command line
 * hands to commands as variables. */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_KEYS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_KEYS_H

#include "compat/dashboard/script/script_host.h"
#include "compat/dashboard/step/dashboard.h"

struct script_key {
	const char *key, *variable;
	/* The command that sets its keys in this order. PARTS: commands set the key by
	 * its name, or not at all. */
	enum part part;
	bool is_later; /* only releases with MORE_KEYS_ARE_VARIABLES set the variable */
};
/* In the order in which a command line sets the variables; up to one without a key. */
extern const struct script_key script_keys[];
/* The variable of a key in the table. */
const char *script_key_variable(const char *key);
/* Sets a key of the configuration, and prints it as in says. */
void script_set_key(struct dashboard *d, const struct step_input *in, const char *key,
	struct str value);
/* Sets the key from the variable, if that is set. */
void script_take_key(struct dashboard *d, const struct step_input *in,
	const struct script_call *call, const char *key, const char *variable);

#endif
