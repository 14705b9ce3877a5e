/* A look adds no more than the time between two looks of a process that runs. */
#include "runner/remote/silence.h"

void
silence_break(struct silence *s)
{
	*s = (struct silence){0};
}

bool
silence_exceeds(struct silence *s, uint64_t now_ns, uint64_t longest_ns)
{
	uint64_t passed_ns = s->looked_ns ? now_ns - s->looked_ns : 0;
	uint64_t most_ns = longest_ns / SILENCE_BEATS + 1;

	s->lasted_ns += passed_ns < most_ns ? passed_ns : most_ns;
	s->looked_ns = now_ns;
	return s->lasted_ns >= longest_ns;
}
