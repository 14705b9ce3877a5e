/* Whether a run has a live display: --ui. Pure. */
#ifndef CCTR_COMPAT_CONSOLE_UI_H
#define CCTR_COMPAT_CONSOLE_UI_H

#include "compat/options/console_options.h"

/* Values of variables: NULL where they are not set. */
struct ui_place {
	bool is_terminal; /* standard output */
	const char *term, *ci; /* TERM, CI */
	/* NO_COLOR, CLICOLOR, CLICOLOR_FORCE */
	const char *no_colour, *colour, *colour_force;
};
/* Of this process. */
struct ui_place ui_place_here(void);
/* No display without a terminal that can draw it, and none where ctest's lines are not
 * printed as usual. */
bool ui_is_live(const struct console_options *o, const struct ui_place *p);
/* Of a display that is live. */
bool ui_has_colour(const struct ui_place *p);

#endif
