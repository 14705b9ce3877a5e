/* See coverage_xml.h. */
#include "compat/dashboard/coverage/coverage_xml.h"

void
coverage_read_xml(struct coverage *c, struct str text, const struct xml_events *events)
{
	struct xml_fault fault = xml_read(text, events);

	if (fault.text)
		coverage_say(c, CHANNEL_ERROR,
			"Error parsing XML in stream at line %zu: %s\n", fault.line,
			fault.text);
}
