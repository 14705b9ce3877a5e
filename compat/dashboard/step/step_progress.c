/* Output is buffered until all that came at once is counted: a build may print 100 MiB.
 * See step_progress.h. */
#include "compat/dashboard/step/step_progress.h"

enum { SYMBOL_BYTES = 1024, SYMBOLS_PER_LINE = 50 };

void
step_progress_begin(struct step_progress *p, const char *legend)
{
	INVARIANT(p->in && legend);
	p->text = (struct buf){.arena = p->in->arena};
	step_fmt(p->in, CHANNEL_PROGRESS, "%s    ", legend);
}

bool
step_progress_add(struct step_progress *p, size_t bytes, char symbol)
{
	size_t before = p->symbols;

	p->total += bytes;
	while (p->total > p->symbols * SYMBOL_BYTES) {
		buf_char(&p->text, symbol);
		p->symbols++;
		if (p->symbols % SYMBOLS_PER_LINE == 0)
			buf_fmt(&p->text, "  Size: %zuK\n    ",
				(p->total + p->line_rounding) / SYMBOL_BYTES);
	}
	return p->symbols > before;
}

void
step_progress_show(struct step_progress *p)
{
	if (p->text.n)
		step_say(p->in, CHANNEL_PROGRESS, buf_as_str(&p->text));
	p->text.n = 0;
}

void
step_progress_end(struct step_progress *p)
{
	step_progress_show(p);
	step_fmt(p->in, CHANNEL_PROGRESS, " Size of output: %zuK\n",
		(p->total + p->end_rounding) / SYMBOL_BYTES);
}
