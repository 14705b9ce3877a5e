/* See ui.h. */
#include "compat/console/ui.h"

#include <stdlib.h>
#include <unistd.h>

struct ui_place
ui_place_here(void)
{
	return (struct ui_place){.is_terminal = isatty(STDOUT_FILENO) == 1,
		.term = getenv("TERM"),
		.ci = getenv("CI"),
		.no_colour = getenv("NO_COLOR"),
		.colour = getenv("CLICOLOR"),
		.colour_force = getenv("CLICOLOR_FORCE")};
}

static bool
is_set(const char *value)
{
	return value && *value;
}

bool
ui_is_live(const struct console_options *o, const struct ui_place *p)
{
	bool draws = p->is_terminal && is_set(p->term) && strcmp(p->term, "dumb") != 0;

	if (!draws || o->quiet || o->progress || o->debug)
		return false;
	switch (o->ui) {
	case UI_LIVE:
		return true;
	case UI_PLAIN:
		return false;
	case UI_AUTO:
		break;
	}
	return !o->is_called_ctest && !is_set(p->ci);
}

bool
ui_has_colour(const struct ui_place *p)
{
	if (is_set(p->no_colour))
		return false;
	if (is_set(p->colour_force) && strcmp(p->colour_force, "0") != 0)
		return true;
	return !is_set(p->colour) || strcmp(p->colour, "0") != 0;
}
