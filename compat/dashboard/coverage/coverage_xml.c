/* See coverage_xml.h. */
#include "compat/dashboard/coverage/coverage_xml.h"

void
coverage_read_xml(struct coverage *c, struct str text, const struct xml_events *events)
{
	struct arena *scratch = arena_open();
	size_t line;
	const char *why = xml_read(scratch, text, events, &line);

	if (why)
		coverage_say(c, CHANNEL_ERROR,
			"Error parsing XML in stream at line %zu: %s\n", line, why);
	arena_close(scratch);
}
